"""Studies in known worlds: what textbooks say of estimates, and exact truths."""

import math
from typing import Any

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

import thresher as th
from tests.plots.samples import drawn, legend
from thresher.errors import ThresherError
from thresher.laboratory import Cells, Gaussians, Scores
from thresher.learning import study
from thresher.plots import LearningCurveDisplay, StudyDisplay

LDA = LinearDiscriminantAnalysis()
WORLD = Gaussians([[-1] + [0] * 7, [1] + [0] * 7])
TREE = Cells.of_ranking(th.Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
QUICK: dict[str, Any] = {"rows": 40, "replicates": 25}


def odd(value: Any) -> Any:
    """A value of another type than the one asked for."""
    return value


def test_smaller_k_is_more_pessimistic_and_no_estimate_goes_below_the_bayes_error():
    by_folds = study(WORLD, LDA, "folds", [2, 4, 12], rows=24, replicates=40)
    bias = by_folds.difference("cross-validated")
    assert bias.lower[0] > 0
    assert bias.estimate[0] > bias.estimate[1] > bias.estimate[2]
    true = by_folds.curves["true"]
    assert (true.estimate == true.estimate[0]).all()
    assert (true.per_replicate > by_folds.bayes[0].estimate).all()


def test_true_errors_are_those_of_the_models_fitted():
    result = study(WORLD, LDA, "rows", [20, 50], replicates=2, folds=2, seed=5)
    for number in range(2):
        sample = WORLD.sample(50, np.random.default_rng([5, number]))
        for row, n in enumerate((20, 50)):
            fitted = LDA.fit(sample.X[:n], sample.labels[:n])
            assert result.curves["true"].per_replicate[row, number] == WORLD.true_error(fitted).estimate
            apparent = (fitted.predict(sample.X[:n]) != sample.labels[:n]).mean()
            assert result.curves["apparent"].per_replicate[row, number] == apparent


def test_learning_curves_meet_at_the_bayes_error():
    result = study(WORLD, LDA, "rows", [20, 80, 640], replicates=20)
    apparent, true = result.curves["apparent"], result.curves["true"]
    gap = true.estimate - apparent.estimate
    assert gap[0] > gap[1] > gap[2] > 0
    assert true.estimate[-1] == pytest.approx(result.bayes[-1].estimate, abs=0.01)
    display = LearningCurveDisplay.from_curve(result.curves, bayes=result.bayes[0])
    assert legend(drawn(display)) == ["apparent", "cross-validated", "true", "Bayes: 0.159"]


def test_more_test_rows_are_surer_of_a_worse_model():
    result = study(WORLD, LDA, "split", [0.5, 0.9], replicates=60, rows=60)
    tested = result.curves["tested"]
    assert tested.deviation[0] < tested.deviation[1]
    assert result.curves["true"].estimate[0] > result.curves["true"].estimate[1]
    assert result.difference("true", "true, all rows").lower[0] > 0
    unbiased = result.difference("tested")
    assert (unbiased.lower < 0).all()
    assert (unbiased.upper > 0).all()
    assert result.rmse("tested")[0] < result.rmse("tested")[1]


def test_noise_moves_the_bayes_error_by_the_formula():
    rates = [0.0, 0.1, 0.3]
    result = study(WORLD, LDA, "noise", rates, **QUICK)
    clean = result.bayes[0].estimate
    assert [each.estimate for each in result.bayes] == pytest.approx([r + (1 - 2 * r) * clean for r in rates])
    noisy, right = result.curves["true"], result.curves["true, clean labels"]
    shifted = np.array(rates)[:, None] + (1 - 2 * np.array(rates)[:, None]) * right.per_replicate
    assert noisy.per_replicate == pytest.approx(shifted)
    assert right.estimate[0] < right.estimate[1] < right.estimate[2]


def test_features_of_noise_alone_raise_the_true_error_and_lower_the_apparent_one():
    result = study(WORLD, LDA, "features", [1, 8], **QUICK)
    assert result.curves["true"].estimate[0] < result.curves["true"].estimate[1]
    assert result.curves["apparent"].estimate[0] > result.curves["apparent"].estimate[1]
    assert study(WORLD, LDA, "features", replicates=2, rows=10).values.tolist() == [1, 2, 3, 4, 6, 8]


def test_rare_positives_make_every_error_small():
    result = study(TREE, DecisionTreeClassifier(), "mix", [0.02, 0.5], **QUICK)
    assert result.bayes[0].estimate == pytest.approx(0.02)  # no leaf has a majority of positives: call nothing
    assert result.bayes[1].estimate == pytest.approx(0.3)
    constant = study(WORLD, DummyClassifier(), "mix", [0.02, 0.3], replicates=3)
    assert constant.curves["true"].estimate == pytest.approx([0.02, 0.3])  # one class in training is answered, too


def test_a_model_without_formula_widens_the_limits():
    world = Gaussians([[0, 0], [1, 1]])
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    result = study(world, tree, "rows", [20], replicates=3, folds=2)
    sample = world.sample(20, np.random.default_rng([0, 0]))
    truth = world.true_error(tree.fit(sample.X, sample.labels))
    assert truth.width > 0
    true = result.curves["true"]
    assert true.per_replicate[0, 0] == truth.estimate
    from scipy import stats

    half = stats.t.ppf(0.975, 2) * true.deviation / math.sqrt(3)
    assert (true.upper - true.estimate > half).all()


def test_equal_seeds_make_equal_studies():
    one = study(TREE, DecisionTreeClassifier(random_state=0), "rows", [10, 20], replicates=4, seed=3)
    done = []
    two = study(
        TREE,
        DecisionTreeClassifier(random_state=0),
        "rows",
        [10, 20],
        replicates=4,
        seed=3,
        progress=lambda now, of: done.append((now, of)),
    )
    assert str(one) == str(two)
    assert done[-1] == (4, 4)
    assert one.to_frame("pandas").columns.tolist() == [
        *("curve", "value", "estimate", "lower", "upper", "deviation", "bayes")
    ]
    assert "rows learnt from" in str(one)


def test_pictures_show_limits_or_the_spread_of_single_estimates():
    result = study(WORLD, LDA, "split", [0.5, 0.7], replicates=5, rows=30)
    display = drawn(StudyDisplay.from_study(result))
    heights = display.bands_["tested"].get_paths()[0].vertices[:, 1]
    tested = result.curves["tested"]
    assert heights.max() == (tested.estimate + tested.deviation).max()
    assert legend(display) == ["tested", "true", "true, all rows", "Bayes"]
    narrow = drawn(StudyDisplay.from_study(result), spread=False).bands_["tested"].get_paths()[0].vertices[:, 1]
    assert narrow.max() == tested.upper.max()
    assert display.ax_.get_xlabel() == "share of rows learnt from"
    assert display.frame()["curve"].size == 6
    with pytest.raises(ThresherError, match="no study"):
        StudyDisplay.from_study(tested)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: study(odd(Scores.of_auc(0.8)), LDA), "world cannot be"),
        (lambda: study(WORLD, "lda"), "classifier"),
        (lambda: study(WORLD, LDA, odd("depth")), "over must be"),
        (lambda: study(WORLD, LDA, "rows", [20, 10]), "rising whole numbers"),
        (lambda: study(WORLD, LDA, "rows", []), "rising"),
        (lambda: study(WORLD, LDA, "rows", odd(["a"])), "rising"),
        (lambda: study(WORLD, LDA, "folds", [2.5]), "whole numbers"),
        (lambda: study(WORLD, LDA, "folds", [2, 500]), "folds must lie from 2 to 100"),
        (lambda: study(WORLD, LDA, "rows", [3]), "from 5"),
        (lambda: study(WORLD, LDA, "split", [0.5, 1.0]), "share of rows learnt from must lie"),
        (lambda: study(WORLD, LDA, "noise", [0.6]), "below 0.5"),
        (lambda: study(WORLD, LDA, "features", [9]), "from 1 to 8"),
        (lambda: study(TREE, LDA, "features"), "one feature"),
        (lambda: study(WORLD, LDA, "mix", [0.0]), "share of positives must lie"),
        (lambda: study(Cells([[1, 2, 3]]), LDA, "mix", [0.1]), "3 classes"),
        (lambda: study(WORLD, LDA, replicates=1), "at least 2"),
        (lambda: study(WORLD, LDA, level=2), "level"),
        (lambda: study(WORLD, LDA, "folds", [2], replicates=2).difference("tested"), "curves are"),
        (lambda: WORLD.marginal(9), "features"),
        (lambda: WORLD.with_prevalence(1), "between 0 and 1"),
    ],
)
def test_bad_input_is_refused_in_words(wrong, words):
    with pytest.raises(ThresherError, match=words):
        wrong()
