import numpy as np
import pytest
from sklearn.datasets import load_wine

import thresher as th
from thresher.learning import scatter, selection

WINE = scatter(*load_wine(return_X_y=True, as_frame=True), matrix=True)


def test_no_search_beats_exact_and_exact_is_exhaustive():
    for size in (1, 3, 6, 12, 13):
        found = {
            search: selection(WINE, size, search=search)
            for search in ("top", "forward", "backward", "exhaustive", "exact")
        }
        assert set(found["exact"].features.tolist()) == set(found["exhaustive"].features.tolist())
        assert found["exact"].value == max(each.value for each in found.values())


def test_no_search_beats_exhaustive_by_trace():
    for size in (1, 2, 5):
        found = {
            search: selection(WINE, size, search=search, criterion="hotelling_lawley")
            for search in ("top", "forward", "backward", "exhaustive")
        }
        best = found["exhaustive"].value
        assert all(each.value <= best * (1 + 1e-9) for each in found.values())
    assert found["forward"].steps[-1] == pytest.approx(found["forward"].value)


def test_a_selection_says_what_it_is():
    found = selection(WINE, 2, search="forward")
    assert repr(found) == f"Selection(forward: {found.names[0]}, {found.names[1]}; J={found.value:.4g})"
    assert found.names == tuple(WINE.names[i] for i in found.features)
    assert "…" in repr(selection(WINE, 10))
    assert "trace(S_W⁻¹ S_B)=" in repr(selection(WINE, 2, criterion="hotelling_lawley"))


def test_top_takes_the_best_single_scores():
    assert selection(WINE, 3).features.tolist() == np.argsort(-WINE.scores)[:3].tolist()


@pytest.mark.parametrize(
    ("size", "options", "words"),
    [
        (0, {}, "from 1 to 13, got 0"),
        (14, {}, "from 1 to 13, got 14"),
        (2.5, {}, "got 2.5"),
        (True, {}, "got True"),
        (2, {"search": "best"}, "there is no search 'best'"),
        (2, {"criterion": "F"}, "there is no criterion 'F'"),
        (2, {"search": "exact", "criterion": "hotelling_lawley"}, "ratio of sums over features"),
    ],
)
def test_what_cannot_be_selected_is_refused(size, options, words):
    with pytest.raises(th.ArgumentError, match=words):
        selection(WINE, size, **options)


def test_one_class_has_nothing_between():
    with pytest.raises(th.OneClassError, match=r"one class only, 'a' \(2 rows\)"):
        selection(scatter([[1.0], [2.0]], ["a", "a"]), 1)
