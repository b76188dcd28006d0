import copy
import pickle
from collections.abc import Mapping
from dataclasses import fields
from functools import cached_property
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest

import thresher as th
from tests.inference import class_examples
from thresher.evaluation import evaluate_scan

RNG = np.random.default_rng(5)
LABELS = RNG.random(80) < 0.4
SCORES = {"a": RNG.random(80) * 0.7 + 0.3 * LABELS, "b": RNG.random(80)}
CLASSES = RNG.integers(0, 3, 80)
RARE = th.OperatingCondition(prevalence=0.1, cost_ratio=3)


def evaluate_one():
    return th.evaluate(LABELS, SCORES["a"], replicates=20, condition=RARE, measures=["recall@fpr<=0.1"])


def evaluate_two():
    return th.evaluate(LABELS, SCORES, replicates=20, condition=RARE, measures=["auc"])


def evaluate_three_classes():
    return class_examples.evaluate(
        CLASSES, {name: RNG.dirichlet(np.ones(3), 80) for name in SCORES}, measures=["macro_f1"]
    )


def evaluate_table():
    table = pa.table({"label": LABELS.astype(int), **SCORES})
    return evaluate_scan(ibis.memtable(table), label="label", score=list(SCORES))


EVALUATIONS = [evaluate_one, evaluate_two, evaluate_three_classes, evaluate_table]
TWINS = [lambda result: pickle.loads(pickle.dumps(result)), copy.copy, copy.deepcopy]  # noqa: S301 - our own bytes


def read_all(result):
    """Every number there is, each computed now if it was not before."""
    parts = [result, *result.models.values()]
    names = [name for part in parts for name, one in vars(type(part)).items() if isinstance(one, cached_property)]
    return [getattr(part, name, None) for part in parts for name in names], result.summary(), result.to_frame()


@pytest.mark.parametrize("twin", TWINS, ids=["pickle", "copy", "deepcopy"])
@pytest.mark.parametrize("evaluate", EVALUATIONS)
def test_copies_are_equal_whatever_was_read_before(evaluate, twin):
    result = evaluate()
    early = twin(result)
    read_all(result)
    late = twin(result)
    assert early.to_dict() == late.to_dict() == result.to_dict()
    read_all(late)
    assert late.summary() == early.summary() == result.summary()


def mappings(result):
    """Every mapping of an evaluation and of its parts, by where it is."""
    parts = {"": result, "joint": getattr(result, "joint", None), "decision": getattr(result, "decision", None)}
    for at, part in (parts | dict(result.models)).items():
        names = [one.name for one in fields(part)] if part is not None else []
        names += [name for name, one in vars(type(part)).items() if isinstance(one, cached_property)]
        yield from ((f"{at}.{name}", getattr(part, name)) for name in names if isinstance(getattr(part, name), Mapping))


CHANGES = (
    lambda mapping: mapping.clear(),
    lambda mapping: mapping.update(a=1),
    lambda mapping: mapping.pop(next(iter(mapping))),
    lambda mapping: mapping.popitem(),
    lambda mapping: mapping.setdefault("new", 1),
    lambda mapping: mapping.__setitem__("a", 1),
    lambda mapping: mapping.__delitem__(next(iter(mapping))),
    lambda mapping: mapping.__ior__({"a": 1}),
)


@pytest.mark.parametrize("evaluate", EVALUATIONS)
def test_mappings_of_results_refuse_changes(evaluate):
    result = evaluate()
    before = result.to_dict()
    places = dict(mappings(result))
    assert ".models" in places
    nested = [inner for mapping in places.values() for inner in mapping.values() if isinstance(inner, Mapping)]
    for mapping in (*places.values(), *nested):
        for change in CHANGES:
            with pytest.raises(TypeError, match="does not change"):
                change(mapping)
    assert result.to_dict() == before


@pytest.mark.parametrize("columns", [(), ("weights",), ("weights", "clusters")])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_numbers_are_those_of_the_rows_at_the_call(dtype, columns):
    arrays = {
        "labels": LABELS.copy(),
        "scores": SCORES["a"].astype(dtype),
        "current": SCORES["b"] > 0.5,
        "weights": RNG.random(80) + 0.5,
        "clusters": np.arange(80) // 2,
    }
    options: dict[str, Any] = {name: arrays[name] for name in ("labels", "scores", "current", *columns)}
    expected = th.evaluate(**options, replicates=20, condition=RARE).to_dict()
    result = th.evaluate(**options, replicates=20, condition=RARE)
    for values in arrays.values():
        values[:] = values[::-1].copy()
    assert result.to_dict() == expected
