"""A gate's verdicts for other programs: JUnit XML and GitHub annotations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias
from xml.etree import ElementTree as ET

from thresher._internal.text import number_text, plain_text
from thresher.errors import ThresherError

if TYPE_CHECKING:
    from thresher.evaluation.requirements import Judgement

# Of GitHub's workflow commands: signs that end a message, and those that end a property.
_IN_MESSAGE = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTY = _IN_MESSAGE | {":": "%3A", ",": "%2C"}


Verdicts: TypeAlias = "Mapping[str, Sequence[Judgement] | ThresherError]"  # by group, or why there are none


def junit_xml(verdicts: Verdicts, *, name: str) -> bytes:
    """The verdicts as a JUnit report: a suite per group, a test case per requirement."""
    suites = ET.Element("testsuites")
    for group, judged in verdicts.items():
        suite = ET.SubElement(suites, "testsuite", {"name": plain_text(f"{name} {group}".strip())})
        if isinstance(judged, ThresherError):
            case = ET.SubElement(suite, "testcase", {"classname": plain_text(group), "name": "rows"})
            ET.SubElement(case, "error", {"message": plain_text(judged.what)})
        for one in () if isinstance(judged, ThresherError) else judged:
            words = {"classname": plain_text(one.model), "name": plain_text(one.requirement.text)}
            case = ET.SubElement(suite, "testcase", words)
            if not one.passed:
                kind = "undecided" if one.undecided else "requirement"
                ET.SubElement(case, "failure", {"type": kind, "message": verdict_text(one)})
        for count, path in (("tests", "testcase"), ("failures", "testcase/failure"), ("errors", "testcase/error")):
            suite.set(count, str(len(suite.findall(path))))
    ET.indent(suites)
    return ET.tostring(suites, encoding="utf-8", xml_declaration=True) + b"\n"


def github_annotations(verdicts: Verdicts) -> Iterator[str]:
    """One line per failed requirement, as GitHub Actions reads it.

    It is attached to the line of the requirements file, where there is one.
    """
    for group, judged in verdicts.items():
        of = f"{plain_text(group)}: " if group else ""
        if isinstance(judged, ThresherError):
            yield f"::error ::{_escape(of + plain_text(judged.what), _IN_MESSAGE)}"
        for one in () if isinstance(judged, ThresherError) else judged:
            if not one.passed:
                file, line = one.requirement.place
                place = {"file": file, "line": str(line)} if file else {}
                properties = place | {"title": plain_text(one.requirement.text)}
                listed = ",".join(f"{key}={_escape(value, _IN_PROPERTY)}" for key, value in properties.items())
                yield f"::error {listed}::{_escape(of + verdict_text(one), _IN_MESSAGE)}"


def verdict_text(one: Judgement) -> str:
    """The model, the bound that was judged, and what was required of it, in one line."""
    required = f"required {one.requirement.relation} {one.requirement.value:g}"
    if math.isnan(one.observed):
        return plain_text(f"{one.model}: {one.requirement.quantity} is undefined: {one.interval.note}; {required}")
    bound = one.requirement.bound
    limit = "" if bound == "estimate" else f"{bound} limit of "
    if one.undecided:
        ends = " to ".join(map(number_text, one.within))
        return plain_text(f"{one.model}: {limit}{one.requirement.quantity} lies within {ends}, {required}: undecided")
    return plain_text(f"{one.model}: {limit}{one.requirement.quantity} is {observed_text(one)}, {required}")


def observed_text(one: Judgement) -> str:
    """The bound that was judged, to as many digits as bear the verdict out."""
    value, holds = one.observed, one.requirement.holds
    texts = (f"{value:.{digits}g}" for digits in range(3, 18))
    first = next((text for text in texts if holds(float(text)) == holds(value)), repr(value))
    return number_text(value) if len(first.strip("-0.").replace(".", "")) <= 3 or math.isnan(value) else first


def _escape(text: str, signs: dict[str, str]) -> str:
    return "".join(signs.get(sign, sign) for sign in text)
