"""A gate's verdicts for other programs: JUnit XML and GitHub annotations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from thresher._internal.text import number_text, plain_text

if TYPE_CHECKING:
    from thresher.evaluation.requirements import Judgement

# Of GitHub's workflow commands: signs that end a message, and those that end a property.
_IN_MESSAGE = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTY = _IN_MESSAGE | {":": "%3A", ",": "%2C"}


def junit_xml(verdicts: Sequence[Judgement], *, name: str) -> bytes:
    """The verdicts as a JUnit report: a test case per requirement, a class per model."""
    counts = {"tests": f"{len(verdicts)}", "failures": f"{sum(not one.passed for one in verdicts)}", "errors": "0"}
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": plain_text(name), **counts})
    for one in verdicts:
        words = {"classname": plain_text(one.model), "name": plain_text(one.requirement.text)}
        case = ET.SubElement(suite, "testcase", words)
        if not one.passed:
            ET.SubElement(case, "failure", {"type": "requirement", "message": verdict_text(one)})
    ET.indent(suites)
    return ET.tostring(suites, encoding="utf-8", xml_declaration=True) + b"\n"


def github_annotations(verdicts: Sequence[Judgement]) -> Iterator[str]:
    """One line per failed requirement, as GitHub Actions reads it.

    It is attached to the line of the requirements file, where there is one.
    """
    for one in verdicts:
        if not one.passed:
            file, line = one.requirement.place
            place = {"file": file, "line": str(line)} if file else {}
            properties = place | {"title": plain_text(one.requirement.text)}
            listed = ",".join(f"{key}={_escape(value, _IN_PROPERTY)}" for key, value in properties.items())
            yield f"::error {listed}::{_escape(verdict_text(one), _IN_MESSAGE)}"


def verdict_text(one: Judgement) -> str:
    """The model, the bound that was judged, and what was required of it, in one line."""
    required = f"required {one.requirement.relation} {one.requirement.value:g}"
    if math.isnan(one.observed):
        return plain_text(f"{one.model}: {one.requirement.quantity} is undefined: {one.interval.note}; {required}")
    bound = one.requirement.bound
    limit = "" if bound == "estimate" else f"{bound} limit of "
    shown = number_text(one.observed)
    if one.passed != one.requirement.holds(float(f"{one.observed:.3g}")):  # three digits would contradict the verdict
        shown = repr(one.observed)
    return plain_text(f"{one.model}: {limit}{one.requirement.quantity} is {shown}, {required}")


def _escape(text: str, signs: dict[str, str]) -> str:
    return "".join(signs.get(sign, sign) for sign in text)
