"""The public study of coverage: what it asks, how it draws, and that good limits hold in it."""

import inspect
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import thresher.inference as ti
from benchmarks import anytime, coverage
from benchmarks.coverage_page import GOOD, Row, by_group, overview, page, picture, write

HOLD = ("AUC", "Expected cost", "Brier score", "Two models", "Tests")
# Public functions that make intervals, bands or tests and are not asked by name.
ASKED_OTHERWISE = {
    "rate_interval": "rates of tables have its limits",
    "interval": "th.interval",
    "intervals": "th.intervals",
    "calibration_report": "evaluate reports its numbers",
    "out_of_bag_choice": "evaluate reports its cost",
    "classified_rows": "makes no interval",
    "compare_rankings": "the limits of compare_unpaired",
    "compare_scan": "the limits of compare",
    "corrected_t": "judges folds of a learner",
    "bayesian_correlated_t": "judges folds of a learner",
    "bounds": "certain bounds, no limits of chance",
}
ROWS = [
    Row("AUC", "auc_interval", "60 of 200", 0.95, 0.94, 0.96),
    Row("AUC", "auc_interval", "a < b & c", 0.99, 0.98, 0.995),
    Row("ROC band", "at fpr 0.1", "60 of 200", 0.4, 0.35, 0.45),
]


def task(group, scenario):
    """The numbers of a question and of a scenario."""
    return next(
        (i, j)
        for i, j in coverage.tasks()
        if coverage.questions()[i].group == group and coverage.scenarios()[j].name == scenario
    )


def test_every_public_interval_band_and_test_is_asked():
    source = inspect.getsource(coverage)
    kinds = ("Interval", "Band", "Comparison", "Difference", "Test", "CorrelatedT", "Replicates", "OutOfBag", "Report")
    makers = {
        name
        for name in ti.__all__
        if inspect.isfunction(each := getattr(ti, name))
        and any(kind in str(inspect.signature(each).return_annotation) for kind in kinds)
    }
    assert {"auc_interval", "roc_band", "mcnemar", "calibration_test"} <= makers
    unasked = {name for name in makers if f".{name}" not in source} - set(ASKED_OTHERWISE)
    # Limits of every look have another study, benchmarks/anytime.py, and tests that count how often they hold.
    of_every_look = {name for name in unasked if getattr(ti, name).__module__.startswith("thresher.inference.anytime.")}
    assert unasked - of_every_look == set()
    counting = Path(__file__).parents[1] / "inference" / "anytime"
    sources = [Path(anytime.__file__), *counting.glob("test_*.py")]
    elsewhere = "".join(path.read_text(encoding="utf-8") for path in sources)
    assert {name for name in of_every_look if name not in elsewhere} == set()


def test_every_scenario_is_asked_and_no_name_occurs_twice():
    asked = {j for _, j in coverage.tasks()}
    assert asked == set(range(len(coverage.scenarios())))
    assert len({scenario.name for scenario in coverage.scenarios()}) == len(asked)
    for i, j in coverage.tasks():
        assert isinstance(coverage.questions()[i].truths(coverage.scenarios()[j].world), dict)


@pytest.mark.parametrize(
    ("group", "scenario"),
    [
        ("AUC", "heavy tails"),
        ("AUC", "60 clusters of 5"),
        ("Expected cost", "5 levels, 60 of 200"),
        ("Tests", "AUC .99"),
    ],
)
def test_a_tiny_study_finds_that_good_limits_hold(group, scenario):
    question, world = task(group, scenario)
    rows = coverage.answer(question, world, {"quick": 150, "medium": 1, "slow": 10})
    assert rows
    for row in rows:
        assert row.upper > 0.95
        assert row.share > 0.85


def test_a_study_finds_limits_that_do_not_hold(monkeypatch):
    question = coverage.questions()[0]
    narrow = [
        coverage.Question(
            "narrow",
            question.needs,
            lambda _, s: {"auc_interval": ti.auc_interval(s.ranking, level=0.6)},
            question.truths,
        )
    ]
    monkeypatch.setattr(coverage, "questions", lambda: narrow)
    (row,) = coverage.answer(0, 0, {"quick": 150})
    assert row.side == -1
    assert row.upper < GOOD[0]


