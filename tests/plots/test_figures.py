"""All figures of an evaluation as files: complete, reproducible, and without a trace elsewhere."""

import subprocess
import sys
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import thresher as th
from tests.inference import class_examples
from tests.plots.samples import HOSTILE, axes, drawn, scored
from thresher.evaluation.bands import model_bands
from thresher.plots import figures, write_figures

STARTS = {"pdf": b"%PDF-", "svg": b"<?xml", "png": b"\x89PNG"}
LABELS, SCORES = scored(2, rows=90)
TWO = th.evaluate(LABELS, SCORES, replicates=20)
ONE = th.evaluate(LABELS[:40], SCORES["model 1"][:40], replicates=20)


@pytest.fixture(scope="module")
def of_one(tmp_path_factory):
    """The figures of one model, written over what was there before."""
    folder = tmp_path_factory.mktemp("one")
    (folder / "roc.svg").write_text("old")
    return write_figures(ONE, folder, format="svg")


@pytest.fixture
def only_some(monkeypatch):
    """The first pictures and those of one model, to save time where the kind of picture does not matter."""
    every = figures._two_classes

    def some(evaluation):
        wanted = ("coverage", "roc", "table", "scores")
        return ((name, display) for name, display in every(evaluation) if name.startswith(wanted))

    monkeypatch.setattr(figures, "_two_classes", some)


@pytest.mark.usefixtures("only_some")
@pytest.mark.parametrize("kind", STARTS)
def test_files_are_of_their_kind_and_the_same_every_time(kind, tmp_path):
    first = write_figures(ONE, tmp_path / "a", format=kind)
    again = write_figures(ONE, tmp_path / "b", format=kind)
    assert [path.name for path in first] == [path.name for path in again]
    for one, other in zip(first, again, strict=True):
        assert one.read_bytes().startswith(STARTS[kind])
        assert one.read_bytes() == other.read_bytes(), one.name
    assert set((tmp_path / "a").iterdir()) == set(first)


def test_one_model_gets_every_picture(of_one):
    assert {path.stem for path in of_one} == {
        "coverage",
        "roc",
        "precision-recall",
        "precision-recall-gain",
        "cost-curve",
        "gain",
        "lift",
        "net-benefit",
        "brier-curve",
        "reliability",
        "measures",
        "winners",
        "scores",
        "ks",
        "table",
        "calibration-map",
        "pairs",
    }
    assert all(path.read_bytes().startswith(STARTS["svg"]) for path in of_one)
    assert set(of_one[0].parent.iterdir()) == set(of_one)


def test_several_models_are_numbered(tmp_path):
    names = {path.stem for path in write_figures(TWO, tmp_path, format="svg")}
    assert {"comparison", "joint-hull", "wins", "scores-1-model-0", "scores-2-model-1"} <= names


def displays(evaluation):
    return dict(figures._two_classes(evaluation))


def test_scores_that_are_no_probabilities_go_without_calibration():
    result = displays(th.evaluate(LABELS, {"tree": 4 * SCORES["model 1"] - 2}, replicates=20))
    assert "margin-losses" in result
    assert not {"reliability", "net-benefit", "brier-curve"} & set(result)


def test_margins_are_measured_from_the_threshold():
    result = th.evaluate(LABELS, SCORES["model 1"], replicates=20)["model"]
    drawn: Any = dict(figures._of_model(result, ""))["margin-losses"]
    ranking, at = result.ranking, result.choice.threshold
    assert np.array_equal(drawn.ranking.score, ranking.score - at)
    wrong = result.table.fp + result.table.fn
    assert th.losses.mean_loss(drawn.ranking, th.losses.zero_one) == wrong / ranking.total
    for far in ([1.7e308, 1e308, -1e308, -1.7e308], [np.inf, 1.0, 0.5, -np.inf]):
        with np.errstate(over="ignore", invalid="ignore"):
            unmeasured = th.evaluate([1, 0, 1, 0], far, replicates=20)["model"]
        assert "margin-losses" not in dict(figures._of_model(unmeasured, ""))


def test_curves_that_depend_on_the_class_mix_are_drawn_at_the_declared_one():
    condition = th.OperatingCondition(prevalence=0.1)
    result = th.evaluate(LABELS, SCORES["model 1"], condition=condition, replicates=20)
    shown: Any = dict(figures._two_classes(result))
    model = result["model"]
    rare = th.adjust_prevalence(model.ranking, 0.1)
    assert np.allclose(shown["net-benefit"].frame()["net_benefit"], th.net_benefit(rare).model)
    assert np.allclose(shown["reliability"].frame()["observed"], th.reliability(rare, bins="hull").observed)
    precision = shown["precision-recall"].frame()["precision"][1:]
    assert np.allclose(
        precision,
        th.roc(model.ranking).tpr[1:] * 0.1 / (0.1 * th.roc(model.ranking).tpr + 0.9 * th.roc(model.ranking).fpr)[1:],
    )
    for name, display in shown.items():
        drawn(display)
        at_mix = {
            "net-benefit",
            "reliability",
            "precision-recall",
            "precision-recall-gain",
            "brier-curve",
            "gain",
            "lift",
        }
        assert display.ax_.get_title(loc="left").endswith(" at 10 % positive") == (name in at_mix), name
    (mark,) = shown["precision-recall"].chosen_
    assert mark.get_ydata()[0] == pytest.approx(model.measures["precision"].estimate)
    assert set(shown["net-benefit"].bands) == set(result.models)


