"""The ROC plot shows the rates of every split."""

import numpy as np

import thresher as th
from tests.plots.samples import EMAILS, drawn, legend, rankings
from thresher.plots import ROCDisplay


def test_lines_are_the_library_s():
    models = rankings(3)
    display = drawn(ROCDisplay.from_ranking(models), hull=True)
    for name, ranking in models.items():
        assert np.array_equal(display.lines_[name].get_xydata(), np.column_stack(th.roc(ranking)[:2]))
        assert np.array_equal(
            display.hulls_[name].get_xydata(), np.column_stack(th.roc(th.hull(ranking, pool="ties"))[:2])
        )
    assert legend(display) == [f"{name} (AUC {th.auc(ranking):.3f})" for name, ranking in models.items()]


def test_bands_are_those_given():
    band = th.inference.roc_band(EMAILS, replicates=100, simultaneous=True)
    display = drawn(ROCDisplay.from_ranking(EMAILS, bands=band))
    heights = display.bands_["model"].get_paths()[0].vertices[:, 1]
    assert set(np.round(np.concatenate([band.lower, band.upper]), 9)) == set(np.round(heights, 9))
    assert legend(display)[-1] == "95% band, simultaneous"


def test_columns_hold_every_split():
    frame = ROCDisplay.from_ranking({"a": EMAILS, "b": EMAILS}).frame()
    fpr, tpr, threshold = th.roc(EMAILS)
    assert np.array_equal(frame["fpr"], np.tile(fpr, 2))
    assert np.array_equal(frame["tpr"], np.tile(tpr, 2))
    assert np.array_equal(frame["threshold"], np.tile(threshold, 2))
    assert set(frame["model"]) == {"a", "b"}
