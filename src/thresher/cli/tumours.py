"""The demonstration's data: breast tumours that come with scikit-learn, scored by models that have not seen them."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np

from thresher.cli.output import write_text
from thresher.extras import extra
from thresher.ranking import Flags, Floats

LABEL = "malignant"
FOLDS = 5
_WHERE = "thresher demo"


def scored_tumours() -> tuple[Flags, dict[str, Floats]]:
    """Which tumours are malignant, and every model's probability for it, each row scored by a model of other rows."""

    def part(name: str) -> Any:
        return extra(f"sklearn.{name}", name="learn", where=_WHERE)

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
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow([LABEL, *scores])
    out.writerows(zip(malignant.astype(int).tolist(), *(column.tolist() for column in scores.values()), strict=True))
    write_text(path, text.getvalue())
