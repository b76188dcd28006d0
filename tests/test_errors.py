import copy
import inspect
import pickle

import pytest

import thresher as th
from thresher import errors

KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, th.ThresherError)]


def test_an_error_says_what_where_and_fix_in_that_order():
    error = th.ThresherError("it is broken", "here", "mend it")
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
        raise th.MissingExtraError("no package", "here", "install it")


def test_a_positive_label_that_is_not_there_is_a_problem_with_labels():
    assert issubclass(th.PositiveLabelError, th.LabelError)
