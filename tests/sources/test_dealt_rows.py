import resource
import tempfile
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.ranking import score_ranges, unpack_classes, unpack_scores
from thresher.sources.dealt_rows import DealtRows

HERE = "here"


def rows(size=5000):
    rng = np.random.default_rng(1)
    return rng.random(size) < 0.4, rng.normal(size=size)


def dealt_by(held: int, *, ranges: int = 9) -> tuple[DealtRows, Any, Any]:
    flags, scores = rows()
    made = DealtRows(score_ranges(scores, ranges), held=held)
    for start in range(0, scores.size, 700):
        made.add(flags[start : start + 700], scores[start : start + 700])
    return made, flags, scores


def unpacked(made: DealtRows, number: int, keys: Any) -> list[tuple[float, int]]:
    score = unpack_scores(keys, negative=number < made.ranges.negative)
    return sorted(zip(score.tolist(), unpack_classes(keys).tolist(), strict=True))


@pytest.mark.parametrize("held", [0, 1500, 10**6])
@pytest.mark.parametrize("turned", [False, True])
def test_every_row_is_in_its_range(held, turned):
    made, flags, scores = dealt_by(held)
    with made:
        if turned:
            made.turn_flags()
            flags = ~flags
        numbers = made.ranges.numbers(scores)
        assert made.rows.tolist() == np.bincount(numbers, minlength=made.ranges.count).tolist()
        assert made.flagged.tolist() == np.bincount(numbers[flags], minlength=made.ranges.count).tolist()
        for number in range(made.ranges.count):
            mine = numbers == number
            expected = sorted(zip(scores[mine].tolist(), flags[mine].astype(int).tolist(), strict=True))
            assert unpacked(made, number, made.keys(number, number + 1)) == expected
            chunks = list(made.chunks(number, rows=90))
            assert all(chunk.size <= 180 for chunk in chunks)
            assert unpacked(made, number, np.concatenate([*chunks, made.keys(0, 0)])) == expected
            assert np.isin(made.sample(number), made.keys(number, number + 1)).all()


def test_several_ranges_are_read_at_once():
    made, _, scores = dealt_by(0)
    with made:
        assert made.keys(0, made.ranges.count).size == scores.size
        assert made.keys(2, 5).size == made.rows[2:5].sum()


def test_a_full_disk_is_told():
    flags, scores = rows()
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, usual[1]))
    try:
        made = DealtRows(score_ranges(scores, 9), held=0)
        with made, pytest.raises(th.SourceError, match="no room to spill"):
            made.add(flags, scores)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)


def test_a_file_that_was_cut_is_told():
    made, _, _ = dealt_by(0)
    with made:
        made._file.truncate(100)
        with pytest.raises(th.SourceError, match="ends too early"):
            made.keys(0, made.ranges.count)


def test_the_file_has_no_name(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made, _, _ = dealt_by(0)
    with made:
        assert made.keys(0, 1).size == made.rows[0]
        assert not list(tmp_path.iterdir())
