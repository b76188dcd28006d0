"""Every check of the harness by its name."""

from __future__ import annotations

from collections.abc import Mapping

from tests.fuzz import faults, hostile_artefacts
from tests.fuzz.answers import Check

CHECKS: Mapping[str, Check] = {
    "hostile documents": hostile_artefacts.documents,
    "hostile rankings": hostile_artefacts.stored_rankings,
    "hostile folders": hostile_artefacts.folders,
    "hostile models": hostile_artefacts.model_files,
    "faults": faults.faults,
    "overwriting": faults.overwriting,
}
