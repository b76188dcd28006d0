import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import thresher as th
from tests.strategies import labelled_scores, weights
from thresher.sources.storage import read_ranking, write_ranking

SUFFIXES = ("json", "parquet", "pq")
ANY_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)


@pytest.fixture(params=SUFFIXES)
def suffix(request):
    return request.param


def same(one, other):
    return one == other and one.pos.dtype == other.pos.dtype and one.dropped == other.dropped


@given(rows=labelled_scores(), dropped=st.integers(0, 3), data=st.data())
@ANY_FOLDER
def test_what_is_written_is_read_back_exactly(tmp_path, suffix, rows, dropped, data):
    labels, scores = rows
    weighted = data.draw(st.booleans())
    weight = data.draw(st.lists(weights.map(lambda w: w + 0.125), min_size=labels.size, max_size=labels.size))
    ranking = th.rank(labels, scores, weights=weight if weighted else None)
    ranking = th.Ranking(ranking.score, ranking.pos, ranking.neg, dropped=dropped)
    path = tmp_path / f"ranking.{suffix}"
    write_ranking(ranking, path)
    assert same(read_ranking(path), ranking)


@given(rows=labelled_scores(), cuts=st.lists(st.integers(0, 40), max_size=3))
@ANY_FOLDER
def test_rankings_of_the_pieces_add_up_to_that_of_all_rows(tmp_path, suffix, rows, cuts):
    labels, scores = rows
    pieces = np.split(np.arange(labels.size), sorted(cuts))
    paths = []
    for i, piece in enumerate(pieces):
        if piece.size:
            paths.append(tmp_path / f"{i}.{suffix}")
            write_ranking(th.rank(labels[piece], scores[piece]), paths[-1])
    assert sum(read_ranking(path) for path in paths) == th.rank(labels, scores)


@given(rows=labelled_scores(both_classes=True), weighted=st.booleans())
@ANY_FOLDER
def test_ranges_are_read_back_exactly_too(tmp_path, suffix, rows, weighted):
    labels, scores = rows
    builder = th.RankingBuilder(buckets=2, missing="drop")
    builder.update(labels, scores, np.full(labels.size, 0.1) if weighted else None)
    builder.update([1], [np.nan])
    path = tmp_path / f"ranking.{suffix}"
    write_ranking(builder.ranking(), path)
    again = read_ranking(path)
    assert same(again, builder.ranking())
    assert again.exact == builder.ranking().exact
    assert th.bounds(again, "auc") == th.bounds(builder.ranking(), "auc")


class TestMethods:
    def test_a_path_may_be_text_and_called_anything(self, tmp_path):
        ranking = th.rank([1, 0, 1], [np.inf, -np.inf, -0.0])
        ranking.to_parquet(str(tmp_path / "counts.bin"))
        assert th.Ranking.from_parquet(tmp_path / "counts.bin") == ranking

    def test_other_tools_can_read_the_counts(self, tmp_path):
        th.Ranking.parse("[20+,5-][10+,5-]").to_parquet(tmp_path / "r.parquet")
        assert pq.read_table(tmp_path / "r.parquet").to_pydict() == {"score": [2, 1], "pos": [20, 10], "neg": [5, 5]}


