"""Slow, obvious bootstrap: repeat every row as often as it was drawn, rank again, ask again."""

from __future__ import annotations

from typing import Any

import numpy as np

import thresher as th
from thresher._internal.parallel import BLOCK
from thresher.inference.bootstrap.draws import Resampling
from thresher.inference.bootstrap.sample import sample_of, sort_rows
from thresher.inference.rows import ScoredRows


def draws(source: Any, *, replicates: int, seed: int = 0, stratified: bool | None = None) -> list[Any]:
    """How often each positive and negative item is drawn, replicate by replicate, one block after the other."""
    plan = Resampling.of(sample_of(source), stratified=stratified)
    sizes = [min(BLOCK, replicates - done) for done in range(0, replicates, BLOCK)]
    children = np.random.SeedSequence(seed).spawn(len(sizes))
    result: list[Any] = []
    for size, child in zip(sizes, children, strict=True):
        rng = np.random.default_rng(child)
        result += plan.each(rng, size)
    return result


def ranking_of_draw(source: th.Ranking | ScoredRows, times: Any, model: str | None = None) -> th.Ranking:
    """The ranking of the rows drawn, each written down as often as it was drawn."""
    rows = []
    if isinstance(source, th.Ranking):
        for positive, counts, drawn in ((True, source.pos, times[0]), (False, source.neg, times[1])):
            scores = source.score[counts > 0]
            for score, number in zip(scores.tolist(), drawn.tolist(), strict=True):
                rows += [(positive, score, 1.0)] * number
    else:
        source = sort_rows(source)
        for positive, drawn in ((True, times[0]), (False, times[1])):
            index = np.flatnonzero(source.positive == positive)
            score = source.scores[model or source.models[0]]
            for row, number in zip(index.tolist(), drawn.tolist(), strict=True):
                weight = 1.0 if source.weight is None else float(source.weight[row])
                rows += [(positive, score[row], weight)] * number
    labels, scores, weights = (np.array(column) for column in zip(*rows, strict=True))
    weighted = isinstance(source, ScoredRows) and source.weight is not None
    return th.rank(labels, scores, weights=weights if weighted else None)


def example(n: int, seed: int, *, ties: bool = False, shift: float = 1.0) -> tuple[Any, Any]:
    """Labels, and scores of positives shifted upward."""
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.4
    labels[:2] = True, False
    scores = rng.normal(size=n) + shift * labels
    return labels, np.round(scores, 1) if ties else scores


def calibrated(n: int, seed: int, *, off: float = 1.0) -> th.Ranking:
    """Scores that are the true probabilities (to the power `off`)."""
    rng = np.random.default_rng(seed)
    score = rng.random(n)
    return th.rank(rng.random(n) < score**off, score)
