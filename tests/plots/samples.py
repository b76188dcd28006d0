"""Rankings, evaluations and names that pictures are tried on."""

from types import SimpleNamespace

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import thresher as th
from tests.strategies import two_class_rankings

SPAM_TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
EMAILS = th.rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13])
MODELS = {"tree": SPAM_TREE, "emails": SPAM_TREE + SPAM_TREE}

# What rankings may look like at their worst; all scores are probabilities.
CORNERS = {
    "two cases": th.Ranking([0.8, 0.2], pos=[1, 0], neg=[0, 1]),
    "two cases reversed": th.Ranking([0.8, 0.2], pos=[0, 1], neg=[1, 0]),
    "two cases tied": th.Ranking([0.5], pos=[1], neg=[1]),
    "all tied": th.Ranking([0.5], pos=[30], neg=[70]),
    "all tied at 0": th.Ranking([0.0], pos=[3], neg=[7]),
    "perfect": th.Ranking([1.0, 0.0], pos=[5, 0], neg=[0, 5]),
    "reversed": th.Ranking.parse("[5-][5+]", score=[0.9, 0.1]),
    "one positive": th.Ranking.parse("[100-][1+,50-][849-]", score=[0.9, 0.5, 0.1]),
    "one negative": th.Ranking.parse("[849+][50+,1-][100+]", score=[0.9, 0.5, 0.1]),
    "weighted": th.Ranking([0.9, 0.5, 0.1], pos=[0.7, 0.2, 0.1], neg=[0.1, 0.3, 0.9]),
    "ten e-mails": EMAILS,
}
INFINITE = th.Ranking([np.inf, 2.0, -1.0, -np.inf], pos=[2, 3, 1, 0], neg=[0, 1, 3, 2])
ONE_CLASS = {"no negatives": th.Ranking([0.9, 0.1], [2, 3], [0, 0]), "no positives": th.Ranking([0.9], [0], [4])}

probability_rankings = two_class_rankings.map(lambda ranking: th.Ranking(ranking.score / 13, ranking.pos, ranking.neg))

HOSTILE = (
    "$\\frac{$",
    "_nolegend_",
    "</script><script>alert(1)</script>",
    "__proto__",
    "line\u2028sep\nnew",
    "\u202eright to left",
    "\x1b[31mred\x1b[0m",
    "=cmd()",
    "",
    "x" * 500,
    "lone \ud800 surrogate",
    "%s {0} \\LaTeX_^",
)


def scored(models=3, rows=600, seed=0):
    """Labels, and a column of probabilities per model."""
    rng = np.random.default_rng(seed)
    labels = rng.random(rows) < 0.3
    names = [f"model {i}" for i in range(models)]
    return labels, {
        name: 1 / (1 + np.exp(1 - rng.normal(size=rows) - (0.6 + 0.4 * i) * labels)) for i, name in enumerate(names)
    }


def rankings(models=3, rows=600, seed=0):
    labels, scores = scored(models, rows, seed)
    return {name: th.rank(labels, score) for name, score in scores.items()}


def axes():
    """Axes that pyplot does not know of."""
    figure = Figure(layout="constrained")
    FigureCanvasAgg(figure)  # without it, drawing does nothing and warns of nothing
    return figure.add_subplot()


def drawn(display, **options):
    """The display, plotted and rendered: warnings are errors."""
    display.plot(axes(), **options)
    display.figure_.canvas.draw()
    return display


def words(display):
    """Every text of the picture."""
    from matplotlib.text import Text

    return [text.get_text() for text in display.figure_.findobj(Text) if text.get_text()]


def legend(display):
    artist = display.ax_.get_legend()
    return [] if artist is None else [text.get_text() for text in artist.get_texts()]


def band(estimate, half=0.05):
    estimate = np.asarray(estimate, dtype=float)
    return SimpleNamespace(estimate=estimate, lower=estimate - half, upper=estimate + half)
