import os
from pathlib import Path

import pytest

import thresher as th
from thresher.sources.files import list_files as listed_files


@pytest.fixture
def folder(tmp_path):
    def filled(*names):
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"y,p\n1,0.5\n")
        return tmp_path

    return filled


def names(source, root):
    return [file.name.removeprefix(f"{root}/") for file in listed_files(source)]


class TestFormats:
    @pytest.mark.parametrize(
        ("name", "format_", "compression"),
        [
            ("a.csv", "csv", None),
            ("A.CSV", "csv", None),
            ("a.b.tsv.gz", "tsv", "gzip"),
            ("a.tab", "tsv", None),
            ("a.ndjson.zst", "jsonl", "zstd"),
            ("a.snappy.parquet", "parquet", None),
            ("a.pq", "parquet", None),
            ("a.feather", "arrow", None),
            ("a.ipc", "arrow", None),
        ],
    )
    def test_are_known_by_suffix(self, folder, name, format_, compression):
        (file,) = listed_files(folder(name) / name)
        assert (file.format, file.compression) == (format_, compression)

    @pytest.mark.parametrize("name", ["a", "a.txt", "a.gz", "a.xlsx", ".csv"])
    def test_others_are_refused(self, folder, name):
        with pytest.raises(th.errors.SourceError, match="is not known from its name") as caught:
            listed_files(folder(name) / name)
        assert "csv, tsv, jsonl, parquet" in caught.value.fix


class TestPlaces:
    def test_a_folder_and_those_below_in_sorted_order(self, folder):
        root = folder("b.csv", "a/z.csv", "a/b.csv", "c.txt", "_old/x.csv", ".hidden/x.csv", "a/_x.csv")
        assert names(root, root) == ["a/b.csv", "a/z.csv", "b.csv"]

    def test_globs(self, folder):
        root = folder("b2.csv", "b1.csv", "x.csv", "a/b3.csv")
        assert names(root / "b*.csv", root) == ["b1.csv", "b2.csv"]
        assert names(root / "**/b?.csv", root) == ["a/b3.csv", "b1.csv", "b2.csv"]

    def test_a_glob_of_folders(self, folder):
        root = folder("day=1/a.csv", "day=2/a.csv", "week=1/a.csv")
        assert names(root / "day=*", root) == ["day=1/a.csv", "day=2/a.csv"]

    def test_a_name_that_resembles_a_glob(self, folder):
        root = folder("a[1].csv", "a1.csv")
        assert names(root / "a[1].csv", root) == ["a[1].csv"]

    def test_partitions(self, folder):
        root = folder("year=2024/land=N%2FL/a.csv", "year=2024/land=__HIVE_DEFAULT_PARTITION__/a.csv")
        first, second = listed_files(root)
        assert dict(first.partition) == {"year": "2024", "land": "N/L"}
        assert dict(second.partition) == {"year": "2024", "land": None}

    @pytest.mark.parametrize(
        ("source", "words"),
        [
            ("absent.csv", "there is no file or folder"),
            ("absent*.csv", "no file matches"),
            ("", "holds no data"),
            ("?.txt", "is not known from its name"),
        ],
    )
    def test_nothing_there(self, folder, source, words):
        with pytest.raises(th.errors.SourceError, match=words):
            listed_files(folder("a.txt") / source)

    def test_files_of_different_formats(self, folder):
        root = folder("a.csv", "b.parquet")
        with pytest.raises(th.errors.SourceError, match="different formats"):
            listed_files(root)
        assert names(root / "*.csv", root) == ["a.csv"]

    def test_a_glob_of_files_and_folders_that_are_named_like_files(self, folder):
        root = folder("one.csv", "two.csv/part-0.csv", "two.csv/_SUCCESS", "three.tsv")
        assert names(root / "*.csv", root) == ["one.csv", "two.csv/part-0.csv"]

    def test_a_folder_among_files_whose_own_files_are_matched_too(self, folder):
        root = folder("one.csv", "a/two.csv")
        assert names(root / "**/*", root) == names(root / "**", root) == ["a/two.csv", "one.csv"]
        with pytest.raises(th.errors.SourceError, match=r"matches files and the folder .*a, which holds others"):
            listed_files(root / "*")

    def test_a_database_is_no_file_and_its_password_is_not_shown(self):
        with pytest.raises(th.errors.SourceError, match="postgres://host/db is no file") as caught:
            listed_files("postgres://ann:tulip@host/db")
        assert "tulip" not in str(caught.value)

    def test_folders_of_other_tools_are_passed_over(self, folder):
        root = folder("a.csv", "_delta_log/c.csv")
        assert names(root / "*", root) == ["a.csv"]


class TestLinks:
    def test_are_followed(self, folder):
        root = folder("data/day=1/a.csv", "elsewhere/a.csv")
        (root / "data/day=2").symlink_to(root / "elsewhere")
        assert (
            names(root / "data", root)
            == names(root / "data/**/*.csv", root)
            == ["data/day=1/a.csv", "data/day=2/a.csv"]
        )

    def test_that_lead_nowhere_are_refused(self, folder):
        root = folder("a.csv")
        (root / "b.csv").symlink_to(root / "absent.csv")
        for place in (root, root / "*.csv"):
            with pytest.raises(th.errors.SourceError, match=r"b\.csv is a link to nothing"):
                listed_files(place)

    def test_that_lead_to_rows_again_are_refused(self, folder):
        root = folder("day=1/a.csv")
        (root / "latest").symlink_to(root / "day=1")
        for place in (root, root / "*/*.csv", root / "*"):
            with pytest.raises(th.errors.SourceError, match="are the same file"):
                listed_files(place)
        assert names(root / "day=*", root) == ["day=1/a.csv"]

    def test_that_lead_around_themselves_are_refused(self, folder):
        root = folder("day=1/a.csv")
        (root / "day=1/all").symlink_to(root)
        with pytest.raises(th.errors.SourceError, match="is a link to a folder around it"):
            listed_files(root)


class TestFoldersThatMayNotBeRead:
    """None is passed over; whoever runs the tests may read everything, so the system's answers are made up."""

    def test_within_a_folder(self, folder, monkeypatch):
        root = folder("day=1/a.csv", "day=2/a.csv")
        listing = Path.iterdir

        def refusing(path):
            if path.name == "day=2":
                raise PermissionError(13, "Permission denied", str(path))
            return listing(path)

        monkeypatch.setattr(Path, "iterdir", refusing)
        for place in (root, root / "day=*"):
            with pytest.raises(th.errors.SourceError, match="day=2 may not be read"):
                listed_files(place)
        assert names(root / "day=1", root) == ["day=1/a.csv"]

    @pytest.mark.parametrize("pattern", ["**/*.csv", "*/*.csv", "day=?/*.csv"])
    def test_where_a_pattern_searches(self, folder, monkeypatch, pattern):
        root = folder("day=1/a.csv", "day=2/a.csv")
        monkeypatch.setattr(os, "access", lambda name, _: not str(name).endswith("day=2"))
        with pytest.raises(th.errors.SourceError, match="day=2 may not be read"):
            listed_files(root / pattern)

    def test_a_folder_that_one_may_pass_through_need_not_be_listed(self, folder, monkeypatch):
        root = folder("home/me/a.csv")
        allowed = os.access
        monkeypatch.setattr(
            os, "access", lambda name, mode: not (str(name).endswith("home") and mode & os.R_OK) and allowed(name, mode)
        )
        assert names(root / "home/me/*.csv", root) == ["home/me/a.csv"]
        with pytest.raises(th.errors.SourceError, match="home may not be read"):
            listed_files(root / "home/*/*.csv")
