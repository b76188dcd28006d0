"""Whether limits and alarms hold at every look, by simulation; writes `docs/anytime_study.md`.

`python -m benchmarks.anytime` takes about ten minutes on one processor, `--short` one. Each study returns numbers by
name; the slow tests in tests/inference/anytime/test_study.py hold them to what is promised.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit, ndtri
from scipy.stats import betabinom, hypergeom

import thresher as th
import thresher.inference as at
from thresher.inference.anytime.calibration_evidence import INTERCEPTS, SLOPES
from thresher.inference.anytime.mean import STAKES
from thresher.inference.anytime.mixture import log_evidence, log_factor, nodes

Floats: TypeAlias = npt.NDArray[np.float64]
Table: TypeAlias = dict[str, dict[str, float]]

PAGE = Path(__file__).parents[1] / "docs" / "anytime_study.md"
ENOUGH = math.log(20)
ROWS_A_DAY, PROMISE = 30, 0.8


def widths(_: float) -> Table:
    """Width at a share of 80 % and 5 %, by number of labels."""
    table: Table = {}
    for share in (0.8, 0.05):
        for n in (20, 100, 500, 2000):
            k = round(share * n)
            any_time, once = th.rate_interval(k, n, method="anytime").width, th.rate_interval(k, n).width
            table[f"{k} of {n:,}"] = {"anytime": any_time, "Wilson": once, "ratio": any_time / once}
    return table


def ever_outside(scale: float) -> Table:
    """Share of runs in which limits leave out the running mean at some look, every 3 labels from 21 to 3,000."""
    runs = max(60, round(2000 * scale))
    table: Table = {}
    for name, world in STREAMS.items():
        values, mean = world(np.random.default_rng(17), runs, 3000)
        n = np.arange(1, values.shape[1] + 1)
        total, truth = np.cumsum(values, axis=1)[:, 20::3], (np.cumsum(mean, axis=1) / n)[:, 20::3]
        grid = nodes()
        outside = np.zeros(runs, dtype=bool)
        for at_look, size in enumerate(n[20::3]):
            s = total[:, at_look]
            outside |= log_evidence(s, s, size, np.clip(truth[:, at_look], 0, 1), grid) >= ENOUGH
        gap = np.abs(total / n[20::3] - truth)
        wilson = (gap > ndtri(0.975) * np.sqrt(truth * (1 - truth) / n[20::3]) + 1e-12).any(axis=1)
        table[name] = {"anytime": float(outside.mean()), "Wilson": float(wilson.mean())}
    table["Brier score, portfolio"] = {"anytime": _portfolio_outside(runs), "Wilson": math.nan}
    return table


def _constant(share: float) -> Callable[[np.random.Generator, int, int], tuple[Floats, Floats]]:
    def world(rng: np.random.Generator, runs: int, n: int) -> tuple[Floats, Floats]:
        mean = np.full((runs, n), share)
        return (rng.random((runs, n)) < mean).astype(float), mean

    return world


def _steps(length: int) -> Callable[[np.random.Generator, int, int], tuple[Floats, Floats]]:
    def world(rng: np.random.Generator, runs: int, n: int) -> tuple[Floats, Floats]:
        mean = np.tile(np.where((np.arange(n) // length) % 2 == 0, 0.95, 0.5), (runs, 1))
        return (rng.random((runs, n)) < mean).astype(float), mean

    return world


def _adversary(high: float, low: float) -> Callable[[np.random.Generator, int, int], tuple[Floats, Floats]]:
    """The next mean is `high` while labels have been better than their means, else `low`."""

    def world(rng: np.random.Generator, runs: int, n: int) -> tuple[Floats, Floats]:
        values, mean, excess = np.empty((runs, n)), np.empty((runs, n)), np.zeros(runs)
        for i in range(n):
            mean[:, i] = np.where(excess > 0, high, low)
            values[:, i] = rng.random(runs) < mean[:, i]
            excess += values[:, i] - mean[:, i]
        return values, mean

    return world


def _clusters(rng: np.random.Generator, runs: int, n: int) -> tuple[Floats, Floats]:
    """Means of clusters of 1 to 300 rows, which share a rate of their own."""
    size = np.rint(300 ** rng.random((runs, n))).astype(int)
    return rng.binomial(size, rng.beta(2, 3, (runs, n))) / size, np.full((runs, n), 0.4)


def _without_replacement(rng: np.random.Generator, runs: int, n: int) -> tuple[Floats, Floats]:
    """All of 3,000 rows of which 600 are positive, in a random order; the share of all of them is meant."""
    rows = np.tile((np.arange(n) < n // 5).astype(float), (runs, 1))
    return rng.permuted(rows, axis=1), np.full((runs, n), 0.2)


STREAMS: dict[str, Callable[[np.random.Generator, int, int], tuple[Floats, Floats]]] = {
    "share 0.5": _constant(0.5),
    "share 0.8": _constant(0.8),
    "share 0.05": _constant(0.05),
    "share 0.005": _constant(0.005),
    "blocks of 0.95 and 0.5": _steps(100),
    "drop from 0.95 to 0.5": _steps(1500),
    "the past decides, 0.9 or 0.1": _adversary(0.9, 0.1),
    "the past decides, 0.02 or 0.5": _adversary(0.02, 0.5),
    "means of clusters": _clusters,
    "without replacement, to the last row": _without_replacement,
}


def _portfolio_outside(runs: int) -> float:
    """Squared errors of calibrated probabilities, whose mean is constant."""
    rng = np.random.default_rng(18)
    a, b = 1.2, 3.0
    mean = a * b / ((a + b) * (a + b + 1))  # of p (1 - p) under Beta(a, b)
    wealth, outside = np.zeros((runs, 2 * len(STAKES))), np.zeros(runs, dtype=bool)
    stakes = np.asarray(STAKES)
    for _ in range(3000):
        p = rng.beta(a, b, runs)
        x = (((rng.random(runs) < p) - p) ** 2)[:, None] - mean
        wealth += np.log1p(np.concatenate([stakes * x / mean, -stakes * x / (1 - mean)], axis=1))
        outside |= np.logaddexp.reduce(wealth, axis=1) - math.log(wealth.shape[1]) >= ENOUGH
    return float(outside.mean())


def run_lengths(scale: float) -> Table:
    """Days until a false alarm, the promise exactly at its border, 30 labels a day; cut at 1,500 days."""
    table: Table = {}
    for length in (50, 365):
        for delay in ("none", "geometric, 5 days", "in bursts of 14 days"):
            runs = max(6, round((200 if length == 50 else 60) * scale))
            days = [
                _first_alarm(np.random.default_rng([length, i]), delay, length=length, most=1500) for i in range(runs)
            ]
            table[f"A = {length}, delay {delay}"] = {"mean run": float(np.mean(days)), "runs": runs}
    return table


def detection(scale: float) -> Table:
    """Days from a drop to the alarm, after 60 days at the promise of 0.8; A = 365."""
    runs = max(10, round(100 * scale))
    table: Table = {}
    for rate in (0.7, 0.6, 0.5):
        row = {}
        for name, delay, gate in (
            ("labels at once", "none", 0),
            ("5 days late", "geometric, 5 days", 0),
            ("5 days late, mature at 14", "geometric, 5 days", 14),
        ):
            days = [
                _first_alarm(np.random.default_rng([19, i]), delay, length=365, most=400, gate=gate, after=(60, rate))
                - 60
                for i in range(runs)
            ]
            row[name] = float(np.median([day for day in days if day > 0]))
        table[f"to {rate}"] = row
    return table


def informative_delay(scale: float) -> Table:
    """Positives 10 days late and negatives 2, nothing wrong: false alarms in 200 days, and mean run, at A = 100."""
    runs = max(10, round(100 * scale))
    table: Table = {}
    for name, gate in (("every label counts", 0), ("cohorts of 30 days and older", 30)):
        most = 200 if not gate else 1500
        days = np.array(
            [
                _first_alarm(np.random.default_rng([20, i]), "by class", length=100, most=most, gate=gate)
                for i in range(runs)
            ]
        )
        table[name] = {
            "alarm within 200 days": float((days < 200).mean()),
            "median day": float(np.median(days)),
            "mean run": float(days.mean()),
        }
    return table


def _first_alarm(
    rng: np.random.Generator,
    delay: str,
    *,
    length: float,
    most: int,
    gate: int = 0,
    after: tuple[int, float] | None = None,
) -> int:
    """The day of the first alarm; rows of a day get their labels after delays."""
    k, n = np.zeros(most), np.zeros(most)
    arriving_k, arriving_n = np.zeros((most + 200, 60)), np.zeros((most + 200, 60))
    for day in range(most):
        rate = PROMISE if after is None or day < after[0] else after[1]
        positive = rng.random(ROWS_A_DAY) < rate
        late = np.minimum(_delays(rng, delay, day, positive), 59)
        arriving_k[day] = np.bincount(late, weights=positive, minlength=60)
        arriving_n[day] = np.bincount(late, minlength=60)
        for age in range(min(day + 1, 60)):
            k[day - age] += arriving_k[day - age, age]
            n[day - age] += arriving_n[day - age, age]
        mature = day + 1 - gate
        if mature < 1:
            continue
        if gate:
            rows = np.full(mature, float(ROWS_A_DAY))
            result = at.detector(k[:mature], rows, at_least=PROMISE, unlabelled=rows - n[:mature], run_length=length)
        else:
            result = at.detector(k[:mature], n[:mature], at_least=PROMISE, run_length=length)
        if result.alarm:
            return day
    return most


def _delays(rng: np.random.Generator, delay: str, day: int, positive: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    if delay == "none":
        return np.zeros(positive.size, dtype=np.int64)
    if delay.startswith("geometric"):
        return rng.geometric(0.2, positive.size)
    if delay == "by class":
        return np.where(positive, rng.geometric(0.1, positive.size), rng.geometric(0.5, positive.size))
    return np.full(positive.size, -day % 14, dtype=np.int64)


def top_first(scale: float) -> Table:
    """The top 30 % of alarms reviewed and a twentieth of the rest: what all alarms are."""
    rng = np.random.default_rng(21)
    runs = max(20, round(300 * scale))
    naive, inside, truth = [], 0, []
    for _ in range(runs):
        score = rng.random(3000)
        positive = rng.random(3000) < 0.46 + 0.46 * score
        reviewed = (score > 0.7) | (rng.random(3000) < 0.05)
        band = np.minimum((score * 10).astype(int), 9) // 2
        k, n, rest = (
            np.bincount(band, weights=each, minlength=5) for each in (positive & reviewed, reviewed, ~reviewed)
        )
        naive.append(float(positive[score > 0.7].mean()))
        truth.append(float(positive.mean()))
        inside += truth[-1] in at.stratified_precision(k, n, rest)
    row = {"all alarms": float(np.mean(truth)), "reviewed": float(np.mean(naive)), "limits hold": inside / runs}
    return {"highest scores first": row}


def drawn_counts(scale: float) -> Table:
    """Share of runs in which limits of a drawn count ever leave out the truth."""
    rng = np.random.default_rng(22)
    runs = max(60, round(2000 * scale))
    rows, positives, n = 20_000, 80, np.arange(20, 2001, 20)
    closed = once = 0
    for _ in range(runs):
        place = np.sort(rng.choice(rows, positives, replace=False))
        k = np.searchsorted(place, n)
        log = betabinom.logpmf(k, n, 0.5, 50) - hypergeom.logpmf(k, rows, positives, n)
        closed += bool((log >= ENOUGH).any())
        tail = np.minimum(hypergeom.sf(k - 1, rows, positives, n), hypergeom.cdf(k, rows, positives, n))
        once += bool((tail <= 0.025).any())
    table = {"closed, every 20 labels to 2,000": {"anytime": closed / runs, "exact for one look": once / runs}}
    missed = rng.binomial(500, np.where(np.arange(200) < 100, 0.002, 0.01), (runs, 200))
    drawn = np.cumsum(rng.binomial(missed, 0.05), axis=1)
    truth, seen = np.cumsum(missed, axis=1), 500 * np.arange(1, 201)
    grid = nodes(0.95, 5.0)
    log = log_evidence(drawn, drawn, seen, 0.05 * truth / seen, grid)
    table["stream, daily for 200 days"] = {
        "anytime": float((log >= ENOUGH).any(axis=1).mean()),
        "exact for one look": math.nan,
    }
    return table


def stability(scale: float) -> Table:
    """Share of batches of one distribution whose stability index reaches 0.1."""
    rng = np.random.default_rng(23)
    batches = max(200, round(2000 * scale))
    reference = rng.normal(size=100_000)
    deciles, sturges = (
        np.quantile(reference, np.arange(1, 10) / 10),
        np.histogram_bin_edges(reference[:5000], "sturges"),
    )
    table: Table = {}
    for n in (50, 100, 200):
        rows = rng.normal(size=(batches, n))
        row = {}
        for name, edges in (("deciles", deciles), ("Sturges' bins, 0.0001 for none", sturges[1:-1])):
            size = edges.size + 1
            base = np.bincount(np.searchsorted(edges, reference), minlength=size) / reference.size
            cell = np.searchsorted(edges, rows)
            share = np.apply_along_axis(np.bincount, 1, cell, minlength=size) / n
            if name != "deciles":
                base, share = np.maximum(base, 1e-4), np.maximum(share, 1e-4)
            with np.errstate(divide="ignore"):
                index = ((share - base) * np.log(share / base)).sum(axis=1)
            row[name] = float((index >= 0.1).mean())
        table[f"{n} rows, nothing changed: 0.1 or more"] = row
    return table


def doubled_alarm_rate(_: float) -> Table:
    """What an alarm rate that doubles from 1 % to 2 % of 200,000 rows does to indices, and to evidence."""
    rng = np.random.default_rng(24)
    reference = rng.random(200_000)
    now = np.concatenate([rng.random(196_000) * 0.99, 0.99 + 0.01 * rng.random(4000)])
    edges = np.arange(1, 10) / 10
    before, after = (np.bincount(np.searchsorted(edges, rows), minlength=10) for rows in (reference, now))
    row = {"stability index, deciles": at.stability_index(before, after).value}
    for n in (2000, 4000, 6000):
        k = n // 50
        grid = nodes(0.95, 50, "above")
        evidence = np.logaddexp.reduce(grid.log_weight + grid.log_odds * k - n * log_factor(grid.log_odds, 0.0125))
        row[f"log₁₀ evidence after {n:,} rows"] = float(evidence) / math.log(10)
    return {"alarm rate 1 % to 2 %": row}


def class_ratios(scale: float) -> Table:
    """Share of samples whose limits hold the class ratio of 5,000 scores, under label shift."""
    runs = max(30, round(300 * scale))
    table: Table = {}
    for pos in (200, 500, 5000):
        for share in (0.05, 0.2, 0.5):
            rng, inside, empty = np.random.default_rng([25, pos]), dict.fromkeys(("bbse", "mlls", "feasible"), 0), 0
            for seed in range(runs):
                reference = _reference(rng, pos, 4 * pos)
                scores = rng.normal(size=5000) + 1.5 * (rng.random(5000) < share)
                for method in inside:
                    one = at.class_ratio_interval(reference, scores, method=method, threshold=1.0, seed=seed)  # type: ignore[arg-type]
                    inside[method] += one.lower <= share / (1 - share) <= one.upper
                    empty += method == "feasible" and math.isnan(one.estimate)
            row = {name: count / runs for name, count in inside.items()}
            table[f"{pos:,} reference positives, {share:.0%} positive"] = row | {"feasible, empty": empty / runs}
    return table


def label_shift_fails(scale: float) -> Table:
    """How often label shift is refuted where it fails, and what the likeliest mix says; 20 % are positive."""
    runs = max(10, round(100 * scale))
    worlds: dict[str, tuple[float, float, float]] = {
        "label shift holds": (1.5, 1.0, 0.0),
        "negatives with deviation 1.3": (1.5, 1.3, 0.0),
        "negatives with deviation 1.5": (1.5, 1.5, 0.0),
        "positives weaker, 1.0 for 1.5": (1.0, 1.0, 0.0),
        "40 % of positives score as negatives do": (1.5, 1.0, 0.4),
    }
    table: Table = {}
    for name, (shift, spread, like_negatives) in worlds.items():
        rng, empty, refuted, estimates = np.random.default_rng(26), 0, 0, []
        for seed in range(runs):
            reference = _reference(rng, 500, 4500)
            usual = round(1000 * (1 - like_negatives))
            scores = np.concatenate([rng.normal(shift, 1, usual), rng.normal(0, spread, 5000 - usual)])
            empty += math.isnan(at.class_ratio_interval(reference, scores, method="feasible").estimate)
            refuted += at.label_shift_test(reference, scores, seed=seed).refuted
            ratio = at.class_ratio_interval(reference, scores, seed=seed).estimate
            estimates.append(ratio / (1 + ratio))
        table[name] = {
            "feasible set empty": empty / runs,
            "refuted": refuted / runs,
            "mlls says": float(np.mean(estimates)),
        }
    return table


def _reference(rng: np.random.Generator, pos: int, neg: int) -> th.Ranking:
    positive = np.arange(pos + neg) < pos
    return th.rank(positive, rng.normal(size=pos + neg) + 1.5 * positive)


def calibration(scale: float) -> Table:
    """Share of runs of 3,000 labels in which probabilities are ever refuted, looking at each; median label."""
    runs = max(60, round(500 * scale))
    grid = [(a, b) for a in SLOPES for b in INTERCEPTS]
    slope, intercept = (np.array(column)[:, None] for column in zip(*grid, strict=True))
    table: Table = {}
    for name, (b, a) in {
        "calibrated": (0.0, 1.0),
        "intercept +0.5": (0.5, 1.0),
        "intercept -0.5": (-0.5, 1.0),
        "slope 0.7": (0.0, 0.7),
        "slope 1.4": (0.0, 1.4),
    }.items():
        rng = np.random.default_rng(27)
        log, first = np.zeros((len(grid), runs)), np.full(runs, 3001)
        for label in range(1, 3001):
            x = logit(rng.beta(1.2, 3, runs).clip(1e-6, 1 - 1e-6))
            sign = np.where(rng.random(runs) < expit(a * x + b), 1.0, -1.0)
            log += np.logaddexp(0, -sign * x) - np.logaddexp(0, -sign * (slope * x + intercept))
            alarm = np.logaddexp.reduce(log, axis=0) - math.log(len(grid)) >= ENOUGH
            first = np.where(alarm & (first > 3000), label, first)
        table[name] = {"ever refuted": float((first <= 3000).mean()), "median label": float(np.median(first))}
        if name == "calibrated":
            table[name]["median label"] = math.nan
    return table


def saved_labels(scale: float) -> Table:
    """Width of the limits of all positives with 600 labels, Neyman's allocation against a simple random sample."""
    runs = max(20, round(200 * scale))
    table: Table = {}
    for name, share in {
        "rare positives": np.array([0.0005, 0.005, 0.05, 0.4]),
        "positives spread": np.array([0.02, 0.05, 0.1, 0.2]),
    }.items():
        rng = np.random.default_rng(28)
        rows = np.array([15_000, 4000, 900, 100])
        labels = at.allocation(600, rows, np.sqrt(share * (1 - share)))
        estimates: dict[str, list[float]] = {"Neyman": [], "simple": []}
        positives = rng.binomial(rows, share)
        for _ in range(20 * runs):
            k = rng.hypergeometric(positives, rows - positives, labels)
            estimates["Neyman"].append(float((rows / labels) @ k))
            k_all = rng.hypergeometric(positives.sum(), rows.sum() - positives.sum(), 600)
            estimates["simple"].append(float(rows.sum() / 600 * k_all))
        spread = {key: float(np.std(values)) for key, values in estimates.items()}
        table[name] = spread | {"labels saved": 1 - (spread["Neyman"] / spread["simple"]) ** 2}
    return table


