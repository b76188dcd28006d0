import copy
import dataclasses
import json
import math
import pickle
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests import reference
from tests.strategies import counts, float64_scores, labelled_scores, ranking, segments_of
from thresher._internal.arguments import describe
from thresher.evaluation import evaluate_rankings
from thresher.ranking import rankable, reaches, require_ranking, shorten
from thresher.sources import condense

SPAM_TREE = "[20+,5-][10+,5-][20+,40-]"
FORMAT = "thresher/ranking/1"


def plain(**changes):
    return {"format": FORMAT, "score": [2, 1], "pos": [1, 0], "neg": [0, 1]} | changes


class TestFromCounts:
    def test_any_order_is_sorted_and_equal_scores_are_added_up(self):
        r = th.Ranking([1, 2, 1, -1], pos=[4, 20, 6, 20], neg=[5, 5, 0, 40])
        assert segments_of(r) == [(2, 20, 5), (1, 10, 5), (-1, 20, 40)]

    def test_segments_without_cases_vanish(self):
        assert segments_of(th.Ranking([3, 2, 1], pos=[1, 0, 0], neg=[0, 0, 2])) == [(3, 1, 0), (1, 0, 2)]

    @given(
        st.lists(st.tuples(float64_scores, st.integers(0, 5), st.integers(0, 5)), min_size=1).filter(
            lambda entries: any(p or n for _, p, n in entries)
        )
    )
    def test_they_are_the_segments_of_the_rows_they_count(self, entries):
        score, pos, neg = zip(*entries, strict=True)
        rows = [(flag, s, 1) for s, p, n in entries for flag in [True] * p + [False] * n]
        assert segments_of(th.Ranking(score, pos, neg)) == reference.segments(rows)

    def test_integer_counts_are_int64_and_others_float64(self):
        for dtype in (np.int8, np.uint8, np.int64, np.uint64, bool, object):
            r = th.Ranking([2, 1], np.array([1, 0], dtype), np.array([0, 1], dtype))
            assert r.pos.dtype == r.neg.dtype == np.int64
            assert isinstance(r.Pos, int)
        r = th.Ranking([2, 1], np.array([0.5, 0], np.float32), [0, 1])
        assert r.weighted
        assert r.pos.dtype == r.neg.dtype == np.float64

    def test_totals(self):
        r = th.Ranking.parse(SPAM_TREE)
        assert (r.Pos, r.Neg, r.total, len(r)) == (50, 50, 100, 3)
        assert (r.prevalence, r.class_ratio) == (0.5, 1.0)
        assert th.Ranking.parse("[3+,1-]").class_ratio == 3
        assert th.Ranking.parse("[3+]").class_ratio == math.inf
        assert th.Ranking.parse("[3-]").class_ratio == 0

    @pytest.mark.parametrize(
        ("score", "pos", "neg"), [([1, 2], [1], [1, 1]), (1, 1, 1), ([[1, 2]], [[1, 1]], [[1, 1]]), ([1], [1, 2], [1])]
    )
    def test_columns_that_do_not_match_are_refused_with_their_shapes(self, score, pos, neg):
        with pytest.raises(th.errors.LengthError, match="have shapes"):
            th.Ranking(score, pos, neg)

    @pytest.mark.parametrize("columns", [([], [], []), ([1, 2], [0, 0], [0, 0])])
    def test_no_cases(self, columns):
        with pytest.raises(th.errors.EmptyError, match="no cases"):
            th.Ranking(*columns)

    @pytest.mark.parametrize("score", [[math.nan, 1], [None, 1], np.ma.array([5, 1], mask=[True, False])])
    def test_a_missing_score_is_refused_with_its_place(self, score):
        with pytest.raises(th.errors.MissingValueError, match=r"1 of 2 scores .*\(first at \[0\]\)"):
            th.Ranking(score, [1, 1], [0, 1])

    def test_a_masked_count_is_not_read(self):
        with pytest.raises(th.errors.MissingValueError):
            th.Ranking([1, 2], np.ma.array([5, 1], mask=[True, False]), [1, 1])

    @pytest.mark.parametrize(
        ("count", "named"),
        [(-1, r"pos\[1\] is -1"), (-0.5, r"pos\[1\] is -0.5"), (math.nan, r"pos\[1\] is nan"), (math.inf, "is inf")],
    )
    def test_a_count_is_finite_and_not_negative(self, count, named):
        with pytest.raises(th.errors.WeightError, match=named):
            th.Ranking([2, 1], pos=[1, count], neg=[1, 1])

    @pytest.mark.parametrize("pos", [["2", "1"], [None, 1], [1j, 1], [[1], 2], ["a", 1]])
    def test_counts_are_numbers(self, pos):
        with pytest.raises(th.errors.WeightError, match="numbers"):
            th.Ranking([2, 1], pos=np.array(pos, dtype=object), neg=[1, 1])

    @pytest.mark.parametrize(
        "pos", [[2**62, 2**62], np.array([2**63, 1], dtype=np.uint64), [2**61, 2**20], [1e300, 1e308], [1e-200, 0.0]]
    )
    def test_totals_that_would_overflow_or_underflow_are_refused(self, pos):
        with pytest.raises(th.errors.WeightError, match="add up to"):
            th.Ranking([2, 1], pos=pos, neg=[0, 0])

    def test_the_largest_total_that_is_taken_is_exact(self):
        r = th.Ranking([2, 1], pos=[2**60, 2**60 - 1], neg=[1, 0])
        assert r.Pos == 2**61 - 1
        assert th.auc(r) == 2**59 / (2**61 - 1)

    def test_negative_zero_is_zero(self):
        r = th.Ranking([0.0, -0.0], [1, 1], [0, 2])
        assert segments_of(r) == [(0.0, 2, 2)]
        assert not np.signbit(th.Ranking([-0.0], [1], [1]).score).any()


