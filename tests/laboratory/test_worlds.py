"""Worlds tell the truth: what large samples show, and numbers from textbooks."""

import contextlib
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import thresher as th
from thresher.errors import ThresherError
from thresher.laboratory import Cells, Gaussians, Scores, coverage
from thresher.tables import contingency_at

MANY = 10**6
A = 2 / math.sqrt(20)
TWONORM = Gaussians([[-A] * 20, [A] * 20])
# Breiman (1996): two corners against the alternating one.
THREENORM = Gaussians(
    [[A] * 20, [-A] * 20, [A * (-1) ** i for i in range(20)]], shares=[0.25, 0.25, 0.5], classes=[0, 0, 1]
)
LINE = Gaussians([[-1], [1]])
TRIANGLE = np.array([[0, 0], [1, 0], [0.5, math.sqrt(3) / 2]])
CURVED = Gaussians([[0, 0, 0], [1, 1, 0]], np.array([np.eye(3), 2 * np.eye(3)]), [0.7, 0.3])
DEAR = th.OperatingCondition(class_ratio=1 / 9, cost_ratio=10)


def mean_within(truth, values):
    """Whether a mean lies within four standard errors of the truth, which has an error too."""
    values = np.asarray(values, dtype=float)
    error = values.std() / math.sqrt(values.size) + truth.width
    return abs(values.mean() - truth.estimate) < 4 * error


@pytest.mark.parametrize(
    ("truth", "number", "method"),
    [
        (TWONORM.bayes_error, 0.02275, "formula"),
        (LINE.bayes_error, 0.15866, "formula"),
        (Gaussians(2 * TRIANGLE).bayes_error, 0.25480, "integral"),
        (Gaussians(3 * TRIANGLE).bayes_error, 0.11529, "integral"),
        (TWONORM.noisy(0.1).bayes_error, 0.11820, "formula"),
        (LINE.noisy(0.1).bayes_error, 0.22692, "formula"),
        (LINE.auc([1]), 0.92135, "formula"),
    ],
)
def test_numbers_from_textbooks(truth, number, method):
    assert truth.estimate == pytest.approx(number, abs=5e-6)
    assert truth.method == method
    assert truth.width == 0 if method == "formula" else 0 < truth.width < 1e-4


def test_threenorm_and_the_threshold_of_dear_misses():
    assert THREENORM.bayes_error.estimate == pytest.approx(0.105, abs=5e-4)
    assert LINE.best_threshold(DEAR) == pytest.approx(-0.05268, abs=5e-6)
    assert LINE.best_threshold(DEAR) == pytest.approx(-math.log(10 / 9) / 2)
    assert LINE.auc() == LINE.auc([1])


