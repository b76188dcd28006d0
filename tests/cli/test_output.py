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
        require_outputs("here", source=None, output=str(tmp_path / "a"), decision=str(tmp_path / "." / "a"))


def test_the_input_is_not_overwritten_by_another_spelling(tmp_path):
    with pytest.raises(th.ArgumentError, match="--write would overwrite the input"):
        require_outputs("here", source=str(tmp_path / "a.csv"), write=str(tmp_path / ".." / tmp_path.name / "a.csv"))


@pytest.mark.parametrize(
    ("target", "kind"), [(".", IsADirectoryError), ("no/a", FileNotFoundError), ("file/a", NotADirectoryError)]
)
def test_what_cannot_be_written_is_refused_before_the_work(tmp_path, target, kind):
    (tmp_path / "file").write_text("")
    with pytest.raises(kind):
        require_outputs("here", source=None, output=str(tmp_path / target))


def test_a_folder_without_permission(tmp_path, monkeypatch):
    # To root everything is permitted, so the system's answer is given for it.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError):
        require_outputs("here", source=None, output=str(tmp_path / "a"))
