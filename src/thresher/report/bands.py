"""Bands around curves as the page draws them."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.evaluation.bands import ModelBands
from thresher.inference import Band
from thresher.report.numbers import rounded

_DECIMALS = 5


def lines(bands: ModelBands | None) -> dict[str, Any]:
    """The limits of every band, and None where there is none.

    >>> lines(None)
    {'roc': None, 'pr': None, 'net_benefit': None, 'reliability': None}
    """
    names = {"roc": "roc", "pr": "precision_recall", "net_benefit": "net_benefit", "reliability": "reliability"}
    return {key: _limits(getattr(bands, name, None)) for key, name in names.items()}


def _limits(band: Band | None) -> dict[str, Any] | None:
    if band is None:
        return None
    limits = {side: np.round(getattr(band, side), _DECIMALS).tolist() for side in ("lower", "upper")}
    return {"x": rounded(band.x)} | limits
