"""Every check of the harness by its name."""

from __future__ import annotations

from collections.abc import Mapping

from tests.fuzz import faults, hostile_files
from tests.fuzz.answers import Check

CHECKS: Mapping[str, Check] = {
    "hostile documents": hostile_files.documents,
    "hostile rankings": hostile_files.stored_rankings,
    "hostile folders": hostile_files.folders,
    "hostile models": hostile_files.model_files,
    "faults": faults.faults,
    "overwriting": faults.overwriting,
}
