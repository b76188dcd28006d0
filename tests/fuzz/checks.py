"""Every check of the harness by its name."""

from __future__ import annotations

from collections.abc import Mapping

from tests.fuzz import (
    choices,
    curves,
    decisions,
    faults,
    hostile_artefacts,
    hostile_files,
    hostile_inputs,
    large,
    laws,
    limits,
    measures,
    probabilities,
    scans,
    tabulated,
)
from tests.fuzz.answers import Check

QUICK: Mapping[str, Check] = {
    "measures": measures.check,
    "choices": choices.check,
    "joint": choices.joint,
    "hulls": curves.hulls,
    "areas": curves.areas,
    "bounds": curves.bounds,
    "losses": probabilities.losses,
    "maps": probabilities.maps,
    "tables": tabulated.check,
    "classes": tabulated.classes,
    "limits": limits.check,
    "scans": scans.check,
    "laws": laws.check,
    "large": large.check,
    "decisions": decisions.check,
    "commands": decisions.command_line,
}
# Hundreds of answers or whole commands a case, which takes seconds.
SLOW: Mapping[str, Check] = {
    "hostile-inputs": hostile_inputs.check,
    "hostile-files": hostile_files.check,
    "hostile-documents": hostile_artefacts.documents,
    "hostile-rankings": hostile_artefacts.stored_rankings,
    "hostile-folders": hostile_artefacts.folders,
    "hostile-models": hostile_artefacts.model_files,
    "faults": faults.faults,
    "overwriting": faults.overwriting,
}
CHECKS: Mapping[str, Check] = {**QUICK, **SLOW}
