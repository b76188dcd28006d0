"""`thresher demo`: three real models, one decision and one report, no input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thresher._internal.optional import extra
from thresher.cli import options
from thresher.cli.options import PrintOptions, option

if TYPE_CHECKING:
    from thresher.ranking import Flags, Floats

TITLE = "Is this tumour malignant?"
_MEANS = 10  # the first of three groups of ten: means, their errors, and the worst


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """The files to write, and the cost of a miss."""

    output: str = option("-o", default="thresher-demo.html", metavar="FILE", help="The report.")
    predictions: str | None = option(
        metavar="FILE", help="Also write the scored rows as CSV, to try the other commands on."
    )
    measurements: str | None = option(metavar="FILE", help="Also write the tumours themselves as CSV, to try learn on.")
    cost_ratio: float = option(
        **options.RATIO, default="10", help="False alarms that a missed tumour costs: 10 or 10:1."
    )


@options.define("demo", examples=["thresher demo", "thresher demo --predictions predictions.csv"])
def command(demo: DemoOptions, printed: PrintOptions) -> None:
    """Evaluate three real models and write a report; needs no input.

    569 breast tumours that come with scikit-learn, each scored by models that have not seen it (five-fold
    cross-validation): which model should be used, and from which score on is a tumour called malignant?
    """
    from thresher.cli.outputs import require_outputs, write_csv

    require_outputs(source=None, output=demo.output, predictions=demo.predictions, measurements=demo.measurements)

    from thresher.cli.console.evaluation import summary
    from thresher.cli.console.screen import present, working, written_text
    from thresher.evaluation import evaluate
    from thresher.tables import OperatingCondition

    with working("fitting three models five times"):
        malignant, scores = _scored_tumours()
    with working("evaluating"):
        evaluation = evaluate(malignant, scores, condition=OperatingCondition(cost_ratio=demo.cost_ratio))
    with working("writing the report"):
        evaluation.to_html(demo.output, title=TITLE)
    written = [f"report    {demo.output}"]
    if demo.predictions is not None:
        write_csv(demo.predictions, {"malignant": malignant.astype(int), **scores})
        written.append(f"rows      {demo.predictions}")
    if demo.measurements is not None:
        write_csv(demo.measurements, _measurements())
        written.append(f"tumours   {demo.measurements}")
    files = written_text(written)
    present(printed, evaluation.to_json, lambda screen: [*summary(evaluation, screen, title=TITLE), files])


def _scored_tumours() -> tuple[Flags, dict[str, Floats]]:
    """Which tumours are malignant, and out-of-fold probabilities of it by model."""

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
    folds = part("model_selection").StratifiedKFold(5, shuffle=True, random_state=0)
    predict = part("model_selection").cross_val_predict
    return malignant, {
        name: predict(model, data.data, malignant, cv=folds, method="predict_proba")[:, 1]
        for name, model in models.items()
    }


def _measurements() -> dict[str, list[Any]]:
    """The tumours as they were measured, with a number and their class, to learn from."""
    data = extra("sklearn.datasets", name="learn").load_breast_cancer()
    names = [str(name) for name in data.feature_names[:_MEANS]]
    return {
        "id": list(range(1, len(data.target) + 1)),
        "tumour": ["benign" if target else "malignant" for target in data.target],
        **{name: data.data[:, i].tolist() for i, name in enumerate(names)},
    }
