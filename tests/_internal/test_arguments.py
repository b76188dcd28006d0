"""Argument checks: one wording each, and the parameter at fault on the error."""

import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import thresher as th
from thresher._internal.arguments import (
    as_number,
    as_numbers,
    describe,
    numbers_of,
    require_between,
    require_function,
    require_instance,
    require_integer,
    require_jobs,
    require_level,
    require_names,
    require_number,
    require_one_of,
    require_path,
    require_seed,
    short_repr,
)

REFUSED = {
    "instance": (lambda: require_instance(3, str, name="x", fix="f"), "x cannot be the int 3"),
    "one of": (lambda: require_one_of(3, ("a", "b"), name="x"), 'x must be "a" or "b", got 3'),
    "whole": (lambda: require_integer("3", name="x", least=0, fix="f"), "x must be a whole number, got '3'"),
    "number": (lambda: require_number(True, name="x"), "x must be a number, got True"),
    "between": (lambda: require_between(1, 0, 1, name="x", fix="f"), "x must lie strictly between 0 and 1, got 1"),
    "function": (lambda: require_function(3, name="x"), "x must be a function, got 3"),
    "names": (lambda: require_names("ab", name="x"), "x must be a list of names, got 'ab'"),
    "numbers": (lambda: numbers_of(["a"], name="x"), "x must be numbers, got ['a']"),
    "row": (lambda: numbers_of([[1]], name="x"), "x must be a row of numbers, got [[1]]"),
}


@pytest.mark.parametrize("check", REFUSED)
def test_what_is_refused_names_the_parameter(check):
    call, what = REFUSED[check]
    with pytest.raises(th.errors.ArgumentError) as caught:
        call()
    assert (caught.value.what, caught.value.parameter) == (what, "x")
    assert caught.value.spelled(lambda name, _: f"--{name}")[0] == f"--{what}"


def test_another_kind_of_error():
    with pytest.raises(th.errors.ConditionError, match="x must be a number"):
        require_number("a", name="x", error=th.errors.ConditionError)


def test_what_fits_passes():
    require_jobs(None)
    require_jobs(-1)
    require_path(Path())
    require_function(None, name="progress")
    assert require_seed(np.int64(4)) == 4
    assert require_number(np.float32(0.5), name="margin") == 0.5
    assert require_number(-(10**400), name="margin") == -math.inf
    assert require_between(Fraction(1, 2), 0, 1, name="share", fix="f") == 0.5


@pytest.mark.parametrize("seed", [-1, 2**32, 0.5, np.float64(3), None])
def test_seeds_that_scikit_learn_would_refuse(seed):
    with pytest.raises(th.errors.ArgumentError, match="seed must be"):
        require_seed(seed)


def test_no_jobs_at_all():
    with pytest.raises(th.errors.ArgumentError, match="n_jobs is 0"):
        require_jobs(0)


def test_long_values_are_short_repr():
    assert len(describe(list(range(10_000)))) < 60
    assert len(short_repr(list(range(10_000)))) == 60
    assert "\n" not in short_repr(np.zeros((3, 3)))


def test_integers_only():
    for value in (2.5, "2", None, True):
        with pytest.raises(th.errors.ArgumentError, match="points must be a whole number, got"):
            require_integer(value, name="points", least=2, fix="give 2")
    with pytest.raises(th.errors.ArgumentError, match="points must be at least 2, got 1"):
        require_integer(np.int64(1), name="points", least=2, fix="give 2")
    with pytest.raises(th.errors.ArgumentError, match="points must be at most 9, got 10"):
        require_integer(10, name="points", least=2, most=9, fix="give 2")
    assert require_integer(9, name="points", least=2, most=9, fix="give 2") == 9
    assert require_integer(np.int32(2), name="points", least=2, fix="give 2") == 2
    assert require_integer(2.0, name="points", least=2, fix="give 2") == 2


def test_words_only():
    for value in ("loose", None, ["ties"], np.array(["ties"])):
        with pytest.raises(th.errors.ArgumentError, match='pool must be "a", "b" or "c", got '):
            require_one_of(value, ("a", "b", "c"), name="pool")
    require_one_of("c", ("a", "b", "c"), name="pool")
    with pytest.raises(th.errors.ArgumentError, match="pool must be one of a, b, c, d, e, got 'f'"):
        require_one_of("f", "abcde", name="pool")


@pytest.mark.parametrize("level", [0, 1, -0.1, 1.5, 95, math.nan])
def test_a_level_lies_strictly_between_0_and_1(level):
    with pytest.raises(th.errors.ArgumentError, match="level must lie strictly between 0 and 1"):
        require_level(level)


@pytest.mark.parametrize("level", ["a", None, "0.95"])
def test_a_level_is_a_number(level):
    with pytest.raises(th.errors.ArgumentError, match="level must be a number"):
        require_level(level)


def test_a_level_in_per_cent_is_guessed_in_words_only():
    with pytest.raises(th.errors.ArgumentError, match=r"fix:   did you mean level=0\.95\?"):
        require_level(95)


@pytest.mark.parametrize("level", [1, 1.5, 100, 950])
def test_what_is_hardly_a_percentage_is_not_guessed(level):
    with pytest.raises(th.errors.ArgumentError) as caught:
        require_level(level)
    assert "did you mean" not in caught.value.fix


@pytest.mark.parametrize("value", [0.5, np.float32(0.5), np.array(0.5), Fraction(1, 2), Decimal("0.5")])
def test_one_number_of_any_kind(value):
    assert as_number(value) == 0.5


@pytest.mark.parametrize(
    "value", [None, "0.5", b"0.5", 1j, np.str_("0.5"), [0.5], np.array([0.5]), {}, object(), 10**400, math.nan]
)
def test_what_is_no_number_lies_within_no_limits(value):
    assert not -math.inf <= as_number(value) <= math.inf


def test_numbers_keep_their_shape_and_infinities():
    assert as_numbers([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    assert as_numbers([-math.inf, True]).tolist() == [-math.inf, 1]
    assert as_numbers([]).shape == (0,)
    mixed = as_numbers(np.array([[1, "1"], [None, Fraction(1, 4)]], dtype=object))
    assert np.array_equal(mixed, [[1, math.nan], [math.nan, 0.25]], equal_nan=True)
