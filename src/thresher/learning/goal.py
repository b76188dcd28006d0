"""The goal: which rows of a target a model is to find, one of two classes or one against all the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.errors import LabelError, PositiveLabelError
from thresher.learning.target_column import Target, require_frequent, target_column
from thresher.learning.targets import binary_target
from thresher.ranking import Flags, Indices
from thresher.sources.columns import Column, column
from thresher.sources.labels import listed, same

# Three folds within three folds, which a linear SVM is calibrated on, find three rows of each class in five.
FEWEST_TO_FIT = 5


@dataclass(frozen=True, slots=True, eq=False)
class Goal:
    """Which rows are positive, the positive label as given, and what both sides are called.

    `labels` are the negative and the positive one. Of more than two classes they are words, "not 3" and "3", and
    `table` is the table with these in its target.
    """

    table: Any
    flags: Flags
    positive: Any
    labels: tuple[Any, Any]

    def named(self, flags: Flags) -> Column:
        """Flags in the words of both sides."""
        return np.array(self.labels)[flags.astype(np.intp)]


def goal_of(table: Any, target: str, *, positive: Any = None, fewest: int = 2) -> Goal:
    """Read the target of a frame; of more than two classes, `positive` says which one is told from the rest.

    `fewest` is how many rows each side must have.

    >>> from thresher.learning import frame
    >>> wine = frame({"sort": ["red", "white", "rosé", "red"]})
    >>> goal_of(wine, "sort", positive="red").labels
    ('not red', 'red')
    >>> goal_of(wine, "sort")
    Traceback (most recent call last):
    thresher.errors.PositiveLabelError: the target 'sort' has 3 classes, 'red', 'rosé' and 'white', and it is not said
    which one is to be told from the rest
      where: goal_of(table, target)
      fix:   pass positive='red' to learn that class against all others; learn once per class to have each of them
    """
    found = target_column(table, target, fewest=1)
    if len(found.classes) > 2:
        return _against_rest(table, found, positive=positive, fewest=fewest)
    require_frequent(found, fewest=fewest)
    labels = column(table[target], name=target)
    two = binary_target(labels, positive=positive, matters=True)
    negative = next(label for label in found.classes if not same(label, two.positive))
    return Goal(table, two.flags, two.positive, (negative, two.positive))


def require_enough(goal: Goal, train: Indices, *, folds: int) -> None:
    """Refuse training rows of which some fold would leave too few of a class to learn from and to calibrate on.

    >>> from thresher.learning import frame
    >>> goal = goal_of(frame({"ill": [0] * 20 + [1] * 6}), "ill")
    >>> require_enough(goal, np.arange(26), folds=5)
    Traceback (most recent call last):
    thresher.errors.LabelError: 6 of the 26 rows to learn from are 1, and 5 folds leave 4 of them to some fit, where
    calibration needs 5
      where: require_enough(goal, train)
      fix:   collect more of that class, or join it with another
    """
    for label, side in zip(goal.labels, (~goal.flags, goal.flags), strict=True):
        count = int(side[train].sum())
        left = count - -(-count // folds)
        if left < FEWEST_TO_FIT:
            raise LabelError(
                f"{count:,} of the {train.size:,} rows to learn from are {label}, and {folds} folds leave {left} of "
                f"them to some fit, where calibration needs {FEWEST_TO_FIT}",
                "collect more of that class, or join it with another",
            )


def _against_rest(table: Any, found: Target, *, positive: Any, fewest: int) -> Goal:
    told = f"the target {found.name!r} has {len(found.classes)} classes, {listed(found.classes)}"
    if positive is None:
        raise PositiveLabelError(
            f"{told}, and it is not said which one is to be told from the rest",
            f"pass positive={found.classes[0]!r} to learn that class against all others; "
            "learn once per class to have each of them",
        )
    place = next((place for place, label in enumerate(found.classes) if same(positive, label)), None)
    if place is None:
        raise PositiveLabelError(
            f"{told}, and the positive label {positive!r} is none of them",
            f"pass positive={found.classes[0]!r} or another of them",
        )
    flags = found.codes == place
    labels = (f"not {found.classes[place]}", str(found.classes[place]))
    require_frequent(Target(found.name, labels, flags.astype(np.intp)), fewest=fewest)
    words = table.assign(**{found.name: np.array(labels, dtype=object)[flags.astype(np.intp)]})
    return Goal(words, flags, found.classes[place], labels)
