import io
import os
import sys
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from pyarrow import feather, orc

import thresher as th
from tests.strategies import labelled_scores
from thresher.evaluation.requirements import read_requirements
from thresher.sources.files import column_names, read_columns
from thresher.sources.storage import read_ranking


def write_jsonl(table, path):
    import json

    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()), encoding="utf-8")


def write_stream(table, path):
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


def packed(write, suffix, compression):
    def write_packed(table, path):
        plain = path.with_suffix("").with_name("plain")
        write(table, plain)
        with pa.output_stream(str(path), compression=compression) as sink:
            sink.write(plain.read_bytes())
        plain.unlink()

    return f"rows{suffix}", write_packed


def write_tsv(table, path):
    pa_csv.write_csv(table, path, pa_csv.WriteOptions(delimiter="\t"))


WRITERS = {
    "csv": ("rows.csv", pa_csv.write_csv),
    "tsv": ("rows.tsv", write_tsv),
    "jsonl": ("rows.jsonl", write_jsonl),
    "parquet": ("rows.parquet", pq.write_table),
    "arrow": ("rows.arrow", lambda table, path: feather.write_feather(table, str(path), compression="uncompressed")),
    "feather": ("rows.feather", lambda table, path: feather.write_feather(table, str(path))),
    "arrow stream": ("rows.arrows", write_stream),
    "orc": ("rows.orc", orc.write_table),
    "csv.gz": packed(pa_csv.write_csv, ".csv.gz", "gzip"),
    "csv.zst": packed(pa_csv.write_csv, ".csv.zst", "zstd"),
    "jsonl.zst": packed(write_jsonl, ".jsonl.zst", "zstd"),
    "arrow.gz": packed(write_stream, ".arrow.gz", "gzip"),
}
TYPED = {"parquet", "orc", "arrow", "feather", "arrow stream", "arrow.gz"}


@pytest.fixture(params=WRITERS)
def kind(request):
    return request.param


def written(kind, table, folder):
    name, write = WRITERS[kind]
    write(table, folder / name)
    return folder / name


def read(path, names=None):
    return read_columns(path, names)


@given(rows=labelled_scores())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
def test_rows_read_from_a_file_give_the_ranking_of_the_arrays(kind, tmp_path, rows):
    labels, scores = rows
    # the widest digits of a float32 are those of the same number as a float64
    table = pa.table({"id": np.arange(labels.size), "y": labels, "p": scores if kind in TYPED else scores + 0})
    columns = read(written(kind, table, tmp_path), ["y", "p"])
    assert list(columns) == ["y", "p"]
    wide = scores if kind in TYPED or scores.dtype != np.float32 else None
    expected = th.rank(labels, scores)
    actual = th.rank(columns["y"], columns["p"].astype(np.float32) if wide is None else columns["p"])
    assert actual == expected


