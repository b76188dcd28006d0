"""Rows in pictures: what they show is what the library computes, for few rows and for many, and bad input."""

import math

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from scipy.stats import spearmanr
from scipy.stats.contingency import association
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import thresher as th
from tests.plots.samples import HOSTILE, axes, drawn, legend, words
from thresher import learning
from thresher.plots import (
    BoundaryDisplay,
    ColumnsDisplay,
    ComponentsDisplay,
    CorrelationDisplay,
    FoldsDisplay,
    ScatterDisplay,
    redundant_pairs,
)

IRIS = load_iris(as_frame=True)
X, Y = IRIS.data, np.array(["setosa", "versicolor", "virginica"])[IRIS.target]
PETAL = ("petal length (cm)", "petal width (cm)")
TWO = Y != "setosa"
FITTED = LogisticRegression(max_iter=1000).fit(X, Y)


def messy(rows=120, classes=4, seed=0):
    """Numbers, whole numbers, categories, times, a constant, missing values and a far outlier."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, rows)
    frame = pd.DataFrame({"size": rng.normal(size=rows) + codes, "flag": rng.integers(0, 2, rows)})
    frame["colour"] = rng.choice([*"abcdefghijklmn"], rows)
    frame["when"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, rows), unit="D")
    frame["constant"], frame["empty"] = 1.5, np.nan
    frame.loc[rng.random(rows) < 0.2, ["size", "colour", "when"]] = None
    frame.loc[1, "size"] = 1e9
    frame["class"] = np.array(["u", "v", "$w$", "x"])[codes]
    frame.loc[0, "class"] = None
    return frame


class TestColumns:
    def test_numbers_categories_missing_values_and_classes_are_drawn(self):
        data = messy()
        display = drawn(ColumnsDisplay.from_table(data, by="class"))
        frame = pd.DataFrame(display.frame()).set_index("column")
        assert list(display.axes_) == list(frame.index) == list(data.columns.drop("class"))
        labelled = data[data["class"].notna()]
        assert frame["missing"].to_dict() == labelled.drop(columns="class").isna().sum().to_dict()
        assert "1 row without a class left out" in display.header_.texts[0].get_text()
        assert "1 outlier, 1 not shown" in words(display)[words(display).index(self.title(display, "size"))]
        assert frame.loc["colour", "kind"] == "category"
        assert [text.get_text() for text in display.header_.get_legend().get_texts()] == ["$w$", "u", "v", "x"]

    def test_years_are_written_out(self):
        panel = drawn(ColumnsDisplay.from_table({"when": pd.date_range("2024-01-01", periods=300)})).axes_["when"]
        assert panel.get_xticklabels()[0].get_text().startswith("202")
        assert panel.xaxis.get_offset_text().get_text() == ""

    @staticmethod
    def title(display, name):
        return display.axes_[name].get_title(loc="left")

    def test_bins_are_shared_and_shares_add_up(self):
        display = ColumnsDisplay.from_table(X, by=Y)
        for each in display.columns:
            assert each.shares.sum(axis=1) == pytest.approx([1, 1, 1])
            assert each.edges is not None
            values = X[each.name].to_numpy()
            for share, name in zip(each.shares, display.classes, strict=True):
                counts, _ = np.histogram(values[name == Y], each.edges)
                assert share * 50 == pytest.approx(counts)

    def test_j_and_fences_are_those_of_learning(self):
        frame = ColumnsDisplay.from_table(X, by=Y).frame()
        assert frame["J"] == pytest.approx(learning.scatter(X, Y).scores)
        low, high = learning.Outliers("iqr").fit(X).fences_
        assert np.array_equal(frame["low_fence"], low)
        assert np.array_equal(frame["high_fence"], high)
        indicators = np.column_stack([messy()["colour"] == each for each in "abcdefghijklmn"]).astype(float)
        data = messy().assign(**{"class": messy()["class"].fillna("u")})
        here = data["colour"].notna().to_numpy()
        shown = pd.DataFrame(ColumnsDisplay.from_table(data, by="class", columns=["colour", "class"]).frame())
        assert shown["J"][0] == pytest.approx(learning.scatter(indicators[here], data["class"][here]).J)

    def test_many_columns_show_those_that_separate_best(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 40)
        display = drawn(
            ColumnsDisplay.from_table(rng.normal(size=(40, 26)) + 3 * np.outer(y, np.arange(26) > 12), by=y)
        )
        assert len(display.axes_) == 24
        assert {f"x{i}" for i in range(13, 26)} <= set(display.axes_)
        assert "the 24 of 26 with the largest J" in display.header_.texts[0].get_text()
        assert len(display.frame()["column"]) == 26

    def test_rare_categories_are_counted_and_not_drawn(self):
        towns = np.repeat([f"town {i}" for i in range(30)], np.r_[20, [2] * 29])
        display = drawn(ColumnsDisplay.from_table({"town": towns, "same": np.ones(78)}))
        assert "20 others hold 51.3%" in self.title(display, "town")
        assert len(display.axes_["town"].patches) == 10
        assert display.columns[0].shares.sum() == pytest.approx(38 / 78)
        assert self.title(display, "same") == "same\nconstant"

    def test_it_lies_within_axes_of_others(self):
        ax = axes()
        left, _ = (ax.figure.add_axes((0.1 + 0.5 * i, 0.1, 0.3, 0.8)) for i in range(2))
        assert ColumnsDisplay.from_table(X).plot(left).axes_[PETAL[0]].figure is ax.figure


class TestCorrelation:
    def test_values_are_those_of_scipy(self):
        data = messy().drop(columns=["constant", "empty"])
        frame = pd.DataFrame(CorrelationDisplay.from_table(data).frame()).set_index(["one", "other"])
        both = data[["size", "flag"]].dropna()
        assert frame.loc[("size", "flag"), "value"] == pytest.approx(spearmanr(both).statistic)
        both = data[["colour", "class"]].dropna()
        table = pd.crosstab(both["colour"], both["class"]).to_numpy()
        assert frame.loc[("colour", "class"), "value"] == pytest.approx(association(table))
        both = data[["size", "colour"]].dropna()
        ranks = both["size"].rank()
        between = sum(len(r) * (r.mean() - ranks.mean()) ** 2 for _, r in ranks.groupby(both["colour"]))
        total = ranks.var(ddof=0) * len(ranks)
        assert frame.loc[("size", "colour"), "value"] == pytest.approx(math.sqrt(between / total))
        assert frame["measure"].tolist()[:2] == ["spearman", "eta"]

    def test_constants_are_blank_and_named(self):
        display = drawn(CorrelationDisplay.from_table(messy()))
        assert display.blank == ("constant", "empty")
        assert "constant, empty" in display.ax_.get_title(loc="left")
        assert "Cramér's V of categories" in display.ax_.get_title(loc="left")

    def test_a_value_per_row_tells_nothing(self):
        rng = np.random.default_rng(0)
        data = {"size": rng.normal(size=30), "name": [f"row {i}" for i in range(30)]}
        assert np.isnan(CorrelationDisplay.from_table(data).frame()["value"]).all()
        assert redundant_pairs(data) == []

    def test_redundant_pairs_are_framed(self):
        rng = np.random.default_rng(0)
        a = rng.normal(size=200)
        data = {"a": a, "b": np.exp(a), "c": -a + rng.normal(size=200) * 0.05, "d": rng.normal(size=200)}
        pairs = redundant_pairs(data)
        assert [(pair.one, pair.other) for pair in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
        assert pairs[0].value == pytest.approx(1)
        assert pairs[1].value < -0.95
        assert len(drawn(CorrelationDisplay.from_table(data)).redundant_) == 6


class TestBoundary:
    def test_thresholds_of_a_linear_model_are_parallel(self):
        model = LogisticRegression(max_iter=1000).fit(X[TWO], Y[TWO])
        display = drawn(
            BoundaryDisplay.from_estimator(model, X[TWO], Y[TWO], features=PETAL, thresholds=[0.2, 0.5, 0.8])
        )
        slopes = []
        for line in display.thresholds_.values():
            path = line.get_xydata()[np.isfinite(line.get_xydata()).all(axis=1)]
            slopes.append(np.polyfit(path[:, 0], path[:, 1], 1)[0])
        a, b = model.coef_[0][[2, 3]]
        assert slopes == pytest.approx([-a / b] * 3, rel=1e-3)
        assert list(display.thresholds_) == ["A", "B", "C"]
        assert display.fixed == {name: X[TWO][name].median() for name in X.columns[:2]}
        assert "sepal length (cm) 6.3, sepal width (cm) 2.9" in display.ax_.get_xlabel()
        wrong = (model.predict_proba(X[TWO])[:, 1] >= 0.2) != (Y[TWO] == "virginica")
        assert len(display.rings_.get_offsets()) == wrong.sum() == display.frame()["wrong"].sum()

    def test_costs_place_a_threshold(self):
        model = LogisticRegression(max_iter=1000).fit(X[TWO], Y[TWO])
        for condition, threshold in (
            (th.OperatingCondition(cost_fp=1, cost_fn=4), 0.2),
            (th.OperatingCondition(class_ratio=4), 0.2),  # of as many of each class in the data
        ):
            display = BoundaryDisplay.from_estimator(model, X[TWO], Y[TWO], features=PETAL, condition=condition)
            assert display.thresholds == pytest.approx({"least cost": threshold})
        assert "at least cost 0.2" in drawn(display).ax_.get_title(loc="left")

    def test_k_classes_have_k_regions(self):
        model = KNeighborsClassifier().fit(X[list(PETAL)], Y)
        display = drawn(BoundaryDisplay.from_estimator(model, X[list(PETAL)], Y))
        assert set(np.unique(display.regions_.get_array())) == {0, 1, 2}
        expected = [to_hex(line.get_color()) for line in display.points_.values()]
        assert [to_hex(colour) for colour in display.regions_.cmap.colors] == expected
        assert display.frame()["predicted"].tolist() == model.predict(X[list(PETAL)]).tolist()

    def test_categories_are_fixed_at_the_most_frequent(self):
        data = messy()[["size", "flag", "colour", "class"]].dropna()
        encoder = OneHotEncoder(handle_unknown="ignore")
        model = make_pipeline(encoder, LogisticRegression()).fit(data[["size", "flag", "colour"]], data["class"])
        display = drawn(BoundaryDisplay.from_estimator(model, data[["size", "flag", "colour"]], data["class"]))
        assert display.fixed == {"colour": data["colour"].mode()[0]}

    def test_a_known_world_has_its_boundary(self):
        world = th.laboratory.Gaussians(means=[[-1, 0], [1, 0]], covariances=[np.eye(2)] * 2)
        sample = world.sample(200, seed=0)
        model = LogisticRegression().fit(sample.X, sample.labels)
        display = drawn(BoundaryDisplay.from_estimator(model, sample.X, sample.labels, truth=world))
        assert np.nanmax(np.abs(display.truth_.get_xdata())) < 1e-4  # the means lie symmetrically
        assert legend(display)[-1] == "Bayes boundary"

    @pytest.mark.parametrize(
        ("model", "rows", "options", "message"),
        [
            (LogisticRegression(), X, {}, "not fitted, or no classifier"),
            (LogisticRegression, X, {}, "LogisticRegression has no predict"),
            (object(), X, {}, "object has no predict"),
            (LinearRegression().fit(X, TWO), X, {}, "no classifier"),
            (FITTED, X.iloc[:, :1], {}, "there is one feature"),
            (FITTED, X, {"features": ("a", "b")}, "no feature 'a'"),
            (FITTED, X, {"features": PETAL[:1]}, "must be two features"),
            (FITTED, X, {"features": (0, 0)}, "both features are"),
            (FITTED, X, {"thresholds": [0.5]}, "divide two classes"),
            (
                FITTED,
                X,
                {"truth": th.laboratory.Gaussians(means=[[0], [1]], covariances=[[[1]], [[1]]])},
                "a world of two features",
            ),
            (FITTED, X, {"condition": th.OperatingCondition()}, "prices probabilities of two classes"),
            (LogisticRegression(max_iter=1000).fit(X, TWO), X, {}, "y holds 'setosa'"),
        ],
    )
    def test_bad_input(self, model, rows, options, message):
        with pytest.raises(th.errors.ArgumentError, match=message):
            BoundaryDisplay.from_estimator(model, rows, Y, **options)


class TestScatter:
    def test_ellipses_are_those_of_s_w_and_arrows_lead_to_means(self):
        scatter = learning.scatter(X, Y, matrix=True)
        display = drawn(ScatterDisplay.from_scatter(scatter, X, Y, features=PETAL))
        within = scatter.within_matrix[2:, 2:]
        for i, (name, line) in enumerate(display.ellipses_.items()):
            apart = line.get_xydata() - scatter.means[i, 2:]
            assert np.einsum("ij,jk,ik->i", apart, np.linalg.inv(within), apart) == pytest.approx(4)
            assert display.arrows_[name].xy == pytest.approx(scatter.means[i, 2:])
        assert display.frame()["rows"].tolist() == [50, 50, 50]
        assert f"J {scatter.of([2, 3]).J:.3g}" in display.ax_.get_title(loc="left")

    def test_what_does_not_belong_together_is_refused(self):
        scatter = learning.scatter(X, Y, matrix=True)
        with pytest.raises(th.errors.LengthError, match="of 4 features, and X has 2"):
            ScatterDisplay.from_scatter(scatter, X[list(PETAL)], Y)
        with pytest.raises(th.errors.LengthError, match="y holds False, True"):
            ScatterDisplay.from_scatter(scatter, X, TWO)
        with pytest.raises(th.errors.ArgumentError, match="matrix=True"):
            ScatterDisplay.from_scatter(learning.scatter(X, Y), X, Y)

    def test_components_are_projections_with_their_deviations(self):
        components = learning.principal_components(X)
        display = drawn(ComponentsDisplay.from_components(components, X, Y))
        at = np.concatenate([line.get_xydata() for line in display.points_.values()])
        assert at == pytest.approx(components.project(X)[:, :2])
        assert display.arrows_[0].xy == pytest.approx((math.sqrt(components.variances[0]), 0))
        assert set(display.features_) == set(X.columns)
        with pytest.raises(th.errors.ArgumentError, match="two different components"):
            ComponentsDisplay.from_components(components, X, pair=(1, 5))


class TestFolds:
    def test_each_row_is_tested_exactly_once(self):
        display = drawn(FoldsDisplay.from_splits(learning.Folds(5).splits(Y), Y, groups=Y, times=X.iloc[:, 0]))
        assert display.tested.tolist() == [1] * 150
        assert display.test.sum(axis=0).tolist() == [1] * 150
        assert (display.train + display.test == 1).all()
        assert display.ax_.get_title(loc="left") == "Folds: each row is tested once"
        assert list(display.strips_) == ["class", "group", "time"]
        assert legend(display) == ["learnt from", "tested", *(f"class {name}" for name in np.unique(Y))]
        assert display.frame()["test"].tolist() == [30] * 5

    def test_many_rows_are_sampled_in_their_order(self):
        labels = np.arange(5000) % 2
        folds = list(KFold(4).split(labels))
        display = drawn(FoldsDisplay.from_splits(folds, labels))
        assert "300 of 5,000 rows, drawn at random" in display.ax_.get_title(loc="left")
        assert (np.diff(display.shown) > 0).all()
        assert (display.test.argmax(axis=0) == display.shown // 1250).all()
        assert display.strips["class"][0].tolist() == (display.shown % 2).tolist()
        assert display.frame()["test"].tolist() == [1250] * 4

    def test_time_leaves_rows_out(self):
        times = np.arange(150)
        display = drawn(FoldsDisplay.from_splits(learning.Folds(4, kind="time").splits(Y, times=times), times=times))
        assert "left out" in legend(display)
        assert display.frame()["left_out"][0] == 90
        assert display.ax_.get_title(loc="left") == "Folds: rows are tested 0 to 1 times"

    @pytest.mark.parametrize(
        ("splits", "labels", "message"),
        [
            ([], None, "1 to 100 folds"),
            ([3], None, "split 0 is no pair"),
            ([([0, 1], ["a"])], None, "split 0 is no pair"),
            (list(KFold(2).split(range(6))), [1, 0, 1], "rows beyond the 3"),
        ],
    )
    def test_bad_input(self, splits, labels, message):
        with pytest.raises(th.ThresherError, match=message):
            FoldsDisplay.from_splits(splits, labels)


def of_rows(X, y, names):
    """Every picture of these rows."""
    model = LogisticRegression().fit(X[:2000], y[:2000])
    table = dict(zip(names, X.T, strict=True))
    yield ColumnsDisplay.from_table(table, by=y)
    yield CorrelationDisplay.from_table(table)
    yield BoundaryDisplay.from_estimator(model, X, y)
    yield ScatterDisplay.from_scatter(learning.scatter(X, y, matrix=True), X, y)
    yield ComponentsDisplay.from_components(learning.principal_components(X), X, y)
    yield FoldsDisplay.from_splits(KFold(5).split(X), y)


@pytest.mark.parametrize("rows", [10, 100_000])
def test_few_rows_and_many_are_drawn_and_counted(rows):
    rng = np.random.default_rng(rows)
    y = np.arange(rows) % 2
    for display in of_rows(rng.normal(size=(rows, 3)) + y[:, None], y, ["a", "$b$", "c"]):
        drawn(display)
        assert len({column.shape for column in display.frame().values()}) == 1
        if rows > 100 and not isinstance(display, ColumnsDisplay | CorrelationDisplay):
            assert f"{rows:,} rows" in " ".join(words(display))
        sizes = [len(line.get_xdata()) for line in getattr(display, "points_", {}).values()]
        assert sum(sizes) <= 2000


def test_names_are_literal():
    data = {name: [1.0, 2.0, 4.0, 3.0] for name in HOSTILE if name}
    y = [HOSTILE[0], HOSTILE[0], HOSTILE[1], HOSTILE[1]]
    for display in (ColumnsDisplay.from_table(data, by=y), CorrelationDisplay.from_table(data)):
        assert any("$\\frac{$" in text for text in words(drawn(display)))


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: ColumnsDisplay.from_table(X, by=X.iloc[:, 0]), "35 different values, and a picture shows 12"),
        (lambda: ColumnsDisplay.from_table(X, columns="size"), "columns must be a list of names"),
        (lambda: ColumnsDisplay.from_table(X, by=Y[:10]), "150 rows and 10 entries"),
        (lambda: ColumnsDisplay.from_table(X, by="species"), "species"),
        (lambda: ColumnsDisplay.from_table(X, by=[None] * 150), "every entry of by is missing"),
        (lambda: ColumnsDisplay.from_table(pd.DataFrame({"y": Y}), by="y"), "no column besides"),
        (lambda: ColumnsDisplay.from_table(np.zeros(3)), "rows and columns are needed"),
        (lambda: ColumnsDisplay.from_table({"a": []}), "no rows or no columns"),
        (lambda: CorrelationDisplay.from_table({"a": [1, 2]}), "2 to 200 columns"),
        (lambda: CorrelationDisplay.from_table(X, at=2), "at must lie"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, message):
    with pytest.raises(th.ThresherError, match=message):
        draw()