@pytest.mark.parametrize("world", [LINE, TWONORM, THREENORM, CURVED, Gaussians(2 * TRIANGLE), LINE.noisy(0.2)])
def test_large_samples_show_the_error_of_the_bayes_rule(world):
    sample = world.sample(MANY // 4, seed=7)
    posterior = world.posterior(sample.X)
    assert np.allclose(posterior.sum(axis=1), 1)
    assert mean_within(world.bayes_error, posterior.argmax(axis=1) != sample.labels)


def test_a_million_rows_agree_with_the_truth():
    sample = CURVED.sample(MANY, seed=1)
    rule = np.array([1.0, 1.0, 0.2]), 0.8
    calls = sample.X @ rule[0] >= rule[1]
    assert mean_within(CURVED.true_error(rule), calls != sample.labels)
    costs = np.where(sample.labels == 1, 10 * ~calls, calls)
    assert mean_within(CURVED.true_cost(rule, th.OperatingCondition(cost_ratio=10)), costs)
    best = CURVED.posterior(sample.X)[:, 1] * 10 > CURVED.posterior(sample.X)[:, 0]
    least = np.where(sample.labels == 1, 10 * ~best, best)
    assert mean_within(CURVED.bayes_cost(th.OperatingCondition(cost_ratio=10)), least)
    assert CURVED.bayes_cost(DEAR).method == "quasi-Monte Carlo"
    ranking = th.rank(sample.labels, sample.X @ rule[0])
    assert CURVED.auc(rule[0]).estimate in th.auc_interval(ranking, level=0.9999)


def test_a_linear_rule_is_exact_and_agrees_with_quasi_monte_carlo():
    class Linear:
        coef_ = np.array([[1.0, 1.0, 0.0]])
        intercept_ = np.array([-0.8])

    exact, drawn = CURVED.true_error(Linear()), CURVED.true_error(lambda X: X @ np.array([1, 1, 0]) >= 0.8)
    assert (exact.method, drawn.method) == ("formula", "quasi-Monte Carlo")
    assert exact.estimate == pytest.approx(CURVED.true_error(([1, 1, 0], 0.8)).estimate)
    assert abs(exact.estimate - drawn.estimate) < 3 * drawn.width
    declared = CURVED.true_cost(Linear(), DEAR).estimate
    scores = CURVED.along([1, 1, 0])
    tpr, fpr = scores.positive.sf(0.8), scores.negative.sf(0.8)
    assert declared == pytest.approx(0.1 * 10 * (1 - tpr) + 0.9 * fpr)


def test_posteriors_are_calibrated():
    sample = CURVED.sample(20_000, seed=4)
    assert th.calibration_test(th.rank(sample.labels, CURVED.posterior(sample.X)[:, 1])).p_value > 0.01
    wrong = np.clip(CURVED.posterior(sample.X)[:, 1] * 1.1, 0, 1)
    assert th.calibration_test(th.rank(sample.labels, wrong)).p_value < 0.01


@pytest.mark.parametrize("world", [CURVED, Cells([[5, 20], [40, 20]]), Scores.of_auc(0.8).clustered(3, 0.4)])
def test_equal_seeds_give_equal_rows(world):
    one, two, other = world.sample(50, seed=3), world.sample(50, seed=3), world.sample(50, seed=4)
    assert (one.X == two.X).all()
    assert (one.labels == two.labels).all()
    assert not (one.X == other.X).all() or not (one.labels == other.labels).all()
    assert not one.X.flags.writeable


SCORES: dict[str, Any] = {
    "normal": Scores.of_auc(0.8, prevalence=0.2).as_probabilities(),
    "too high": Scores.of_auc(0.8, prevalence=0.2).as_probabilities(shift=1),
    "too sure": Scores.of_auc(0.7).as_probabilities(slope=2),
    "heavy tails": Scores.of_auc(0.75, prevalence=0.4, noise=stats.t(3)).logistic(slope=0.2),
    "mixture": THREENORM.along(np.ones(20)).logistic(),
    "five levels": Scores.of_auc(0.8, prevalence=0.2).as_probabilities(shift=0.5).levels(5),
}


@pytest.mark.parametrize("name", SCORES)
def test_truths_of_scores_are_what_samples_tend_to(name):
    world = SCORES[name]
    sample = world.sample(200_000, seed=11)
    ranking, scores, labels = sample.ranking, sample.scores, sample.labels
    population = getattr(world, "ranking", None)

    def truth(name, function):
        return getattr(world, name) if population is None else function(population)

    assert float(world.auc) in th.auc_interval(ranking, level=0.9999)
    squares, logs = (scores - labels) ** 2, -np.log(np.where(labels == 1, scores, 1 - scores))
    for quantity, function, values in (("brier", th.brier, squares), ("log_loss", th.log_loss, logs)):
        error = values.std() / math.sqrt(values.size)
        assert abs(float(truth(quantity, function)) - values.mean()) < 4 * error
    table, threshold = contingency_at(ranking, 0.3), 0.3
    for measure in ("tpr", "fpr", "precision", "f1"):
        assert getattr(world.table(threshold), measure) in th.interval(table, measure, level=0.9999)
    assert float(truth("average_precision", th.average_precision)) == pytest.approx(
        th.average_precision(ranking), abs=0.01
    )
    ks = float(world.ks) if population is None else th.ks(population).statistic
    assert ks == pytest.approx(th.ks(ranking).statistic, abs=0.01)
    parts = th.decomposition(ranking, bins="hull")
    if population is None and name not in ("mixture", "heavy tails"):  # their probabilities do not rise with the score
        assert float(world.calibration_loss) == pytest.approx(parts.calibration, abs=0.003)
    if population is None:
        assert float(world.calibration_loss) + float(world.refinement_loss) == pytest.approx(float(world.brier))
    for condition in (th.OperatingCondition(cost_ratio=3), DEAR):
        best = world.best_threshold(condition)
        assert world.true_cost(best, condition).estimate == pytest.approx(
            th.choose(ranking, condition).expected_cost, abs=0.01
        )
        assert world.bayes_cost(condition).estimate <= world.true_cost(best, condition).estimate + 1e-12
        for other in (best * 0.9, min(best * 1.1, 1.0)):
            assert world.true_cost(other, condition).estimate >= world.true_cost(best, condition).estimate - 1e-12


def test_curves_of_scores_are_their_own_inverse():
    world = SCORES["normal"]
    fpr = np.array([0.05, 0.3, 0.9])
    tpr = world.roc(fpr)
    shift = world.positive.means[0]
    assert tpr == pytest.approx(stats.norm.sf(stats.norm.isf(fpr) - shift))
    assert world.precision(tpr) == pytest.approx(0.2 * tpr / (0.2 * tpr + 0.8 * fpr))
    grid = np.linspace(0, 0.1, 100_001)
    assert world.partial_auc(0.1).estimate == pytest.approx(np.trapezoid(world.roc(grid), grid), abs=1e-7)
    p = np.array([0.1, 0.5, 0.9])
    assert world.posterior(p) == pytest.approx(p)
    assert (SCORES["too high"].posterior(p) < p).all()


def test_mixtures_of_normals_have_quantiles():
    world = SCORES["mixture"].negative
    for share in (1e-9, 0.2, 0.5, 0.999):
        assert world.cdf(world.ppf(share)) == pytest.approx(share)
        assert world.sf(world.isf(share)) == pytest.approx(share)


def test_a_rule_that_is_no_threshold_may_be_better():
    wide = Gaussians([[0], [0]], [[[1]], [[9]]])
    scores = wide.along([1])
    dense = np.linspace(-40, 40, 800_001)
    density = np.minimum(stats.norm.pdf(dense), stats.norm.pdf(dense, scale=3)) / 2
    assert wide.bayes_error.estimate == pytest.approx(np.trapezoid(density, dense), abs=1e-8)
    assert wide.bayes_error.estimate < scores.true_error(scores.best_threshold(th.OperatingCondition())).estimate - 0.1


def test_clusters_and_selection_leave_the_truth_as_it_is():
    plain = Scores.of_auc(0.8, prevalence=0.3)
    clustered: Any = plain.clustered(50, 0.3).sample(100_000, seed=2)
    effect = np.array(
        [
            clustered.scores[clustered.labels == 0][clustered.clusters[clustered.labels == 0] == c].mean()
            for c in range(300)
        ]
    )
    assert effect.var() == pytest.approx(0.3 + 0.7 / 35, rel=0.3)
    assert plain.auc.estimate in th.auc_interval(clustered.rows, level=0.9999)
    selected = plain.selected(lambda x: 1 / (1 + np.exp(-x))).sample(100_000, seed=2)
    assert plain.auc.estimate in th.auc_interval(selected.rows, level=0.9999)
    assert plain.auc.estimate not in th.auc_interval(th.rank(selected.labels, selected.scores), level=0.9999)


def test_cells_are_sums():
    tree = Cells.of_ranking(th.Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    assert tree.bayes_error.estimate == pytest.approx(0.3)
    assert tree.noisy(0.2).bayes_error.estimate == pytest.approx(0.2 + 0.6 * 0.3)
    assert tree.true_error(lambda cell: cell[:, 0] < 1).estimate == pytest.approx((5 + 30) / 100)
    assert tree.true_cost(lambda cell: cell[:, 0] < 1, th.OperatingCondition(cost_ratio=2)).estimate == 0.65
    assert tree.true_error(tree.best_threshold(th.OperatingCondition())).estimate == pytest.approx(0.3)
    # at one positive in ten each leaf costs what is cheaper: 10 misses weigh as much as 9 false alarms
    costs = [min(0.1 * 10 * pos / 50, 0.9 * neg / 50) for pos, neg in ((20, 5), (10, 5), (20, 40))]
    assert tree.bayes_cost(DEAR).estimate == pytest.approx(sum(costs))
    three = Cells([[8, 1, 1], [1, 4, 5]])
    assert three.bayes_error.estimate == pytest.approx(7 / 20)
    assert three.noisy(0.3).bayes_error.estimate == pytest.approx(0.3 + (1 - 0.45) * 7 / 20)
    sample = three.sample(100_000, seed=1)
    assert mean_within(three.bayes_error, three.posterior(sample.X).argmax(axis=1) != sample.labels)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Gaussians([[0, 0], [1, 1]], [[1, 1], [1, 1]]), "covariance 0 is singular"),
        (lambda: Gaussians([[0, 0], [1, 1]], [[1.0, 0.0], [0.5, 1.0]]), "not symmetric"),
        (lambda: Gaussians([[0, 0], [1, 1]], np.eye(3)), "fits no 2 features"),
        (lambda: Gaussians([[0], [1]], -1), "least eigenvalue is -1"),
        (lambda: Gaussians([[0]]), "two rows or more"),
        (lambda: Gaussians([[0.0], [math.nan]]), "finite"),
        (lambda: Gaussians([[0], [1]], shares=[1, 0]), "above 0"),
        (lambda: Gaussians([[0], [1]], shares=[1]), "1 numbers for 2"),
        (lambda: Gaussians([[0], [1]], classes=[0, 0]), "two classes"),
        (lambda: Gaussians([[0], [1]], classes=[0, 2]), "two classes"),
        (lambda: LINE.noisy(0.5), "below 0.5"),
        (lambda: LINE.auc([0]), "not all 0"),
        (lambda: LINE.auc([1, 2]), "1 finite numbers"),
        (lambda: TWONORM.best_threshold(DEAR), "along which"),
        (TWONORM.auc, "along which"),
        (lambda: Gaussians([[0.0], [math.nan]]), "finite numbers, got"),
        (lambda: TWONORM.posterior([[1, 2]]), "20 features"),
        (lambda: TWONORM.sample(10).ranking, "no score"),
        (lambda: TWONORM.true_error("linear"), "direction and a threshold"),
        (lambda: LINE.true_error(lambda X: X[:, 0]), "a class from 0 to 1"),
        (lambda: Cells([[1, 2], [3, 4]]).true_error(lambda _: [True]), "for 2 rows"),
        (lambda: Scores.of_auc(0.8).selected(lambda x: np.full(x.shape, 1e-9)).sample(5), "too few"),
        (lambda: Gaussians(TRIANGLE).bayes_cost(DEAR), "3 classes"),
        (lambda: LINE.sample(0), "at least 1"),
        (lambda: LINE.sample(10, seed=-1), "at least 0"),
        (lambda: Cells([[1, 2], [0, 0]]), "row 1"),
        (lambda: Cells([[1, 0], [2, 0]]), "column 1"),
        (lambda: Cells([[1, -2]]), "at least 0"),
        (lambda: Cells([1, 2]), "shape"),
        (lambda: Cells([[1, 2]], scores=[1, 2]), "2 scores for 1"),
        (lambda: Cells([[1, 2 + 1j]]), "must be numbers"),
        (lambda: Cells([[1e308, 1e308]]), "overflows"),
        (lambda: Gaussians([[0.0], [1.0]], classes=0), "classes cannot be"),  # type: ignore[arg-type]
        (lambda: Cells([[1, 2, 3]], scores=[1]), "two classes"),
        (lambda: Cells([[1, 2, 3]]).auc, "3 classes"),
        (lambda: Cells([[1, 2]]).posterior([1]), "numbered 0 to 0"),
        (lambda: Scores.of_auc(1.0), "auc"),
        (lambda: Scores.of_auc(0.8, prevalence=0), "prevalence"),
        (lambda: Scores(1, 2), "continuous distribution"),  # type: ignore[arg-type]
        (lambda: Scores.of_auc(0.8).brier, "no probabilities"),
        (lambda: Scores.of_auc(0.8).logistic().posterior([1.2]), "within"),
        (lambda: Scores.of_auc(0.8).logistic(slope=-1), "turn round"),
        (lambda: Scores.of_auc(0.3).as_probabilities(), "above 0.5"),
        (lambda: Scores.of_auc(0.8, noise=stats.t(3)).as_probabilities(), "no straight line"),
        (lambda: Scores.of_auc(0.8).clustered(3, 1), "below 1"),
        (lambda: Scores.of_auc(0.8).clustered(3, 0.1).selected(np.ones_like), "one by one"),
        (lambda: Scores.of_auc(0.8).selected(np.zeros_like).sample(5), "up to 1"),
    ],
)
def test_bad_input_is_refused_in_words(wrong, words):
    with pytest.raises(ThresherError, match=words):
        wrong()