class TestTypes:
    @pytest.mark.parametrize("kind", sorted(TYPED - {"orc"}))
    def test_dtypes_do_not_change(self, tmp_path, kind):
        table = pa.table(
            {
                "half": np.array([1, 2], np.float16),
                "single": np.array([0.1, 0.2], np.float32),
                "small": np.array([1, 2], np.int8),
                "wide": np.array([1, 2**64 - 1], np.uint64),
                "flag": np.array([True, False]),
                "word": ["ham", "spam"],
                "day": np.array(["2020-01-01", "2020-01-02"], "M8[s]"),
            }
        )
        columns = read(written(kind, table, tmp_path))
        assert {name: values.dtype.str for name, values in columns.items()} == {
            "half": "<f2",
            "single": "<f4",
            "small": "|i1",
            "wide": "<u8",
            "flag": "|b1",
            "word": "<U4",
            "day": "<M8[ms]" if kind == "parquet" else "<M8[s]",
        }
        assert columns["single"].tolist() == np.array([0.1, 0.2], np.float32).tolist()

    def test_missing_stays_missing_in_every_format(self, tmp_path, kind):
        table = pa.table({"y": [1, None, 0], "p": [0.1, 0.2, None], "w": ["a", None, "b"], "b": [True, None, False]})
        columns = read(written(kind, table, tmp_path))
        assert columns["y"].tolist() == [1, None, 0] if columns["y"].dtype == object else np.isnan(columns["y"][1])
        assert np.isnan(columns["p"][2])
        assert columns["w"].tolist() == ["a", None, "b"]
        assert columns["b"].tolist() == [True, None, False]
        with pytest.raises(th.errors.MissingValueError, match=r"1 of 3 labels .* rows 1\); 1 of 3 scores .* rows 2"):
            th.rank(columns["y"], columns["p"])
        assert th.rank(columns["y"], columns["p"], missing="drop").dropped == 2

    def test_a_number_is_read_to_its_last_digit(self, tmp_path, kind):
        scores = [0.1, 0.1 + 2**-56, 5e-324, 1.7976931348623157e308, 1 / 3, -2.2250738585072014e-308, 8.41e21]
        table = pa.table({"p": scores})
        assert read(written(kind, table, tmp_path), ["p"])["p"].tolist() == scores

    def test_wide_integers_are_not_rounded(self, tmp_path, kind):
        table = pa.table({"p": [2**53 + 1, 2**53, 1]})
        assert read(written(kind, table, tmp_path))["p"].tolist() == [2**53 + 1, 2**53, 1]


class TestNames:
    def test_they_are_listed_in_order(self, tmp_path, kind):
        table = pa.table({"z": [1], "a b": [2], "ü,": [3]})
        assert column_names(written(kind, table, tmp_path)) == ("z", "a b", "ü,")

    def test_only_what_is_wanted_comes_in_the_order_wanted(self, tmp_path, kind):
        path = written(kind, pa.table({"a": [1], "b": [2], "c": [3]}), tmp_path)
        assert {name: values.tolist() for name, values in read(path, ["c", "a"]).items()} == {"c": [3], "a": [1]}
        assert list(read(path, ["c", "a"])) == ["c", "a"]

    def test_an_absent_column_is_refused_with_those_there_are(self, tmp_path, kind):
        path = written(kind, pa.table({"label": [1], "p_tree": [0.5], "P_logit": [2]}), tmp_path)
        with pytest.raises(th.errors.ColumnError, match="no column 'p_logit'; did you mean 'P_logit'") as caught:
            read(path, ["label", "p_logit"])
        assert caught.value.fix == "name one of its columns: 'label', 'p_tree' and 'P_logit'"
        with pytest.raises(th.errors.ColumnError, match="no column 'xyz'\n"):
            read(path, ["xyz"])

    @pytest.mark.parametrize("kind", [kind for kind in WRITERS if "json" not in kind])
    def test_a_name_that_two_columns_share(self, tmp_path, kind):
        path = written(
            kind, pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], ["a", "a", "b"]), tmp_path
        )
        assert read(path, ["b"])["b"].tolist() == [3]
        for names in (["a"], None):
            with pytest.raises(th.errors.ColumnError, match="2 columns called 'a'"):
                read(path, names)


