"""Files that lie are refused: every field of every format, by its name."""

import copy
import json
import math
import re
from typing import Any

import numpy as np
import pytest

import thresher as th

EMAILS = th.rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13])
RANGES = th.Ranking.of_ranges([0.6, 0.7, 0.1], [0.9, 0.8, 0.1], pos=[3, 0, 1], neg=[0, 2, 0], dropped=2, rounding=1e-12)
CERTAIN = th.calibration_map(th.Ranking([1, 0.8, 0.3, 0], [9, 6, 2, 1], [1, 2, 6, 9]), method="platt")

# NaN and infinite floats come from Python; JSON has no word for them. "nan" and "inf" are texts.
NO_NUMBER = [math.nan, math.inf, -math.inf, "x", "nan", "1", True, [], {}, 10**400]
NO_NUMBERS: list[Any] = [
    None,
    3,
    "ab",
    {},
    [None, 1],
    [math.nan, 1],
    [math.inf, 1],
    ["nan", 1],
    [True, 1],
    [[], 1],
    [10**400, 1],
]
NO_TEXT = [3, True, [], {}]
NO_FLAG: list[Any] = [None, 0, 1, "true", []]
NO_SHARE = [None, -0.1, 1.1, *NO_NUMBER]
NO_RATIOS = [3, [1], [1, 2, 3], [2, 1], [-1, 2], *NO_NUMBERS[4:]]
NO_NAMES: list[Any] = [None, 3, "ab", {}, [], [3], [None]]
NO_CAUTION = {"code": [None, "unheard-of", *NO_TEXT], "text": [None, *NO_TEXT]}
NO_LIMIT = ["infinity", *NO_NUMBER]
NO_INTERVAL = {
    "estimate": NO_LIMIT,
    "lower": NO_LIMIT,
    "upper": NO_LIMIT,
    "variance": [-1, "-inf", *NO_LIMIT],
    "level": [None, 0, 1, 95, "inf", *NO_NUMBER],
    "method": [None, *NO_TEXT],
    "note": [None, *NO_TEXT],
    "apparent": NO_NUMBER,
}
NO_MAP = {
    "format": [None, 3, "thresher/calibration-map/2"],
    "method": [None, 3, [], "spline"],
    "auc_before": NO_SHARE,
    "auc_after": NO_SHARE,
    "cautions": [None, 3, {}, ["not-rising"], [{"code": "not-rising"}], [{"code": "unheard-of", "text": ""}]],
}
NO_THRESHOLD_RULE = {
    "kind": [None, ">=", *NO_TEXT],
    "threshold": [None, 1e9, *NO_NUMBER],
    "equivalent": [None, 3, [1], [1, 2, 3], [2, 1], *NO_NUMBERS[4:]],
    "interval": NO_INTERVAL,
    "holds_for": NO_RATIOS,
    "cost_ratios": [None, *NO_RATIOS],
    "class_ratios": [None, *NO_RATIOS],
    "data_prevalence": [0, 1, *NO_SHARE],
    "trained_at": [0, 1, *NO_SHARE],
    "calibration": {
        **NO_MAP,
        "curve": {
            "score": [*NO_NUMBERS, [2, 1, 0], [1, 1, 2], [1], []],
            "probability": [*NO_NUMBERS, [0.5, 1.5, 1], [-0.5, 0.5, 1], [1], []],
            "interpolate": NO_FLAG,
        },
    },
}
BAD: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "decision": (
        th.Decision,
        th.evaluate(EMAILS.pos, {"a": EMAILS.score, "b": -EMAILS.score}, replicates=20, seed=1).decision,
        {
            "format": [None, 3, "thresher/decision/0"],
            "model": [None, *NO_TEXT],
            "rule": NO_THRESHOLD_RULE,
            "condition": {
                "class_ratio": [None, 0, -1, "inf", *NO_NUMBER],
                "cost_fp": [None, "inf", *NO_NUMBER],
                "cost_fn": [None, "inf", *NO_NUMBER],
                "cost_tp": [None, "inf", *NO_NUMBER],
                "cost_tn": [None, "inf", *NO_NUMBER],
            },
            "expected_cost": NO_INTERVAL,
            "out_of_bag_cost": NO_INTERVAL,
            "foretold_cost": [3, "dear", [1, 2]],
            "most_probable_cost": [3, "dear", [1, 2]],
            "best_constant": [3, "always a", {"cost": 1}],
            "runner_up": NO_TEXT,
            "gap": ["inf", *NO_NUMBER],
            "wins": NO_SHARE[1:],
            "baseline": [None, *NO_TEXT],
            "saving": NO_INTERVAL,
            "why": [None, *NO_TEXT],
            "may_be_best": NO_NAMES,
            "tied": NO_NAMES,
            "fingerprint": [None, "", "sha256:" + "g" * 64, "sha256:" + "0" * 63, *NO_TEXT],
            "version": [None, *NO_TEXT],
        },
    ),
    "ranking": (
        th.Ranking,
        RANGES,
        {
            "format": [None, 3, "thresher/ranking/2"],
            "score": [*NO_NUMBERS, [2**53 + 1, 0.1], [0.5, 0.1], [0.6], []],
            "pos": [*NO_NUMBERS, [-1, 1], ["inf", 1], [3], [0, 0], [2**62, 1]],
            "neg": [*NO_NUMBERS, [-1, 0], ["inf", 0], [2], [0, 1], [2**62, 0]],
            "dropped": [None, -1, 1.5, "inf", *NO_NUMBER],
            "spans": {
                "pos_low": [*NO_NUMBERS, [0.55, 0.1], [None, 0.1], [0.6]],
                "pos_high": [*NO_NUMBERS, [0.5, 0.1], [0.9, None], [0.9]],
                "neg_low": [*NO_NUMBERS, [0.95, None], [0.7, 0.1], [0.7]],
                "neg_high": [*NO_NUMBERS, [0.5, None], [0.8, 0.1], [0.8]],
                "rounding": [None, -1, "inf", *NO_NUMBER],
            },
        },
    ),
    "logistic map": (
        th.calibration.CalibrationMap,
        CERTAIN,
        {
            **NO_MAP,
            "curve": {
                "on": [None, "rank", *NO_TEXT],
                **{name: [None, "inf", *NO_NUMBER] for name in ("a", "b", "c", "centre")},
                **{name: [None, 0, -1, "inf", *NO_NUMBER] for name in ("unit", "limit")},
            },
        },
    ),
    "confusion matrix": (
        th.ConfusionMatrix,
        th.ConfusionMatrix([[2, 1], [0, 3]], classes=["cat", 1], dropped=4),
        {
            "format": [None, 3, "thresher/confusion/2"],
            "counts": [None, 3, [1, 2], [[1, 2]], [[1, 2], [3]], [[1, -2], [3, 4]], [[1, math.nan], [3, 4]]],
            "classes": [None, 3, ["a"], ["a", "a"], [None, 1], [[], 1], [math.nan, 1]],
            "dropped": [None, -1, 1.5, *NO_NUMBER],
        },
    ),
}


