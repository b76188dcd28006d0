import hashlib
import json
import math
from dataclasses import fields

import numpy as np
import pytest

import thresher as th

RNG = np.random.default_rng(4)
LABELS = RNG.random(200) < 0.3
SCORES = {"good": RNG.normal(size=200) + 2 * LABELS, "poor": RNG.normal(size=200) + LABELS}
EVALUATION = th.evaluate(LABELS, SCORES, condition=th.OperatingCondition(cost_ratio=4), replicates=200)
DECISION = EVALUATION.decision


def test_json_round_trip_is_exact():
    again = th.Decision.from_json(DECISION.to_json())
    assert again == DECISION
    assert again.threshold == DECISION.threshold


def test_the_json_follows_the_published_schema():
    schema, plain = th.Decision.schema(), json.loads(DECISION.to_json())
    assert set(schema["required"]) == set(schema["properties"]) == set(plain)
    assert set(plain) == {"format", *(part.name for part in fields(th.Decision))}
    assert set(schema["$defs"]["interval"]["required"]) == set(plain["expected_cost"])
    assert set(schema["$defs"]["two_class_condition"]["required"]) == set(plain["condition"])
    assert plain["format"] == schema["properties"]["format"]["const"]
    assert set(schema["$defs"]["threshold_rule"]["required"]) == set(plain["rule"])


def test_apply_reproduces_the_table():
    calls = DECISION.apply(SCORES[DECISION.model])
    assert th.contingency(LABELS, calls) == EVALUATION[DECISION.model].table
    for again in (th.Decision.from_dict(DECISION.to_dict()), th.Decision.from_json(DECISION.to_json())):
        assert again.apply(SCORES).tolist() == calls.tolist()


def test_float32_scores_are_compared_as_doubles():
    # Neighbours in single precision: a threshold rounded to single precision would swallow the lower one.
    low = np.float32(0.1)
    high = np.nextafter(low, np.float32(1))
    scores = np.array([low, high] * 10, dtype=np.float32)
    decision = th.evaluate([0, 1] * 10, scores, replicates=20).decision
    assert decision.apply(scores).tolist() == [False, True] * 10


def test_infinite_thresholds_travel():
    decision = th.evaluate(
        [1, 0, 1, 0], [1, 1, 1, 1], condition=th.OperatingCondition(cost_ratio=9), replicates=20
    ).decision
    assert decision.threshold == -math.inf
    again = th.Decision.from_json(decision.to_json())
    assert again.apply([-math.inf, 0, 5]).all()
    nothing = th.evaluate([0, 1, 0, 1], [math.inf, 2.0, 1.5, 1.0], condition=th.OperatingCondition(cost_ratio=0.01))
    assert nothing.decision.threshold == math.inf
    assert not th.Decision.from_json(nothing.decision.to_json()).apply([math.inf, 2, 0]).any()


def test_ranges_tell_one_another():
    low, high = DECISION.cost_ratios
    ratio = DECISION.condition.class_ratio
    assert ratio is not None
    assert DECISION.class_ratios[0] == pytest.approx(low * ratio / 4)
    assert DECISION.class_ratios[1] == pytest.approx(high * ratio / 4)
    assert low <= 4 <= high


def test_the_fingerprint_tells_data_apart():
    other = th.evaluate(LABELS, SCORES | {"poor": -SCORES["poor"]}, replicates=20).decision
    same = th.evaluate(LABELS, SCORES, replicates=20).decision
    assert same.fingerprint == DECISION.fingerprint != other.fingerprint


def test_the_fingerprint_tells_weights_apart():
    weights = np.arange(1.0, 201)
    plain, one, other, again = (
        th.evaluate(LABELS, SCORES, weights=each, replicates=5).decision.fingerprint
        for each in (None, weights, weights[::-1], weights.astype(np.int32))
    )
    assert len({plain, one, other}) == 3
    assert one == again


def test_the_fingerprint_is_a_digest_of_labels_names_scores_and_weights():
    weights = np.arange(1.0, 201)
    digest = hashlib.sha256(np.packbits(LABELS).tobytes() + b"200")
    for name, score in SCORES.items():
        digest.update(name.encode() + score.astype("<f8").tobytes())
    assert DECISION.fingerprint == f"sha256:{digest.hexdigest()}"
    digest.update(weights.astype("<f8").tobytes())
    weighted = th.evaluate(LABELS, SCORES, weights=weights, replicates=5).decision
    assert weighted.fingerprint == f"sha256:{digest.hexdigest()}"