class TestIsAValue:
    def test_its_arrays_cannot_be_written(self):
        r = th.Ranking.parse(SPAM_TREE)
        for array in (r.score, r.pos, r.neg, *r.covered(), r.thresholds()):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 99

    @pytest.mark.parametrize("name", ["score", "pos", "neg", "Pos", "dropped", "other"])
    def test_its_fields_cannot_be_set(self, name):
        with pytest.raises((dataclasses.FrozenInstanceError, AttributeError, TypeError)):
            setattr(th.Ranking.parse(SPAM_TREE), name, 1)

    def test_it_keeps_nothing_of_what_it_was_built_from(self):
        score, pos, neg = np.array([3.0, 2.0, 1.0]), np.array([1, 2, 3]), np.array([1, 1, 1])
        r = th.Ranking(score, pos, neg)
        score[0], pos[0], neg[0] = 0, 99, 99
        assert segments_of(r) == [(3, 1, 1), (2, 2, 1), (1, 3, 1)]
        assert score.flags.writeable

    @pytest.mark.parametrize("twin", [lambda r: pickle.loads(pickle.dumps(r)), copy.copy, copy.deepcopy])  # noqa: S301
    def test_copies_are_equal_and_as_closed(self, twin):
        r = th.Ranking([math.inf, 0.1], [1.5, 0], [0, 1 / 3], dropped=4)
        again = twin(r)
        assert again == r
        assert again.dropped == 4
        assert again.to_json() == r.to_json()
        assert not any(column.flags.writeable for column in (again.score, again.pos, again.neg))
        assert th.auc(again) == th.auc(r)

    def test_equality_is_by_segments(self):
        r = th.Ranking.parse("[1+][2-]")
        assert r == th.Ranking([1, 2], [0, 1], [2, 0])
        assert r != th.Ranking.parse("[1+][2-]", score=[5, 1])
        assert r != th.Ranking.parse("[1+][1-]")
        assert r != th.Ranking.parse("[1+]")
        assert r != "[1+][2-]"
        assert r == th.Ranking([1, 2], [0.0, 1.0], [2, 0])
        assert len({r, th.Ranking.parse("[1+][2-]")}) == 1

    def test_threads_may_share_one(self):
        r = th.Ranking(np.arange(2000), np.ones(2000, int), np.ones(2000, int))
        areas: list[float] = []
        callers = [threading.Thread(target=lambda: areas.append(th.auc(r))) for _ in range(8)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        assert areas == [0.5] * 8


class TestAdding:
    def test_sum_starts_from_nothing(self):
        parts = [th.Ranking.parse("[1+][2-]"), th.Ranking.parse("[3-][1+]"), th.Ranking([5], [1], [0], dropped=2)]
        assert str(sum(parts)) == "[1+][1+,3-][1+,2-]"
        assert (parts[0] + parts[1] + parts[2]).dropped == 2

    def test_weights_and_counts_add_to_weights(self):
        both = th.Ranking([1], [1], [1]) + th.Ranking([1], [0.5], [0])
        assert both.weighted
        assert segments_of(both) == [(1, 1.5, 1)]

    def test_neither_side_changes(self):
        r = th.Ranking.parse("[1+][2-]")
        r + r
        assert str(r) == "[1+][2-]"

    @pytest.mark.parametrize("other", [1, "x", None, [1]])
    def test_only_rankings_add(self, other):
        with pytest.raises(TypeError):
            th.Ranking.parse("[1+]") + other

    def test_a_sum_past_int64_is_refused(self):
        half = th.Ranking([2, 1], [2**60, 1], [2**59, 0])
        with pytest.raises(th.errors.WeightError, match="add up to"):
            half + half


class TestSplits:
    def test_covered_runs_from_nothing_to_everything(self):
        tp, fp = th.Ranking.parse(SPAM_TREE).covered()
        assert (tp.tolist(), fp.tolist()) == ([0, 20, 30, 50], [0, 5, 10, 50])

    @given(st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=50))
    def test_running_weights_never_pass_their_total_nor_step_back(self, pos):
        r = th.Ranking(np.arange(len(pos), 0, -1), pos, np.ones(len(pos)))
        tp, _ = r.covered()
        assert tp[0] == 0
        assert tp[-1] == r.Pos
        assert (np.diff(tp) >= 0).all()

    def test_a_running_sum_that_rounds_past_the_total_is_held_back(self):
        weight = np.random.default_rng(5).random(200)
        weight[-1] = 1e-17
        assert (np.cumsum(weight)[:-1] > weight.sum()).any()  # what would step back without care
        tp, _ = th.Ranking(np.arange(200, 0, -1), weight, np.ones(200)).covered()
        assert (np.diff(tp) >= 0).all()

    def test_thresholds_are_midpoints_with_infinite_ends(self):
        assert th.Ranking([0.8, 0.3, 0.2], [1, 0, 1], [0, 1, 0]).thresholds().tolist() == [
            math.inf,
            0.55,
            0.25,
            -math.inf,
        ]

    @given(st.lists(float64_scores, min_size=1, unique=True))
    def test_the_threshold_of_a_split_gives_that_split(self, scores):
        r = th.Ranking(scores, np.ones(len(scores), int), np.ones(len(scores), int))
        thresholds = r.thresholds()
        assert (thresholds[1:] <= thresholds[:-1]).all()
        for split, threshold in enumerate(thresholds.tolist()):
            lower, upper = r.interval(split)
            assert reaches(r.score, threshold).sum() == split
            assert lower < threshold <= upper or threshold == -math.inf
            assert reaches(r.score, upper).sum() == split
            assert r.threshold(split) == threshold


