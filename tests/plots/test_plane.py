"""Planes: isometrics, what conditions choose, and tables as points."""

import itertools
import math

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.text import Text

import thresher as th
from tests.plots.samples import EMAILS, HOSTILE, MODELS, SPAM_TREE, axes, drawn, legend, words
from thresher.choices import read_accuracy
from thresher.plots import CoverageDisplay, PrecisionRecallDisplay, ROCDisplay
from thresher.plots.plane import equal_cost, isometric_lines
from thresher.plots.points import place

KINDS = (CoverageDisplay, ROCDisplay, PrecisionRecallDisplay)


@pytest.mark.parametrize("name", [name for name in th.MEASURES if th.MEASURES[name].better != "neither"])
@pytest.mark.parametrize("kind", [CoverageDisplay, ROCDisplay, PrecisionRecallDisplay])
def test_every_measure_can_be_drawn(kind, name):
    assert kind.from_ranking(SPAM_TREE).plot(axes(), isometrics=name).isometrics_


@pytest.mark.parametrize(
    ("kind", "plane"), [(CoverageDisplay, "coverage"), (ROCDisplay, "roc"), (PrecisionRecallDisplay, "pr")]
)
def test_lines_are_those_of_the_library(kind, plane):
    display = drawn(kind.from_ranking(SPAM_TREE), isometrics={"f1": [0.4, 0.6]})
    for line, value in zip(display.isometrics_["f1"], (0.4, 0.6), strict=True):
        expected = th.isometric("f1", value, plane=plane, Pos=50, Neg=50)
        assert np.array_equal(line.get_xdata(), expected.x)
        assert np.array_equal(line.get_ydata(), expected.y)


def test_each_line_is_labelled_with_its_value():
    display = drawn(CoverageDisplay.from_ranking(SPAM_TREE), isometrics={"accuracy": [0.5, 0.75]})
    assert [text.get_text() for text in display.ax_.texts] == ["accuracy 0.50", "accuracy 0.75"]
    assert display.ax_.get_title(loc="left") == "Coverage plot with lines of equal accuracy"


def test_a_condition_has_round_costs_among_those_reached():
    condition = th.OperatingCondition(cost_ratio=3)
    lines = isometric_lines(condition, tables=[th.coverage(SPAM_TREE)], levels=None, plane="coverage")
    costs = condition.expected_cost(th.coverage(SPAM_TREE))
    assert len(lines) >= 3
    assert min(line.value for line in lines) <= costs.max()
    display = CoverageDisplay.from_ranking(SPAM_TREE)
    assert display._isometrics_words(condition) == " with lines of equal expected cost"
    assert display._isometrics_words("balanced accuracy") == " with lines of equal average recall"


def test_a_value_that_was_asked_for_is_not_left_out_in_silence():
    with pytest.raises(th.errors.ArgumentError, match="accuracy 2"):
        drawn(CoverageDisplay.from_ranking(SPAM_TREE), isometrics={"accuracy": [2]})


def test_models_of_different_cases_have_no_common_isometrics():
    with pytest.raises(th.errors.ArgumentError, match="different numbers"):
        drawn(CoverageDisplay.from_ranking(MODELS), isometrics="accuracy")


TWICE = th.OperatingCondition(class_ratio=3 / 4)


@pytest.mark.parametrize(("plane", "at"), [("coverage", (10, 30)), ("roc", (0.2, 0.6)), ("pr", (0.6, 0.75))])
def test_a_table_has_its_place_in_each_plane(plane, at):
    assert place(th.Contingency(tp=30, fn=20, fp=10, tn=40), plane) == at


def test_all_ties_are_marked():
    display = drawn(CoverageDisplay.from_ranking(EMAILS, conditions=TWICE))
    (mark,) = display.chosen_
    tables = [point.table for point in th.choose(EMAILS, TWICE).points]
    assert mark.get_xdata().tolist() == [table.fp for table in tables]
    assert mark.get_ydata().tolist() == [table.tp for table in tables]


