from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.inference.bands import net_benefit_curve, precision_recall_curve, roc_curve
from thresher.inference.drawn_curves import DrawnCurve, Draws
from thresher.inference.reliability_bands import reliability_curve

TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.8, 0.6, 0.3])


def rows_as_they_are(rows: Any) -> Any:
    return rows


def draws_of(ranking, **options):
    given = {"level": 0.9, "replicates": 60, "seed": 3, "threads": None} | options
    return Draws.of(ranking, **given)


def test_bands_that_share_their_draws_are_those_that_do_not():
    draws = draws_of(TREE)
    curves = {
        "precision": precision_recall_curve(draws),
        "benefit": net_benefit_curve(draws),
        "reliability": reliability_curve(draws, TREE),
    }
    together = draws.bands(curves, stratified=False)
    options: dict[str, Any] = {"level": 0.9, "replicates": 60, "seed": 3}
    alone = {
        "precision": th.precision_recall_band(TREE, **options),
        "benefit": th.net_benefit_band(TREE, **options),
        "reliability": th.reliability_band(TREE, **options),
    }
    for name, band in together.items():
        assert np.array_equal(band.lower, alone[name].lower), name
        assert np.array_equal(band.upper, alone[name].upper), name


def test_every_sample_is_drawn_once_however_many_curves_ask():
    seen = []

    def curve():
        def heights(drawn):
            seen.append(id(drawn))
            return np.array([drawn.tp[0] / drawn.Pos])

        return DrawnCurve(heights, rows_as_they_are)

    found: Any = draws_of(TREE, replicates=25).bands({"a": curve(), "b": curve()}, stratified=True)
    assert seen[::2] == seen[1::2]
    assert np.array_equal(found["a"], found["b"])
    assert found["a"].shape == (25, 1)


def test_draws_of_one_class_are_for_curves_that_have_one():
    draws = draws_of(th.Ranking.parse("[1+][1-]", score=[0.9, 0.1]), replicates=40)
    rows = {"both": 0, "any": 0}

    def counting(name, *, of_one_class):
        def counted(found: Any) -> Any:
            rows[name] = len(found)

        return DrawnCurve(lambda _: np.zeros(1), counted, of_one_class)

    curves = {"both": counting("both", of_one_class=False), "any": counting("any", of_one_class=True)}
    draws.bands(curves, stratified=False)
    assert rows["any"] == 40
    assert 0 < rows["both"] < 40


def test_no_draw_with_both_classes_is_refused():
    draws = draws_of(th.Ranking.parse("[1+,1-]"), replicates=1, seed=0)
    with pytest.raises(th.ArgumentError, match="none of 1 draws holds both classes"):
        draws.band(roc_curve(draws), stratified=False)