@pytest.mark.parametrize(
    "count",
    [
        lambda top: th.rank([1, 0, 0], [math.inf, top, 0.5]),
        lambda top: th.Ranking([math.inf, top], pos=[1, 0], neg=[0, 2]),
        lambda top: th.Ranking([math.inf], pos=[1], neg=[0]) + th.Ranking([top], pos=[0], neg=[2]),
        lambda top: th.Ranking.of_ranges([math.inf, 0], [math.inf, top], pos=[1, 0], neg=[0, 2]),
    ],
)
def test_no_threshold_lies_between_the_largest_float_and_infinity(count):
    r = count(math.nextafter(sys.float_info.max, 0))
    assert th.choose(r).expected_cost == 0
    assert th.tables.contingency_at(r, th.choose(r).threshold) == th.choose(r).table
    with pytest.raises(th.errors.ScoreError, match="no threshold lies between them"):
        count(sys.float_info.max)


class TestBothClasses:
    @pytest.mark.parametrize(("text", "absent"), [("[3+]", "negatives"), ("[2-][1-]", "positives")])
    def test_it_says_which_class_is_absent_among_how_many(self, text, absent):
        with pytest.raises(th.errors.OneClassError, match=f"there are no {absent} among 3 cases") as caught:
            th.Ranking.parse(text).require_both_classes()
        assert caught.value.where == "Ranking.require_both_classes()"

    def test_nothing_happens_when_both_are_there(self):
        th.Ranking.parse("[1+,1-]").require_both_classes()