class TestWriting:
    def test_a_file_that_stood_there_stays_when_writing_fails(self, tmp_path, suffix, monkeypatch):
        path = tmp_path / f"r.{suffix}"
        write_ranking(th.Ranking.parse("[1+][1-]"), path)

        def full(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(type(path), "replace", full)
        with pytest.raises(th.errors.OutputError, match="cannot be written: no space left on device"):
            write_ranking(th.Ranking.parse("[2+][2-]"), path)
        assert [file.name for file in tmp_path.iterdir()] == [path.name]
        assert str(read_ranking(path)) == "[1+][1-]"

    def test_a_folder_that_is_not_there(self, tmp_path, suffix):
        with pytest.raises(th.errors.OutputError, match="there is no directory"):
            write_ranking(th.Ranking.parse("[1+]"), tmp_path / "absent" / f"r.{suffix}")

    def test_it_gets_the_rights_of_any_new_file(self, tmp_path, suffix):
        (tmp_path / "plain").write_text("")
        write_ranking(th.Ranking.parse("[1+]"), tmp_path / f"r.{suffix}")
        assert (tmp_path / f"r.{suffix}").stat().st_mode == (tmp_path / "plain").stat().st_mode

    @pytest.mark.parametrize("name", ["r", "r.csv", "r.json.gz"])
    def test_the_name_says_the_format(self, tmp_path, name):
        for act in (lambda path: write_ranking(th.Ranking.parse("[1+]"), path), read_ranking):
            with pytest.raises(th.errors.SourceError, match="says neither"):
                act(tmp_path / name)
        assert list(tmp_path.iterdir()) == []


class TestReading:
    def test_absent(self, tmp_path, suffix):
        with pytest.raises(th.errors.SourceError, match="there is no file"):
            read_ranking(tmp_path / f"r.{suffix}")

    @pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[1, 2]", b'{"format": "thresher/ranking/99"}'])
    def test_what_is_no_ranking(self, tmp_path, suffix, content):
        path = tmp_path / f"r.{suffix}"
        path.write_bytes(content)
        with pytest.raises((th.errors.NotationError, th.errors.SourceError)) as caught:
            read_ranking(path)
        assert caught.value.what.startswith(f"{path}: ")
        assert caught.value.where == "read_ranking(path)"

    @pytest.mark.parametrize(
        "about",
        [
            None,
            "no JSON",
            [],
            {"format": "thresher/ranking-columns/99", "dropped": 0, "segments": 1},
            {"format": "thresher/ranking-columns/1", "dropped": -1, "segments": 1},
            {"format": "thresher/ranking-columns/1", "dropped": 0, "segments": 2},
        ],
        ids=str,
    )
    def test_a_parquet_file_of_something_else(self, tmp_path, about):
        table = pa.table({"score": [1.0], "pos": [1], "neg": [0]})
        metadata = about if isinstance(about, str) else json.dumps(about)
        pq.write_table(table.replace_schema_metadata(about and {"thresher": metadata}), tmp_path / "r.parquet")
        with pytest.raises(th.errors.NotationError, match="not a ranking as thresher writes it"):
            th.Ranking.from_parquet(tmp_path / "r.parquet")

    def test_counts_that_cannot_be(self, tmp_path):
        about = {"format": "thresher/ranking-columns/1", "dropped": 0, "segments": 1}
        table = pa.table({"score": [1.0], "pos": [-1], "neg": [0]}).replace_schema_metadata(
            {"thresher": json.dumps(about)}
        )
        pq.write_table(table, tmp_path / "r.parquet")
        with pytest.raises(th.errors.WeightError, match=r"r.parquet: pos\[0\] is -1"):
            th.Ranking.from_parquet(tmp_path / "r.parquet")


@pytest.mark.parametrize("name", ["r.json", "r.parquet"])
def test_rankings_that_count_ranges_come_back_as_they_were(tmp_path, name):
    r = th.Ranking.of_ranges(
        [0.6, 0.7, 0.1, -np.inf], [0.9, 0.8, 0.4, 0.05], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4], dropped=2
    )
    write_ranking(r, tmp_path / name)
    again = read_ranking(tmp_path / name)
    assert again == r
    assert not again.exact
    assert th.bounds(again, "auc") == th.bounds(r, "auc")


def test_ranges_that_do_not_fit(tmp_path):
    th.Ranking.of_ranges([0.6, 0.1], [0.9, 0.4], pos=[3, 2], neg=[0, 4]).to_parquet(tmp_path / "r.parquet")
    table = pq.read_table(tmp_path / "r.parquet")
    for broken in (table.drop_columns("pos_low"), table.set_column(3, "pos_low", pa.array([0.2, 0.1]))):
        pq.write_table(broken, tmp_path / "r.parquet")
        with pytest.raises(th.errors.NotationError, match="the ranges of this ranking do not fit its segments"):
            th.Ranking.from_parquet(tmp_path / "r.parquet")


@pytest.mark.parametrize("absent", [["corners"], ["ties"], ["rounding"], ["corners", "ties", "rounding"]])
def test_ranges_without_what_bounds_rely_on(tmp_path, absent):
    th.Ranking.of_ranges([0.6, 0.1], [0.9, 0.4], pos=[3, 2], neg=[0, 4]).to_parquet(tmp_path / "r.parquet")
    table = pq.read_table(tmp_path / "r.parquet")
    about = json.loads(table.schema.metadata[b"thresher"])
    metadata = {"thresher": json.dumps({name: value for name, value in about.items() if name not in absent})}
    pq.write_table(table.replace_schema_metadata(metadata), tmp_path / "r.parquet")
    with pytest.raises(th.errors.NotationError, match=f"do not fit its segments .'{absent[0]}'"):
        th.Ranking.from_parquet(tmp_path / "r.parquet")


@pytest.mark.parametrize("path", [None, 5, ["a.parquet"]])
def test_what_names_no_file_is_refused(path):
    tree = th.Ranking.parse("[1+][1-]")
    for function in (th.Ranking.from_parquet, tree.to_parquet):
        with pytest.raises(th.errors.ArgumentError, match="a path is needed"):
            function(path)