class TestSeveralFiles:
    def test_they_are_joined_in_sorted_order(self, tmp_path, kind):
        name = WRITERS[kind][0]
        suffix = name.removeprefix("rows")
        for part in (2, 0, 1):
            written(kind, pa.table({"p": [part, part + 0.5]}), tmp_path).rename(tmp_path / f"part{part}{suffix}")
        for source in (
            tmp_path,
            tmp_path / f"part*{suffix}",
            str(tmp_path / f"part?{suffix}"),
            f"{tmp_path}/**/*{suffix}",
        ):
            assert read(source)["p"].tolist() == [0, 0.5, 1, 1.5, 2, 2.5]
            assert column_names(source) == ("p",)

    @pytest.mark.parametrize("kind", [kind for kind in WRITERS if "json" not in kind])
    def test_each_holds_the_named_columns(self, tmp_path, kind):
        suffix = WRITERS[kind][0].removeprefix("rows")
        written(kind, pa.table({"p": [1], "y": [0]}), tmp_path).rename(tmp_path / f"a{suffix}")
        written(kind, pa.table({"y": [1], "q": [1], "p": [0]}), tmp_path).rename(tmp_path / f"b{suffix}")
        assert read(tmp_path, ["p"])["p"].tolist() == [1, 0]
        for ask in (lambda: read(tmp_path), lambda: column_names(tmp_path)):
            with pytest.raises(th.errors.ColumnError, match=r"'q' is in .*b.* and not in .*a"):
                ask()
        with pytest.raises(th.errors.ColumnError, match=r"a\..* has no column 'q'"):
            th.scan(tmp_path, label="y", score="q")

    def test_columns_may_stand_in_another_order(self, tmp_path, kind):
        suffix = WRITERS[kind][0].removeprefix("rows")
        written(kind, pa.table({"p": [1], "y": ["no"]}), tmp_path).rename(tmp_path / f"a{suffix}")
        written(kind, pa.table({"y": ["yes"], "p": [0]}), tmp_path).rename(tmp_path / f"b{suffix}")
        columns = read(tmp_path)
        assert (columns["p"].tolist(), columns["y"].tolist()) == ([1, 0], ["no", "yes"])

    def test_a_column_of_integers_here_and_floats_there(self, tmp_path, kind):
        suffix = WRITERS[kind][0].removeprefix("rows")
        written(kind, pa.table({"p": [1]}), tmp_path).rename(tmp_path / f"a{suffix}")
        written(kind, pa.table({"p": [0.5]}), tmp_path).rename(tmp_path / f"b{suffix}")
        assert read(tmp_path)["p"].tolist() == [1.0, 0.5]
        written(kind, pa.table({"p": [2**53 + 1]}), tmp_path).rename(tmp_path / f"a{suffix}")
        assert read(tmp_path)["p"].tolist() == [2**53 + 1, 0.5]

    def test_a_column_of_words_here_and_numbers_there(self, tmp_path):
        pq.write_table(pa.table({"p": [1]}), tmp_path / "a.parquet")
        pq.write_table(pa.table({"p": ["x"]}), tmp_path / "b.parquet")
        with pytest.raises(th.errors.ColumnError, match=r"'p' is int64 in .*a.parquet and string in .*b.parquet"):
            read(tmp_path)

    @pytest.mark.parametrize("other", [np.datetime64("2026-05-01", "ns"), np.datetime64("2026-05-01", "us")])
    def test_a_column_of_days_here_and_moments_there(self, tmp_path, other):
        pq.write_table(pa.table({"day": pa.array([20_000], pa.date32())}), tmp_path / "a.parquet")
        pq.write_table(pa.table({"day": [other]}), tmp_path / "b.parquet")
        with pytest.raises(
            th.errors.ColumnError, match=r"'day' is date32\[day\] in .*a.parquet and timestamp\[.s\] in .*b.par"
        ):
            read(tmp_path)

    def test_a_column_of_days_here_and_of_nothing_there(self, tmp_path):
        pq.write_table(pa.table({"day": pa.array([20_000], pa.date32())}), tmp_path / "a.parquet")
        pq.write_table(pa.table({"day": pa.nulls(1)}), tmp_path / "b.parquet")
        assert read(tmp_path)["day"].astype(str).tolist() == ["2024-10-04", "NaT"]

    def test_of_different_formats(self, tmp_path):
        pq.write_table(pa.table({"p": [1]}), tmp_path / "a.parquet")
        pa_csv.write_csv(pa.table({"p": [1]}), tmp_path / "b.csv")
        with pytest.raises(
            th.errors.SourceError, match=r"different formats: csv \(.*b.csv\) and parquet \(.*a.parquet\)"
        ):
            read(tmp_path)