def leaves(bad, place=()):
    """Every path of the table with its bad values."""
    for name, values in bad.items():
        if isinstance(values, dict):
            yield from leaves(values, (*place, name))
        else:
            yield (*place, name), values


def objects(plain, place=()):
    """The paths of all objects in plain data."""
    yield place
    for name, value in plain.items():
        if isinstance(value, dict):
            yield from objects(value, (*place, name))


def at(plain, place):
    for name in place:
        plain = plain[name]
    return plain


@pytest.fixture(params=BAD)
def written(request):
    kind, value, bad = BAD[request.param]
    return kind, value.to_dict(), bad


def refusal(kind, plain):
    with pytest.raises(th.errors.NotationError) as caught:
        kind.from_dict(plain)
    assert caught.value.where.startswith(f"{kind.__name__}.from_dict(")
    return caught.value.what


def test_the_table_names_every_field(written):
    kind, plain, bad = written
    assert kind.from_dict(plain).to_dict() == plain
    for place in objects(plain):
        assert set(at(plain, place)) == set(at(bad, place))


def test_bad_values_are_refused_by_the_field_s_name(written):
    kind, plain, bad = written
    for place, values in leaves(bad):
        for value in values:
            wrong = copy.deepcopy(plain)
            at(wrong, place[:-1])[place[-1]] = value
            what = refusal(kind, wrong)
            together = '"spans" do not fit' in what and place[0] == "spans"
            assert together or re.search(rf"\b{place[-1]}\b", what), (place, value, what)


