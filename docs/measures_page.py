"""The page of measures, written from the registry: `python -m docs.measures_page` at the root."""

from __future__ import annotations

import math
from pathlib import Path

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


def page() -> str:
    """The whole page as Markdown."""
    rows = [_row(measure) for measure in th.MEASURES.values()]
    return _TOP.format(count=len(rows)) + "\n".join(rows) + "\n" + _END


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
