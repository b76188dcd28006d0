"""The demonstration's data: breast tumours that come with scikit-learn, scored by models that have not seen them."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

from thresher._internal.optional import extra
from thresher.cli.outputs import write_text
from thresher.ranking import Flags, Floats

LABEL = "malignant"
FOLDS = 5
_MEANS = 10  # the first of three groups of ten: means, their errors, and the worst


def scored_tumours() -> tuple[Flags, dict[str, Floats]]:
    """Which tumours are malignant, and every model's probability for it, each row scored by a model of other rows."""

    def part(name: str) -> Any:
        return extra(f"sklearn.{name}", name="learn")

    data = part("datasets").load_breast_cancer()
    malignant = data.target == 0
    scaled = part("pipeline").make_pipeline
    models = {
        "logistic": scaled(part("preprocessing").StandardScaler(), part("linear_model").LogisticRegression()),
        "forest": part("ensemble").RandomForestClassifier(100, random_state=0),
        "bayes": part("naive_bayes").GaussianNB(),
    }
    folds = part("model_selection").StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    predict = part("model_selection").cross_val_predict
    scores = {
        name: np.asarray(predict(model, data.data, malignant, cv=folds, method="predict_proba")[:, 1])
        for name, model in models.items()
    }
    return np.asarray(malignant, dtype=np.bool_), scores


def write_predictions(path: str, malignant: Flags, scores: dict[str, Floats]) -> None:
    """Write labels as 0/1 and scores as CSV, every digit kept."""
    columns = {LABEL: malignant.astype(int)} | scores
    _write(path, {name: column.tolist() for name, column in columns.items()})


def write_measurements(path: str) -> None:
    """Write the tumours as they were measured, with a number and what they are, as CSV to learn from."""
    data = extra("sklearn.datasets", name="learn").load_breast_cancer()
    columns: dict[str, list[Any]] = {
        "id": list(range(1, len(data.target) + 1)),
        "tumour": np.where(data.target == 0, "malignant", "benign").tolist(),
    }
    _write(path, columns | {str(name): data.data[:, i].tolist() for i, name in enumerate(data.feature_names[:_MEANS])})


def _write(path: str, columns: dict[str, list[Any]]) -> None:
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(columns)
    out.writerows(zip(*columns.values(), strict=True))
    write_text(path, text.getvalue())