class Study(NamedTuple):
    """What is asked, how it is computed, and what its table says in a sentence."""

    question: str
    table: Callable[[float], Table]
    answer: Callable[[Table], str]


def _column(table: Table, name: str) -> list[float]:
    return [row[name] for row in table.values() if not math.isnan(row.get(name, math.nan))]


def _percent(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f} %"


def _widths_say(table: Table) -> str:
    low, high = min(_column(table, "ratio")), max(_column(table, "ratio"))
    return f"They are {low:.2f} to {high:.2f} times as wide as Wilson's, which are for one look."


def _outside_says(table: Table) -> str:
    ours, wilson = max(_column(table, "anytime")), max(_column(table, "Wilson"))
    verdict = "Yes" if ours <= 0.05 else "No"
    return f"{verdict}: at most {_percent(ours, 1)} of runs ever leave them. Up to {_percent(wilson)} leave Wilson's."


def _run_lengths_say(table: Table) -> str:
    least = min(row["mean run"] / float(name[4:].partition(",")[0]) for name, row in table.items())
    return f"On average no sooner than asked: after {least:.1f} times as many days, or later."


def _detection_says(table: Table) -> str:
    days = table["to 0.6"]
    return (
        f"A drop from 0.8 to 0.6 raises an alarm after {days['labels at once']:g} days, or "
        f"{days['5 days late']:g} where labels are five days late."
    )