@pytest.mark.parametrize(
    ("positive", "negative"),
    [
        (stats.norm(-1.2, 1), stats.norm(0, 1)),  # positives score lower
        (stats.norm(-0.3, 3), stats.norm(0, 1)),  # the fpr is further above the tpr than below it
        (stats.norm(0.3, 1), stats.norm(0, 3)),
    ],
)
def test_the_distance_of_classes_counts_either_way(positive, negative):
    x = np.linspace(-12, 12, 200_001)
    expected = np.abs(positive.sf(x) - negative.sf(x)).max()
    assert Scores(positive, negative).ks.estimate == pytest.approx(expected, abs=1e-8)


ODD = [
    None,
    "x",
    [],
    {},
    math.nan,
    math.inf,
    10**400,
    1e308,
    np.array([[[0.0]]]),
    stats.norm,
    stats.poisson(3),
    lambda x: x,
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("odd", ODD, ids=map(str, range(len(ODD))))
def test_odd_arguments_are_answered_or_refused_in_words(odd):
    """No call of the laboratory fails in another way, or warns."""
    normal = Scores.of_auc(0.8, 0.3)
    calls = [
        lambda: Gaussians(odd),
        lambda: Gaussians([[-1], [1]], odd),
        lambda: Gaussians([[-1], [1]]).posterior(odd),
        lambda: Gaussians([[-1], [1]]).along(odd),
        lambda: Cells(odd),
        lambda: Cells([[5, 2], [1, 8]]).posterior(odd),
        lambda: Scores(odd, stats.norm()),
        lambda: Scores.of_auc(0.8, noise=odd),
        lambda: normal.as_probabilities(shift=odd),
        lambda: normal.as_probabilities(slope=odd),
        lambda: normal.levels(odd),
        lambda: normal.posterior(odd),
        lambda: normal.roc(odd),
        lambda: normal.precision(odd),
        lambda: coverage(normal, 20, lambda _: odd, 0.8, replicates=1),
        lambda: coverage(normal, 20, lambda sample: th.auc_interval(sample.ranking), odd, replicates=1),
    ]
    for call in calls:
        with contextlib.suppress(ThresherError):
            call()


def test_a_probability_of_one_has_a_posterior():
    world = Scores.of_auc(0.99, 0.1).as_probabilities()
    assert world.posterior([0.0, 1.0]).tolist() == pytest.approx([0.0, 1.0])