class TestPartitions:
    def test_folders_are_columns(self, tmp_path, kind):
        name, write = WRITERS[kind]
        for day, land, scores in (
            (1, "NL", [0.1, 0.2]),
            (2, "a%20b", [0.3]),
            (10, "__HIVE_DEFAULT_PARTITION__", [0.4]),
        ):
            folder = tmp_path / f"day={day}" / f"land={land}"
            folder.mkdir(parents=True)
            write(pa.table({"p": scores}), folder / name)
        columns = read(tmp_path, ["p", "day", "land"])
        assert columns["p"].tolist() == [0.1, 0.2, 0.4, 0.3]
        assert columns["day"].tolist() == [1, 1, 10, 2]
        assert columns["land"].tolist() == ["NL", "NL", None, "a b"]
        assert read(tmp_path, ["day"])["day"].tolist() == [1, 1, 10, 2]
        assert column_names(tmp_path) == ("p", "day", "land")

    def test_a_column_both_in_the_file_and_in_its_path(self, tmp_path):
        folder = tmp_path / "day=1"
        folder.mkdir()
        pq.write_table(pa.table({"day": [2], "p": [0.5]}), folder / "a.parquet")
        assert read(tmp_path, ["p"])["p"].tolist() == [0.5]
        with pytest.raises(th.errors.ColumnError, match="2 columns called 'day'"):
            read(tmp_path, ["day"])

    def test_notes_of_other_tools_are_no_data(self, tmp_path):
        pq.write_table(pa.table({"p": [0.5]}), tmp_path / "part-0.snappy.parquet")
        for name in ("_SUCCESS", "_metadata.parquet", ".part-0.parquet.crc", ".hidden.parquet", "README.txt"):
            (tmp_path / name).write_text("")
        assert read(tmp_path)["p"].tolist() == [0.5]


class TestStandardInput:
    @pytest.fixture
    def piped(self, monkeypatch):
        return lambda content: monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))

    def test_its_first_bytes_decide_the_format(self, tmp_path, kind, piped):
        piped(written(kind, pa.table({"y": [1, 0], "p": [0.5, 0.25]}), tmp_path).read_bytes())
        columns = read("-", ["p", "y"])
        assert (columns["p"].tolist(), columns["y"].tolist()) == ([0.5, 0.25], [1, 0])

    def test_it_can_be_read_once(self, piped):
        piped(b"y,p\n1,0.5\n")
        assert column_names("-") == ("y", "p")
        with pytest.raises(th.errors.SourceError, match="standard input is empty"):
            read("-")

    def test_its_errors_name_it(self, piped):
        piped(b"y,p\n1\n")
        with pytest.raises(th.errors.SourceError, match="line 2 of standard input has 1 field,"):
            read("-")
        piped(b"\x1f\x8bnonsense")
        with pytest.raises(th.errors.SourceError, match="standard input cannot be read: "):
            read("-")


class TestBadFiles:
    @pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.csv.gz", "a.jsonl.zst", "a.arrow.gz"])
    def test_not_what_the_name_says(self, tmp_path, name):
        (tmp_path / name).write_bytes(b"y,p\n1,0.5\n")
        for ask in (read, column_names):
            with pytest.raises(th.errors.SourceError, match=f"{name} cannot be read as "):
                ask(tmp_path / name)

    @pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl"])
    def test_empty(self, tmp_path, name):
        (tmp_path / name).write_bytes(b"\n \n" if name == "a.jsonl" else b"\n\n")
        with pytest.raises(th.errors.EmptyError, match=f"{name} is empty"):
            read(tmp_path / name)

    @pytest.mark.parametrize("kind", [kind for kind in WRITERS if "json" not in kind])
    def test_without_rows(self, tmp_path, kind):
        path = written(kind, pa.table({"p": pa.array([], pa.float64())}), tmp_path)
        with pytest.raises(th.errors.EmptyError, match="has columns and no rows"):
            read(path)

    def test_one_that_may_not_be_read(self, tmp_path):
        path = tmp_path / "a.csv"
        path.symlink_to(path)
        with pytest.raises(th.errors.SourceError):
            read(path)

    def test_absent_pyarrow_names_the_extra(self, tmp_path, monkeypatch):
        from thresher._internal import optional as extras

        monkeypatch.setattr(extras, "find_spec", lambda _: None)
        with pytest.raises(th.errors.MissingExtraError, match=r'pip install "thresher\[files\]"'):
            read(tmp_path / "a.csv")


