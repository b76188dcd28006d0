"""The pages of the command line and every --help tell the truth: all commands, all options, and examples that run."""

import re
import shlex
import shutil
from contextlib import chdir
from pathlib import Path

import click
import pytest
from sklearn.datasets import load_iris

from docs import terminal
from tests.cli.conftest import write_csv
from thresher.cli.app import COMMANDS, program
from thresher.tables import CostMatrix

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((DOCS / "commands").glob("*.md"))}
ALL = "\n".join([*PAGES.values(), *((DOCS / name).read_text(encoding="utf-8") for name in ("cli.md", "merge.md"))])
SHOWN = re.findall(
    r"^\$ (thresher .*)$", re.sub(r"```\{terminal\}.*?```", "", ALL, flags=re.DOTALL), flags=re.MULTILINE
)
SHOWING = [path.relative_to(DOCS).as_posix() for path in sorted(DOCS.rglob("*.md")) if "{terminal}" in path.read_text()]
DEMOS = ("thresher demo", "thresher watch demo")  # tests of these commands run them


def unbroken(text):
    """Long lines as they were before they were broken to be shown."""
    return re.sub(r" \\\n +", " ", text)


def command_of(name):
    return program.get_command(click.Context(program), name)


EXAMPLES = [example for name in COMMANDS for example in command_of(name).examples]


def commands_of(name):
    """A command by its name, and the commands that it groups, if any."""
    command = command_of(name)
    inner: list[str] = getattr(command, "list_commands", lambda _: [])(None)
    return {f"{name} {one}": command.get_command(None, one) for one in inner} or {name: command}


def test_every_command_has_its_page():
    assert set(PAGES) == set(COMMANDS)
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if page.count(f"commands/{name}") < 2] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_shows_the_command_and_all_its_options(name):
    assert f"\n$ thresher {name} " in PAGES[name]
    for each, command in commands_of(name).items():
        assert f"\n```{{options}} {each}\n" in PAGES[name]
        table = terminal.options(each)
        for option in (one for one in command.params if isinstance(one, click.Option) and not one.hidden):
            assert all(spelt in table for spelt in (*option.opts, *option.secondary_opts))
            assert option.help, f"{each} {option.name} says nothing"


def test_pages_name_no_option_that_is_not_there():
    known = {
        spelt
        for name in COMMANDS
        for command in (command_of(name), *commands_of(name).values())
        for parameter in command.params
        for spelt in (*parameter.opts, *parameter.secondary_opts)
    }
    assert set(re.findall(r"`(--[\w-]+)`", ALL)) - known == set()


@pytest.fixture(scope="module")
def ready(tmp_path_factory, learnt, columns, animals):
    """A folder that holds what examples name; it is not to be changed."""
    home = tmp_path_factory.mktemp("ready")
    write_csv(home / "predictions.csv", columns)
    write_csv(home / "animals.csv", animals)
    few = (learnt / "tumours.csv").read_text().splitlines(keepends=True)[:201]
    (home / "tumours.csv").write_text("".join(few))
    (home / "release.txt").write_text("auc >= 0.85\n")
    (home / "costs.csv").write_text(CostMatrix.by_class({"snake": 10}, ["cat", "dog", "snake"]).to_csv())
    (home / "iris_costs.csv").write_text(CostMatrix.ordinal(["setosa", "versicolor", "virginica"]).to_csv())
    iris = load_iris(as_frame=True)
    flowers = iris.frame.drop(columns="target").assign(species=iris.target_names[iris.target])
    flowers.to_csv(home / "iris.csv", index=False)
    rows = "predictions.csv --label malignant --score"
    made = (
        f"$ thresher evaluate {rows} forest --decision decision.json --quiet",
        f"$ thresher calibrate {rows} bayes -o map.json --quiet",
        f"$ thresher merge {rows} forest -o monday.json --quiet",
    )
    assert unbroken(terminal.run(made, home)).split("\n\n") == list(made)
    for name in ("tuesday.json", "all.json"):
        shutil.copy(home / "monday.json", home / name)
    return home


@pytest.fixture
def folder(ready, tmp_path):
    """A copy of that folder, in which commands run."""
    shutil.copytree(ready, tmp_path, dirs_exist_ok=True)
    with chdir(tmp_path):
        yield tmp_path


@pytest.mark.parametrize("line", [line for line in dict.fromkeys([*EXAMPLES, *SHOWN]) if not line.startswith(DEMOS)])
def test_every_example_runs(run, folder, learnt, line):
    words = shlex.split(line.partition(" > ")[0])[1:]
    if words[0] == "predict":
        shutil.copytree(learnt / "out", folder / "out")
    quick = ["--no-curves"] if words[0] == "learn" else []  # which take most of its time, and have tests
    result = run(*words, *quick)
    assert result.exit_code == 0, result.output
    for option in ("-o", "--output", "--decision", "--write", "--predictions"):
        if option in words:
            assert (folder / words[words.index(option) + 1]).stat().st_size > 0


@pytest.mark.parametrize("name", SHOWING)
def test_what_pages_show_runs(folder, name):
    text = (DOCS / name).read_text(encoding="utf-8")
    assert text.count("{terminal}") == len(terminal.blocks(text))
    shown = [line for line in terminal.lines(text) if not line.removeprefix("$ ").startswith(DEMOS)]
    printed = unbroken(terminal.run(shown, folder))
    assert all(line in printed for line in shown)


class TestTerminal:
    """What the pages of commands are made with."""

    def test_a_page_shows_what_is_printed(self, run, folder):
        (line,) = terminal.lines(PAGES["table"])
        shown = unbroken(terminal.run([line], folder))
        assert shown == f"{line}\n{run(*shlex.split(line)[2:], env={'COLUMNS': terminal.WIDTH}).stdout.rstrip()}"
        assert "10,000 cases of 3 classes, accuracy 0.930 [0.925, 0.935]" in shown
        assert unbroken(terminal.run([line], folder, first=1)).split("\n")[2:] == ["…"]

    def test_a_long_line_is_broken_before_options(self, folder):
        line = terminal.lines(PAGES["gate"])[0]
        first, *others = terminal.run([line], folder).split("\n")[:3]
        assert first == "$ thresher gate predictions.csv --label malignant --score forest \\"
        assert others[0].startswith('    --require "auc >= 0.85" --require "recall')
        assert max(map(len, [first, *others])) <= int(terminal.WIDTH)

    def test_a_command_that_fails_shows_nothing(self, folder):
        with pytest.raises(ValueError, match=r"gate nowhere\.csv .*\nexits with 2: (?s:.*)nowhere\.csv"):
            terminal.run(['$ thresher gate nowhere.csv --label y --score p --require "auc >= 0"'], folder)

    def test_a_command_that_there_is_not(self):
        with pytest.raises(ValueError, match="there is no command 'watch noon'"):
            terminal.options("watch noon")