def _delay_says(table: Table) -> str:
    early = table["every label counts"]["alarm within 200 days"]
    run = table["cohorts of 30 days and older"]["mean run"]
    return (
        f"Late positives alone raise an alarm in {_percent(early)} of runs. "
        f"Cohorts of 30 days and older keep the promise of 100 days: {run:.0f} on average."
    )


def _top_first_says(table: Table) -> str:
    row = table["highest scores first"]
    return (
        f"No: {_percent(row['reviewed'])} of the reviewed are right, {_percent(row['all alarms'])} of all. "
        f"Limits by band hold in {_percent(row['limits hold'])} of samples."
    )


def _drawn_counts_say(table: Table) -> str:
    closed = table["closed, every 20 labels to 2,000"]
    once = _percent(closed["exact for one look"], 1)
    return f"{_percent(closed['anytime'], 1)} of runs ever leave them; {once} leave exact limits for one look."


def _stability_says(table: Table) -> str:
    share = table["100 rows, nothing changed: 0.1 or more"]["deciles"]
    return f"With 100 rows, {_percent(share)} of batches reach 0.1 though nothing has changed."


def _doubled_says(table: Table) -> str:
    (row,) = table.values()
    first = next(name.split(" ", 2)[2] for name, value in row.items() if name.startswith("log") and value >= 2)
    index = row["stability index, deciles"]
    return f"By {index:g}. Evidence for more than 1.25 times the old rate is 100 to 1 {first}."