@pytest.mark.parametrize("kind", [CoverageDisplay, ROCDisplay])
def test_the_line_of_equal_cost_touches_the_curve_and_stays_above(kind):
    display = drawn(kind.from_ranking(SPAM_TREE, conditions=th.OperatingCondition(cost_ratio=1)))
    line, curve, (mark,) = display.slopes_[""], display.lines_["model"], display.chosen_
    assert np.interp(mark.get_xdata()[0], line.get_xdata(), line.get_ydata()) == pytest.approx(mark.get_ydata()[0])
    inside = (curve.get_xdata() >= line.get_xdata()[0]) & (curve.get_xdata() <= line.get_xdata()[-1])
    height = np.interp(curve.get_xdata()[inside], line.get_xdata(), line.get_ydata())
    assert (height >= curve.get_ydata()[inside] - 1e-9).all()


def test_slopes_are_named_in_the_legend():
    asked = {"equal": th.OperatingCondition(), "twice": TWICE}
    labels = legend(drawn(ROCDisplay.from_ranking(EMAILS, conditions=asked)))
    assert labels == ["AUC 0.750", "equal, slope 0.667", "twice, slope 1.33"]
    assert legend(drawn(ROCDisplay.from_ranking(EMAILS, conditions=TWICE)))[1] == "equal cost, slope 1.33"


def test_a_choice_in_the_corner_has_a_mark_and_perhaps_no_line():
    display = drawn(ROCDisplay.from_ranking(SPAM_TREE, conditions=th.OperatingCondition(cost_ratio=0.001)))
    assert display.chosen[""].choice.splits.tolist() == [0]
    assert display.chosen_[0].get_xdata().tolist() == [0.0]


def test_equal_cost_is_a_curve_in_pr_space():
    joint = th.choose({"tree": SPAM_TREE})
    line = equal_cost(joint, "pr")
    assert line is not None
    assert line.slope is None
    display = drawn(PrecisionRecallDisplay.from_ranking(SPAM_TREE, conditions=th.OperatingCondition()), slopes=True)
    assert legend(display)[-1] == "equal cost"


def test_slopes_can_be_left_out():
    display = drawn(ROCDisplay.from_ranking(EMAILS, conditions=TWICE), slopes=False)
    assert display.slopes_ == {}
    assert len(display.chosen_) == 1


C = th.Contingency
# The chapter's classifiers on 25 positives and 75 negatives, and the slides' three on 50 and 50.
CHAPTER = {"C1": C(tp=15, fn=10, fp=15, tn=60), "C2": C(tp=20, fn=5, fp=20, tn=55), "C3": C(tp=20, fn=5, fp=30, tn=45)}
SLIDES = {"M1": C(tp=50, fn=0, fp=30, tn=20), "M2": C(tp=20, fn=30, fp=0, tn=50), "M3": C(tp=35, fn=15, fp=15, tn=35)}
BOTH = ["accuracy", "average_recall"]


def crowd(count, Pos=25, Neg=75):
    """Classifiers that are better than chance, many of them alike."""
    rng = np.random.default_rng(count)
    fpr = rng.beta(1.5, 4, count)
    tpr = np.minimum(1, fpr + 0.7 * rng.beta(2, 2, count) * (1 - fpr))
    cells = zip(np.rint(tpr * Pos).astype(int).tolist(), np.rint(fpr * Neg).astype(int).tolist(), strict=True)
    return {f"classifier {i}": C(tp=tp, fn=Pos - tp, fp=fp, tn=Neg - fp) for i, (tp, fp) in enumerate(cells)}


