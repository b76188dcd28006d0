"""Quantities that a bootstrap computes: on the sample as their own functions, on replicates as a loop would."""

import numpy as np
import pytest

import thresher as th
from tests.inference.test_influence import VALUES
from thresher.inference.intervals.lowess import calibration_distances

TEXTS = {
    **VALUES,
    "ks": lambda r: th.ks(r).statistic,
    "ici": lambda r: calibration_distances(r)[0],
    "e50": lambda r: calibration_distances(r)[1],
    "e90": lambda r: calibration_distances(r)[2],
    "recall@threshold=0.5": lambda r: th.tables.contingency_at(r, 0.5).tpr,
    "precision@threshold=0.5": lambda r: th.tables.contingency_at(r, 0.5).precision,
    "specificity@recall>=0.8": lambda r: th.choose(r, maximise="tnr", subject_to="tpr >= 0.8").value,
    "fpr@precision>=0.6": lambda r: th.choose(r, minimise="fpr", subject_to="precision >= 0.6").value,
    "precision": lambda r: th.choose(r).table.precision,
    "expected_cost": lambda r: th.choose(r).expected_cost,
    "expected_cost@threshold=0.5": lambda r: th.OperatingCondition().expected_cost(th.tables.contingency_at(r, 0.5)),
}
OF_TABLES = ("@threshold", "@recall", "@precision", "precision", "expected_cost")


@pytest.fixture(scope="module")
def mails():
    rng = np.random.default_rng(8)
    labels = rng.random(150) < 0.4
    return labels, (1 / (1 + np.exp(-(rng.normal(size=150) + 1.2 * labels - 0.5)))).round(2)


@pytest.mark.parametrize("text", TEXTS)
def test_on_the_sample_and_on_replicates(mails, text):
    ranking = th.rank(*mails)
    result = th.bootstrap(ranking, [text], replicates=30, stratified=False)
    again = th.bootstrap(ranking, {"slow": TEXTS[text]}, replicates=30, stratified=False)
    assert result.estimate(text) == pytest.approx(TEXTS[text](ranking), abs=1e-12)
    np.testing.assert_allclose(result.values(text), again.values("slow"), atol=1e-9)


@pytest.mark.parametrize("text", [text for text in TEXTS if "cost" not in text])
def test_at_a_declared_mix_it_is_the_quantity_of_the_restated_ranking(mails, text):
    ranking, condition = th.rank(*mails), th.OperatingCondition(prevalence=0.05)
    result = th.bootstrap(ranking, text, replicates=20, condition=condition, trained_at=0.3)
    if text.startswith(OF_TABLES) or "@threshold" in text or ">=" in text.partition("@")[2]:
        if "threshold" in text:
            expected = th.tables.measure(text.partition("@")[0]).of(
                th.tables.contingency_at(ranking, 0.5), class_ratio=1 / 19
            )
        else:
            name, _, limit = text.partition("@")
            how = {"maximise" if th.tables.measure(name).better == "higher" else "minimise": name} if limit else {}
            choice = th.choose(ranking, condition, **how, subject_to=limit or None)
            expected = th.tables.measure(name).of(choice.table, class_ratio=1 / 19)
    else:
        expected = TEXTS[text](th.adjust_prevalence(ranking, 0.05, trained_at=0.3))
    assert result.estimate(text) == pytest.approx(expected, abs=1e-9)
    assert all(plan.stratified for plan, _ in result.schemes)


def test_own_functions_take_the_restated_ranking_too(mails):
    ranking, condition = th.rank(*mails), th.OperatingCondition(prevalence=0.05)
    result = th.bootstrap(ranking, {"brier": "brier", "own": th.brier}, replicates=20, condition=condition)
    np.testing.assert_allclose(result.values("own"), result.values("brier"))
    assert result.estimate("own") == pytest.approx(th.brier(th.adjust_prevalence(ranking, 0.05)))


def test_several_models_weights_and_clusters(mails):
    labels, score = mails
    rng = np.random.default_rng(0)
    rows = th.inference.ScoredRows.of(
        labels, {"a": score, "b": score**2}, weights=rng.uniform(0.5, 2, 150), clusters=rng.integers(0, 40, 150)
    )
    texts = ["log_loss", "net_benefit@0.2", "calibration_slope", "partial_auc[fpr<=0.2]"]
    result = th.bootstrap(rows, texts, replicates=100, condition=th.OperatingCondition(prevalence=0.1))
    for text in texts:
        gap = result.difference(text, "a", "b")
        assert gap.lower <= gap.estimate <= gap.upper
    ranking = th.adjust_prevalence(rows.ranking("b"), 0.1)
    assert result.estimate("log_loss", "b") == pytest.approx(float(th.log_loss(ranking)))