def _class_ratios_say(table: Table) -> str:
    least = {name: min(_column(table, name)) for name in ("bbse", "mlls", "feasible")}
    return "At least " + ", ".join(f"{_percent(share, 1)} ({name})" for name, share in least.items()) + "."


def _label_shift_says(table: Table) -> str:
    spread = table["negatives with deviation 1.5"]["refuted"]
    alike = table["40 % of positives score as negatives do"]
    return (
        f"Wider negatives are refuted in {_percent(spread)} of samples, positives that score as negatives do in "
        f"{_percent(alike['refuted'])}: 20 % then come out as {_percent(alike['mlls says'])}, and labels have to tell."
    )


def _calibration_says(table: Table) -> str:
    share, label = table["calibrated"]["ever refuted"], table["slope 0.7"]["median label"]
    return (
        f"{_percent(share, 1)} of calibrated runs ever are. A slope of 0.7 is by label {label:.0f} in half of all runs."
    )


def _labels_saved_say(table: Table) -> str:
    rare, spread = (table[name]["labels saved"] for name in ("rare positives", "positives spread"))
    return f"{_percent(rare)} of all labels where positives are rare, {_percent(spread)} where they are spread."


STUDIES: dict[str, Study] = {
    "Width": Study("How much wider are limits that hold at every look?", widths, _widths_say),
    "Ever outside": Study(
        "Do limits at 95 % hold the running mean, looking at every third label from 21 to 3,000?",
        ever_outside,
        _outside_says,
    ),
    "Mean run of the detector": Study(
        "When do false alarms come, with 30 labels a day at exactly the rate promised, 0.8? Runs end after 1,500 days.",
        run_lengths,
        _run_lengths_say,
    ),
    "Days to an alarm": Study(
        "How soon is a drop seen, after 60 days at 0.8, with A = 365? Medians.", detection, _detection_says
    ),
    "Delay that tells the class": Study(
        "What if positives are labelled after 10 days and negatives after 2, and nothing is wrong? A = 100.",
        informative_delay,
        _delay_says,
    ),
    "Highest scores reviewed first": Study(
        "Is the precision of reviewed alarms that of all?", top_first, _top_first_says
    ),
    "Drawn counts": Study(
        "Do limits of the number of positives at 95 % hold at every look?", drawn_counts, _drawn_counts_say
    ),
    "Population stability index, nothing changed": Study(
        "How often does the usual limit of 0.1 flag a batch?", stability, _stability_says
    ),
    "Population stability index, alarm rate doubled": Study(
        "By how much does an alarm rate that doubles move the index, with 200,000 rows?",
        doubled_alarm_rate,
        _doubled_says,
    ),
    "Class ratio from scores": Study(
        "How often do limits at 95 % hold the class ratio of 5,000 scores, from normal classes 1.5 apart?",
        class_ratios,
        _class_ratios_say,
    ),
    "Label shift that fails": Study(
        "Is it noticed? 500 and 4,500 reference rows, 5,000 scores, 20 % of them of positives.",
        label_shift_fails,
        _label_shift_says,
    ),
    "Calibration": Study(
        "When are probabilities refuted, looking after each of 3,000 labels, by evidence of 20?",
        calibration,
        _calibration_says,
    ),
    "Labels saved": Study(
        "How many labels does Neyman's allocation save? Standard errors of positives in 20,000 rows after 600 labels.",
        saved_labels,
        _labels_saved_say,
    ),
}