def test_every_model_has_the_bands_of_the_evaluation():
    result = displays(TWO)
    for name in ("roc", "precision-recall", "net-benefit", "reliability"):
        assert set(result[name].bands) == set(TWO.models), name
    assert np.array_equal(result["roc"].bands["model 1"].lower, model_bands(TWO, "model 1").roc.lower)


def test_of_many_models_the_chosen_one_has_a_band():
    labels, scores = scored(4, rows=90)
    many = th.evaluate(labels, scores, replicates=20)
    assert list(displays(many)["roc"].bands) == [many.decision.model]


def test_rows_that_belong_together_are_drawn_together():
    together = np.arange(len(LABELS)) // 3
    clustered = th.evaluate(LABELS, SCORES["model 1"], clusters=together, replicates=20)
    result = displays(clustered)
    assert set(result["roc"].bands) == {"model"}
    assert result["reliability"].bands == {}


def test_many_classes(tmp_path):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 60)
    matrix = rng.dirichlet([1, 1, 1], 60) + np.eye(3)[labels]
    matrix /= matrix.sum(axis=1, keepdims=True)
    result = class_examples.evaluate(labels, {"a": matrix, "b": matrix[:, [0, 2, 1]]})
    names = [path.stem for path in write_figures(result, tmp_path, format="png")]
    compared = [name for name in names if name.startswith("comparison-")]
    assert len(compared) == len(result.comparisons)
    assert [name for name in names if name not in compared] == [
        "confusion-1-a",
        "confusion-2-b",
        "recall",
        "precision",
        "auc-one-vs-rest",
        "roc-one-vs-rest-1-a",
        "precision-recall-one-vs-rest-1-a",
        "roc-one-vs-rest-2-b",
        "precision-recall-one-vs-rest-2-b",
    ]
    drawn: dict[str, Any] = dict(figures._of_vectors(result))
    assert set(drawn["roc-one-vs-rest-2-b"].bands) == {"0", "1", "2"}
    assert drawn["roc-one-vs-rest-1-a"].rankings["1"] is result["a"].rankings[1]
    titles = {name: display.plot(axes()).ax_.get_title(loc="left") for name, display in drawn.items()}
    assert titles["roc-one-vs-rest-2-b"] == "b, one-vs-rest: ROC plot"
    assert titles["recall"] == "Recall by class with 95% intervals"


@pytest.mark.usefixtures("only_some")
def test_hostile_names_make_harmless_files(tmp_path):
    names = [*(name for name in HOSTILE if name.isascii() or name.isprintable()), "../../etc/passwd"]
    result = th.evaluate(LABELS, dict.fromkeys(names, SCORES["model 1"]), replicates=20)
    paths = write_figures(result, tmp_path, format="svg")
    assert len(set(paths)) == len(paths)
    assert all(path.parent == tmp_path and path.name.isascii() for path in paths)
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert "<script>" not in text
        assert "\x1b" not in text


@pytest.mark.usefixtures("only_some")
def test_the_user_s_style_is_left_alone_and_leaves_figures_alone(of_one, tmp_path):
    with mpl.rc_context({"lines.linewidth": 9, "axes.facecolor": "black"}):
        before = dict(mpl.rcParams)
        styled = write_figures(ONE, tmp_path, format="svg")
        assert dict(mpl.rcParams) == before
    plain = {path.name: path.read_bytes() for path in of_one}
    assert {path.name: path.read_bytes() for path in styled}.items() <= plain.items()


def test_pyplot_is_not_even_imported(tmp_path):
    code = (
        "import sys, thresher as th;"
        "result = th.evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2], replicates=20);"
        f"th.plots.write_figures(result, {str(tmp_path)!r}, format='svg');"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603


class TestRefusals:
    def test_formats(self, tmp_path):
        with pytest.raises(th.errors.ArgumentError, match='format must be "pdf", "svg" or "png"'):
            write_figures(ONE, tmp_path, format="jpeg")  # type: ignore[arg-type]

    def test_what_is_no_evaluation(self, tmp_path):
        with pytest.raises(th.errors.ArgumentError, match="Ranking"):
            write_figures(th.Ranking.parse("[1+][1-]"), tmp_path)  # type: ignore[arg-type]

    def test_a_file_in_the_folder_s_place(self, tmp_path):
        (tmp_path / "file").write_text("here")
        with pytest.raises(th.errors.ArgumentError, match="cannot be made"):
            write_figures(ONE, tmp_path / "file")

    def test_a_folder_in_a_file_s_place(self, tmp_path):
        (tmp_path / "coverage.pdf").mkdir()
        with pytest.raises(th.errors.OutputError, match=r"coverage\.pdf"):
            write_figures(ONE, tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["coverage.pdf"]

    def test_nothing_half_written_stays(self, tmp_path, monkeypatch):
        from matplotlib.figure import Figure

        def full(*_, **__):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Figure, "savefig", full)
        with pytest.raises(th.errors.OutputError, match="no space left on device"):
            write_figures(ONE, tmp_path)
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("there", [False, True])
def test_where_nothing_could_be_written_no_folder_is_left(tmp_path, monkeypatch, there):
    def full(*_):
        raise OSError("no space left")

    folder = tmp_path / "figures"
    if there:
        folder.mkdir()
    monkeypatch.setattr(figures, "_write", full)
    with pytest.raises(OSError, match="no space left"):
        write_figures(ONE, folder)
    assert folder.exists() == there
