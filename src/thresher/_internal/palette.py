"""Colours and dashes of models, on the page, in figures and terminals."""

from __future__ import annotations

# Okabe & Ito's colours, which most people can tell apart, darkened on white and lightened on black until words in them
# can be read (4.5 : 1). The page has them in `frontend/src/page.css`, and a test compares.
ON_LIGHT = ("#0072b2", "#b84a00", "#00785a", "#9d4a7d", "#8f6000", "#2a7cab", "#5b5b5b", "#766b00")
ON_DARK = ("#5cb3ec", "#ff8b4d", "#35c99d", "#e59fc8", "#f0b429", "#a3dcff", "#c3cad2", "#f0e442")
# As they were published; those that read well on black and on white come first.
ON_EITHER = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#0072B2")
# Shades of a table, from none to all, and of pairs that are lost, tied and won, which differ in lightness as well.
SHADES_ON_LIGHT, SHADES_ON_DARK = ("#ffffff", "#0072b2"), ("#16181c", "#56b4e9")
PAIRS_ON_LIGHT, PAIRS_ON_DARK = ("#b84a00", "#f0c27b", "#dcebf5"), ("#f0a35e", "#8a6a3c", "#1f3f57")
# Lengths of line and gap where lines are two wide, as in `frontend/src/palette.ts`.
DASHES: tuple[tuple[float, ...], ...] = (
    (),
    (7, 3),
    (2, 2.5),
    (9, 3, 2, 3),
    (12, 3),
    (4, 2),
    (1.5, 3),
    (9, 3, 2, 3, 2, 3),
    (14, 4, 4, 4),
    (5, 5),
)


def dashes_at(place: int) -> tuple[float, ...]:
    """The dashes of the model at this place; none for a solid line.

    >>> dashes_at(0), dashes_at(11)
    ((), (7, 3))
    """
    return DASHES[place % len(DASHES)]
