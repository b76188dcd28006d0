"""Every public result: one short line in a session, safe HTML in a notebook, and its rows as a frame."""

from __future__ import annotations

import dataclasses
import inspect
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator
from sklearn.tree import DecisionTreeClassifier

import thresher as th
from tests.hostile import NAMES
from tests.inference import class_examples
from tests.inference.test_arguments import CALLS
from tests.public import OFFERED
from thresher import learning
from thresher._internal import results
from thresher._internal.results import Result, Tabular, frame_of, shorten
from thresher.cautions import Caution

LABELS = [1, 1, 0, 1, 1, 0, 1, 1, 0, 0]
TREE = [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13]
LOGIT = [0.8, 0.9, 0.2, 0.7, 0.6, 0.1, 0.5, 0.2, 0.4, 0.3]
HOSTILE = NAMES["closes a script"] + NAMES["an image that runs"] + NAMES["terminal colours"].replace("\0", "")
# What a user makes to ask a question, and numbers with a word attached.
NO_RESULTS = {
    "Evaluation",
    "BestCost",
    "CostAt",
    "Folds",
    "LogLoss",
    "MEstimate",
    "Measure",
    "MeasureAt",
    "OperatingCondition",
}
NO_RESULTS |= {"Progress", "RankingBuilder"}
NO_RESULTS |= {"Evaluation"}  # what its two kinds have in common
NO_RESULTS |= {"TreeNodes"}  # part of a fitted tree, public because saved models name it
# Parts of a calibration map and of a decision, which show themselves.
NO_RESULTS |= {"Watch"}  # a store, which is asked for results
NO_RESULTS |= {"CaseCosts", "UnseenError"}  # what costs are computed from, and a part of a caution
NO_RESULTS |= {"Losses", "LogLinear", "OneVsRest", "LeastCostRule", "ThresholdRule"}
ALLOWED = {"table", "caption", "thead", "tbody", "tr", "th", "td", "pre", "svg", "title", "g", "path", "text", "line"}
ALLOWED |= {"rect", "polyline", "circle", "iframe", "defs", "clippath"}


AT_EVERY_LOOK = (
    *("alarm_band", "calibration_evidence", "cost_change", "delay_test", "detector", "distance", "drift"),
    *("exchangeability", "label_shift_test", "maturity", "out_of_fold_cost", "stability_index", "verified_table"),
    "worst_case_recall",
)


def public_results() -> dict[str, type]:
    listed = OFFERED | {"Caution": Caution} | {name: getattr(learning, name) for name in learning.__all__}
    return {
        name: one
        for name, one in listed.items()
        if inspect.isclass(one)
        and (dataclasses.is_dataclass(one) or issubclass(one, Result | tuple))
        and not issubclass(one, BaseEstimator)
        and name not in NO_RESULTS
    }


