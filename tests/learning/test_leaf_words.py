"""Words at leaves: counts in the notation of rankings."""

import numpy as np

import thresher as th
from thresher.learning.leaf_words import leaf_words


def test_segments_are_in_the_notation_of_rankings():
    counts = np.array([[5, 20], [0, 3], [7, 0]])
    shown = [words[0] for words in leaf_words(counts, counts / 25, np.array([0, 1]), column=1)]
    assert shown == ["[20+,5-]", "[3+]", "[7-]"]
    assert str(th.Ranking.parse("".join(shown))) == "".join(shown)


def test_weights_are_shown_short():
    words = leaf_words(np.array([[0.123456, 2.0]]), np.array([[0.06, 0.94]]), np.array(["a", "b"]), column=0)
    assert words == [("[0.1235+,2-]", "score -4.018", "p 0.06", "call b")]
