"""How often limits hold the truth, in worlds of known truth; writes `docs/coverage.md`.

`python -m benchmarks.coverage` counts in rounds and keeps what it has counted in `.coverage.jsonl`, so that it can be
interrupted and resumed; it writes the page when every round is complete. `--rounds 3` asks for fewer than ten.
"""

from __future__ import annotations

import argparse
import inspect
import json
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import thresher as th
import thresher.inference as ti
from benchmarks.coverage_page import Row, write
from thresher.curves import precision_at
from thresher.laboratory import Cells, Gaussians, Sample, Scores
from thresher.laboratory.coverage import count_held
from thresher.tables import chi_squared, contingency_at, fisher

ROUNDS = 10
SAMPLES = {"quick": 100, "medium": 25, "slow": 10}  # of a round, by how long a question takes
CHECKPOINT = Path(__file__).parents[1] / ".coverage.jsonl"
INNER = 200  # resamples within a sample, where a function resamples
FPR, RECALL, PROBABILITY = (0.02, 0.1, 0.3, 0.7), (0.1, 0.3, 0.6, 0.95), (0.05, 0.2, 0.5)  # where bands are read
COSTS = th.OperatingCondition(cost_ratio=3)
DECLARED = th.OperatingCondition(cost_ratio=20, prevalence=0.05)
DEPENDING_ON_MIX = ("accuracy", "precision", "npv", "f1", "mcc", "lift")
PARTIAL = "partial_auc[fpr<=0.2]"
Answers = dict[str, Any]


@dataclass(frozen=True)
class Scenario:
    """A world, how many rows are drawn from it, and what its samples offer.

    "ranking": independent rows with scores. "probabilities": such scores in [0, 1]. "calibrated": true ones. "rows":
    weights or clusters. "pairs": two models. "classes": more than two classes.
    """

    name: str
    world: Any
    n: int
    offers: tuple[str, ...] = ("ranking", "probabilities", "calibrated")


@dataclass(frozen=True)
class Question:
    """Intervals of a sample by name, and the true values by the same names."""

    group: str
    needs: str
    answers: Callable[[Any, Sample], Answers]
    truths: Callable[[Any], Answers]
    speed: str = "quick"


@cache
def scenarios() -> list[Scenario]:
    """The worlds of the study."""

    def normal(auc: float, prevalence: float, **options: float) -> Scores:
        return Scores.of_auc(auc, prevalence).as_probabilities(**options)

    def pairs(first: float, second: float, prevalence: float) -> Gaussians:
        shift = np.sqrt(2) * stats.norm.ppf([first, second])
        return Gaussians([[0, 0], shift.tolist()], [[1, 0.5], [0.5, 1]], [1 - prevalence, prevalence])

    plain = normal(0.8, 0.3)
    three = [[60, 8, 2], [12, 25, 3], [10, 4, 1], [2, 6, 12], [30, 2, 1], [1, 1, 1]]
    good = [[90, 1, 1], [1, 30, 1], [1, 1, 9]]
    return [
        Scenario("60 of 200", plain, 200),
        Scenario("20 levels, 90 of 300", plain.levels(20), 300),
        Scenario("5 levels, 60 of 200", plain.levels(5), 200),
        Scenario("10 of 2,000 (0.5 %)", normal(0.85, 0.005), 2000),
        Scenario("20 of 1,000 (2 %)", normal(0.85, 0.02), 1000),
        Scenario("50 of 5,000 (1 %)", normal(0.85, 0.01), 5000),
        Scenario("15 spread of 1,000", Scores(stats.norm(4.05, 3), stats.norm(), 0.015), 1000, ("ranking",)),
        Scenario("heavy tails", Scores.of_auc(0.8, 0.3, noise=stats.t(3)), 200, ("ranking",)),
        Scenario("AUC .55", normal(0.55, 0.3), 200),
        Scenario("AUC .99", normal(0.99, 0.1), 400),
        Scenario("scores too high", normal(0.8, 0.3, shift=1), 300, ("ranking", "probabilities")),
        Scenario("20 of 1,000, too high", normal(0.85, 0.02, shift=1), 1000, ("ranking", "probabilities")),
        Scenario("60 clusters of 5", plain.clustered(5, 0.3), 300, ("rows",)),
        Scenario("informative weights", plain.selected(lambda p: 0.2 + 0.8 * p), 400, ("rows",)),
        Scenario("AUC .8 and .8", pairs(0.8, 0.8, 0.3), 200, ("pairs",)),
        Scenario("AUC .85 and .75", pairs(0.85, 0.75, 0.3), 200, ("pairs",)),
        Scenario("AUC .85 and .75, 20 of 1,000", pairs(0.85, 0.75, 0.02), 1000, ("pairs",)),
        Scenario("AUC .99 and .97", pairs(0.99, 0.97, 0.1), 400, ("pairs",)),
        Scenario("3 classes, 150", Cells(three), 150, ("classes",)),
        Scenario("3 classes, well separated", Cells(good), 200, ("classes",)),
    ]


