"""Decisions against the rule applied by hand, and the command line against the library."""

from __future__ import annotations

import json
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner

import thresher as th
from tests.fuzz.answers import Answers, chance
from tests.fuzz.cases import Case, Rng, pick, two_classes
from tests.fuzz.choices import exact_costs
from thresher.calibration import CalibrationMap
from thresher.cli.app import program
from thresher.cli.console.tables import choice_data

NEW = [0.0, -0.0, math.inf, -math.inf, 5e-324, 1.7976931348623157e308, 0.5]


def check(seed: int, size: int) -> Answers:
    """evaluate, decide, save, load, apply: the same calls as the threshold by hand."""
    rng, answers = np.random.default_rng([12, seed]), Answers()
    case = two_classes(rng, max(size, 4), probabilities=chance(rng, 0.5))
    scores = {"a": case.scores, "b": rng.permutation(case.scores)}
    condition = th.OperatingCondition(
        prevalence=pick(rng, [None, 0.5, 0.01, 0.999]), cost_ratio=pick(rng, [1.0, 0.2, 30.0, 1e6])
    )
    where = f"condition {condition}, second scores {scores['b'].tolist()}, {case}"
    evaluation = th.evaluate(case.labels, scores, weights=case.weights, condition=condition, replicates=40)
    decision = evaluation.decision
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "decision.json")
        decision.save(path)
        again = th.Decision.load(path)
    answers.same(again, decision, f"the decision after saving, {where}")
    own_scores = scores[decision.model].astype(np.float64)
    with np.errstate(over="ignore"):
        new = np.concatenate([own_scores, NEW, np.nextafter(own_scores, np.inf), np.nextafter(own_scores, -np.inf)])
    expected = [bool(score >= decision.threshold) and decision.threshold < math.inf for score in new.tolist()]
    answers.same(again.apply(new).tolist(), expected, f"calls at {decision.threshold!r}, {where}")
    answers.same(again.apply({decision.model: new}).tolist(), expected, f"calls on a mapping, {where}")
    ranking = th.rank(case.labels, scores[decision.model], weights=case.weights)
    alone = th.choose(ranking, condition)
    answers.same(decision.threshold, alone.threshold, f"threshold, {where}")
    if decision.model == "a" and case.unitary:
        costs = exact_costs(case, decision.condition)
        answers.same(costs[alone.point.split], min(costs), f"cost of the decision, {where}")
    # Probabilities of the map, restated for the declared mix by Bayes' rule.
    mapped = CalibrationMap.from_dict(dict(decision.calibration or {}))(new)
    prevalence, own = float(decision.condition.prevalence or 0), decision.data_prevalence
    up, down = prevalence / own, (1 - prevalence) / (1 - own)
    restated = mapped * up / (mapped * up + (1 - mapped) * down)
    answers.near_all(again.probability(new), restated, f"probabilities, {where}", relative=1e-9, absolute=1e-12)
    return answers


def command_line(seed: int, size: int) -> Answers:
    """The JSON of commands, run in this process, against the library's numbers."""
    rng, answers = np.random.default_rng([13, seed]), Answers()
    case = two_classes(rng, max(size, 4), probabilities=True, weighted=False, kind=pick(rng, ["levels", "uniform"]))
    ratio = pick(rng, [1.0, 0.5, 10.0])
    where = f"cost ratio {ratio}, {case}"
    with tempfile.TemporaryDirectory() as folder:
        path = _rows(rng, Path(folder), case)
        words = ["--label", "y", "--score", "p", "--cost-ratio", str(ratio)]
        condition = th.OperatingCondition(cost_ratio=ratio)
        choice = th.choose(case.ranking(), condition)
        shown = json.loads(_run("choose", str(path), *words, "--json"))
        answers.same(shown["p"], json.loads(json.dumps(choice_data(choice))), f"choose, {where}")
        goal = pick(rng, ["f1", "accuracy", "mcc"])
        best = th.choose(case.ranking(), condition, maximise=goal)
        shown = json.loads(_run("choose", str(path), *words, "--maximise", goal, "--json"))
        answers.same(shown["p"], json.loads(json.dumps(choice_data(best))), f"choose by {goal}, {where}")
        merged = Path(folder, "merged.parquet")
        _run("merge", str(path), "--label", "y", "--score", "p", "-o", str(merged))
        answers.check(th.Ranking.from_parquet(merged) == case.ranking(), f"merge, {where}")
        if chance(rng, 0.3):
            _evaluated(answers, case, path, condition, where)
    return answers


def _evaluated(answers: Answers, case: Case, path: Path, condition: th.OperatingCondition, where: str) -> None:
    decided, output = path.with_name("decision.json"), path.with_name("output.parquet")
    words = ["--label", "y", "--score", "p", "--cost-ratio", str(condition.cost_ratio)]
    shown = json.loads(_run("evaluate", str(path), *words, "--decision", str(decided), "--json"))
    evaluation = th.evaluate(case.labels, {"p": case.scores}, condition=condition)
    answers.same(
        shown["decision"]["rule"]["threshold"],
        evaluation.to_dict()["decision"]["rule"]["threshold"],
        f"evaluate, {where}",
    )
    answers.same(shown["models"], json.loads(evaluation.to_json())["models"], f"models of evaluate, {where}")
    _run("apply", str(decided), str(path), "--score", "p", "--probability", "-o", str(output))
    table = pq.read_table(output).to_pydict()
    answers.same(table["p"], case.scores.astype(np.float64).tolist(), f"scores after apply, {where}")
    calls = evaluation.decision.apply(case.scores).astype(int).tolist()
    answers.same(table["predicted"], calls, f"calls of apply, {where}")
    truth = evaluation.decision.probability(case.scores).tolist()
    answers.near_all(table["probability"], truth, f"probabilities of apply, {where}")


def _rows(rng: Rng, folder: Path, case: Case) -> Path:
    """A file of the rows."""
    columns = {"y": case.labels.astype(int), "p": case.scores}
    if chance(rng, 0.5):
        pq.write_table(pa.table(columns), folder / "rows.parquet")
        return folder / "rows.parquet"
    lines = [f"{label},{score!r}" for label, score in zip(*(each.tolist() for each in columns.values()), strict=True)]
    (folder / "rows.csv").write_text("\n".join(["y,p", *lines, ""]))
    return folder / "rows.csv"


def _run(*words: str) -> str:
    result: Any = CliRunner().invoke(program, list(words), prog_name="thresher")
    if result.exit_code != 0:
        raise RuntimeError(f"{words} left with {result.exit_code}: {result.output}")
    return str(result.stdout)
