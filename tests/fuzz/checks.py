"""Every check of the harness by its name."""

from __future__ import annotations

from collections.abc import Mapping

from tests.fuzz import hostile_files, hostile_inputs
from tests.fuzz.answers import Check

CHECKS: Mapping[str, Check] = {
    "hostile-inputs": hostile_inputs.check,
    "hostile-files": hostile_files.check,
}
