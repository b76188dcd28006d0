import copy
import inspect
import pickle

import numpy as np
import pytest

import thresher as th
from thresher import errors
from thresher.errors import require_one_of, require_whole

KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, th.ThresherError)]


def test_an_error_says_what_where_and_fix_in_that_order():
    error = th.ThresherError("it is broken", "mend it")
    assert str(error) == "it is broken\n  where: here\n  fix:   mend it"
    assert (error.what, error.where, error.fix) == ("it is broken", "here", "mend it")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_public_documented_and_a_value_error(kind):
    assert getattr(th, kind.__name__) is kind
    assert issubclass(kind, ValueError)
    assert inspect.getdoc(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_crosses_process_borders_whole(kind):
    error = kind("what", "where", "fix")
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):  # noqa: S301
        assert type(twin) is kind
        assert (twin.what, twin.where, twin.fix) == ("what", "where", "fix")
        assert str(twin) == str(error)


def test_a_missing_extra_can_be_caught_as_the_import_error_it_is():
    with pytest.raises(ImportError):
        raise th.MissingExtraError("no package", "install it")


def test_a_positive_label_that_is_not_there_is_a_problem_with_labels():
    assert issubclass(th.PositiveLabelError, th.LabelError)


def test_whole_numbers_only():
    for value in (2.5, "2", None):
        with pytest.raises(th.ArgumentError, match="points must be a whole number, got"):
            require_whole(value, name="points", least=2, fix="give 2")
    with pytest.raises(th.ArgumentError, match="points must be at least 2, got 1"):
        require_whole(np.int64(1), name="points", least=2, fix="give 2")
    with pytest.raises(th.ArgumentError, match="points must be at most 9, got 10"):
        require_whole(10, name="points", least=2, most=9, fix="give 2")
    assert require_whole(9, name="points", least=2, most=9, fix="give 2") == 9
    assert require_whole(np.int32(2), name="points", least=2, fix="give 2") == 2
    assert require_whole(2.0, name="points", least=2, fix="give 2") == 2


@pytest.mark.parametrize("split", [-1, 4, 99])
def test_a_split_that_is_not_there(split):
    ranking = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    for ask in (ranking.interval, ranking.threshold):
        with pytest.raises(th.ArgumentError, match=f"there is no split {split}"):
            ask(split)


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [("thinned", "points", 2.5), ("choose", "at_most", "3"), ("precision_at", "recall", "0.5"), ("ece", "bins", "10")],
)
def test_numbers_given_as_texts(name, option, value):
    ranking = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.8, 0.5, 0.2])
    with pytest.raises(th.ArgumentError):
        getattr(th, name)(ranking, **{option: value})


def test_words_only():
    for value in ("loose", None, ["ties"], np.array(["ties"])):
        with pytest.raises(th.ArgumentError, match='pool must be "a", "b" or "c", got '):
            require_one_of(value, ("a", "b", "c"), name="pool")
    require_one_of("c", ("a", "b", "c"), name="pool")
    with pytest.raises(th.ArgumentError, match="pool must be one of a, b, c, d, e, got 'f'"):
        require_one_of("f", "abcde", name="pool")
