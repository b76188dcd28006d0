"""Choices in words: what stays the cheapest, what would be, and what never is."""

from dataclasses import replace

import pytest

import thresher as th
from thresher.cli.console.tables import choice_blocks

CHOICE = th.choose(th.rank([1, 1, 0, 1, 0], [5, 4, 3, 2, 1]), th.OperatingCondition(cost_ratio=3))


@pytest.mark.parametrize(
    ("holds_for", "message"),
    [
        ((1.0, 4.0), "It stays the cheapest for cost ratios from 1 to 4 (now 3)."),
        ((3.0, 3.0), "It stays the cheapest for cost ratios of 3 alone (now 3)."),
        ((3.0000000001, 4.0), "It stays the cheapest for cost ratios from 3 to 4 (now 3)."),
        ((0.4167, 1.167), "It would be the cheapest for cost ratios from 0.4167 to 1.167 (now 3)."),
        ((0.0, 2.0), "It would be the cheapest for cost ratios up to 2 (now 3)."),
        (None, "It is the cheapest for no cost ratio (now 3)."),
    ],
)
def test_where_it_is_the_cheapest(holds_for, message):
    lines = [str(line) for block in choice_blocks({"tree": replace(CHOICE, holds_for=holds_for)}) for line in block]
    assert message in lines
