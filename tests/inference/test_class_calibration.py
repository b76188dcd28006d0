"""The test of vectors holds its level in every meaning, sees what it should, and refuses the rest."""

import numpy as np
import pytest

import thresher as th
from tests.golden.vectors import SIX, SIX_HUNDRED, THREE, drawn
from thresher.calibration import decomposition, ece, skce

MEANINGS = [("class", None), ("top", None), ("canonical", None), ("canonical", "ece"), ("class", "skce")]


def rejections(of: str, statistic: str | None, draws: int, replicates: int) -> float:
    p_values = [
        th.calibration_test(
            drawn(seed, ties=6 if seed % 2 else None),
            of=of,
            statistic=statistic,
            replicates=replicates,
            seed=seed,  # type: ignore[call-overload]
        ).p_value
        for seed in range(draws)
    ]
    return float(np.mean(np.array(p_values) <= 0.05))


@pytest.mark.parametrize(("of", "statistic"), MEANINGS[:3])
def test_true_vectors_are_rejected_as_often_as_promised(of, statistic):
    assert 0.005 <= rejections(of, statistic, 200, 59) <= 0.105


@pytest.mark.slow
@pytest.mark.parametrize(("of", "statistic"), MEANINGS)
def test_true_vectors_are_rejected_in_one_of_twenty_draws(of, statistic):
    assert 0.03 <= rejections(of, statistic, 1000, 199) <= 0.07


@pytest.mark.parametrize("of", ["class", "top", "canonical"])
@pytest.mark.parametrize("statistic", [None, "ece", "skce"])
def test_vectors_that_are_too_sure_are_seen(of, statistic):
    test = th.calibration_test(drawn(4, n=300, sharper=2.5), of=of, statistic=statistic, replicates=99)
    assert test.p_value == 0.01
    assert test.estimate > test.null_upper
    assert test.z > 3
    assert test.of == of


def test_six_vectors_are_no_evidence_until_there_are_ten_times_as_many():
    for of in ("class", "top"):
        assert th.calibration_test(SIX_HUNDRED, of=of, replicates=99).p_value == 1
    few, many = (th.calibration_test(each, of="canonical", replicates=199) for each in (SIX, SIX_HUNDRED))
    assert few.statistic == many.statistic == "calibration"
    assert (few.estimate, many.estimate) == pytest.approx((0.01, 0.01))
    assert few.p_value > 0.5
    assert many.p_value == 0.005
    assert few.null_mean == pytest.approx(0.027, rel=0.1)
    # Errors of near vectors cancel in a kernel this wide.
    assert th.calibration_test(SIX_HUNDRED, of="canonical", statistic="skce", replicates=99).p_value > 0.5


def test_statistics_are_those_of_their_functions():
    segments = drawn(6, n=80, ties=20)
    parts = decomposition(segments)

    def estimate(**options):
        return th.calibration_test(segments, replicates=9, **options).estimate

    assert estimate() == pytest.approx(parts.miscalibration, abs=1e-12)
    half = sum(part.calibration for part in parts.by_class.values()) / 2
    assert estimate(statistic="calibration") == pytest.approx(half, abs=1e-12)
    assert estimate(of="canonical", statistic="calibration") == pytest.approx(parts.calibration, abs=1e-12)
    top = decomposition(th.calibration.top_label(segments))
    assert estimate(of="top") == pytest.approx(top.miscalibration, abs=1e-12)
    for of in ("class", "top", "canonical"):
        error = ece(segments, of=of, count=7, replicates=1)
        assert estimate(of=of, statistic="ece", count=7) == pytest.approx(error.estimate, abs=1e-12)
        kernel = skce(segments, of=of, bandwidth=0.2)
        assert estimate(of=of, statistic="skce", bandwidth=0.2) == pytest.approx(kernel.estimate, abs=1e-12)
    stated = th.calibration_test(segments, of="class", statistic="skce", replicates=9)
    assert len(stated.bandwidths) == 3
    assert f"bandwidth {stated.bandwidths[0]:.3g}" in repr(stated)


def test_any_function_of_segments_has_its_null():
    def rarest(segments: th.Segments) -> float:
        return abs(
            float(segments.counts[:, 2].sum() - (segments.probability[:, 2] * segments.counts.sum(axis=1)).sum())
        )

    test = th.calibration_test(THREE, statistic=rarest, replicates=400)
    assert (test.statistic, test.of) == ("rarest", None)
    assert test.estimate == pytest.approx(1)
    spread = np.sqrt(sum(10 * p * (1 - p) for p in THREE.probability[:, 2]))
    assert test.null_mean == pytest.approx(spread * np.sqrt(2 / np.pi), rel=0.1)
    again = th.calibration_test(THREE, statistic=rarest, replicates=400, threads=2)
    assert again.null.tolist() == test.null.tolist()


def test_uniform_vectors_have_no_z():
    even = th.Segments([[1 / 3, 1 / 3, 1 / 3]], [[2, 3, 4]], classes="abc")
    test = th.calibration_test(even, of="canonical", replicates=99)
    assert np.isnan(test.z)
    assert test.p_value > 0.3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"of": "label"}, "of must be"),
        ({"statistic": "auc"}, "statistic must be"),
        ({"of": "canonical", "statistic": "miscalibration"}, "vectors have no order"),
        ({"statistic": "ece", "bandwidth": 1}, "ece does not use bandwidth"),
        ({"statistic": "ece", "bins": "hull"}, "bins must be"),
        ({"statistic": "skce", "count": 5}, "skce does not use count"),
        ({"bandwidth": 1}, "miscalibration does not use bandwidth"),
        ({"statistic": th.brier, "of": "top"}, "brier does not use of"),
        ({"statistic": lambda _: None}, "no number"),
        ({"replicates": 0}, "replicates must be"),
        ({"level": 2}, "level"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(th.ThresherError, match=message):
        th.calibration_test(THREE, **options)


def test_refused_weights_and_rankings():
    with pytest.raises(th.errors.WeightError, match="not whole"):
        th.calibration_test(th.Segments(THREE.probability, THREE.counts / 4, classes="abc"))
    with pytest.raises(th.errors.ArgumentError, match="of is an option for k classes"):
        th.calibration_test(THREE.ranking("a"), of="top")  # type: ignore[call-overload]
