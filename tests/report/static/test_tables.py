import pytest

import thresher as th
from tests.report import examples
from thresher.report import payload
from thresher.report.numbers import value_text
from thresher.report.static.tables import tables


def test_every_number_has_its_row():
    evaluation = examples.evaluation()
    shown = {grid.caption.partition(",")[0]: grid for grid in tables(payload(evaluation))}
    best = evaluation.decision.model
    (contingency,) = [grid for caption, grid in shown.items() if caption.startswith(f"{best} at threshold")]
    assert contingency.rows[0][1] == str(evaluation[best].table.tp)
    measures = shown["Measures at each model's best threshold"]
    assert [row[0] for row in measures.rows] == [name.replace("_", " ") for name in th.MEASURES]
    assert len(shown["Differences in AUC"].rows) == 3
    assert ("rows", "300") in shown["Data"].rows


@pytest.mark.parametrize("name", examples.awkward())
def test_rows_are_as_wide_as_their_heads(name):
    for grid in tables(payload(examples.awkward()[name])):
        assert {len(row) for row in grid.rows} == {len(grid.head)}
        assert all("nan" not in cell.lower() or cell == name for row in grid.rows for cell in row[1:])


def test_classes_have_their_matrix_and_their_rates():
    shown = tables(payload(examples.classes()))
    ways, costs, *models = shown
    assert [row[0] for row in ways.rows][-2:] == ["forest, most probable class", "always cat"]
    assert costs.rows[0] == ("cat", "0", "1", "1")
    assert [grid.caption.partition(":")[0] for grid in models[:4]] == ["forest", "tree", "forest", "tree"]
    assert models[0].head == ("", "cat", "cow", "dog", "total")
    assert {len(row) for row in models[2].rows} == {6}


def test_missing_numbers_are_a_dash():
    labels, scores = examples.models(60, count=2)
    scores["model 2"] = 10 * scores["model 2"]
    shown = tables(payload(th.evaluate(labels, scores, replicates=20)))
    (models,) = [grid for grid in shown if grid.caption.startswith("Whole models")]
    (brier,) = [row for row in models.rows if row[0] == "Brier score"]
    assert brier[2] == "–"


def test_predictions_given_are_there():
    labels, scores = examples.models(60, count=2)
    evaluation = th.evaluate(labels, scores, predictions={"model 2": scores["model 2"] > 0.5}, replicates=20)
    (grid,) = [grid for grid in tables(payload(evaluation)) if grid.caption == "Predictions given"]
    assert tuple(grid.head) == ("measure", "model 2")
    table = evaluation["model 2"].predictions
    assert table is not None
    rows = {row[0]: row[1] for row in grid.rows}
    assert (rows["tp"], rows["fn"], rows["fp"], rows["tn"]) == tuple(
        str(cell) for cell in (table.tp, table.fn, table.fp, table.tn)
    )
    assert rows["accuracy"] == value_text(table.accuracy)


def test_many_models_stand_in_several_tables():
    shown = [grid for grid in tables(payload(examples.evaluation(120, count=10))) if "best threshold" in grid.caption]
    assert [len(grid.head) for grid in shown] == [7, 7]
    assert [*shown[0].head[1:-1], *shown[1].head[1:-1]] == [f"model {place}" for place in range(1, 11)]