@pytest.mark.parametrize(("kind", "plane"), list(zip(KINDS, ("coverage", "roc", "pr"), strict=True)))
def test_every_table_is_a_point_with_its_letter(kind, plane):
    display = drawn(kind.from_tables(CHAPTER))
    for name, table in CHAPTER.items():
        assert tuple(display.points_[name].get_xydata()[0]) == place(table, plane)
        assert display.letters_[name].get_text() == name
    assert display.frame()["name"].tolist() == list(CHAPTER)
    for key in ("fp", "tp", "fpr", "tpr", "precision"):
        assert display.frame()[key].tolist() == [getattr(table, key) for table in CHAPTER.values()]
    assert repr(display) == f"{kind.__name__}('C1', 'C2', 'C3')"


@pytest.mark.parametrize(("kind", "slopes"), [(CoverageDisplay, (1, 1 / 3)), (ROCDisplay, (3, 1))])
def test_families_have_their_slopes_and_dashes(kind, slopes):
    display = drawn(kind.from_tables(CHAPTER), isometrics=BOTH, through="all")
    accuracy, recall = display.isometrics_["accuracy"], display.isometrics_["average_recall"]
    for family, slope in zip((accuracy, recall), slopes, strict=True):
        for line in family:
            (x0, y0), (x1, y1) = line.get_xydata()[[0, -1]]
            assert (y1 - y0) / (x1 - x0) == pytest.approx(slope)
    assert accuracy[0]._dash_pattern != recall[0]._dash_pattern
    # C1 and C2 have the same accuracy, C1 and C3 the same average recall: two lines each.
    assert {"accuracy 0.75", "accuracy 0.65", "average recall 0.70", "average recall 0.77"} <= set(words(display))
    assert (len(accuracy), len(recall)) == (2, 2)
    assert legend(display)[-2:] == ["accuracy", "average recall"]


def crossings(display):
    return np.array(sorted(map(tuple, display.crossings_.get_xydata().tolist())))


def test_accuracies_are_read_off_the_descending_diagonal():
    display = drawn(ROCDisplay.from_tables(CHAPTER), isometrics="accuracy", through="all", descending=True)
    assert crossings(display) == pytest.approx(np.array([(0.25, 0.75), (0.35, 0.65)]), abs=1e-12)
    same = drawn(CoverageDisplay.from_tables(SLIDES), isometrics="accuracy", through="all", descending=True)
    assert crossings(same) == pytest.approx(np.array([(0.3 * 50, 0.7 * 50)]), abs=1e-10)
    asked = {"as in the data": th.OperatingCondition(), "twice": th.OperatingCondition(class_ratio=3 / 4)}
    emails = drawn(ROCDisplay.from_ranking(EMAILS, conditions=asked), descending=True)
    assert crossings(emails) == pytest.approx(np.array([(0.2, 0.8), (2 / 7, 5 / 7)]), abs=1e-12)
    assert read_accuracy(0.2, 0.6, slope=3) == pytest.approx(CHAPTER["C1"].accuracy)
    assert drawn(ROCDisplay.from_tables(SLIDES), descending=True).crossings_.get_xydata().size == 0


def test_what_is_dominated_lies_in_the_shade():
    tables = crowd(12)
    for kind in KINDS:
        display = drawn(kind.from_tables(tables), dominance=True)
        for name, shade in display.dominated_.items():
            at = [place(each, kind.plane) for each in tables.values()]
            wide, narrow = (shade.get_path().contains_points(at, radius=by) for by in (2e-3, -2e-3))
            for other, (most, least) in zip(tables, zip(wide | narrow, wide & narrow, strict=True), strict=True):
                assert most or not tables[name].dominates(tables[other])
                assert not least or tables[name].dominates(tables[other])
    assert list(drawn(ROCDisplay.from_tables(CHAPTER), dominance=["C2"]).dominated_) == ["C2"]