def examples(name: str) -> dict[str, Any]:
    """One of every public result, all names in it being this one."""
    other = name + "2"
    models = {name: TREE, other: LOGIT}
    ranking = th.rank(LABELS, TREE)
    ranges = th.Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    table = th.tables.contingency_at(ranking, 0.5)
    kinds = [name, other, "c"] * 4
    matrix = np.tile([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.3, 0.3, 0.4]], (4, 1))
    several = class_examples.evaluate(kinds, {name: matrix, other: matrix[::-1]}, classes=[name, other, "c"])
    evaluated = th.evaluate(LABELS, models, replicates=20)
    decision = evaluated.decision
    compared = th.compare(LABELS, models)
    confused = several[name].confusion
    wide = {name: np.arange(40.0) % 7, other: np.arange(40) % 3, "label": [0, 1] * 20}
    X, y = pd.DataFrame({name: wide[name], other: wide[other]}), np.array(wide["label"])
    tree = DecisionTreeClassifier(max_depth=2)
    types = learning.column_types(wide)
    segments = th.segment(kinds, matrix, classes=[name, other, "c"])
    mapped = th.calibration_map(segments, method="auto", folds=2)
    scattered = learning.scatter(X, y)
    validated = learning.cross_validate({name: tree, other: tree}, X, y, folds=3)
    parts = learning.split(y, {name: 3, other: 1})
    scanned = th.evaluation.evaluate_scan(
        pa.table({"y": LABELS, name: TREE, other: LOGIT}), label="y", score=[name, other]
    )
    made = [
        *(compared, compared[name, other], evaluated, evaluated[name], evaluated.joint, evaluated.joint.ranges[0]),
        evaluated.rules["never"],
        *(evaluated.stability, decision, several, several[name], several[name].auc, several[name].rates, confused),
        *(
            several.rules[name],
            several.sensitivity,
            several.sensitivity.others[0],
            several.decision.best_constant,
            several.sample,
        ),
        *(several[name].areas, th.tables.chi_squared(confused), th.tables.fisher(table), scanned, scanned[name]),
        *(ranking, table, th.coverage(ranking), th.roc(ranking), th.precision_recall(ranking), th.gain(ranking)),
        *(th.lift(ranking), th.curves.placements(ranking), th.cost_curve(ranking), th.brier_curve(ranking)),
        *(th.net_benefit(ranking), th.curves.pr_gain(ranking), th.curves.roc_bounds(ranges), th.bounds(ranges, "auc")),
        *(th.curves.table_bounds(ranges, 0.7), th.curves.thin(ranking), th.ks(ranking), th.pairs(ranking)),
        *(
            th.curves.randomized_rule(ranking, 0.89),
            th.choose(ranking),
            th.choose(ranking).point,
            th.choose({name: table}),
            th.choose(segments),
            th.CostMatrix({name: {other: 2}, other: {name: 1}}),
            th.segment([name, other], [[0.7, 0.3], [0.2, 0.8]], classes=[name, other]),
            th.isometric("f1", 0.5, Pos=6, Neg=4),
        ),
        mapped,
        mapped.candidates[0],
        *(th.decomposition(segments), th.reliability(segments), th.calibration.skce(segments)),
        th.calibration_test(segments, replicates=99),
        *(getattr(th.inference, one)(*CALLS[one][0], **CALLS[one][1]) for one in AT_EVERY_LOOK),
        *(th.calibration_map(ranking), th.decomposition(ranking), th.reliability(ranking), th.ece(ranking)),
        *(
            th.calibration.smooth(ranking),
            th.auc_interval(ranking),
            th.inference.auc_sample_size(0.8),
            th.calibration_test(ranking),
        ),
        th.inference.calibration_report(ranking, replicates=100),
        *(
            th.inference.calibration_intervals(ranking, replicates=100),
            th.inference.out_of_bag_choice(ranking, replicates=100),
        ),
        *(th.inference.roc_band(ranking, replicates=100), th.cautions.Caution("one-score", name * 40)),
        *(
            th.inference.bayesian_correlated_t([0.9, 0.8], [0.8, 0.6], test_share=0.1),
            th.inference.mcnemar([1, 0], [1, 1], [0, 1]),
        ),
        *(
            th.inference.ScoredRows.of(LABELS, models),
            th.bootstrap(th.inference.ScoredRows.of(LABELS, models), ["auc", "brier"], replicates=20),
        ),
        *(types, types[name], validated, parts, scattered, learning.selection(scattered, 1)),
        learning.study(th.laboratory.Gaussians([[-1], [1]]), tree, over="rows", values=[20, 40], replicates=3),
        *(learning.feature_curve(tree, X, y, folds=3), learning.learning_curve(tree, X, y, folds=3)),
        *(learning.missing_values(wide), learning.complete_rows(wide), learning.label_noise([name, other] * 4, 0.25)),
        *(learning.instance_noise(X, 0.5), learning.principal_components(X)),
        *((shift := learning.covariate_shift({name: [1, 2, 3]}, {name: [4, 5, 6]})), *shift.columns),
        *(learning.target_column({name: [name, other] * 4}, name),),
        learning.Deployed(tree, decision, (), (name,), name, (name, other)),
        learned(evaluated, validated, types, learning.split(y, (3, 1)), (name, other)),
    ]
    made.append(learning.FeatureGain((name,), name, "auc", *(evaluated[name].auc,) * 2, compared[name, other], 3))
    made.append(learning.FeatureSearch((name,), evaluated[name].auc, "auc", "forward", {name: 3, other: 0}, 3, 9))
    return {type(one).__name__: one for one in made}


def learned(evaluated, validated, types, parts, names) -> learning.Learned:
    name, other = names
    costs = {model: evaluated[model].expected_cost for model in evaluated.models}
    cost = costs[name]
    difference = evaluated.comparison[name, other]
    return learning.Learned(
        *(None, evaluated.decision, evaluated, validated, costs, cost, {other: difference}, evaluated, cost, {}),
        *(types, parts, name, name, (other, name), None, None, None),
        by_class=None,
        redundant=(),
        cautions=(),
    )


@pytest.fixture(scope="module")
def plain():
    return examples("tree")


def test_every_public_result_is_here(plain):
    known = public_results()
    assert set(known) == set(plain) - {type(None)}
    assert [name for name, kind in known.items() if not issubclass(kind, Result)] == []


@pytest.mark.parametrize("name", [HOSTILE, NAMES["long"]], ids=["hostile", "long"])
def test_a_repr_is_one_short_line_and_html_escapes_names(name):
    for kind, result in examples(name).items():
        line = repr(result)
        assert len(line) < 300, kind
        assert line.isprintable(), kind
        html = result._repr_html_()
        assert tags(html) <= ALLOWED, kind
        assert len(html) < 30_000 or "iframe" in html, kind


def tags(html: Any) -> set[str]:
    parser = Tags()
    parser.feed(html)
    return parser.seen


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.seen.add(tag)


@pytest.mark.parametrize("name", list(NAMES))
def test_the_glance_of_a_decision_holds_the_name_as_text(name):
    decision = th.evaluate(LABELS, {NAMES[name]: TREE}, replicates=20).decision
    assert tags(decision._repr_html_()) == {"pre"}


