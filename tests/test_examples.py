"""The examples run as their own words say; that of figures is tested with the displays."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import thresher as th

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture
def release(tmp_path, monkeypatch):
    """Run the weekly release on 400 rows, of two models that are as much better than noise as said."""
    monkeypatch.chdir(tmp_path)
    main = runpy.run_path(str(EXAMPLES / "weekly_release.py"))["main"]

    def run(*, current, candidate):
        rng = np.random.default_rng(3)
        labels = rng.random(400) < 0.3
        old, new = rng.normal(size=(2, 400)) + np.outer([current, candidate], labels)
        rows = "\n".join(f"{int(label)},{a},{b}" for label, a, b in zip(labels, old, new, strict=True))
        Path("rows.csv").write_text(f"y,old,new\n{rows}\n")
        return main(["rows.csv", "--label", "y", "--current", "old", "--candidate", "new", "-o", "decision.json"])

    return run


@pytest.mark.parametrize(("current", "candidate", "released"), [(1.0, 3.0, "new"), (3.0, 3.0, "old")])
def test_a_candidate_is_released_only_where_it_is_surely_cheaper(release, current, candidate, released):
    assert release(current=current, candidate=candidate) == 0
    assert th.Decision.load("decision.json").model == released


def test_what_may_be_worth_nothing_is_not_released(release, capsys):
    assert release(current=0.0, candidate=0.1) == 1
    assert "not released" in capsys.readouterr().out
    assert not Path("decision.json").exists()