def test_front_and_hull_pass_through_their_points():
    tables = crowd(15)
    display = drawn(ROCDisplay.from_tables(tables), front=True, hull=True)
    choice = th.choose(tables)
    corners = set(map(tuple, display.points_hull_.get_xydata().tolist()))
    stairs = set(map(tuple, display.front_.get_xydata().tolist()))
    for name, table in tables.items():
        assert ((table.fpr, table.tpr) in stairs) == (name in choice.front)
        assert (table.fpr, table.tpr) not in corners or name in choice.hull
    hull = np.array(sorted(corners))
    assert (np.interp([t.fpr for t in tables.values()], *hull.T) >= [t.tpr - 1e-12 for t in tables.values()]).all()
    counts = drawn(CoverageDisplay.from_tables(tables), hull=True).points_hull_.get_xydata()
    assert np.array(sorted(map(tuple, (counts / [75, 25]).tolist()))) == pytest.approx(hull)
    in_pr = drawn(PrecisionRecallDisplay.from_tables(SLIDES), hull=True, front=True)
    curve = in_pr.points_hull_.get_xydata()
    assert np.interp(0.7, *curve[np.argsort(curve[:, 0], kind="stable")].T) == pytest.approx(0.7, abs=1e-3)


def outline(text, renderer):
    """The corners of a text, a little within its box, turned as it is."""
    turned = text.get_rotation()
    text.set_rotation(0)
    box = Text.get_window_extent(text, renderer)
    text.set_rotation(turned)
    width, height = 0.9 * box.width, 0.75 * box.height
    middle = (box.x0 + box.width / 2, box.y0 + box.height / 2)
    at = text.get_transform().transform(text.get_position()) if turned else middle
    along, up = np.array([[math.cos(a), math.sin(a)] for a in (math.radians(turned), math.radians(turned + 90))])
    return np.array([at + (i * width * along + j * height * up) / 2 for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))])


def overlap(one, other):
    """Whether two rectangles overlap: no side of either keeps them apart."""
    sides = [corners[i + 1] - corners[i] for corners in (one, other) for i in (0, 1)]
    return all(
        (one @ side).max() > (other @ side).min() and (other @ side).max() > (one @ side).min() for side in sides
    )


@pytest.mark.parametrize("count", [3, 15])
@pytest.mark.parametrize("kind", KINDS)
def test_no_letter_or_label_lies_on_another_or_on_a_point(kind, count):
    display = drawn(kind.from_tables(crowd(count)), isometrics="accuracy", through="all")
    renderer = display.figure_.canvas.get_renderer()
    texts = [outline(text, renderer) for text in display.ax_.texts if text.get_text()]
    assert len(texts) == count + len(display.isometrics_["accuracy"])
    assert not any(overlap(one, other) for one, other in itertools.combinations(texts, 2))
    points = [display.ax_.transData.transform(line.get_xydata()[0]) for line in display.points_.values()]
    for x, y in points:
        dot = np.array([(x + i, y + j) for i, j in ((-2, -2), (2, -2), (2, 2), (-2, 2))])
        assert not any(overlap(dot, each) for each in texts)
    for text, point in zip(display.letters_.values(), points, strict=True):
        assert math.dist(outline(text, renderer).mean(axis=0), point) < 45


def test_long_names_have_letters_and_many_have_numbers():
    display = drawn(ROCDisplay.from_tables(crowd(5)))
    assert legend(display) == [f"{mark}  classifier {i}" for i, mark in enumerate("ABCDE")]
    many = drawn(ROCDisplay.from_tables(crowd(27)))
    assert many.letters_["classifier 26"].get_text() == "27"


def test_points_and_curves_share_a_picture():
    condition = th.OperatingCondition(cost_fp=2, cost_fn=1)
    display = drawn(ROCDisplay.from_ranking({"tree": SPAM_TREE}, points=SLIDES, conditions=condition))
    choice = th.choose({"tree": SPAM_TREE, **SLIDES}, condition)
    assert {mark.get_color() for mark in display.chosen_} == {display._styles[name].colour for name in choice.best}
    assert len({to_rgba(line.get_color()) for line in (*display.lines_.values(), *display.points_.values())}) == 4
    frame = display.frame()
    assert frame["model"].tolist() == ["tree"] * 4 + list(SLIDES)
    assert frame["tpr"][4:].tolist() == [1.0, 0.4, 0.7]
    assert np.isnan(frame["threshold"][4:]).all()


