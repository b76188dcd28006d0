"""The page of measures, written from the registry: `python -m docs.measures_page` at the root."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import thresher as th

PAGE = Path(__file__).parent / "measures.md"

_TOP = """\
<!-- Written by `python -m docs.measures_page` from thresher.MEASURES: edit there, not here. -->
# Measures

Everything a contingency table can be asked, {count} measures in all. The table comes from the registry
`thresher.MEASURES`, so it cannot disagree with the code. Each name and each synonym works wherever a measure is asked
for: `choose(ranking, maximise="recall")`, `subject_to="false_alarm_rate <= 0.01"`, `isometric("ppv", 0.9, ...)`.

`tp fn fp tn` are the four cells, `Pos` and `Neg` the row totals, `total` their sum. **+** and **-** are the classes.
An arrow says whether higher (↑) or lower (↓) is better; without one, neither is. A measure that comes out as 0/0 is
NaN, and `Contingency.describe` says why in the words of the last column.

```python
>>> import thresher as th
>>> spam = th.Contingency(tp=30, fn=20, fp=10, tn=40)
>>> th.tables.measure("sensitivity").of(spam), spam.tpr
(0.6, 0.6)
>>> spam.describe("lift")
'lift 1.5'
>>> th.Contingency(tp=0, fn=1, fp=0, tn=999).describe("precision")
'precision undefined: nothing is predicted positive'
```

| measure | formula | what it estimates | range | undefined when |
|---|---|---|---|---|
"""

_FAMILIES_TOP = """\
## What each prefers

Every point of ROC space is a classifier. A line through all points that a measure values alike is an
*isometric*. Its slope says what the measure would pay: how much tpr for a step of fpr. The pictures are drawn
for 25 positives and 75 negatives; C finds 60 % of the positives and calls 20 % of the negatives.

```python
>>> few = {"C": th.Contingency.of(tpr=0.6, fpr=0.2, Pos=25, Neg=75)}
>>> [th.isometric(name, 0.7, plane="roc", Pos=25, Neg=75).slope for name in ("accuracy", "average_recall")]
[3.0, 1.0]
```

[The classroom](classroom.md) shows lines of accuracy and of average recall step by step.
"""

_END = """
## How sure they are

`interval(table, "mcc")` says it of one measure, `intervals(table)` of all. A measure that is so many of so many cases
is a rate and has Wilson's limits (`.method` is "wilson", or the `method=` asked for). All others, and every one at a
declared `class_ratio`, have **score limits** (`.method` is "score"): the least and the most the measure is on tables of
expected counts m that the score test accepts, those where Σ (count − m)² / m ≤ z². One rule serves differences, ratios,
products and correlations, two classes and many, costs and net benefit. Empty cells may have been empty by chance, and
what they may hide is part of the limits.

```python
>>> print(th.interval(spam, "youden_j"), "|", th.interval(spam, "lr_plus"))
0.4000 [0.2122, 0.5603] | 3.0000 [1.7008, 5.5689]
>>> print(th.interval(th.Contingency(tp=20, fn=0, fp=0, tn=980), "lr_plus"))
inf [255.8617, inf]
```

Sampling weights make a cell as many cases as its rows are worth (Kish), clusters fewer by their design effect.
`.variance` is the delta method's, which is 0 where a rate was seen as 0 or 1: do not build limits from it.

## F measures

`f1` is registered; every other F measure is known by its β, as `"f2"` or `"f0.5"`, and as
`Contingency.f_beta(β)`. Fβ is `(1 + β²) tp / ((1 + β²) tp + β² fn + fp)`: recall counts β times as much as precision.

```python
>>> th.tables.measure("f2").of(spam)
0.625
>>> spam.f_beta(2)
0.625
```

## At another class ratio

Precision, accuracy and most others change with the mix of classes; tpr and fpr do not. So any measure can be stated
for a class ratio that the data do not have, from the same two rates. The spam table has one spam per ham. With ten hams
per spam its precision is no longer 0.75:

```python
>>> round(th.tables.measure("precision").of(spam, class_ratio=1/10), 4)
0.2308
>>> round(spam.at_class_ratio(1/10).precision, 4)
0.2308
```
"""


class _Family(NamedTuple):
    """Measures whose isometrics look alike: a heading, what they show, and the two that are drawn, described."""

    title: str
    words: str
    drawn: dict[str, str]


_FAMILIES = {
    "parallel": _Family(
        "Parallel lines: one price everywhere",
        """\
A step to the right costs the same at every threshold. Accuracy counts cases, and of negatives there are three
times as many: a step of fpr is worth three of tpr. Average recall counts rates, so its price is 1 whatever the
mix is. Lines of equal *cost* are parallel, too: their slope is 1 / (cost ratio · class ratio).

