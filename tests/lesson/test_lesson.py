"""Lessons are the library's own numbers in sentences, and refuse what they cannot teach."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher import lesson
from thresher.calibration.losses import LOSSES, mean_loss

TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
EMAILS = th.rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13])
COUNTS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(any), min_size=1, max_size=9).filter(
    lambda counts: any(pos for pos, _ in counts) and any(neg for _, neg in counts)
)
CONDITIONS = st.builds(
    th.OperatingCondition,
    class_ratio=st.none() | st.sampled_from([0.1, 0.75, 1, 4]),
    cost_ratio=st.sampled_from([0.2, 1, 2.5, 20]),
)


def ranking_of(counts):
    return th.Ranking(np.arange(len(counts), 0, -1), *np.array(counts).T)


@given(COUNTS, CONDITIONS)
def test_lessons_end_where_the_library_does(counts, condition):
    ranking = ranking_of(counts)
    curve = th.coverage(ranking)
    walked = lesson.walk(ranking)
    assert [step.table for step in walked] == [curve.at(split) for split in range(len(ranking) + 1)]
    pooled = lesson.pool(ranking)
    assert pooled[-1].ranking == th.hull(ranking)
    assert [len(step.ranking) for step in pooled] == list(range(len(ranking), len(th.hull(ranking)) - 1, -1))
    areas = [step.auc for step in pooled]
    assert areas == sorted(areas)
    assert lesson.pairs(ranking)[-1].pairs == th.pairs(ranking)
    assert lesson.pairs(ranking)[-1].auc == pytest.approx(th.auc(ranking))
    priced, choice = lesson.costs(ranking, condition), th.choose(ranking, condition)
    assert priced[-1].splits == tuple(choice.splits)
    for point in choice.points:
        slope, level = priced[-1].slope, priced[-1].level
        assert point.table.tpr == pytest.approx(level + slope * (point.table.fpr - 1 + level))
    for step in [*walked, *pooled, *priced, *lesson.losses(ranking), *lesson.calibration(ranking)]:
        assert str(step) == "".join(step.parts)
        assert not any(sign.isdigit() for sign in "".join(step.parts[1::2])) or "?" in step.question


@given(COUNTS)
def test_errors_and_losses_are_those_of_the_library(counts):
    ranking = ranking_of(counts)
    steps = lesson.losses(ranking)
    assert {step.loss: step.mean for step in steps[1:]} == {
        name: mean_loss(ranking, loss) for name, loss in LOSSES.items()
    }
    shares = lesson.calibration(ranking)
    for step in shares[:-1]:
        assert step.at(step.predicted) == step.squared_error
        assert min(map(step.at, np.linspace(0, 1, 21))) >= step.at(step.share) - 1e-12
    assert shares[-1].squared_error == pytest.approx(sum(step.squared_error for step in shares[:-1]))


def test_the_spam_tree():
    assert [step.slope for step in lesson.walk(TREE)] == [None, 4, 2, 0.5]
    assert str(lesson.walk(TREE, positive="spam", negative="ham")[2]) == (
        "Segment 2, score 1: 10 spam and 5 ham, so up 10 and right 5, slope 2. "
        "TP 30, FP 10; 70 of 100 right, accuracy 0.7."
    )
    assert str(lesson.pairs(TREE)[-1]) == (
        "All together: 1,300 won, 950 tied, 250 lost. AUC = (won + tied / 2) / all = 0.71."
    )
    errors = lesson.calibration(TREE)
    assert [round(step.squared_error, 2) for step in errors] == [4, 3.33, 13.33, 20.67]
    assert errors[-1].squared_error / 100 == pytest.approx(0.20667, abs=5e-6)
    assert [errors[2].at(p) for p in (0.4, 0.2)] == pytest.approx([13.6, 14.4])
    assert [step.loss for step in lesson.losses(TREE)] == [None, *LOSSES]


def test_the_ten_emails():
    right = [step.table.tp + step.table.tn for step in lesson.walk(EMAILS)]
    assert right == [4, 5, 6, 5, 6, 7, 6, 7, 8, 7, 6]
    pooled = lesson.pool(EMAILS)
    assert len(pooled) == 5
    assert (pooled[0].auc, round(pooled[-1].auc, 4)) == (0.75, 0.8333)
    assert [pooled[0].brier, pooled[-1].brier] == pytest.approx([0.19336, 0.13333], abs=5e-5)
    assert str(pooled[-1]).endswith(
        "this is the hull. Shares 1, 1, 2/3, 2/3, 0, 0. AUC 0.75 → 0.8333. Brier score 0.1934 → 0.1333."
    )
    assert pooled[-1].question.endswith("Shares ?, ?, ?, ?, ?, ?. AUC 0.75 → ?. Brier score 0.1934 → ?.")
    equal = lesson.costs(EMAILS)
    assert [equal[0].slope, equal[-1].level] == pytest.approx([2 / 3, 0.8])
    twice = lesson.costs(EMAILS, th.OperatingCondition(class_ratio=0.75))
    assert twice[-1].choice.undecided == (0.28, 0.77)
    assert str(twice[-1]).endswith("Scores between 0.28 and 0.77 are undecided.")


def test_points_of_the_chapter():
    C = th.Contingency
    tables = {"C1": C(30, 20, 10, 40), "C2": C(30, 20, 20, 30), "C3": C(45, 5, 30, 20)}
    steps = lesson.points(tables)
    assert len(steps) == len(tables) + 3
    assert str(steps[3]).endswith("dominates: C1 dominates C2. Dominated by nobody: C1 and C3.")
    assert (steps[4].names, steps[4].value) == (("C1",), 0.7)
    alone = lesson.points({"A": C(1, 1, 1, 1)})
    assert str(alone[1]) == "One classifier alone: nobody dominates it."


@pytest.mark.parametrize(
    ("ranking", "words"),
    [
        (th.Ranking.parse("[1+]" + "[1-]" * 60), "60 segments at most, and this ranking has 61"),
        (th.Ranking.parse("[2+]"), "no negatives among 2 cases"),
        (th.Ranking.parse("[1.5+][2-]"), "1.5 is no whole count"),
        (th.Ranking.of_ranges([0.6, 0.1, 0.5], [0.9, 0.4, 0.7], pos=[3, 2, 0], neg=[0, 0, 4]), "ranges of scores"),
        ("[2+][1-]", "a ranking is needed"),
    ],
)
def test_what_no_lesson_can_teach(ranking, words):
    for make in (lesson.walk, lesson.pool, lesson.costs, lesson.pairs, lesson.losses, lesson.calibration):
        with pytest.raises(th.ThresherError, match=words):
            make(ranking)


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({}, "tables by name are needed"),
        ({"A": th.Contingency(1, 1, 1, 1), "B": th.Contingency(1, 1, 1, 2)}, "B counts 2 positives and 3 negatives"),
        ({"A": th.Contingency(0, 0, 1, 1)}, "no place in ROC space"),
        ({"A": th.Contingency(0.5, 0, 1, 1)}, "tp is 0.5"),
        ({"A": th.coverage(TREE)}, "several splits"),
        ({str(i): th.Contingency(1, 1, 1, 1) for i in range(27)}, "26 tables at most"),
        ({1: th.Contingency(1, 1, 1, 1)}, "name of a table must be a text"),
        ({" ": th.Contingency(1, 1, 1, 1)}, "name of a table must be a text"),
    ],
)
def test_tables_that_are_no_lesson(tables, words):
    with pytest.raises(th.ThresherError, match=words):
        lesson.points(tables)


def test_ties_of_points_are_exact():
    C = th.Contingency
    tables = {"A": C(1, 9, 3, 7), "B": C(2, 8, 4, 6), "C": C(0, 10, 2, 8)}  # as floats their rates differ in sum
    assert [step.names for step in lesson.points(tables)[4:]] == [("A", "B", "C")] * 2


def test_scores_as_far_as_floats_reach(tmp_path):
    far = th.Ranking([1e308, -1e308], pos=[1, 1], neg=[1, 1])
    assert lesson.losses(far)[-1].mean == math.inf
    far.to_html(tmp_path / "far.html", lesson="losses")


def test_a_class_of_several_is_taught_against_the_rest(tmp_path):
    leaves = th.Segments.parse("[8,1,1][1,6,3]", probability=[[0.8, 0.1, 0.1], [0.2, 0.5, 0.3]], classes="abc")
    leaves.to_html(tmp_path / "rest.html", "b", versus="c")
    th.classroom(leaves.ranking("b", versus="c"), tmp_path / "same.html", positive="b", negative="c")
    assert (tmp_path / "rest.html").read_bytes() == (tmp_path / "same.html").read_bytes()
    with pytest.raises(th.ThresherError, match=r"segments.ranking\(name\)"):
        th.classroom(leaves, tmp_path / "rest.html")  # type: ignore[arg-type]


def test_integer_weights_and_infinite_scores_are_fine():
    weighted = th.rank([1, 0, 1], [3, 2, 1], weights=[2.0, 3.0, 1.0])
    assert lesson.walk(weighted)[-1].table == th.Contingency(tp=3, fn=0, fp=3, tn=0)
    far = th.Ranking([math.inf, -math.inf], pos=[1, 1], neg=[1, 0])
    assert "score ∞" in str(lesson.walk(far)[1])
    assert lesson.losses(far)[2].mean == math.inf
