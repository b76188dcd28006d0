"""JSON schemas of what commands print with --json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from thresher.evaluation import Decision
from thresher.watching import Check

Schema: TypeAlias = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
NOTHING: Schema = {"type": "null"}
LABEL: Schema = {"type": ["string", "number", "boolean"]}


def json_schema(command: str) -> Schema:
    """The schema of what a command prints with --json.

    >>> sorted(json_schema("apply")["required"])
    ['output', 'positive', 'rows']
    """
    title = {"$schema": DIALECT, "title": f"thresher {command} --json"}
    schema = COMMANDS[command]
    return title | schema | {"$defs": _definitions() | schema.get("$defs", {})}


def ref(name: str) -> Schema:
    """One of the common definitions."""
    return {"$ref": f"#/$defs/{name}"}


def fields(optional: Mapping[str, Schema] | None = None, /, **required: Schema) -> Schema:
    """An object of these fields and no others."""
    properties = {**required, **(optional or {})}
    return {"type": "object", "required": list(required), "additionalProperties": False, "properties": properties}


def by_name(value: Schema) -> Schema:
    """An object of any names (of models, measures, columns) with values of one kind."""
    return {"type": "object", "additionalProperties": value}


def items(value: Schema) -> Schema:
    """A list of values of one kind."""
    return {"type": "array", "items": value}


def either(*values: Schema) -> Schema:
    """One of several kinds."""
    return {"anyOf": list(values)}


def with_groups(value: Schema, **of_all: Schema) -> Schema:
    """One answer, or with --by the answers of groups, next to what is of all of them."""
    refused = fields(group=by_name({}), result=NOTHING, refused=about(TEXT, "Why this group has no answer."))
    groups = items(either(fields(group=by_name({}), result=value), refused))
    return either(value if not of_all else _extended(value, of_all), fields(by=items(TEXT), groups=groups, **of_all))


def _extended(value: Schema, more: Mapping[str, Schema]) -> Schema:
    return fields(**value["properties"], **more)


def about(value: Schema, text: str) -> Schema:
    """The same with a description."""
    return value | {"description": text}


INTERVAL, REAL, RANGE, CAUTIONS = ref("interval"), ref("number"), ref("range"), items(ref("caution"))
INTERVALS = by_name(INTERVAL)
DROPPED = about(COUNT, "Rows left out because a value is missing.")
LEVEL = about(NUMBER, "Of the intervals.")
_POINT = {"threshold": REAL, "interval": RANGE, "table": ref("table"), "expected_cost": REAL}
_CHOICE = fields(
    objective=TEXT,
    value=about(REAL, "Of the objective, at the threshold."),
    **_POINT,
    measures=by_name(REAL),
    ties=items(fields(**_POINT)),
    undecided=about(either(RANGE, NOTHING), "Thresholds that tie for the best reach from here to here."),
    holds_for=about(either(RANGE, NOTHING), "Cost ratios for which the threshold stays the cheapest."),
    runner_up=either(fields(**_POINT), NOTHING),
    condition=ref("condition"),
    cautions=CAUTIONS,
)
_IN_ROWS = fields(measures=INTERVALS, numbers=INTERVALS)
_MODEL = fields(
    threshold=INTERVAL,
    table=ref("table"),
    measures=about(INTERVALS, "Of the table, at the declared class mix."),
    expected_cost=INTERVAL,
    out_of_bag_cost=INTERVAL,
    predictions=either(ref("table"), NOTHING),
    numbers=about(INTERVALS, "Of the model at all thresholds, at the declared class mix."),
    in_data=about(_IN_ROWS, "The same at the class mix of the rows."),
)
_RULE = fields(
    name=TEXT,
    model=either(TEXT, NOTHING),
    threshold=either(REAL, NOTHING),
    table=ref("table"),
    cost=INTERVAL,
    saving=either(INTERVAL, NOTHING),
)
_AGAINST = about(either(TEXT, NOTHING), "The model that all others are compared with; null where every pair is.")
_STABILITY = fields(replicates=COUNT, wins=by_name(NUMBER), cost_ratio=items(NUMBER), wins_at=by_name(items(NUMBER)))
_RULES = {
    "rules": about(by_name(_RULE), "All ways to act, each with its cost per case."),
    "baseline": about(TEXT, "The cheapest rule that needs no decision."),
    "comparison": about(items(ref("difference")), "Differences in AUC."),
    "decision": ref("decision"),
    "cautions": CAUTIONS,
    "level": LEVEL,
    "dropped": DROPPED,
}
_EVALUATION = fields(
    rows=COUNT,
    seed=COUNT,
    models=by_name(_MODEL),
    quantities=about(by_name(INTERVALS), "What --measure asked for, by model."),
    savings=about(INTERVALS, "What each model saves per case against the baseline."),
    may_be_best=items(TEXT),
    ranges=items(fields(low=REAL, high=REAL, models=items(TEXT), rule=TEXT)),
    stability=_STABILITY,
    against=_AGAINST,
    **_RULES,
)
_CLASS_MODEL = fields(
    weights=items(NUMBER),
    confusion=ref("confusion"),
    predictions=either(ref("confusion"), NOTHING),
    numbers=about(INTERVALS, "Of all classes; costs at the declared class mix, the others at that of the rows."),
    by_class=about(by_name(items(INTERVAL)), "In the order of the classes."),
    foretold_minus_paid=INTERVAL,
)
_CLASS_RULE = fields(
    name=TEXT,
    model=either(TEXT, NOTHING),
    action=either(LABEL, NOTHING),
    confusion=ref("confusion"),
    cost=INTERVAL,
    saving=either(INTERVAL, NOTHING),
    fitted=FLAG,
)
_OTHER_COST = fields(
    actual=LABEL, action=LABEL, cost=NUMBER, factor=NUMBER, model=TEXT, expected_cost=NUMBER, of_decision=NUMBER
)
_CLASS_EVALUATION = fields(
    rows=COUNT,
    dropped=DROPPED,
    level=LEVEL,
    seed=COUNT,
    classes=items(LABEL),
    weighted=FLAG,
    clusters=either(COUNT, NOTHING),
    models=by_name(_CLASS_MODEL),
    quantities=about(by_name(INTERVALS), "What --measure asked for, by model."),
    rules=about(by_name(_CLASS_RULE), "All ways to act, each with its cost per case."),
    baseline=about(TEXT, "The cheapest rule that needs no decision."),
    savings=about(INTERVALS, "What each model saves per case against the baseline."),
    may_be_best=items(TEXT),
    wins=by_name(NUMBER),
    comparisons=about(by_name(items(ref("difference"))), "By measure."),
    sensitivity=fields(model=TEXT, now=NUMBER, others=items(_OTHER_COST)),
    fitted=about(
        either(fields(fitted=INTERVAL, bayes=INTERVAL, difference=INTERVAL, weights=items(items(NUMBER))), NOTHING),
        "Costs of fitted weights and of nothing fitted on rows not fitted on, and a row of weights per fold.",
    ),
    decision=ref("decision"),
    cautions=CAUTIONS,
)
_COUNTED_MODEL = fields(
    auc=INTERVAL,
    threshold=REAL,
    table=ref("table"),
    measures=INTERVALS,
    expected_cost=INTERVAL,
    bounds=about(by_name(items(REAL)), "Between which each number lies, whatever the exact scores are."),
)
_COUNTED = fields(models=by_name(_COUNTED_MODEL), **_RULES)
_VERDICT = fields(
    requirement=TEXT,
    model=TEXT,
    quantity=TEXT,
    bound={"enum": ["lower", "upper", "estimate"]},
    relation={"enum": [">=", "<=", ">", "<"]},
    value=NUMBER,
    observed=about(either(NUMBER, NOTHING), "The bound that was judged; null where it is undefined or infinite."),
    within=about(items(either(REAL, NOTHING)), "Between which numbers it lies, where ranges of scores were counted."),
    undecided=about(FLAG, "It holds at one of these ends, and not at the other."),
    interval=INTERVAL,
    threshold=either(REAL, NOTHING),
    passed=FLAG,
)
_LIMITS = fields(estimate=items(REAL), lower=items(REAL), upper=items(REAL))
_CURVE = fields(
    {"asymptote": either(INTERVAL, NOTHING), "parameter": TEXT, "best": {}, "simplest": {}},
    measure=TEXT,
    level=LEVEL,
    sizes=items({}),
    apparent=_LIMITS,
    validation=_LIMITS,
)
_COLUMN = fields(
    name=TEXT,
    kind=TEXT,
    reason=TEXT,
    rows=COUNT,
    distinct=COUNT,
    missing=COUNT,
    example={},
    order=items({}),
    of=items(TEXT),
)
_MEASURES_OF_CLASSES = (
    *("overall_accuracy", "mean_class_accuracy", "macro_f1", "weighted_f1", "log_loss", "brier", "one_vs_one_macro"),
)
_CLASS_ESTIMATES = dict.fromkeys(_MEASURES_OF_CLASSES, either(NUMBER, NOTHING))
_LEARNED = fields(
    target=TEXT,
    positive=about({}, "The positive label; null where no class is."),
    labels=about(items(LABEL), "Those of the negative and the positive side, or all classes."),
    rows=fields(train=COUNT, test=COUNT),
    columns=items(_COLUMN),
    decision=ref("decision"),
    models=by_name(
        either(fields(nested_cost=INTERVAL, auc=INTERVAL), fields(nested_cost=INTERVAL, **_CLASS_ESTIMATES))
    ),
    nested_choice=about(INTERVAL, "Cost per case of choosing a model as it was chosen here, on rows not used for it."),
    against=by_name(fields(difference=REAL, lower=REAL, upper=REAL, p_value=REAL, verdict=TEXT)),
    beats_baselines=FLAG,
    text=TEXT,
    verdict=TEXT,
    test=either(
        fields(cost=INTERVAL, auc=INTERVAL, measures=INTERVALS, table=either(ref("table"), NOTHING)),
        fields(cost=INTERVAL, measures=INTERVALS, confusion=ref("confusion")),
    ),
    learning_curve=either(_CURVE, NOTHING),
    feature_curve=either(_CURVE, NOTHING),
    tuning=either(
        fields(tried=by_name(items(by_name({}))), chosen=either(by_name({}), NOTHING), fits=COUNT),
        NOTHING,
    ),
    cautions=CAUTIONS,
    dropped=DROPPED,
    duplicates=about(COUNT, "Rows left out because they equal an earlier one."),
    warnings=items(TEXT),
    written=items(TEXT),
)
_UNSEEN = about(by_name(by_name(COUNT)), "Rows of each category that no training row had, by column.")
_GAPS = about(by_name(COUNT), "Missing values of columns that had none in training.")
_STEPS = fields(score=about(items(REAL), "Rising."), probability=items(NUMBER), interpolate=FLAG)
_LOGISTIC = fields(
    {"limit": about(NUMBER, "Of log-odds, either way; none where it is absent.")},
    on={"enum": ["log_odds", "score"]},
    **dict.fromkeys(("a", "b", "c", "centre", "unit"), NUMBER),
)
_CLASS_MEASURES = dict.fromkeys(("recall", "precision", "f1"), INTERVAL)
_CELL = fields(actual=LABEL, predicted=LABEL, cost=NUMBER)
_CONFUSION = fields(
    confusion=ref("confusion"),
    dropped=DROPPED,
    level=LEVEL,
    measures=about(INTERVALS, "Of all classes."),
    by_class=items(fields(**{"class": LABEL}, actual=NUMBER, predicted=NUMBER, **_CLASS_MEASURES)),
    costs=either(
        fields(
            per_case=REAL,
            total=NUMBER,
            cells=about(items(items(NUMBER)), "What each cell costs in all; rows are actual classes."),
            dearest=_CELL,
            cautions=CAUTIONS,
        ),
        NOTHING,
    ),
    against_the_rest=either(fields(**{"class": LABEL}, table=ref("table"), measures=INTERVALS), NOTHING),
)
COMMANDS: Mapping[str, Schema] = {
    "evaluate": with_groups(
        about(
            either(_EVALUATION, _COUNTED, _CLASS_EVALUATION), "Of rows; of counts, without comparisons; of k classes."
        )
    ),
    "choose": with_groups(about(by_name(_CHOICE), "By the name of the model.")),
    "compare": fields(
        measure=TEXT,
        estimates=by_name(REAL),
        paired=about(FLAG, "Whether the models scored the same rows."),
        differences=items(ref("difference")),
        against=_AGAINST,
        condition=either(ref("condition"), NOTHING),
        dropped=DROPPED,
    ),
    "calibrate": ref("calibration_map"),
    "apply": fields(
        {"map": TEXT, "against_probability": COUNT, "cautions": CAUTIONS},
        rows=COUNT,
        positive=either(COUNT, NOTHING),
        output=TEXT,
    ),
    "gate": with_groups(
        fields(requirements=items(_VERDICT)),
        passed=FLAG,
        undecided=about(FLAG, "Whether ranges of scores leave a requirement open."),
        condition=ref("condition"),
    ),
    "learn": _LEARNED,
    "predict": fields(
        {"positive": COUNT, "called": about(by_name(COUNT), "Rows by what was said of them, of several classes.")},
        rows=COUNT,
        unseen=_UNSEEN,
        gaps=_GAPS,
        unused=items(TEXT),
        output=TEXT,
    ),
    "features": either(
        fields(
            features=items(TEXT),
            model=TEXT,
            measure=TEXT,
            folds=COUNT,
            difference=by_name({}),
            helps=FLAG,
            **dict.fromkeys(("with", "without"), INTERVAL),
        ),
        fields(
            rows=COUNT,
            dropped=DROPPED,
            classes=by_name(COUNT),
            search=TEXT,
            criterion=TEXT,
            value=REAL,
            features=items(TEXT),
            scores=about(by_name(REAL), "Of each column alone."),
            steps=items(REAL),
            left_out=about(by_name(TEXT), "Columns that are no features, and why."),
        ),
    ),
    "table": with_groups(_CONFUSION),
    "costs": fields(
        classes=items(LABEL),
        actions=about(items(LABEL), "The classes, and what else may be done with a case."),
        costs=about(items(items(either(NUMBER, NOTHING))), "A row per class; null where a cost is to be filled in."),
        output=either(TEXT, NOTHING),
    ),
    "watch": {name: value for name, value in Check.schema().items() if not name.startswith("$s")},
    "merge": ref("ranking"),
    "classroom": fields(
        output=about(TEXT, "The page."),
        start=about(TEXT, "The lesson that it opens with."),
        lessons=about(by_name(items(TEXT)), "The sentences of each lesson, step by step."),
    ),
    "demo": _EVALUATION,
}


def _definitions() -> Schema:
    """What several schemas use; the decision's are those of its published schema."""
    decision = Decision.schema()
    shared: Schema = decision.pop("$defs")
    del decision["$schema"]
    counts = items(about(NUMBER, "A whole number unless rows have weights.") | {"minimum": 0})
    of_two, of_several = shared["two_class_condition"], shared["class_condition"]
    asked = [  # whose mix may be left to the data
        of_two | {"properties": of_two["properties"] | {"class_ratio": either(NUMBER, NOTHING)}},
        of_several | {"properties": of_several["properties"] | {"mix": either(items(NUMBER), NOTHING)}},
    ]
    return {
        **shared,
        "decision": decision,
        "condition": either(*asked),
        "table": fields(tp=NUMBER, fn=NUMBER, fp=NUMBER, tn=NUMBER),
        "confusion": fields(
            {"dropped": DROPPED, "others": about(items(LABEL), "Columns after the classes: actions that are none.")},
            format=TEXT,
            counts=about(items(counts), "Rows are actual classes, columns predicted ones."),
            classes=items(LABEL),
        ),
        "caution": fields(code=TEXT, text=TEXT),
        "difference": fields(
            a=TEXT,
            b=TEXT,
            difference=about(REAL, "a less b."),
            lower=REAL,
            upper=REAL,
            variance=REAL,
            p_value=REAL,
            level=LEVEL,
            method=TEXT,
            p_adjusted=about(REAL, "For the number of pairs."),
            margin=NUMBER,
            better={"enum": ["higher", "lower", "neither"]},
            note=TEXT,
            verdict=TEXT,
        ),
        "calibration_map": fields(
            format=TEXT,
            method=TEXT,
            curve=either(_STEPS, _LOGISTIC),
            auc_before=REAL,
            auc_after=REAL,
            cautions=CAUTIONS,
        ),
        "ranking": fields(
            {
                "dropped": DROPPED,
                "positive": about(TEXT, "The positive label, where labels were counted."),
                "spans": {"type": "object", "description": "Ranges of scores of its segments."},
            },
            format=TEXT,
            score=items(about(REAL, "Falling.")),
            pos=counts,
            neg=counts,
        ),
    }