{names} are of this family. Lines of tpr and fnr are level and those of fpr and tnr upright: only one class
counts. Those of `predicted_positive_rate` fall, because it counts calls, right or wrong.""",
        {
            "accuracy": "Parallel lines of slope 3; accuracy is largest in the upper left corner",
            "average_recall": "Parallel lines of slope 1; average recall is 0.5 on the diagonal",
        },
    ),
    "corner": _Family(
        "Lines that turn about a corner: only the calls count",
        """\
All lines of precision start at (0, 0). Near that corner a few calls decide everything; farther out a step
changes little. A steep line means few false alarms per find. No call at all is the corner itself, where
precision is 0/0. Lines of npv turn about (1, 1) in the same way: it looks at the cases that are *not* called.

{names} are of this family.""",
        {
            "precision": "Lines that fan out from the lower left corner; steep ones have a high precision",
            "npv": "Lines that meet in the upper right corner; flat ones have a high predictive value",
        },
    ),
    "outside": _Family(
        "Lines that turn about a point outside: between two families",
        """\
F1 turns about (−Pos/Neg, 0), to the left of the picture. Where positives are rare that point is close to the
corner, and F1 behaves like precision. Where they are frequent it is far away, the lines lie flat, and F1
behaves like recall. Fβ turns about (−β²·Pos/Neg, 0). True negatives appear nowhere in it.

κ turns about a point on the extended diagonal, here (−½, −½). The diagonal itself is its line 0: no better than
chance. With equal classes that point is infinitely far away, and the lines are parallel, as those of average
recall.

{names} are of this family.""",
        {
            "f1": "Lines that would meet left of the picture, where fpr is minus one third",
            "kappa": "Lines that would meet below the picture, on the extended diagonal",
        },
    ),
    "curved": _Family(
        "Curves: the price changes along the line",
        """\
The lines of MCC are steep near (0, 0), as those of precision, and flat near (1, 1), as those of npv: it wants
both. G is 0 as soon as one class is never found, so its lines bend away from both edges. Those of the odds
ratio all run through (0, 0) and (1, 1): a classifier that calls almost nothing can have any odds ratio at all.

{names} are of this family.""",
        {
            "mcc": "Curves that bend towards the upper left corner; the diagonal is the curve of correlation 0",
            "g_mean": "Curves like hyperbolas that stay away from the lower and the right edge",
        },
    ),
}


def page() -> str:
    """The whole page as Markdown."""
    rows = [_row(measure) for measure in th.MEASURES.values()]
    return _TOP.format(count=len(rows)) + "\n".join(rows) + "\n\n" + _families() + _END


def _families() -> str:
    names: dict[str, list[str]] = {family: [] for family in (*_FAMILIES, "none")}
    for name in th.MEASURES:
        names[_family(name)].append(f"`{name}`")
    text = [_FAMILIES_TOP.strip()]
    for key, family in _FAMILIES.items():
        text += [f"### {family.title}", family.words.format(names=_listed(names[key])), _drawings(family.drawn)]
    return "\n\n".join([*text, f"{_listed(names['none'])} belong to the data: no threshold changes them."]) + "\n"


def _family(name: str) -> str:
    """How the isometrics of a measure lie in ROC space, from two of them."""
    tables = [th.Contingency.of(tpr=tpr, fpr=0.2, Pos=25, Neg=75) for tpr in (0.6, 0.8)]
    try:
        one, other = (th.isometric(name, getattr(table, name), plane="roc", Pos=25, Neg=75) for table in tables)
    except th.errors.MeasureError:
        return "none"
    if one.slope is None or other.slope is None:
        return "curved"
    if math.isclose(one.slope, other.slope, abs_tol=1e-9) or math.isinf(one.slope):
        return "parallel"
    x = (other.y[0] - other.slope * other.x[0] - one.y[0] + one.slope * one.x[0]) / (one.slope - other.slope)
    return "corner" if min(abs(x), abs(x - 1)) < 1e-9 else "outside"


def _drawings(drawn: dict[str, str]) -> str:
    draw = "th.plots.ROCDisplay.from_tables(few).plot(isometrics={!r})"
    drawings = (f"```{{draw}}\n:alt: {alt}\n{draw.format(name)}\n```" for name, alt in drawn.items())
    items = [f":::{{grid-item}}\n{drawing}\n:::" for drawing in drawings]
    return "\n".join(["::::{grid} 1 2 2 2", ":gutter: 2", "", *items, "::::"])


def _listed(names: list[str]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1]


def _row(measure: th.tables.Measure) -> str:
    name = f"**`{measure.name}`**"
    if measure.symbol != measure.name:
        name += f" {measure.symbol}"
    if measure.synonyms:
        name += "<br>" + ", ".join(f"`{synonym}`" for synonym in measure.synonyms)
    better = {"higher": " ↑", "lower": " ↓", "neither": ""}[measure.better]
    cells = (name, f"`{measure.formula}`", measure.estimates, _range(measure.range) + better, measure.undefined)
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _range(ends: tuple[float, float]) -> str:
    low, high = ("∞" if math.isinf(end) else f"{end:g}".replace("-", "−") for end in ends)
    return f"{low} to {high}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
