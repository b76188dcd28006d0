import errno
import os
from pathlib import Path

import pytest

import thresher as th
from thresher.report.file import write_whole


def left(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_whole(tmp_path):
    target = tmp_path / "a.html"
    target.write_text("old")
    target.chmod(0o640)
    write_whole(target, "néw", where="here")
    assert target.read_bytes() == "néw".encode()
    assert target.stat().st_mode & 0o777 == 0o640
    assert left(tmp_path) == ["a.html"]


def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").touch()
    write_whole(str(tmp_path / "a.html"), "x", where="here")
    assert (tmp_path / "a.html").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_whole(tmp_path / "link", "new", where="here")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@pytest.mark.parametrize(("name", "word"), [("", "is a directory"), ("absent/a.html", "there is no directory")])
def test_places_that_are_no_file_are_refused(tmp_path, name, word):
    with pytest.raises(th.OutputError, match=word):
        write_whole(tmp_path / name, "x", where="here")
    assert left(tmp_path) == []


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES])
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, code):
    target = tmp_path / "a.html"
    target.write_text("old")

    def full(_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(th.OutputError) as caught:
        write_whole(target, "new", where="to_html(path)")
    assert caught.value.what == f"{target} cannot be written: {os.strerror(code).lower()}"
    assert target.read_text() == "old"
    assert left(tmp_path) == ["a.html"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_no_permission(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(th.OutputError, match="permission denied"):
        write_whole(tmp_path / "a.html", "x", where="here")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_device_is_written_to_and_stays_one():
    with pytest.raises(th.OutputError, match="no space left on device"):
        write_whole("/dev/full", "x", where="here")
    write_whole(os.devnull, "x", where="here")
    assert Path(os.devnull).is_char_device()
