import numpy as np
import pytest
from hypothesis import given

import thresher as th
from tests.strategies import counts, ranking


@pytest.mark.parametrize(
    ("text", "pos", "neg"),
    [
        ("[20+,5-][10+,5-][20+,40-]", [20, 10, 20], [5, 5, 40]),
        ("[3+][1-]", [3, 0], [0, 1]),
        ("[5-,20+]", [20], [5]),
        (" [ 1 + , 2 - ]\n[3+] ", [1, 3], [2, 0]),
        ("[1e3+]", [1000], [0]),
        ("[9007199254740993+]", [9007199254740993], [0]),  # 2**53 + 1 has no float
        ("[0+,2-][1+]", [0, 1], [2, 0]),
    ],
)
def test_counts_without_a_fraction_are_read_as_integers(text, pos, neg):
    read = th.Ranking.parse(text)
    assert read.pos.tolist() == pos
    assert read.neg.tolist() == neg
    assert read.pos.dtype == read.neg.dtype == np.int64


def test_weights_are_read_as_floats():
    read = th.Ranking.parse("[0.5+,1e-3-][2+]")
    assert read.weighted
    assert read.pos.tolist() == [0.5, 2.0]
    assert read.neg.tolist() == [0.001, 0.0]


def test_scores_count_down_to_one_by_default():
    assert th.Ranking.parse("[1+][1-][1+]").score.tolist() == [3, 2, 1]
    assert th.Ranking.parse("[1+][1-]", score=[0.9, 0.1]).score.tolist() == [0.9, 0.1]


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("  ", 0),
        ("20+,5-", 0),
        ("[]", 0),
        ("[1+", 0),
        ("[1+][", 4),
        ("[1+]x[2-]", 4),
        ("[1+][-2-]", 4),
        ("[1]", 0),
        ("[+]", 0),
        ("[1+,2+]", 0),
        ("[1+,2-,3+]", 0),
        ("[1+,]", 0),
        ("[nan+]", 0),
        ("[inf+]", 0),
        ("[1,5+]", 0),
        ("[\u0661+]", 0),  # a digit, but not one of ours
    ],
)
def test_malformed_text_is_refused_with_its_position(text, position):
    with pytest.raises(th.errors.NotationError, match=f"at position {position} as a segment"):
        th.Ranking.parse(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[20+,5-][10+;5-]", "';' at position 12 is unexpected"),
        ("[-1+]", "'-' at position 1 is unexpected"),
        ("[1+ 2-]", "'2' at position 4 is unexpected"),
        ("[1+][2+,", "it has no end"),
        ("[1+ , 2+ ]", "a sign stands twice"),
    ],
)
def test_the_character_that_cannot_be_read_is_named(text, words):
    with pytest.raises(th.errors.NotationError, match=f"as a segment: {words}"):
        th.Ranking.parse(text)


def test_an_empty_text_is_called_empty():
    with pytest.raises(th.errors.NotationError, match="an empty text has no segments"):
        th.Ranking.parse("")


@pytest.mark.parametrize("value", [None, 5, b"[1+]", ["[1+]"]])
def test_what_is_not_text_is_refused_as_notation(value):
    with pytest.raises(th.errors.NotationError):
        th.Ranking.parse(value)


def test_a_ranking_without_cases_is_empty_not_malformed():
    with pytest.raises(th.errors.EmptyError):
        th.Ranking.parse("[0+][0-]")


@pytest.mark.parametrize("text", ["[1e19+]", "[99999999999999999999+,1-]", "[1e400+][1-]"])
def test_counts_beyond_an_int64_are_refused_rather_than_wrapped(text):
    with pytest.raises(th.errors.WeightError, match="add up to"):
        th.Ranking.parse(text)


def test_as_many_scores_as_segments():
    with pytest.raises(th.errors.LengthError, match=r"\(1,\), \(2,\) and \(2,\)"):
        th.Ranking.parse("[1+][1-]", score=[1])


@given(counts)
def test_what_is_written_reads_back_the_same(segments):
    r = ranking(segments)
    again = th.Ranking.parse(str(r), score=r.score.tolist())
    assert again == r
    assert str(again) == str(r)


def test_weights_survive_being_written():
    r = th.Ranking([2, 1], pos=[1e-5, 1e16], neg=[1 / 3, 0])
    assert th.Ranking.parse(str(r)) == r