def test_a_study_that_was_killed_and_resumed_adds_up_to_the_same_counts(monkeypatch, tmp_path):
    few = [task("AUC", "heavy tails"), task("Expected cost", "5 levels, 60 of 200")]
    monkeypatch.setattr(coverage, "tasks", lambda: few)
    samples, checkpoint = {"quick": 8, "medium": 8, "slow": 8}, tmp_path / "counts.jsonl"
    at_once = coverage.studied(2, samples, processes=1)
    coverage.studied(1, samples, checkpoint=checkpoint, processes=1)
    checkpoint.write_text(checkpoint.read_text(encoding="utf-8")[:-9], encoding="utf-8")  # killed while it wrote
    assert coverage.studied(2, samples, checkpoint=checkpoint, processes=1) == at_once
    counted = checkpoint.read_text(encoding="utf-8").splitlines()
    assert len(counted) == 1 + 2 * len(few)
    assert coverage.studied(2, samples, checkpoint=checkpoint, processes=1) == at_once
    assert checkpoint.read_text(encoding="utf-8").splitlines() == counted  # nothing was left to count


def test_the_page_names_what_lies_outside_and_draws_every_dot(tmp_path):
    replicates = {"quick": 1, "medium": 2, "slow": 3}
    write(ROWS, replicates, tmp_path)
    text = (tmp_path / "coverage.md").read_text(encoding="utf-8")
    assert text == page(ROWS, replicates)
    assert (
        "3 pairs in all. **1 held it in 93 to 97 % of samples, within chance; 1 less often, 1 more often.**"
        in " ".join(text.split())
    )
    assert "| ROC band: at fpr 0.1 | 60 of 200 | 40.0 % |" in text
    assert "Wider than they need be in some world: `auc_interval`." in text
    assert "| auc_interval | 2 | 95.0, 60 of 200 | 99.0, a < b & c |" in text
    for group, rows in by_group(ROWS):
        drawn = ET.fromstring(picture(group, rows))  # noqa: S314
        assert len(drawn.findall(".//{*}circle")) == len(rows)
    assert sorted(path.name for path in (tmp_path / "_static").iterdir()) == [
        "coverage-auc.svg",
        "coverage-overview.svg",
        "coverage-roc-band.svg",
    ]
    titles = ET.fromstring(overview(ROWS)).iterfind(".//{*}circle/{*}title")  # noqa: S314
    assert [title.text for title in titles] == ["1", "1", "1"]


def test_the_committed_page_shows_every_group():
    docs = Path(coverage.__file__).parents[1] / "docs"
    text = (docs / "coverage.md").read_text(encoding="utf-8")
    for group in dict.fromkeys(question.group for question in coverage.questions()):
        assert f"\n## {group}\n" in text, "run: python -m benchmarks.coverage"
        (name,) = [line for line in text.splitlines() if line.startswith(f"![{group}:")]
        assert (docs / name.split("(")[1].rstrip(")")).exists()


@pytest.mark.slow
def test_limits_that_are_promised_hold_in_every_scenario():
    rows = coverage.studied(1, {"quick": 400, "medium": 60, "slow": 20})
    assert {row.group for row in rows} == {question.group for question in coverage.questions()}
    assert [row for row in rows if row.group in HOLD and row.side < 0] == []


def test_the_page_on_every_look_is_written_from_its_tables():
    text = (Path(anytime.__file__).parents[1] / "docs" / "anytime_study.md").read_text(encoding="utf-8")
    tables = {}
    for part in text.split("\n## ")[1:]:
        lines = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("|")]
        numbers = [[float(cell.replace(",", "").replace("-", "nan")) for cell in line[1:]] for line in lines[2:]]
        columns = lines[0]
        tables[part.partition("\n")[0]] = {
            line[0]: dict(zip(columns, row, strict=True)) for line, row in zip(lines[2:], numbers, strict=True)
        }
    assert tables.keys() == anytime.STUDIES.keys()
    assert anytime.page(tables) == text, "run: python -m benchmarks.anytime"
