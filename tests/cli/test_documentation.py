"""docs/cli.md, docs/merge.md and every --help tell the truth: all commands, all options, and examples that run."""

import re
import shlex
import shutil
from pathlib import Path

import click
import pytest
from sklearn.datasets import load_iris

from thresher.cli.app import COMMANDS, program
from thresher.tables import CostMatrix

DOCS = Path(__file__).parents[2] / "docs"
PAGE, PARTS = ((DOCS / name).read_text(encoding="utf-8") for name in ("cli.md", "merge.md"))
SHOWN = re.findall(r"^\$ (thresher .*)$", PAGE + PARTS, flags=re.MULTILINE)


def command_of(name):
    return program.get_command(click.Context(program), name)


EXAMPLES = [example for name in COMMANDS for example in command_of(name).examples]


def parameters_of(name):
    """Those of a command, and of the commands that it groups."""
    command = command_of(name)
    inner: list[str] = getattr(command, "list_commands", lambda _: [])(None)
    return [*command.params, *(each for one in inner for each in command.get_command(None, one).params)]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_section_with_an_example(name):
    section = PAGE.split(f"\n## `thresher {name}`\n")[1].split("\n## ")[0]
    assert f"\n$ thresher {name} " in section


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_on_the_page(name):
    options = {
        spelt
        for parameter in parameters_of(name)
        if isinstance(parameter, click.Option)
        for spelt in (*parameter.opts, *parameter.secondary_opts)
        if spelt.startswith("--")
    }
    assert {option for option in options - {"--help"} if f"`{option}`" not in PAGE} == set()


def test_the_page_names_no_option_that_is_not_there():
    known = {
        spelt
        for name in COMMANDS
        for parameter in parameters_of(name)
        for spelt in (*parameter.opts, *parameter.secondary_opts)
    }
    assert set(re.findall(r"`(--[\w-]+)`", PAGE)) - known == set()


@pytest.fixture
def prepared(run, folder, learnt):
    """A folder in which examples find what they name."""
    few = (learnt / "tumours.csv").read_text().splitlines(keepends=True)[:201]
    (folder / "tumours.csv").write_text("".join(few))
    (folder / "release.txt").write_text("auc >= 0.85\n")
    (folder / "costs.csv").write_text(CostMatrix.by_class({"snake": 10}, ["cat", "dog", "snake"]).to_csv())
    (folder / "iris_costs.csv").write_text(CostMatrix.ordinal(["setosa", "versicolor", "virginica"]).to_csv())
    iris = load_iris(as_frame=True)
    flowers = iris.frame.drop(columns="target").assign(species=iris.target_names[iris.target])
    flowers.to_csv(folder / "iris.csv", index=False)
    rows = ["predictions.csv", "--label", "malignant", "--score", "forest"]
    for words in (
        ["evaluate", *rows, "--decision", "decision.json", "-q"],
        ["calibrate", "predictions.csv", "--label", "malignant", "--score", "bayes", "-o", "map.json", "-q"],
        ["merge", *rows, "-o", "monday.json", "-q"],
        ["merge", *rows, "-o", "tuesday.json", "-q"],
        ["merge", *rows, "-o", "all.json", "-q"],
    ):
        assert run(*words).exit_code == 0


@pytest.mark.usefixtures("prepared")
@pytest.mark.parametrize("line", dict.fromkeys([*EXAMPLES, *SHOWN]))
def test_every_example_runs(run, folder, learnt, line):
    words = shlex.split(line.partition(" > ")[0])[1:]
    if words[0] == "predict":
        shutil.copytree(learnt / "out", folder / "out")
    result = run(*words)
    assert result.exit_code == 0, result.output
    for option in ("-o", "--output", "--decision", "--write", "--predictions"):
        if option in words:
            assert (folder / words[words.index(option) + 1]).stat().st_size > 0


def test_the_table_on_the_page_is_what_is_printed(run):
    shown = PAGE.split("## `thresher table`")[1].split("```text\n")[1].split("```")[0]
    words = shlex.split(next(line for line in SHOWN if "--counts" in line))[1:]
    assert run(*words).stdout.startswith(shown)
