"""Files are written whole or not at all, and what cannot be written is refused before the work."""

import os
import stat
from pathlib import Path

import pytest

import thresher as th
from thresher.cli.output import replacing, require_outputs, write_text

ROOT = os.geteuid() == 0


def test_a_failure_in_the_middle_leaves_the_old_file(tmp_path):
    target = tmp_path / "report.json"
    target.write_text("old")

    def fail():
        with replacing(target) as beside:
            beside.write_text("ne")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_the_file_beside_has_the_suffix_of_the_target(tmp_path):
    with replacing(tmp_path / "rows.csv.gz") as beside:
        assert beside.suffix == ".gz"
        assert beside.parent == tmp_path


def test_permissions_are_those_of_any_other_file(tmp_path):
    mask = os.umask(0o027)
    try:
        write_text(tmp_path / "new.txt", "text")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == 0o640


def test_permissions_of_a_file_that_was_there_stay(tmp_path):
    target = tmp_path / "old.txt"
    target.write_text("old")
    target.chmod(0o600)
    write_text(target, "new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_half_a_character_is_written_as_its_escape(tmp_path):
    write_text(tmp_path / "a.txt", "a\ud800b")
    assert (tmp_path / "a.txt").read_text() == "a\\ud800b"


def test_a_full_disk_names_the_target(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*map\.json'"):
        write_text(tmp_path / "map.json", "{}")
    assert list(tmp_path.iterdir()) == []


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