INTRODUCTION = """# Do limits hold at every look?

Labels come in, and somebody looks at the limits again and again. Do they hold the truth each time? {outside}

```{{draw}}
:alt: Two bars for each kind of stream: few runs ever leave limits for every look, up to half leave Wilson's limits
from matplotlib.figure import Figure
axes = Figure(figsize=(8, 4.4), layout="constrained").subplots()
ever = {{
    {ever}
}}
for place, (anytime, wilson) in enumerate(ever.values()):
    axes.barh(place - 0.2, anytime, 0.4, color="#0b6e6e", label="" if place else "for every look")
    axes.barh(place + 0.2, wilson, 0.4, color="#d1495b", label="" if place else "Wilson's, for one look")
axes.axvline(0.05, color="gray", linestyle=":")
axes.set(yticks=range(len(ever)), yticklabels=ever, xlabel="share of runs that ever leave limits at 95 %")
axes.invert_yaxis()
axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False)
axes
```

That costs width. {widths}

Below is what was asked of the functions of [the theory](theory/anytime.md), and what simulation answers. An entry is
up to 2,000 runs; a share p of r runs has the standard error √(p (1 − p)/r). Written by `python -m benchmarks.anytime`.
"""


def page(tables: Mapping[str, Table]) -> str:
    """The page: what was found, a picture of it, and each study with its answer, its numbers folded away."""
    answers = {name: STUDIES[name].answer(table) for name, table in tables.items()}
    ever = "\n    ".join(
        f'"{name}": ({row["anytime"]:.3f}, {row["Wilson"]:.3f}),'
        for name, row in tables["Ever outside"].items()
        if not math.isnan(row["Wilson"])
    )
    parts = [INTRODUCTION.format(outside=answers["Ever outside"], widths=answers["Width"], ever=ever)]
    for name, table in tables.items():
        columns = list(dict.fromkeys(key for row in table.values() for key in row))
        lines = ["| | " + " | ".join(columns) + " |", "|---|" + "--:|" * len(columns)]
        for label, row in table.items():
            lines.append(f"| {label} | " + " | ".join(_cell(row.get(key, math.nan)) for key in columns) + " |")
        head = f"## {name}\n\n{STUDIES[name].question}\n\n**{answers[name]}**\n\n"
        parts.append(head + "\n".join([":::{dropdown} Numbers", *lines, ":::"]) + "\n")
    return "\n".join(parts)


def _cell(value: float) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:,.0f}" if abs(value) >= 20 else f"{value:.4g}" if abs(value) >= 1 else f"{value:.3f}"


def main() -> None:
    scale = 0.05 if "--short" in sys.argv else 1.0
    tables: dict[str, Table] = {}
    for name, study in STUDIES.items():
        tables[name] = study.table(scale)
        print(name, tables[name], flush=True)
    if scale == 1.0:
        PAGE.write_text(page(tables), encoding="utf-8")


if __name__ == "__main__":
    main()