def test_bad_input():
    with pytest.raises(th.errors.MissingValueError):
        DECISION.apply([0.1, math.nan])
    with pytest.raises(th.errors.ArgumentError, match="no scores of the model"):
        DECISION.apply({"other": [1.0]})
    with pytest.raises(th.errors.NotationError):
        th.Decision.from_json("{}")
    with pytest.raises(th.errors.NotationError, match="JSON"):
        th.Decision.from_json("not json")
    with pytest.raises(th.errors.NotationError, match="rule"):
        th.Decision.from_dict(DECISION.to_dict() | {"rule": "<"})
    with pytest.raises(th.errors.NotationError, match="another format or shape") as caught:
        th.Decision.from_dict(DECISION.to_dict() | {"threshold": 0.5})
    assert caught.value.fix == "evaluate again"


def test_reads_as_an_instruction():
    assert str(DECISION).startswith("Use good, and call a case positive when its score is >= ")
    assert "Runner-up: poor" in str(DECISION)


def test_a_share_of_resamples_is_called_that():
    assert f"cheapest in {DECISION.wins:.0%} of resamples (of the same rows; a fresh sample" in str(DECISION)
    assert "Drawing the data again" not in str(DECISION)


@pytest.mark.parametrize("name", ["inf", "-inf", "nan", "None"])
def test_a_model_may_be_called_like_a_number(name):
    decision = th.evaluate([1, 0, 1, 0], {name: [0.9, 0.2, 0.4, 0.5], "other": [0.8, 0.3, 0.1, 0.6]}).decision
    again = th.Decision.from_json(decision.to_json())
    assert again == decision
    assert isinstance(again.model, str)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model", 3),
        ("model", []),
        ("condition", None),
        ("condition", {"cost": 2}),
        ("expected_cost", 3),
        ("out_of_bag_cost", {"estimate": 1}),
        ("rule", ">="),
        ("rule", {"kind": "threshold", "threshold": 0.5}),
        ("fingerprint", None),
    ],
)
def test_malformed_fields_are_refused(field, value):
    with pytest.raises(th.ThresherError):
        th.Decision.from_dict(DECISION.to_dict() | {field: value})


def test_a_file_is_written_completely_and_read_back(tmp_path):
    path = tmp_path / "decision.json"
    DECISION.save(path)
    assert th.Decision.load(path) == th.Decision.load(str(path)) == DECISION
    before = path.read_bytes()
    with pytest.raises(th.errors.OutputError, match="there is no directory"):
        DECISION.save(tmp_path / "absent" / "decision.json")
    assert [path.name for path in tmp_path.iterdir()] == ["decision.json"]
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "error", "what"),
    [
        (b"\xff", th.errors.SourceError, "decision.json is not in UTF-8"),
        (b"{", th.errors.NotationError, "decision.json holds no decision: this is not JSON"),
        (b"[]", th.errors.NotationError, "decision.json holds no decision: this is not a decision"),
    ],
)
def test_what_is_no_decision_is_not_loaded(tmp_path, content, error, what):
    path = tmp_path / "decision.json"
    path.write_bytes(content)
    with pytest.raises(error, match=what) as caught:
        th.Decision.load(path)
    assert caught.value.where == "Decision.load(path)"


def test_loading_needs_a_file(tmp_path):
    with pytest.raises(th.errors.SourceError, match="there is no file"):
        th.Decision.load(tmp_path / "absent.json")
    with pytest.raises(th.errors.SourceError, match="cannot be read"):
        th.Decision.load(tmp_path)
    with pytest.raises(th.errors.ArgumentError, match="a path is needed"):
        th.Decision.load(None)  # type: ignore[arg-type]


@pytest.mark.parametrize(("labels", "words"), [([1, 0, 0, 0], "call no case"), ([0, 1, 1, 1], "call every case")])
def test_a_decision_without_a_threshold_is_put_in_words(labels, words):
    decision = th.evaluate(labels * 5, [4, 3, 2, 1] * 5 if labels[1] else [1, 2, 3, 4] * 5, replicates=20).decision
    assert str(decision).startswith(f"Use model, and {words} positive.")
    assert "inf" not in repr(decision)
