import pytest

import thresher as th
from thresher.plain_data import json_value


@pytest.mark.parametrize("text", ["", "{", "spam", None, 3])
def test_what_is_no_json_is_refused_in_words(text):
    with pytest.raises(th.NotationError, match="not JSON") as raised:
        json_value(text, name="Ranking")
    assert raised.value.where == "Ranking.from_json"


@pytest.mark.parametrize("kind", [th.Ranking, th.ConfusionMatrix, th.CalibrationMap, th.Decision])
def test_every_class_that_writes_json_refuses_rubbish(kind):
    for text in ("spam", "{}", "[]", "3", '{"format": "thresher/other/1"}'):
        with pytest.raises(th.NotationError):
            kind.from_json(text)
