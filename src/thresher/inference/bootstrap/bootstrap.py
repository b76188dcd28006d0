"""`bootstrap`: one resampling that serves every statistic and every model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from thresher._internal.arguments import require_level
from thresher._internal.parallel import Progress
from thresher.inference.bootstrap.draws import Resampling, require_replicates
from thresher.inference.bootstrap.quantities import Wanted, statistics_of
from thresher.inference.bootstrap.replicates import Answers, Question, Replicates, Scheme
from thresher.inference.bootstrap.sample import Resampled, sample_of
from thresher.inference.bootstrap.statistics import Mix
from thresher.inference.rows import ScoredRows
from thresher.ranking import Ranking
from thresher.tables import OperatingCondition
from thresher.tables.condition import require_condition


def bootstrap(
    source: ScoredRows | Ranking,
    statistics: Wanted | Sequence[Wanted] | Mapping[str, Wanted],
    *,
    replicates: int = 2000,
    seed: int = 0,
    condition: OperatingCondition | None = None,
    trained_at: float | None = None,
    stratified: bool | None = None,
    level: float = 0.95,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Replicates:
    """Bootstrap one or several statistics of every model.

    A ranking is resampled by segments. Rows are drawn jointly for all models, in entire clusters if there are any, and
    carry their weights along. The same seed gives the same replicates whatever the number of threads.

    What depends on the mix of the classes (Brier score, precision, a cost without a declared class ratio) is as
    uncertain as the mix, so all cases are drawn together. AUC, rates within a class and what is stated at a declared
    ratio are stratified: drawn class by class in fixed numbers. `Replicates.stratified` says which by name.

    Parameters
    ----------
    source
        A `Ranking`, or `ScoredRows.of(labels, scores, ...)` for several models, weights or clusters.
    statistics
        Quantities ("auc", "net_benefit@0.05", "recall@fpr<=0.1"), "decomposition", `BestCost`, `CostAt`, `MeasureAt`,
        or any function of a ranking; one, several, or a mapping that names them.
    replicates, seed
        How many draws, and what they start from.
    condition, trained_at
        Costs, and a class mix at which every quantity is stated: each draw holds both classes fixed, is re-weighted to
        the mix, and probabilities are restated from `trained_at` (by default the prevalence of the sample). Without a
        mix, `trained_at` restates them for the prevalence of the sample.
    stratified
        Whether the numbers of positives and negatives are held fixed for all statistics. None lets each statistic say
        so (`Statistic.depends_on_mix`). Entire clusters are drawn, which holds no numbers fixed.
    level
        The confidence level of intervals asked for later, unless they say otherwise.
    threads
        None means one per processor where there are enough cases to keep them busy.
    progress
        Called as progress(done, draws) every now and then; draws are `replicates`, or twice as many for both kinds.

    Examples
    --------
    >>> from thresher import average_precision
    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    >>> replicates = bootstrap(spam_tree, ["auc"], replicates=500)
    >>> print(replicates.interval("auc"))
    0.7100 [0.6212, 0.7885]
    >>> bootstrap(spam_tree, ["auc", average_precision], replicates=10).stratified
    {'auc': True, 'average_precision': False}
    """
    require_level(level)
    require_replicates(replicates, seed, threads, progress)
    if condition is not None:
        require_condition(condition)
    sample = sample_of(source)
    observed = Resampled.of(next(iter(sample.orders.values())), sample.cases)
    mix = Mix.of(condition, trained_at, float(observed.Pos) / float(observed.Pos + observed.Neg))
    question = Question(sample, statistics_of(statistics, mix, condition))
    question.require()
    schemes = _schemes(question, stratified=stratified)
    drawn: Answers = {}
    for number, (plan, asked) in enumerate(schemes):
        report = None
        if progress is not None:
            report = partial(_report_progress, progress, number * replicates, replicates * len(schemes))
        drawn |= asked.draw(plan, replicates, seed=seed, threads=threads, progress=report)
    return Replicates(question, schemes, replicates, seed, level, estimates=question.observed(), drawn=drawn)


def _schemes(question: Question, *, stratified: bool | None) -> tuple[Scheme, ...]:
    """How the sample is drawn, and the statistics that are asked of such draws."""
    sample = question.sample
    if stratified is not None or sample.cluster is not None:
        return ((Resampling.of(sample, stratified=stratified), question),)
    schemes = []
    for together in (False, True):
        asked = {names: each for names, each in question.statistics.items() if each.depends_on_mix == together}
        if asked:
            schemes.append((Resampling.of(sample, stratified=not together), replace(question, statistics=asked)))
    return tuple(schemes)


def _report_progress(progress: Progress, before: int, draws: int, done: int, _: int) -> None:
    progress(before + done, draws)
