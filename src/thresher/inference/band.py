"""`Band`: a curve with lower and upper limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.ranking import Floats
from thresher.results import Tabular


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Band(Tabular):
    """A curve with lower and upper limits over `x`.

    A pointwise band holds the truth at any one x with probability `level`, a simultaneous one at all of them at once:
    both asymptotically. In small samples, and where few cases decide, percentiles hold it less often.
    """

    x: Floats
    estimate: Floats
    lower: Floats
    upper: Floats
    level: float
    method: str
    simultaneous: bool = False

    def __post_init__(self) -> None:
        for column in (self.x, self.estimate, self.lower, self.upper):
            column.flags.writeable = False

    def to_dict(self) -> dict[str, Any]:
        """The columns as lists; undefined numbers become None."""
        columns = {name: getattr(self, name) for name in ("x", "estimate", "lower", "upper")}
        plain = {name: [None if np.isnan(v) else v for v in values.tolist()] for name, values in columns.items()}
        return plain | {"level": self.level, "method": self.method, "simultaneous": self.simultaneous}
