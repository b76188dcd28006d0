"""Every check of the harness by its name."""

from __future__ import annotations

from collections.abc import Mapping

from tests.fuzz.answers import Check

CHECKS: Mapping[str, Check] = {}