def test_pipes_and_devices_are_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "rows.csv")
    (tmp_path / "zeros.csv").symlink_to("/dev/zero")
    for source in (tmp_path / "rows.csv", tmp_path / "zeros.csv", tmp_path, tmp_path / "*.csv"):
        with pytest.raises(th.errors.SourceError, match="is a pipe or a device"):
            th.scan(source, label="y", score="p")
    for name in ("map.json", "map.parquet", "costs.csv"):
        os.mkfifo(tmp_path / name)
    for call in (
        lambda: th.Decision.load(tmp_path / "map.json"),
        lambda: read_ranking(tmp_path / "map.json"),
        lambda: th.Ranking.from_parquet(tmp_path / "map.parquet"),
        lambda: th.tables.read_costs(tmp_path / "costs.csv"),
        lambda: read_requirements(str(tmp_path / "costs.csv")),
    ):
        with pytest.raises(th.errors.SourceError, match="is a pipe or a device"):
            call()


@pytest.mark.parametrize("name", ["x" * 5000 + ".csv", "d/" * 3000 + "a.csv", "a\0b.csv", "x" * 5000 + ".duckdb"])
def test_a_name_that_no_file_has(name, tmp_path):
    evaluation = th.evaluate([1, 0, 1, 0], [0.9, 0.1, 0.8, 0.4])
    calls = (
        lambda: th.scan(name, label="y", score="p", table="t" if name.endswith("db") else None),
        lambda: read_columns(name),
        lambda: th.Ranking.from_parquet(name),
        lambda: th.rank([1, 0], [0.9, 0.1]).to_parquet(name),
        lambda: evaluation.to_html(name),
        lambda: evaluation.decision.save(name),
        lambda: th.Decision.load(name),
        lambda: th.plots.write_figures(evaluation, name),
        lambda: th.learning.read_learned(name),
        lambda: th.evaluation.evaluate_scan(tmp_path / name, label="y", score="p"),
    )
    for call in calls:
        with pytest.raises(th.ThresherError, match=r"too long|cannot name a file|null byte") as refused:
            call()
        assert len(str(refused.value)) < 1000


@pytest.mark.parametrize("suffix", [".arrow", ".arrows", ".orc", ".parquet"])
def test_damaged_files_are_refused_or_read_and_end_nothing(tmp_path, suffix):
    """Arrow trusts the offsets of its own files: a damaged one would end the process."""
    table = pa.table({"y": ["spam", "ham"] * 50, "p": np.arange(100) / 100})
    path = tmp_path / f"rows{suffix}"
    if suffix == ".arrows":
        with pa.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table)
    else:
        {".arrow": feather.write_feather, ".orc": orc.write_table, ".parquet": pq.write_table}[suffix](table, str(path))
    content, random = path.read_bytes(), np.random.default_rng(0)
    refused = 0
    for at in random.integers(0, 8 * len(content), 120).tolist():
        damaged = bytearray(content)
        damaged[at // 8] ^= 1 << at % 8
        path.write_bytes(damaged)
        try:
            th.scan(path, label="y", score="p", positive="spam")
        except th.ThresherError:
            refused += 1
    assert refused