def test_an_infinite_loss_stays_infinite_where_it_is_drawn():
    ranking = th.Ranking([1, 0.5], pos=[30, 1], neg=[1, 30])
    result = th.bootstrap(ranking, "log_loss", replicates=200).values("log_loss")
    assert np.isinf(result).mean() == pytest.approx(1 - (30 / 31) ** 31, abs=0.15)
    assert not np.isnan(result).any()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("saving", "needs a whole evaluation"),
        ('recall["L"]', "is of several classes"),
        ("partial_auc", "needs a range"),
    ],
)
def test_what_is_refused(text, what):
    with pytest.raises(th.errors.MeasureError, match=what) as refused:
        th.bootstrap(th.Ranking.parse("[3+][1-]"), text)
    assert "partial_auc[" in refused.value.fix


def test_scores_that_are_no_probabilities_are_refused():
    for text in ("log_loss", "calibration_slope", "net_benefit@0.1", "ici"):
        with pytest.raises(th.errors.ProbabilityError):
            th.bootstrap(th.Ranking.parse("[3+][1-]"), text)
    with pytest.raises(th.errors.ProbabilityError, match="trained_at"):
        th.bootstrap(th.Ranking.parse("[3+][1-]"), "auc", condition=th.OperatingCondition(prevalence=0.1), trained_at=2)


@pytest.mark.parametrize("seed", range(5))
def test_a_bound_that_a_threshold_reaches_exactly_is_met_by_it(seed):
    rng = np.random.default_rng(seed)
    labels, scores = np.arange(60) < 23, rng.random(60).round(3)
    ranking = th.rank(labels, scores)
    for bounded in ("fpr", "precision"):
        bound = float(getattr(th.tables.contingency_at(ranking, float(np.quantile(scores, 0.6))), bounded))
        text = f"recall@{bounded}{'<=' if bounded == 'fpr' else '>='}{bound!r}"
        best = th.choose(ranking, maximise=text).value
        assert th.bootstrap(ranking, text, replicates=2).estimate(text) == best
        (quantities,) = th.evaluate(labels, scores, measures=[text], replicates=5).quantities.values()
        assert quantities[text].estimate == best
        assert th.compare(labels, {"a": scores, "b": 1 - scores}, measure=text, replicates=100).estimates["a"] == best


@pytest.mark.parametrize(
    "text", ["brier", "log_loss", "net_benefit@0.3", "calibration_intercept", "ici", "miscalibration"]
)
def test_without_a_mix_probabilities_are_restated_for_the_prevalence_of_the_data(mails, text):
    labels, p = mails
    rows, ranking = th.inference.ScoredRows.of(labels, p), th.rank(labels, p)
    declared = th.OperatingCondition(prevalence=ranking.prevalence)
    restated = TEXTS.get(text, lambda r: th.net_benefit(r, threshold=[0.3]).model[0])(
        th.adjust_prevalence(ranking, ranking.prevalence, trained_at=0.1)
    )
    for source in (rows, ranking):
        for condition in (None, declared):
            result = th.bootstrap(source, text, replicates=5, condition=condition, trained_at=0.1)
            assert result.estimate(text) == pytest.approx(restated, abs=1e-9)
            assert result.stratified[text] == (condition is not None)
    models = {"a": p, "b": 1 - p}
    for condition in (None, declared):
        compared = th.compare(labels, models, measure=text, condition=condition, trained_at=0.1, replicates=100)
        assert compared.estimates["a"] == pytest.approx(restated, abs=1e-9)
    for source in (rows, ranking):
        of_data, stated = (
            th.inference.calibration_report(source, condition=condition, trained_at=0.1)
            for condition in (None, declared)
        )
        for name, interval in of_data.numbers.items():
            other = stated.numbers[name]
            assert (interval.apparent or interval.estimate) == pytest.approx(other.apparent or other.estimate, abs=1e-9)


@pytest.mark.parametrize("condition", [None, th.OperatingCondition(prevalence=0.05)])
def test_the_decomposition_is_that_of_its_quantities(mails, condition):
    ranking = th.rank(*mails)
    together = th.bootstrap(ranking, "decomposition", replicates=20, condition=condition, trained_at=0.2)
    apart = th.bootstrap(ranking, list(together.names), replicates=20, condition=condition, trained_at=0.2)
    assert together.names == ("miscalibration", "discrimination", "refinement")
    for name in together.names:
        assert together.estimate(name) == pytest.approx(apart.estimate(name))
        np.testing.assert_allclose(together.values(name), apart.values(name), atol=1e-12)