def test_costs_choose_among_points():
    costs = {"2:1": th.OperatingCondition(cost_fp=2, cost_fn=1), "1:2": th.OperatingCondition(cost_fp=1, cost_fn=2)}
    display = drawn(ROCDisplay.from_tables(SLIDES, conditions=costs))
    assert [mark.get_xydata()[0].tolist() for mark in display.chosen_] == [[0.0, 0.4], [0.6, 1.0]]
    assert legend(display) == ["2:1, slope 2", "1:2, slope 0.5"]
    tie = drawn(ROCDisplay.from_tables(SLIDES, conditions=th.OperatingCondition()), descending=True)
    assert len(tie.chosen_) == 3
    assert crossings(tie) == pytest.approx(np.array([(0.3, 0.7)]), abs=1e-12)


def test_measures_of_rates_alone_need_no_common_mix():
    mixed = {**CHAPTER, **SLIDES}
    assert len(drawn(ROCDisplay.from_tables(mixed), isometrics="average_recall").isometrics_["average_recall"]) == 9
    through = drawn(ROCDisplay.from_tables(mixed), isometrics="accuracy", through=["C1", "M1"]).isometrics_["accuracy"]
    slopes = [np.diff(line.get_ydata()[[0, -1]]) / np.diff(line.get_xdata()[[0, -1]]) for line in through]
    assert np.ravel(slopes) == pytest.approx([3, 1])
    restated = PrecisionRecallDisplay.from_tables(mixed, class_ratio=1).frame()
    assert restated["precision"][0] == pytest.approx(0.6 / 0.8)


def test_names_of_points_are_literal():
    tables = {name: C(tp=30 + i, fn=20 - i, fp=10, tn=40) for i, name in enumerate(HOSTILE)}
    assert "A  $\\frac{$" in words(drawn(ROCDisplay.from_tables(tables), isometrics="accuracy", through="all"))


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: CoverageDisplay.from_tables(CHAPTER | SLIDES), "use ROCDisplay, which normalises"),
        (lambda: PrecisionRecallDisplay.from_tables(CHAPTER | SLIDES), "class ratios differ: C1 0.3333.* give class_r"),
        (lambda: PrecisionRecallDisplay.from_tables({"none": C(tp=0, fn=5, fp=0, tn=5)}), "calls nothing positive"),
        (lambda: ROCDisplay.from_tables({"M": C(tp=0, fn=0, fp=1, tn=2)}), "the table of 'M' has no positives"),
        (lambda: ROCDisplay.from_tables({"M": th.coverage(EMAILS)}), "has 11 splits"),
        (lambda: ROCDisplay.from_tables({}), "this picture is of a Contingency"),
        (lambda: ROCDisplay.from_ranking({"M1": EMAILS}, points=SLIDES), "names both a ranking and a table"),
        (lambda: ROCDisplay.from_tables(SLIDES).plot(axes(), through="all"), "say of what: isometrics"),
        (lambda: ROCDisplay.from_ranking(EMAILS).plot(axes(), isometrics="f1", through="all"), "picture has none"),
        (lambda: ROCDisplay.from_tables(SLIDES).plot(axes(), isometrics="f1", through=["M4"]), "or some of M1, M2, M3"),
        (lambda: ROCDisplay.from_tables(SLIDES).plot(axes(), dominance="X9"), "dominance names 'X9'"),
        (lambda: ROCDisplay.from_ranking(EMAILS).plot(axes(), front=True), "front is about points"),
        (
            lambda: ROCDisplay.from_tables({"M": C(tp=0, fn=5, fp=0, tn=5)}).plot(
                axes(), isometrics="precision", through="all"
            ),
            "precision is nan for 'M'",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, message):
    with pytest.raises(th.ThresherError, match=f"(?s){message}"):
        draw()
