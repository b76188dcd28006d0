"""What --json prints is published as JSON schemas; the fixture `data` holds every command of these tests to its own."""

import json

import pytest
from jsonschema import Draft202012Validator, ValidationError

from thresher.cli.app import COMMANDS
from thresher.cli.schemas import COMMANDS as SCHEMAS
from thresher.cli.schemas import json_schema

ROWS = ["predictions.csv", "--label", "malignant", "--score", "forest"]


def test_every_command_that_prints_data_has_a_schema():
    assert set(COMMANDS) - set(SCHEMAS) == {"completion"}


@pytest.mark.parametrize("command", SCHEMAS)
def test_a_schema_is_printed_without_any_file(run, command):
    result = run(command, "--schema")
    assert result.exit_code == 0
    schema = json.loads(result.stdout)
    assert schema == json_schema(command)
    Draft202012Validator.check_schema(schema)
    references = [text for text in result.stdout.split('"') if text.startswith("#/$defs/")]
    assert {text.removeprefix("#/$defs/") for text in references} <= set(schema["$defs"])


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", *ROWS, "--score", "bayes", "--measure", "net_benefit@0.1"],
        ["choose", *ROWS],
        ["compare", *ROWS, "--score", "bayes"],
        ["gate", *ROWS, "--require", "auc >= 0.5"],
    ],
)
def test_schemas_refuse_what_is_not_there(data, words):
    value = data(*words)
    validate = Draft202012Validator(json_schema(words[0])).validate
    for absent in value if words[0] != "choose" else ():
        with pytest.raises(ValidationError):
            validate({name: each for name, each in value.items() if name != absent})
    with pytest.raises(ValidationError):
        validate(value | {"unknown": 1})


@pytest.mark.parametrize(
    ("command", "field", "value"),
    [
        ("calibrate", "curve", {"score": [0.1], "probability": ["high"], "interpolate": False}),
        ("calibrate", "curve", {"a": 1, "b": 0}),
        ("predict", "unseen", {"town": ["Bergen"]}),
        ("predict", "unseen", {"town": 2}),
        ("predict", "gaps", {"age": "many"}),
    ],
)
def test_schemas_refuse_values_of_another_kind(command, field, value):
    schema = json_schema(command)
    part = schema["$defs"]["calibration_map"] if command == "calibrate" else schema
    with pytest.raises(ValidationError):
        Draft202012Validator(part["properties"][field] | {"$defs": schema["$defs"]}).validate(value)