class TestProbabilities:
    def test_scores_within_the_unit_interval_pass(self):
        th.Ranking([1, 0], [1, 0], [0, 1]).require_probabilities()

    @pytest.mark.parametrize("score", [[1.5, 0.5], [0.5, -0.1], [math.inf, 0.5]])
    def test_others_are_refused_and_counted(self, score):
        with pytest.raises(th.errors.ProbabilityError, match="1 of 2 distinct scores lie outside"):
            th.Ranking(score, [1, 0], [0, 1]).require_probabilities()


class TestJson:
    def test_it_is_plain_data_with_infinities_as_text(self):
        r = th.Ranking([math.inf, 0.5, -math.inf], [1, 0, 2], [0, 1, 0])
        assert r.to_dict() == {
            "format": FORMAT,
            "score": ["inf", 0.5, "-inf"],
            "pos": [1, 0, 2],
            "neg": [0, 1, 0],
        }
        assert json.loads(r.to_json()) == r.to_dict()

    def test_dropped_rows_are_remembered(self):
        assert th.Ranking.from_dict(th.Ranking([1], [1], [0], dropped=7).to_dict()).dropped == 7

    @pytest.mark.parametrize(
        "value",
        [
            None,
            [],
            {},
            {"format": FORMAT},
            plain(format="thresher/ranking/2"),
            plain(score=1),
            plain(score="21"),
            plain(score=["x", 1]),
            plain(score=["nan", 1]),
            plain(score=[None, 1]),
            plain(pos={"a": 1}),
            plain(dropped="x"),
            plain(dropped=-1),
            plain(dropped=None),
            plain(dropped=1.5),
        ],
        ids=str,
    )
    def test_what_is_not_a_ranking_is_refused_as_notation(self, value):
        with pytest.raises(th.errors.NotationError, match="not a ranking as thresher writes it"):
            th.Ranking.from_dict(value)

    @pytest.mark.parametrize(
        "value",
        [
            plain(pos=["a", 1]),
            plain(neg=[1]),
            plain(pos=[-1, 1]),
            plain(score=[math.nan, 1]),
            plain(score=[2**53 + 1, 1]),
            plain(pos=[0, 0], neg=[0, 0]),
        ],
        ids=str,
    )
    def test_a_ranking_with_bad_columns_is_refused_like_any_other(self, value):
        with pytest.raises(th.ThresherError):
            th.Ranking.from_dict(value)

    @pytest.mark.parametrize("text", ["", "nope", "[1", None, 5])
    def test_what_is_not_json_is_refused_as_notation(self, text):
        with pytest.raises(th.errors.NotationError, match="not JSON"):
            th.Ranking.from_json(text)


class TestShown:
    def test_small_rankings_show_everything(self):
        assert repr(th.Ranking.parse(SPAM_TREE, score=[2, 1, -1])) == f"Ranking({SPAM_TREE} at scores 2, 1, -1)"
        assert repr(th.Ranking([1], [1], [0], dropped=1234)) == "Ranking([1+] at scores 1; 1,234 rows dropped)"

    def test_large_ones_show_their_ends_and_size(self):
        r = th.Ranking(np.arange(5000), np.ones(5000, int), np.zeros(5000, int))
        assert repr(r) == "Ranking([1+][1+][1+]…[1+][1+][1+]: 5,000 segments, 5,000+ 0-, scores 4999 to 0)"

    @given(counts)
    def test_text_names_every_segment(self, segments):
        assert str(ranking(segments)).count("[") == len(segments)


