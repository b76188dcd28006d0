"""Hostile files of every kind that thresher reads back: a right value, or a ThresherError."""

from __future__ import annotations

import io
import json
import math
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import thresher as th
from tests.fuzz.answers import Answers
from tests.fuzz.mutants import byte_mutants, document_mutants, model_mutants
from thresher.calibration import CalibrationMap
from thresher.cli.inputs import read_artefact
from thresher.errors import ThresherError

SECONDS = 900  # after which a mutant hangs


def documents(seed: int, size: int) -> Answers:
    """Decisions, rankings, maps and matrices as JSON with every field gone wrong."""
    answers, rng = Answers(), random.Random(seed)  # noqa: S311 - a case to repeat
    for kind, text in _documents().items():
        for name, mutant in document_mutants(text):
            _judge(answers, f"{kind}, {name}", mutant, *_READERS[kind])
        for name, content in byte_mutants(text.encode(), rng, size):
            _judge(answers, f"{kind}, {name}", content.decode("utf-8", errors="replace"), *_READERS[kind])
            _judge(answers, f"apply {kind}, {name}", content, _read_to_apply, lambda _: True)
    return answers


def stored_rankings(seed: int, size: int) -> Answers:
    """Rankings as Parquet with columns, metadata and bytes gone wrong."""
    answers, rng = Answers(), random.Random(seed)  # noqa: S311 - a case to repeat
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ranking.parquet")
        for ranking in (_RANKING, _BOUNDED):
            ranking.to_parquet(path)
            for name, content in _parquet_mutants(path.read_bytes(), rng, size):
                path.write_bytes(content)
                _judge(answers, f"ranking.parquet, {name}", path, th.Ranking.from_parquet, _use_ranking)
    return answers


def folders(seed: int, size: int) -> Answers:
    """Folders of learn with the columns they expect gone wrong, read and used to score."""
    from thresher.learning import read_learned, write_learned, write_model

    answers, rng = Answers(), random.Random(seed)  # noqa: S311 - a case to repeat
    table = model_table()
    labelled = table.assign(spam=np.arange(len(table)) % 3 == 0)
    with tempfile.TemporaryDirectory() as home:
        learned = th.learn(labelled, "spam", models=["naive bayes"], folds=2, curves=False, types={"note": "text"})
        place = write_learned(learned, labelled, Path(home, "out"))
        write_model(learned.model.estimator_, place / "model.skops")  # without the map, which has its own mutants
        columns = place / "columns.json"
        mutants = list(document_mutants(columns.read_text(encoding="utf-8")))
        for name, mutant in rng.sample(mutants, min(10 * size, len(mutants))):
            columns.write_text(mutant, encoding="utf-8", errors="replace")
            _judge(
                answers, f"columns.json, {name}", place, read_learned, lambda out: out.calls(table).size == len(table)
            )
    return answers


