"""Files are written whole or not at all, and what cannot be written is refused before the work."""

import os

import pytest

import thresher as th
from thresher.cli.output import require_outputs, write_text

ROOT = os.geteuid() == 0


def test_half_a_character_is_written_as_its_escape(tmp_path):
    write_text(tmp_path / "a.txt", "a\ud800b")
    assert (tmp_path / "a.txt").read_text() == "a\\ud800b"


def test_two_outputs_may_not_be_one(tmp_path):
    with pytest.raises(th.ArgumentError, match="--output and --decision name the same file"):
        require_outputs(source=None, output=str(tmp_path / "a"), decision=str(tmp_path / "." / "a"))


def test_the_input_is_not_overwritten_by_another_spelling(tmp_path):
    with pytest.raises(th.ArgumentError, match="--write would overwrite the input"):
        require_outputs(source=str(tmp_path / "a.csv"), write=str(tmp_path / ".." / tmp_path.name / "a.csv"))


@pytest.mark.parametrize(
    ("target", "kind"), [(".", IsADirectoryError), ("no/a", FileNotFoundError), ("file/a", NotADirectoryError)]
)
def test_what_cannot_be_written_is_refused_before_the_work(tmp_path, target, kind):
    (tmp_path / "file").write_text("")
    with pytest.raises(kind):
        require_outputs(source=None, output=str(tmp_path / target))


def test_a_folder_without_permission(tmp_path, monkeypatch):
    # To root everything is permitted, so the system's answer is given for it.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError):
        require_outputs(source=None, output=str(tmp_path / "a"))


@pytest.mark.parametrize("figures", ["new", "new/deep/er", "there"])
def test_a_folder_of_figures_may_be_there_or_new(tmp_path, figures):
    (tmp_path / "there").mkdir()
    require_outputs(source=None, figures=str(tmp_path / figures))
    assert [path.name for path in tmp_path.iterdir()] == ["there"], "checking makes nothing"


@pytest.mark.parametrize("figures", ["file", "file/in/it"])
def test_a_folder_of_figures_that_cannot_be(tmp_path, figures):
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        require_outputs(source=None, figures=str(tmp_path / figures))


def test_a_folder_of_figures_without_permission(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError):
        require_outputs(source=None, figures=str(tmp_path / "new"))


@pytest.mark.parametrize("figures", ["a", "a/b"])
def test_a_folder_of_figures_where_a_file_will_be(tmp_path, figures):
    with pytest.raises(th.ArgumentError, match="--figures is to be a folder where --output is a file"):
        require_outputs(source=None, output=str(tmp_path / "a"), figures=str(tmp_path / figures))


@pytest.mark.parametrize("option", ["output", "decision", "figures"])
def test_a_dash_is_no_file(option):
    with pytest.raises(th.ArgumentError, match=f"--{option} is a (file|folder), and - is standard output"):
        require_outputs(source="a.csv", **{option: "-"})


@pytest.mark.parametrize("source", ["part*.csv", "."])
def test_no_file_of_a_glob_or_folder_is_overwritten(tmp_path, monkeypatch, source):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "part1.csv").write_text("")
    (tmp_path / "old.html").write_text("")
    with pytest.raises(th.ArgumentError, match="--output would overwrite the input"):
        require_outputs(source=source, output="part1.csv")
    require_outputs(source=source, output="old.html", decision="new.json")
    require_outputs(source="none*.csv", output="part1.csv")
