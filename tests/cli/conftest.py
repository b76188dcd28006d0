"""A folder with scored rows in it, and a way to run a command there."""

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from thresher.cli.app import program
from thresher.cli.schemas import json_schema


@pytest.fixture(scope="session")
def columns():
    """Labels, three models of different worth, weights, clusters and predictions: 240 rows."""
    rng = np.random.default_rng(7)
    positive = rng.random(240) < 0.4
    noise = rng.normal(size=(3, 240))
    squashed = {
        name: 1 / (1 + np.exp(-(noise[i] + worth * positive)))
        for i, (name, worth) in enumerate({"forest": 2.5, "logistic": 2.0, "bayes": 1.0}.items())
    }
    return {
        "malignant": positive.astype(int),
        **squashed,
        "label": np.where(positive, "spam", "ham"),
        "weight": rng.integers(1, 4, 240),
        "patient": np.arange(240) // 3,
        "said": (squashed["forest"] >= 0.5).astype(int),
    }


@pytest.fixture(scope="session")
def animals():
    """Three classes, what was named, and the probabilities of two models: 300 rows."""
    rng = np.random.default_rng(11)
    classes = ["cat", "dog", "snake"]
    actual = rng.choice(3, size=300, p=[0.5, 0.3, 0.2])
    columns = {"animal": np.array(classes)[actual]}
    for model, worth in (("", 1.5), ("tree_", 0.8)):
        margins = rng.normal(size=(300, 3)) + worth * np.eye(3)[actual]
        p = np.exp(margins) / np.exp(margins).sum(axis=1, keepdims=True)
        if not model:
            columns["named"] = np.array(classes)[p.argmax(axis=1)]
        columns |= {f"{model}{name}": p[:, i] for i, name in enumerate(classes)}
    return columns | {
        "weight": rng.integers(1, 4, 300),
        "herd": np.arange(300) // 4,
        "year": 2020 + rng.integers(0, 2, 300),
    }


@pytest.fixture
def folder(tmp_path, monkeypatch, columns, animals):
    """A working directory that holds predictions.csv and animals.csv."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    write_csv(tmp_path / "predictions.csv", columns)
    write_csv(tmp_path / "animals.csv", animals)
    return tmp_path


@pytest.fixture(scope="session")
def tumours():
    """Ten features of scikit-learn's breast cancer, a text target and an identifier: a frame of 569 rows."""
    datasets = pytest.importorskip("sklearn.datasets")
    table = datasets.load_breast_cancer(as_frame=True).frame
    worst = [name for name in table.columns if name.startswith("worst")]
    answer = table[worst].assign(side=np.where(np.arange(569) % 3, "left", "right"))
    answer.insert(0, "tumour", np.where(table["target"] == 0, "malignant", "benign"))
    answer.insert(0, "id", np.arange(1, 570))
    return answer


@pytest.fixture(scope="session")
def learnt(tmp_path_factory, tumours):
    """A folder that holds tumours.csv, and in out/ what learn wrote; it is not to be changed."""
    home = tmp_path_factory.mktemp("learnt")
    tumours.to_csv(home / "tumours.csv", index=False)
    words = ["learn", str(home / "tumours.csv"), "--target", "tumour", "--positive", "malignant", "--cost-fn", "5"]
    more = ["--model", "logistic", "--folds", "4", "--no-curves", "-o", str(home / "out")]
    result = CliRunner().invoke(program, [*words, *more, "--json"], prog_name="thresher")
    assert result.exit_code == 0, result.output
    (home / "learnt.json").write_text(result.stdout)
    return home


@pytest.fixture(scope="session")
def large(tmp_path_factory):
    """A Parquet file of more rows than are read to be counted, 2.2 million: y, p, q, week and country."""
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(3)
    rows = 2_200_000
    labels = (rng.random(rows) < 0.3).astype(np.int8)
    noise = rng.normal(size=rows)
    columns = {
        "y": labels,
        "p": 1 / (1 + np.exp(-noise - 1.2 * labels)),
        "q": 1 / (1 + np.exp(-noise - rng.normal(size=rows) - labels)),
        "week": rng.integers(1, 3, rows),
        "country": np.array(["NL", "BE"])[rng.integers(0, 2, rows)],
    }
    path = tmp_path_factory.mktemp("large") / "rows.parquet"
    parquet.write_table(arrow.table(columns), path)
    return str(path)


@pytest.fixture
def run(folder):  # noqa: ARG001 - the command runs there
    """Run a command line; the result has exit_code, stdout and stderr."""

    def ran(*words, stdin=None, env=None):
        result = CliRunner().invoke(program, list(words), input=stdin, env=env, prog_name="thresher")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return ran


@pytest.fixture
def refused(run, folder):
    """Run a command line that must be refused: exit 2, one paragraph, nothing on stdout, nothing written."""

    def ran(*words, stdin=None):
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        result = run(*words, stdin=stdin)
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
        assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
        text = result.stderr
        assert text.startswith("thresher: ")
        assert "\n\n" not in text
        assert "Traceback" not in text
        assert "\n  where: " in text
        assert "\n  fix:   " in text
        return text

    return ran


@pytest.fixture
def data(run):
    """Run a command line with --json and read what it prints: plain JSON after the command's schema, nothing else."""

    def ran(*words, stdin=None):
        result = run(*words, "--json", stdin=stdin)
        assert result.exit_code == 0, result.output
        value = json.loads(result.stdout, parse_constant=_refuse)
        errors = Draft202012Validator(json_schema(words[0])).iter_errors(value)
        assert [(list(error.absolute_path), error.message[:300]) for error in errors] == []
        return value

    return ran


def write_csv(path, columns):
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _refuse(word):
    raise AssertionError(f"{word} is no JSON ({math.nan})")