def questions() -> list[Question]:
    """What is asked of samples."""
    return [
        Question("AUC", "ranking", lambda _, s: {"auc_interval": th.auc_interval(s.ranking)}, auc_truth),
        Question("AUC", "rows", lambda _, s: {"auc_interval": th.auc_interval(s.rows)}, auc_truth),
        Question("Measures at a threshold", "ranking", measures, measure_truths, "medium"),
        Question("Measures at a declared mix", "ranking", declared_measures, declared_truths, "medium"),
        Question("Expected cost", "ranking", costs, cost_truths),
        Question("Brier score", "probabilities", lambda _, s: {"brier": ti.brier_interval(s.ranking)}, loss_truths),
        Question("Brier score", "rows", lambda _, s: {"brier": ti.brier_interval(s.rows)}, loss_truths),
        Question("Several classes", "classes", matrix, matrix_truths, "medium"),
        Question("Two models", "pairs", differences, difference_truths),
        Question("Two models, resampled", "pairs", resampled_differences, resampled_difference_truths, "slow"),
        Question("Tests", "ranking", independence, lambda _: dict.fromkeys(("chi_squared", "fisher"))),
        Question("Tests", "calibrated", calibration_tests, lambda _: {"calibration_test": None}, "slow"),
        Question("Tests", "pairs", equality_tests, equal_pairs),
        Question("evaluate", "ranking", evaluated, number_truths, "slow"),
        Question("evaluate", "rows", evaluated, number_truths, "slow"),
        Question("calibration_intervals", "probabilities", calibration, calibration_truths, "slow"),
        Question("Calibration report", "probabilities", calibration_report, report_truths, "medium"),
        Question("Bootstrap", "ranking", resampled, resampled_truths, "slow"),
        Question("Bootstrap", "rows", resampled, resampled_truths, "slow"),
        Question("ROC band", "ranking", roc_bands, roc_truths, "slow"),
        Question("Precision-recall band", "ranking", precision_bands, precision_truths, "slow"),
        Question("Net benefit band", "probabilities", net_benefit_bands, net_benefit_truths, "slow"),
        Question("Reliability band", "probabilities", reliability_bands, reliability_names, "slow"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--processes", type=int)
    options = parser.parse_args()
    rows = studied(options.rounds, SAMPLES, checkpoint=CHECKPOINT, processes=options.processes)
    write(rows, {speed: options.rounds * number for speed, number in SAMPLES.items()})
    CHECKPOINT.unlink()


def tasks() -> list[tuple[int, int]]:
    """Every question that a world's samples can answer, by their numbers."""
    return [
        (i, j)
        for i, question in enumerate(questions())
        for j, scenario in enumerate(scenarios())
        if question.needs in scenario.offers
    ]


def studied(
    rounds: int, samples: Mapping[str, int], *, checkpoint: Path | None = None, processes: int | None = None
) -> list[Row]:
    """Every share of samples whose limits hold the truth, in the order of the tasks.

    With a `checkpoint`, what another run of the same code has counted is read from it, and every count is added to it.
    """
    jobs = [(round_, i, j) for round_ in range(rounds) for i, j in tasks()]
    counts = {} if checkpoint is None else _resume(checkpoint, samples)
    missing, start = [job for job in jobs if job not in counts], time.perf_counter()
    with ProcessPoolExecutor(processes) as pool:
        running = {pool.submit(count, *job, samples): job for job in missing}
        for done, future in enumerate(as_completed(running), start=1):
            job = running[future]
            try:
                counts[job] = future.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
            if checkpoint is not None:
                with checkpoint.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([*job, counts[job]]) + "\n")
                print(f"{done}/{len(missing)} {time.perf_counter() - start:.0f} s: round {job[0] + 1}", flush=True)
    return [row for i, j in tasks() for row in _rows(i, j, [counts[round_, i, j] for round_ in range(rounds)])]


def _resume(checkpoint: Path, samples: Mapping[str, int]) -> dict[tuple[int, int, int], dict[str, list[int]]]:
    """The counts of an interrupted run of the same code; a checkpoint of other code is emptied."""
    code = sha256(json.dumps(samples).encode())
    for file in [Path(__file__), *sorted(Path(th.__file__).parent.rglob("*.py"))]:
        code.update(file.read_bytes())
    lines = checkpoint.read_text(encoding="utf-8").splitlines(keepends=True) if checkpoint.exists() else []
    if lines[:1] != [code.hexdigest() + "\n"]:
        lines = [code.hexdigest() + "\n"]
    complete = [line for line in lines if line.endswith("\n")]  # a run that was killed may leave part of a line
    checkpoint.write_text("".join(complete), encoding="utf-8")
    return {(round_, i, j): counts for round_, i, j, counts in map(json.loads, complete[1:])}


def count(round_: int, i: int, j: int, samples: Mapping[str, int]) -> dict[str, list[int]]:
    """How many limits held and how many were judged in one round; the draws depend on world and round alone."""
    question, scenario = questions()[i], scenarios()[j]
    truths = question.truths(scenario.world)
    if not truths:
        return {}
    number = samples[question.speed]
    counts = count_held(
        scenario.world,
        scenario.n,
        partial(question.answers, scenario.world),
        truths,
        seed=j,
        numbers=range(round_ * number, (round_ + 1) * number),
    )
    return {name: list(both) for name, both in counts.items()}


def _rows(i: int, j: int, counts: list[dict[str, list[int]]]) -> Iterator[Row]:
    """The shares of one question in one world, from the counts of every round."""
    for name in counts[0]:
        held, judged = (sum(each[name][which] for each in counts) for which in (0, 1))
        share = ti.rate_interval(held, judged)
        yield Row(questions()[i].group, name, scenarios()[j].name, share.estimate, share.lower, share.upper)


def answer(i: int, j: int, samples: Mapping[str, int]) -> list[Row]:
    """One question asked of one world, in one round."""
    return list(_rows(i, j, [count(0, i, j, samples)]))


def population(world: Any) -> th.Ranking | None:
    """The ranking that a finite world is."""
    return world.ranking if isinstance(world, Cells) else None


@cache
def threshold_of(world: Any) -> float:
    """The cheapest threshold where errors of both classes matter alike."""
    return float(world.best_threshold(th.OperatingCondition(class_ratio=1, cost_ratio=1)))


def auc_truth(world: Any) -> Answers:
    return {"auc_interval": world.auc}


def measures(world: Any, sample: Sample) -> Answers:
    return th.intervals(contingency_at(sample.ranking, threshold_of(world)))


def measure_truths(world: Any) -> Answers:
    table = world.table(threshold_of(world))
    return {name: float(measure.of(table)) for name, measure in th.MEASURES.items()}


def declared_measures(world: Any, sample: Sample) -> Answers:
    table = contingency_at(sample.ranking, threshold_of(world))
    return {name: th.interval(table, name, class_ratio=1 / 19) for name in DEPENDING_ON_MIX}


def declared_truths(world: Any) -> Answers:
    table = world.table(threshold_of(world))
    return {name: float(th.MEASURES[name].of(table, class_ratio=1 / 19)) for name in DEPENDING_ON_MIX}


def costs(world: Any, sample: Sample) -> Answers:
    table = contingency_at(sample.ranking, threshold_of(world))
    return {"mix of the data": th.interval(table, COSTS), "declared mix": th.interval(table, DECLARED)}


def cost_truths(world: Any) -> Answers:
    at = threshold_of(world)
    return {"mix of the data": world.true_cost(at, COSTS), "declared mix": world.true_cost(at, DECLARED)}


def loss_truths(world: Any) -> Answers:
    counts = population(world)
    return {"brier": world.brier if counts is None else th.brier(counts)}


def matrix(world: Cells, sample: Sample) -> Answers:
    """Intervals of the confusion matrix of the likeliest classes, and of the AUCs."""
    probabilities = world.posterior(sample.X)
    classes = list(range(world.counts.shape[1]))
    intervals = th.intervals(th.confusion(sample.labels, probabilities.argmax(axis=1), classes=classes))
    named = {_name(names): interval for names, interval in intervals.intervals()}
    rows = ti.classified_rows(sample.labels, probabilities, classes=classes)
    averages = ("one_vs_rest_macro", "one_vs_one_macro")
    macro = {f"{name} AUC": ti.auc_interval(rows, average=name) for name in averages}
    return named | macro


def matrix_truths(world: Cells) -> Answers:
    cell, label = np.divmod(np.arange(world.counts.size), world.counts.shape[1])
    weights, probabilities = world.counts.ravel(), world.posterior(cell)
    classes = list(range(world.counts.shape[1]))
    true = th.confusion(label, probabilities.argmax(axis=1), classes=classes, weights=weights)
    values = {_name(names): interval.estimate for names, interval in th.intervals(true).intervals()}
    areas = th.segment(label, probabilities, classes=classes, weights=weights).areas
    macro = {f"{name} AUC": float(getattr(areas, name)) for name in ("one_vs_rest_macro", "one_vs_one_macro")}
    return values | macro


def _name(names: Mapping[str, Any]) -> str:
    of_class = "" if names["class"] is None else f" of class {names['class']}"
    return f"{names['quantity']}{of_class}"


def differences(world: Gaussians, sample: Sample) -> Answers:
    """Differences of two models: on the same rows, and on two halves."""
    first, second = sample.X.T
    paired = th.compare(sample.labels, {"a": first, "b": second}, correction="none")
    odd = np.arange(len(sample)) % 2 == 1
    unpaired = ti.compare_unpaired(th.rank(sample.labels[odd], first[odd]), th.rank(sample.labels[~odd], second[~odd]))
    calls = [column >= threshold for column, threshold in zip((first, second), _thresholds(world), strict=True)]
    return {
        "compare, AUC": paired["a", "b"].interval,
        "compare_unpaired, AUC": unpaired.interval,
        "mcnemar, accuracy": ti.mcnemar(sample.labels, *calls).interval,
    }


def difference_truths(world: Gaussians) -> Answers:
    areas, errors = ([float(each) for each in pair] for pair in zip(*_two_models(world), strict=True))
    area = areas[0] - areas[1]
    return {
        "compare, AUC": area,
        "compare_unpaired, AUC": area,
        "mcnemar, accuracy": errors[1] - errors[0],
    }


def resampled_differences(world: Gaussians, sample: Sample) -> Answers:
    models = dict(zip("ab", sample.X.T, strict=True))
    thresholds = dict(zip("ab", _thresholds(world), strict=True))
    answers = {}
    for name, measure in (("compare, F1", "f1"), ("compare, cost", COSTS)):
        compared = th.compare(
            sample.labels, models, measure=measure, thresholds=thresholds, correction="none", replicates=INNER
        )
        answers[name] = compared["a", "b"].interval
    return answers


def resampled_difference_truths(world: Gaussians) -> Answers:
    tables = [scores.table(at) for scores, at in zip(_along(world), _thresholds(world), strict=True)]
    f1, cost = ([float(of(table)) for table in tables] for of in (th.MEASURES["f1"].of, COSTS.expected_cost))
    return {"compare, F1": f1[0] - f1[1], "compare, cost": cost[0] - cost[1]}


def _along(world: Gaussians) -> list[Scores]:
    return [world.along(direction) for direction in ([1, 0], [0, 1])]


@cache
def _thresholds(world: Gaussians) -> list[float]:
    return [threshold_of(scores) for scores in _along(world)]


def _two_models(world: Gaussians) -> list[tuple[Any, Any]]:
    return [(each.auc, each.true_error(at)) for each, at in zip(_along(world), _thresholds(world), strict=True)]


def independence(_: Any, sample: Sample) -> Answers:
    """Tests of calls that know nothing of the labels: the place of a row decides them."""
    table = th.contingency(sample.labels, np.arange(len(sample)) % 3 == 0)
    return {"chi_squared": chi_squared(table).p_value > 0.05, "fisher": fisher(table).p_value > 0.05}


def calibration_tests(_: Any, sample: Sample) -> Answers:
    return {"calibration_test": th.calibration_test(sample.ranking, replicates=INNER).p_value > 0.05}


def equality_tests(world: Gaussians, sample: Sample) -> Answers:
    first, second = sample.X.T
    compared = th.compare(sample.labels, {"a": first, "b": second}, correction="none")["a", "b"]
    calls = [column >= at for column, at in zip((first, second), _thresholds(world), strict=True)]
    return {"compare, AUC": compared.p_value > 0.05, "mcnemar": ti.mcnemar(sample.labels, *calls).p_value > 0.05}


def equal_pairs(world: Gaussians) -> Answers:
    """The names of tests where both models are equally good, and none elsewhere."""
    first, second = (float(area) for area, _ in _two_models(world))
    return dict.fromkeys(("compare, AUC", "mcnemar")) if np.isclose(first, second) else {}


def evaluated(world: Any, sample: Sample) -> Answers:
    """What `evaluate` says of one model, and of its decision at the threshold it chooses."""
    evaluation = th.evaluate(
        sample.labels,
        sample.scores,
        condition=COSTS,
        weights=sample.weights,
        clusters=sample.clusters,
        replicates=INNER,
        measures=[PARTIAL],
    )
    model = evaluation.models["model"]
    cost = float(world.true_cost(evaluation.decision.threshold, COSTS))
    thresholds = {"never": np.inf, "always": -np.inf, "0.5": 0.5}
    saving = float(world.true_cost(thresholds[evaluation.baseline], COSTS)) - cost
    decided = {"out_of_bag_cost": cost in model.out_of_bag_cost, "saving": saving in evaluation.saving}
    return {**model.numbers, **evaluation.quantities["model"], **decided}


def number_truths(world: Any) -> Answers:
    """The truth of what `evaluate` reports, where the world knows it."""
    decided = dict.fromkeys(("out_of_bag_cost", "saving"))
    counts = population(world)
    if counts is not None:
        parts = th.decomposition(counts)
        share = counts.prevalence
        return decided | {
            "auc": th.auc(counts),
            "average_precision": th.average_precision(counts),
            "pr_area": th.pr_area(counts),
            "ks": th.ks(counts).statistic,
            "brier": th.brier(counts),
            "log_loss": float(th.log_loss(counts)),
            "miscalibration": parts.calibration,
            "refinement": parts.refinement,
            "discrimination": share * (1 - share) - parts.refinement,
            "uncertainty": share * (1 - share),
        }
    truths = decided | {
        "auc": world.auc,
        "average_precision": world.average_precision,
        "pr_area": world.average_precision,
        "ks": world.ks,
        PARTIAL: world.partial_auc(0.2),
    }
    if world.slope is None:
        return truths
    uncertainty = world.prevalence * (1 - world.prevalence)
    mean = float(world.calibration_in_the_large)
    return truths | {
        "brier": world.brier,
        "log_loss": world.log_loss,
        "miscalibration": world.calibration_loss,
        "refinement": world.refinement_loss,
        "discrimination": uncertainty - float(world.refinement_loss),
        "uncertainty": uncertainty,
        "calibration_in_the_large": mean,
        "observed_expected": world.prevalence / (world.prevalence - mean),
    }


def calibration(_: Any, sample: Sample) -> Answers:
    losses = ti.calibration_intervals(sample.ranking, replicates=INNER)
    return {name: getattr(losses, name) for name in ("brier", "calibration", "refinement", "discrimination")}


def calibration_truths(world: Any) -> Answers:
    truths = number_truths(world)
    names = {"brier": "brier", "calibration": "miscalibration"}
    return {name: truths[names.get(name, name)] for name in ("brier", "calibration", "refinement", "discrimination")}


def calibration_report(_: Any, sample: Sample) -> Answers:
    return dict(ti.calibration_report(sample.ranking, replicates=INNER).numbers)


@cache
def report_truths(world: Any) -> Answers:
    """The report of many rows whose labels are as frequent as they are true: the smooth curve without its noise."""
    ranking = population(world)
    if ranking is None:
        scores = world.sample(200_000, np.random.default_rng(0)).scores
        true, labels = world.posterior(scores), np.repeat([1, 0], scores.size)
        ranking = th.rank(labels, np.tile(scores, 2), weights=np.concatenate([true, 1 - true]))
    numbers = ti.calibration_report(ranking, replicates=2).numbers
    seen = {name: each.estimate if each.apparent is None else each.apparent for name, each in numbers.items()}
    return {name: round(value, 9) for name, value in seen.items()}


def resampled(world: Any, sample: Sample) -> Answers:
    source = sample.ranking if sample.weights is None and sample.clusters is None else sample.rows
    drawn = th.bootstrap(source, ["auc", ti.MeasureAt("f1", threshold_of(world))], replicates=INNER)
    return {"auc, percentile": drawn.interval("auc"), "f1, percentile": drawn.interval("f1")}


def resampled_truths(world: Any) -> Answers:
    return {"auc, percentile": world.auc, "f1, percentile": world.table(threshold_of(world)).f1}


def band_limits(
    band: Callable[..., ti.Band], source: Any, x: tuple[float, ...], name: str, true: Callable[[Any], Any], **grid: Any
) -> Answers:
    """A band at some places as intervals, and whether a simultaneous one holds everywhere."""
    if "replicates" in inspect.signature(band).parameters:
        band = partial(band, replicates=INNER)
    pointwise = band(source, **grid)
    answers: dict[str, Any] = {
        f"at {name} {at:g}": th.Interval(estimate, lower, upper, np.nan, 0.95, pointwise.method)
        for at, estimate, lower, upper in zip(x, pointwise.estimate, pointwise.lower, pointwise.upper, strict=True)
    }
    return answers | {"simultaneous": holds_everywhere(band(source, simultaneous=True), true)}


def holds_everywhere(band: ti.Band, true: Callable[[Any], Any]) -> bool:
    """Whether a band holds the true curve at every place; rounding is forgiven."""
    truth = np.asarray(true(band.x))
    return bool(((band.lower <= truth + 1e-9) & (truth <= band.upper + 1e-9)).all())


def true_roc(world: Any, fpr: Any) -> Any:
    counts = population(world)
    if counts is None:
        return np.asarray(world.roc(fpr))
    tp, fp = counts.covered()
    return np.interp(fpr, fp / counts.Neg, tp / counts.Pos)


def true_precision(world: Any, recall: Any) -> Any:
    counts = population(world)
    return world.precision(recall) if counts is None else precision_at(counts, recall)


def true_net_benefit(world: Any, threshold: Any) -> Any:
    tables = [(world.table(float(at)), at / (1 - at)) for at in np.atleast_1d(threshold)]
    return np.array([(table.tp - odds * table.fp) / table.total for table, odds in tables])


def roc_bands(world: Any, sample: Sample) -> Answers:
    return band_limits(ti.roc_band, sample.ranking, FPR, "fpr", partial(true_roc, world), fpr=FPR)


def roc_truths(world: Any) -> Answers:
    return curve_truths("fpr", FPR, true_roc(world, np.array(FPR)))


def precision_bands(world: Any, sample: Sample) -> Answers:
    true = partial(true_precision, world)
    return band_limits(ti.precision_recall_band, sample.ranking, RECALL, "recall", true, recall=RECALL)


def precision_truths(world: Any) -> Answers:
    return curve_truths("recall", RECALL, true_precision(world, np.array(RECALL)))


def net_benefit_bands(world: Any, sample: Sample) -> Answers:
    true = partial(true_net_benefit, world)
    return band_limits(ti.net_benefit_band, sample.ranking, PROBABILITY, "threshold", true, threshold=PROBABILITY)


def net_benefit_truths(world: Any) -> Answers:
    return curve_truths("threshold", PROBABILITY, true_net_benefit(world, PROBABILITY))


def curve_truths(name: str, x: tuple[float, ...], truth: Any) -> Answers:
    return {f"at {name} {at:g}": float(value) for at, value in zip(x, truth, strict=True)} | {"simultaneous": None}


def reliability_bands(world: Any, sample: Sample) -> Answers:
    """The band at the tenth, middle and ninetieth hundredth of the scores."""

    def true(score: Any) -> Any:
        if not isinstance(world, Cells):
            return world.posterior(score)
        cells = [int(np.argmin(np.abs(world.scores - each))) for each in score]
        return world.posterior(cells)[:, 1]

    band = ti.reliability_band(sample.ranking)
    truth = true(band.x)
    held = (band.lower <= truth + 1e-9) & (truth <= band.upper + 1e-9)
    answers = {f"at quantile {share:g}": bool(held[round(share * (held.size - 1))]) for share in (0.1, 0.5, 0.9)}
    entire = ti.reliability_band(sample.ranking, simultaneous=True)
    return answers | {"simultaneous": holds_everywhere(entire, true)}


def reliability_names(_: Any) -> Answers:
    return dict.fromkeys([*(f"at quantile {share:g}" for share in (0.1, 0.5, 0.9)), "simultaneous"])


if __name__ == "__main__":
    main()