def test_runs_are_wide_whatever_the_counts_are():
    ranking = th.rank([1, 0, 1, 0] * 100, [0.9, 0.8, 0.3, 0.3] * 100)
    pos, neg = ranking.runs(np.array([0, 2, 3]))
    assert ranking.narrow[0].dtype == np.uint8
    assert pos.dtype == neg.dtype == np.int64
    assert (pos.tolist(), neg.tolist()) == ([100, 100], [100, 100])


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (None, "got None"),
        (5, "got the int 5"),
        ([0.9, 0.2], r"got the list \[0.9, 0.2\]"),
        (np.zeros(3), r"got an array of shape \(3,\)"),
        (th.Contingency(1, 2, 3, 4), "got the Contingency "),
    ],
)
def test_what_is_no_ranking_is_named(value, named):
    with pytest.raises(th.errors.ArgumentError, match=f"a ranking is needed, {named}"):
        require_ranking(value)


def test_long_values_are_described_in_few_words():
    assert len(describe(list(range(10_000)))) < 60


def test_a_ranking_is_asked_no_more_than_the_question_needs():
    pair = th.Ranking.parse("[2+][1-]", score=[2, 1])
    require_ranking(pair)
    require_ranking(pair, both_classes=True)
    with pytest.raises(th.errors.ProbabilityError):
        require_ranking(pair, probabilities=True)
    with pytest.raises(th.errors.OneClassError):
        require_ranking(th.Ranking.parse("[2+]"), both_classes=True, probabilities=True)


@given(labelled_scores(), st.booleans())
def test_counting_rows_is_ranking_them(rows, weighted):
    labels, scores = rows
    weight = np.arange(1, labels.size + 1) / 8 if weighted else None
    ranked = th.rank(labels, scores, weights=weight)
    assert th.Ranking.count(labels, rankable(scores), weight, dropped=3) == ranked
    assert th.Ranking.count(labels, rankable(scores), weight, dropped=3).dropped == 3


LABELS, SCORES = ["ham", "spam", "spam"], [0.2, 0.7, 0.4]


def test_opposite_classes_are_refused():
    spam, ham = (th.rank(LABELS, SCORES, positive=label) for label in ("spam", "ham"))
    for one, other in ((spam, ham), (sum([ham, ham]), shorten(spam, 1, keep="even"))):
        with pytest.raises(th.errors.PositiveLabelError, match="in one ranking and"):
            one + other
    builder = th.RankingBuilder(positive="ham")
    builder.update(LABELS, SCORES)
    scanned = th.scan({"y": LABELS, "p": SCORES}, label="y", score="p", positive="spam")
    with pytest.raises(th.errors.PositiveLabelError):
        builder.ranking() + scanned
    with pytest.raises(th.errors.PositiveLabelError):
        evaluate_rankings({"a": spam, "b": ham})


def test_spellings_of_one_label_and_unknown_ones_add():
    one = th.rank([1, 0], [0.3, 0.2])
    others = [th.rank([True, False], [0.3, 0.2]), th.rank([1.0, 0.0], [0.3, 0.2])]
    others += [th.rank(["true", "false"], [0.3, 0.2], positive="true"), th.Ranking.parse("[1+][1-]")]
    for other in others:
        assert (one + other).positive == (other + one).positive == "1"


def test_the_positive_label_travels(tmp_path):
    ranking = th.rank(LABELS, SCORES, positive="spam")
    ranking.to_parquet(tmp_path / "counts.parquet")
    for same in (
        th.Ranking.from_json(ranking.to_json()),
        th.Ranking.from_parquet(tmp_path / "counts.parquet"),
        pickle.loads(pickle.dumps(ranking)),  # noqa: S301
        condense(ranking),
    ):
        assert same == ranking
        assert same.positive == "spam"