def test_absent_unknown_and_doubled_fields_are_refused_by_name(written):
    kind, plain, _ = written
    optional = {"dropped", "spans", "rounding", "limit"}
    for place in objects(plain):
        for name in at(plain, place):
            wrong = copy.deepcopy(plain)
            del at(wrong, place)[name]
            if name not in optional:
                assert f'{name}" is missing' in refusal(kind, wrong)
        wrong = copy.deepcopy(plain)
        at(wrong, place)["colour"] = 1
        assert 'colour" is not a field that thresher writes' in refusal(kind, wrong)
        at(wrong, place)["colour"] = "MARK"
        text = json.dumps(wrong).replace('"colour": "MARK"', '"twice": 1, "twice": 1')
        with pytest.raises(th.errors.NotationError, match='"twice" stands twice'):
            kind.from_json(text)


@pytest.mark.parametrize("value", [None, [], 3, "text", math.nan])
def test_what_is_no_object_is_refused(written, value):
    kind, plain, _ = written
    for place in objects(plain):
        wrong = {"": copy.deepcopy(plain)}
        at(wrong, ("", *place)[:-1])[("", *place)[-1]] = value
        if place not in {("rule", "calibration"), ("spans",)} or value is not None:
            assert "must be an object" in refusal(kind, wrong[""])


def test_limits_of_an_interval_rise():
    kind, decision, _ = BAD["decision"]
    plain = decision.to_dict()
    plain["expected_cost"] |= {"lower": 2.0, "upper": 1.0}
    assert '"expected_cost" is refused: the limits 2 and 1 exclude the estimate' in refusal(kind, plain)


def test_ramps_have_no_infinite_knots():
    plain = th.calibration_map(EMAILS, interpolate=True).to_dict()
    plain["curve"]["score"][0] = "-inf"
    assert '"curve.score" must be finite' in refusal(th.calibration.CalibrationMap, plain)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("spam", "not JSON"),
        (None, "not JSON"),
        (3, "not JSON"),
        ("NaN", "NaN is no number"),
        ('{"a": [-Infinity]}', "-Infinity is no number"),
        ('{"a": {"b": 1, "c": 2, "b": 1}}', '"b" stands twice'),
        ("[" * 100_000 + "]" * 100_000, "nested more than 100 levels deep, from line 1 column 101 on"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested more than 100 levels deep, from line 1 column 501 on"),
        ('{"é[\\"[":\n' + "[" * 101 + "]" * 101 + "}", "nested more than 100 levels deep, from line 2 column 100 on"),
        ("1" * 5000, "not JSON"),
    ],
    ids=range(12),
)
def test_what_is_no_json_is_refused_in_words(text, what):
    with pytest.raises(th.errors.NotationError, match=what) as raised:
        th.Ranking.from_json(text)
    assert raised.value.where == "Ranking.from_json(text)"


@pytest.mark.parametrize("kind", [th.Ranking, th.ConfusionMatrix, th.calibration.CalibrationMap, th.Decision])
def test_every_class_that_writes_json_refuses_rubbish(kind):
    for text in ("spam", "{}", "[]", "3", '{"format": "thresher/other/1"}', '{"format": 1e400}', "[" * 99_999):
        with pytest.raises(th.errors.NotationError):
            kind.from_json(text)


def test_numbers_beyond_a_float_are_refused():
    plain = BAD["decision"][1].to_dict()
    for number in ("1e400", "1" + "0" * 400):
        text = json.dumps(plain | {"gap": "MARK"}).replace('"MARK"', number)
        with pytest.raises(th.errors.NotationError, match='"gap" must be a number'):
            th.Decision.from_json(text)


def test_long_rankings_are_read_as_they_were_written():
    rng = np.random.default_rng(3)
    ranking = th.rank(rng.random(20_000) < 0.5, rng.normal(size=20_000))
    assert th.Ranking.from_json(ranking.to_json()) == ranking