def model_files(seed: int, size: int) -> Answers:
    """Models gone wrong, read and scored in a process that may not crash, hang or raise anything else."""
    answers = Answers()
    command = [sys.executable, "-m", "tests.fuzz.hostile_artefacts", str(seed), str(max(size // 8, 1))]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)  # noqa: S603
        lines, end = ran.stdout.splitlines(), f"exit {ran.returncode}: {ran.stderr[-2000:]}" if ran.returncode else ""
    except subprocess.TimeoutExpired as late:
        lines, end = (late.stdout or b"").decode().splitlines(), f"more than {SECONDS} seconds"
    answers.compared += sum(line.startswith("try ") for line in lines)
    answers.wrong += [line for line in lines if line.startswith("wrong ")]
    if end:
        answers.wrong.append(f"{lines[-1:]}: {end}")
    return answers


def _judge(answers: Answers, name: str, hostile: Any, read: Callable[[Any], Any], use: Callable[[Any], bool]) -> None:
    """A refusal in words, or a value that can be used."""
    try:
        right = use(read(hostile))
    except ThresherError as error:
        right = bool(error.what and error.fix) and "Traceback" not in str(error)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is what this searches for
        answers.check(False, f"{name}: {type(error).__name__}: {str(error)[:300]}")
        return
    answers.check(right, f"{name}: wrong value")


_SCORES = [0.9, 0.8, 0.6, 0.55, 0.3, 0.2]
_LABELS = [1, 1, 0, 1, 0, 0]
_RANKING = th.rank(_LABELS, _SCORES)
_BOUNDED = th.Ranking.of_ranges([0.6, 0.1, 0.5], [0.9, 0.4, 0.7], pos=[3, 2, 0], neg=[0, 0, 4])


@cache
def _documents() -> dict[str, str]:
    return {
        "decision": th.evaluate(_LABELS, _SCORES, seed=1, replicates=20).decision.to_json(),
        "ranking": _RANKING.to_json(),
        "bounded ranking": _BOUNDED.to_json(),
        "isotonic map": th.calibration_map(_RANKING).to_json(),
        "platt map": th.calibration_map(_RANKING, method="platt").to_json(),
        "matrix": th.ConfusionMatrix([[5, 1], [2, 7]], ["a", "b"]).to_json(),
    }


def _use_decision(decision: th.Decision) -> bool:
    again = th.Decision.from_json(decision.to_json())
    return bool(str(decision)) and again.to_json() == decision.to_json() and decision.apply(_SCORES).dtype == np.bool_


def _use_ranking(ranking: th.Ranking) -> bool:
    again = th.Ranking.from_json(ranking.to_json())
    tp, fp = ranking.covered()
    return again == ranking and math.isclose(tp[-1] + fp[-1], ranking.total)


def _use_map(curve: CalibrationMap) -> bool:
    probability = curve(_SCORES)
    return CalibrationMap.from_json(curve.to_json()) == curve and bool(((probability >= 0) & (probability <= 1)).all())


def _use_matrix(matrix: th.ConfusionMatrix) -> bool:
    return th.ConfusionMatrix.from_json(matrix.to_json()) == matrix


def _read_to_apply(content: bytes) -> Any:
    """As the command `apply` reads it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "decision.json")
        path.write_bytes(content)
        return read_artefact(str(path))


_READERS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], bool]]] = {
    "decision": (th.Decision.from_json, _use_decision),
    "ranking": (th.Ranking.from_json, _use_ranking),
    "bounded ranking": (th.Ranking.from_json, _use_ranking),
    "isotonic map": (CalibrationMap.from_json, _use_map),
    "platt map": (CalibrationMap.from_json, _use_map),
    "matrix": (th.ConfusionMatrix.from_json, _use_matrix),
}


def _parquet_mutants(content: bytes, rng: random.Random, count: int) -> Iterator[tuple[str, bytes]]:
    table = pq.read_table(io.BytesIO(content))
    about = json.loads(table.schema.metadata[b"thresher"])

    def written(other: pa.Table, metadata: str) -> bytes:
        made = io.BytesIO()
        pq.write_table(other.replace_schema_metadata({b"thresher": metadata.encode("utf-8", errors="replace")}), made)
        return made.getvalue()

    for name, mutant in document_mutants(json.dumps(about)):
        yield f"metadata {name}", written(table, mutant)
    for place, name in enumerate(table.column_names):
        column = table.column(place)
        kinds = {
            "removed": table.remove_column(place),
            "doubled": table.append_column(f"{name} ", column),
            "renamed": table.rename_columns([*table.column_names[:place], "spam", *table.column_names[place + 1 :]]),
            "texts": table.set_column(place, name, column.cast(pa.string())),
            "missing": table.set_column(place, name, pa.nulls(len(column), column.type)),
            "nothing": table.set_column(place, name, pa.nulls(len(column))),
            "lists": table.set_column(place, name, pa.array([[1]] * len(column))),
            "dates": table.set_column(place, name, pa.array([0] * len(column), pa.date32())),
            "backwards": table.set_column(place, name, column.take(list(range(len(column)))[::-1])),
        }
        for value in (-1, 0, 2**53 + 1, 2**63 - 1, math.nan, math.inf, -math.inf, 1e308, 0.5):
            values = [value, *column.to_pylist()[1:]]
            kinds[f"{value}"] = table.set_column(place, name, pa.array(np.array(values, dtype=np.float64)))
            if isinstance(value, int):
                kinds[f"{value} as integers"] = table.set_column(place, name, pa.array(_integers(values)))
        yield from ((f"{name}: {kind}", written(other, json.dumps(about))) for kind, other in kinds.items())
    yield "no rows", written(table.slice(0, 0), json.dumps(about))
    yield from byte_mutants(content, rng, count)


def _integers(values: list[Any]) -> list[int]:
    return [int(value) if math.isfinite(value) else 0 for value in values]


def _models() -> dict[str, Any]:
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.pipeline import Pipeline

    from thresher.learning import LeafTree, Neighbours, Outliers, column_types, preparation

    table = model_table()
    kinds = column_types(table, types={"note": "text"})
    prepare = preparation(kinds, outliers=Outliers("isolation_forest", action="flag"), words=5)
    bases = {
        "forest": RandomForestClassifier(2, max_depth=3, random_state=0),
        "boosting": HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=5, early_stopping=False),
        "neighbours": Neighbours(3),
        "leaves": LeafTree(),
    }
    labels = np.arange(len(table)) % 3 == 0
    prepare.fit(table)
    forest = prepare.named_transformers_["numbers"].named_steps["outliers"].forest_
    for part in ("estimators_", "estimators_features_", "_average_path_length_per_tree", "_decision_path_lengths"):
        setattr(forest, part, getattr(forest, part)[:2])  # 98 trees more would only take longer
    rows = prepare.transform(table)
    return {name: Pipeline([("prepare", prepare), ("model", base.fit(rows, labels))]) for name, base in bases.items()}


def model_table() -> Any:
    """Numbers, categories and texts to learn from and to score."""
    import pandas as pd

    rows = range(60)
    words = ("cheap pills", "dear friend", "meeting today")
    return pd.DataFrame(
        {
            "age": [float(row * 7 % 31) for row in rows],
            "town": [("Oslo", "Rome", "Bern")[row % 3] for row in rows],
            "note": [f"{words[row % 3]} number {row}" for row in rows],
        }
    )


def _score_mutants(seed: int, count: int) -> None:
    """Read and score mutants of every model; prints each before it is tried."""
    from thresher.learning import Deployed, column_types, read_model, write_model
    from thresher.learning.data.schema import expected_columns

    table, rng = model_table(), random.Random(seed)  # noqa: S311 - a case to repeat

    kinds = column_types(table, types={"note": "text"})
    expected = expected_columns(table, kinds, np.arange(len(table)))
    decision = th.Decision.from_json(_documents()["decision"])

    def scored(path: Path) -> bool:
        deployed = Deployed(read_model(path), decision, expected, tuple(table.columns), "spam", (0, 1))
        scores = deployed.probabilities(table)
        return bool(((scores >= 0) & (scores <= 1)).all())

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.skops")
        for kind, model in _models().items():
            content = write_model(model, path).read_bytes()
            answers = Answers()
            for name, mutant in model_mutants(content, rng, count):
                path.write_bytes(mutant)
                sys.stdout.write(f"try {kind}, {name}\n")
                sys.stdout.flush()
                _judge(answers, f"{kind}, {name}", path, lambda place: place, scored)
            sys.stdout.write("".join(f"wrong {line!r}\n" for line in answers.wrong))


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")  # of scikit-learn, about models that were changed
    _score_mutants(int(sys.argv[1]), int(sys.argv[2]))