def test_rows_come_as_the_frame_that_is_asked_for(plain):
    for kind, result in plain.items():
        if isinstance(result, Tabular):
            default, polars, arrow = result.to_frame(), result.to_frame("polars"), result.to_frame("pyarrow")
            assert isinstance(default, pd.DataFrame), kind
            assert isinstance(polars, pl.DataFrame), kind
            assert isinstance(arrow, pa.Table), kind
            assert list(default.columns) == polars.columns == arrow.column_names
            assert len(default) == len(polars) == len(arrow) > 0, kind


def test_an_evaluation_has_a_row_per_model_and_number(plain):
    evaluated = plain["ThresholdEvaluation"]
    frame = evaluated.to_frame().set_index(["model", "quantity"])
    assert frame.index.is_unique
    for model in evaluated.models:
        for quantity, interval in evaluated[model].numbers.items() | evaluated[model].measures.items():
            np.testing.assert_array_equal(
                frame.loc[(model, quantity), ["estimate", "lower", "upper"]].astype(float),
                [interval.estimate, interval.lower, interval.upper],
            )
        assert frame.loc[(model, "out_of_bag_cost"), "method"] == evaluated[model].out_of_bag_cost.method


def test_a_comparison_has_a_row_per_pair():
    compared = th.compare(LABELS, {"a": TREE, "b": LOGIT, "c": TREE[::-1]})
    frame = compared.to_frame()
    assert list(zip(frame.a, frame.b, strict=True)) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert frame.difference.tolist() == [one.difference for one in compared.differences.values()]
    assert frame.verdict.tolist() == [one.verdict for one in compared.differences.values()]


def test_a_choice_has_a_row_per_tie():
    choice = th.choose(th.rank(LABELS, TREE), th.OperatingCondition(class_ratio=3 / 4))
    frame = choice.to_frame()
    for row, point in zip(frame.itertuples(), choice.points, strict=True):
        assert (row.split, row.threshold, (row.lower, row.upper)) == (point.split, point.threshold, point.interval)
        assert (row.tp, row.fn, row.fp, row.tn) == (point.table.tp, point.table.fn, point.table.fp, point.table.tn)
        assert row.expected_cost == pytest.approx(point.expected_cost)


def test_a_matrix_has_a_row_per_pair_of_classes():
    matrix = th.ConfusionMatrix([[2, 1], [0, 3]], classes=["cat", 1])
    frame = matrix.to_frame("polars")
    assert frame.rows() == [("cat", "cat", 2), ("cat", "1", 1), ("1", "cat", 0), ("1", "1", 3)]


def test_replicates_have_a_row_per_draw_model_and_quantity(plain):
    replicates = plain["Replicates"]
    frame = replicates.to_frame()
    for model in replicates.models:
        rows = frame[(frame.model == model) & (frame.quantity == "brier")]
        np.testing.assert_array_equal(rows.value, replicates.values("brier", model))


def test_an_unknown_library_is_refused_and_an_absent_one_named(monkeypatch):
    curve = th.roc(th.rank(LABELS, TREE))
    with pytest.raises(th.errors.ArgumentError, match='backend must be "pandas", "polars" or "pyarrow", got \'excel\''):
        curve.to_frame("excel")  # type: ignore[arg-type]
    monkeypatch.setattr(results, "find_spec", lambda name: None if name in ("pandas", "polars") else True)
    assert isinstance(curve.to_frame(), pa.Table)
    with pytest.raises(th.errors.MissingExtraError, match="needs the package polars") as caught:
        curve.to_frame("polars")
    assert caught.value.fix == "pip install polars"


def test_columns_of_mixed_types_become_text_and_gaps_nan():
    frame = frame_of({"a": ["x", 1, None], "b": [1, None, 2.5], "c": [2**70, 1, 2]}, "polars")
    assert frame["a"].to_list() == ["x", "1", None]
    np.testing.assert_array_equal(frame["b"].to_numpy(), [1, np.nan, 2.5])
    assert frame["c"].to_list() == [float(2**70), 1.0, 2.0]


def test_a_long_line_keeps_both_ends():
    assert shorten("abc") == "abc"
    line = shorten("a" * 500 + "z")
    assert (len(line), line[0], line[-1]) == (200, "a", "z")


def test_an_interval_is_a_number():
    interval = th.auc_interval(th.rank(LABELS, TREE))
    assert float(interval) == interval.estimate == th.auc(th.rank(LABELS, TREE))


def test_a_long_ranking_is_written_short_and_a_short_one_read_back():
    short = th.Ranking.parse("[1+][2-]" * 10)
    assert th.Ranking.parse(str(short)) == short
    long = th.rank(np.arange(10_000) % 2, np.arange(10_000))
    assert str(long) == "[1+][1-][1+][1-][1+] … 9,990 more … [1-][1+][1-][1+][1-]"
    with pytest.raises(th.errors.NotationError):
        th.Ranking.parse(str(long))
