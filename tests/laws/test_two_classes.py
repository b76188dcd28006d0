"""Two classes as segments are the ranking of either: every function of probabilities agrees."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from thresher import calibration

ece: Any = calibration.ece  # without types, as bins come from a loop
reliability: Any = calibration.reliability
PARTS = ("brier", "calibration", "refinement", "within", "by_chance")
CORP = ("miscalibration", "discrimination", "uncertainty")


@st.composite
def two_classes(draw):
    """Scores off the edges of bins, with ties in either class, and whole or broken weights."""
    place = draw(st.lists(st.integers(1, 36), min_size=1, max_size=9, unique=True))
    count = st.lists(st.integers(0, 9), min_size=len(place), max_size=len(place))
    counts = np.array([draw(count), draw(count)]).T * draw(st.sampled_from([1, 2.0, 0.3]))
    counts[0] += 1  # both classes are there
    p = np.array(place) / 37
    return th.Segments(np.column_stack([p, 1 - p]), counts, classes=["yes", "no"])


@settings(max_examples=200)
@given(two_classes())
def test_segments_of_two_classes_are_the_ranking(segments):
    ranking = segments.ranking("yes")
    assert th.brier(segments) == pytest.approx(th.brier(ranking), abs=1e-12)
    assert float(th.log_loss(segments)) == pytest.approx(float(th.log_loss(ranking)), abs=1e-12)
    groups = np.arange(len(ranking)) % 3
    for bins in ("exact", "hull", groups):
        parts, other = th.decomposition(segments, bins=bins), th.decomposition(ranking, bins=bins)
        for name in PARTS + CORP:
            if getattr(other, name) is None:
                assert getattr(parts, name) is None
            else:
                assert getattr(parts, name) == pytest.approx(getattr(other, name), abs=1e-12)
                assert getattr(parts.by_class["yes"], name) == pytest.approx(getattr(other, name), abs=1e-12)
    for bins in ("exact", "hull", "uniform", "quantile"):
        assert reliability(segments, bins=bins)["yes"].to_dict() == reliability(ranking, bins=bins).to_dict()
    if (segments.counts % 1).any():
        return
    for bins in ("exact", "uniform"):
        gap, other = (ece(each, bins=bins, replicates=1) for each in (segments, ranking))
        for estimate in (gap.estimate, gap.by_class["yes"].estimate, gap.by_class["no"].estimate):
            assert estimate == pytest.approx(other.estimate, abs=1e-12)
        canonical = ece(segments, of="canonical", bins=bins, replicates=1)
        assert canonical.estimate == pytest.approx(other.estimate, abs=1e-12)
        assert gap.by_class["yes"].count == canonical.count == other.count
    test, other = (th.calibration_test(each, replicates=1) for each in (segments, ranking))
    assert test.estimate == pytest.approx(other.miscalibration, abs=1e-12)
    assert test.z == pytest.approx(other.z, abs=1e-9, nan_ok=True)


@settings(max_examples=200)
@given(two_classes())
def test_their_temperature_is_the_rankings(segments):
    ranking = segments.ranking("yes")
    of_vectors, of_scores = (th.calibration_map(each, method="temperature") for each in (segments, ranking))
    p = np.linspace(0.02, 0.98, 25)
    assert of_vectors(np.column_stack([p, 1 - p]))[:, 0] == pytest.approx(of_scores(p), abs=1e-12)


def test_what_chance_gives_is_the_same():
    segments = th.Segments([[0.7, 0.3], [0.25, 0.75]], [[30, 11], [9, 21]], classes=["yes", "no"])
    ranking = segments.ranking("yes")
    one, other = (ece(each, replicates=4000) for each in (segments, ranking))
    assert one.null_mean == pytest.approx(other.null_mean, rel=0.03)
    assert one.p_value == pytest.approx(other.p_value, abs=0.03)
    test, same = (th.calibration_test(each, replicates=4000) for each in (segments, ranking))
    assert test.null_mean == pytest.approx(same.null_mean, rel=0.06)
    assert test.p_value == pytest.approx(same.p_value, abs=0.03)
