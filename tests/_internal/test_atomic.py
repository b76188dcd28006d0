import errno
import os
import stat
from pathlib import Path

import pytest

import thresher as th
from thresher._internal.atomic import recover_folder, replace_file, replace_folder, require_folder, write_file


def left(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_at_once(tmp_path):
    target = tmp_path / "a.html"
    target.write_text("old")
    target.chmod(0o640)
    write_file(target, "néw")
    assert target.read_bytes() == "néw".encode()
    assert target.stat().st_mode & 0o777 == 0o640
    assert left(tmp_path) == ["a.html"]


def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").touch()
    write_file(str(tmp_path / "a.html"), "x")
    assert (tmp_path / "a.html").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_file(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@pytest.mark.parametrize(("name", "word"), [("", "is a directory"), ("absent/a.html", "there is no directory")])
def test_places_that_are_no_file_are_refused(tmp_path, name, word):
    with pytest.raises(th.errors.OutputError, match=word):
        write_file(tmp_path / name, "x")
    assert left(tmp_path) == []


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES])
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, code):
    target = tmp_path / "a.html"
    target.write_text("old")

    def full(_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(th.errors.OutputError) as caught:
        write_file(target, "new")
    assert caught.value.what == f"{target} cannot be written: {os.strerror(code).lower()}"
    assert target.read_text() == "old"
    assert left(tmp_path) == ["a.html"]


def test_no_permission(tmp_path, monkeypatch):
    def refused(*_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "open", refused)  # root may write anywhere
    with pytest.raises(th.errors.OutputError, match="permission denied"):
        write_file(tmp_path / "a.html", "x")
    assert left(tmp_path) == []


def test_a_device_is_written_to_and_stays_one():
    write_file(os.devnull, "x")
    assert Path(os.devnull).is_char_device()


def test_a_failure_in_the_middle_leaves_the_old_file(tmp_path):
    target = tmp_path / "report.json"
    target.write_text("old")

    def fail():
        with replace_file(target) as temporary:
            temporary.write_text("ne")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_the_temporary_file_has_the_suffix_of_the_target(tmp_path):
    with replace_file(tmp_path / "rows.csv.gz") as temporary:
        assert temporary.suffix == ".gz"
        assert temporary.parent == tmp_path


def test_permissions_follow_the_mask(tmp_path):
    mask = os.umask(0o027)
    try:
        write_file(tmp_path / "new.txt", "text")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == 0o640


def test_what_could_not_be_read_meanwhile_is_raised_as_it_is(tmp_path):
    with pytest.raises(FileNotFoundError), replace_file(tmp_path / "a"):
        (tmp_path / "absent").read_text()
    assert left(tmp_path) == []


NAMES = ("a.txt", "b.txt")


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def write(path, *, overwrite=False, text="new", fault=None):
    with replace_folder(path, names=NAMES, overwrite=overwrite) as temporary:
        (temporary / "a.txt").write_text(text)
        if fault is not None:
            raise fault
        (temporary / "b.txt").write_text(text)


def test_a_new_folder(tmp_path):
    write(tmp_path / "out")
    assert names_in(tmp_path) == ["out"]
    assert names_in(tmp_path / "out") == ["a.txt", "b.txt"]
    usual = tmp_path / "usual"
    usual.mkdir()
    assert (tmp_path / "out").stat().st_mode == usual.stat().st_mode


def test_an_empty_folder_is_filled_and_a_link_stays_one(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "a.txt").read_text() == "new"


def test_a_folder_is_replaced_on_request(tmp_path):
    write(tmp_path / "out", text="old")
    with pytest.raises(th.errors.OutputError, match=r"holds 'a\.txt' already"):
        write(tmp_path / "out")
    write(tmp_path / "out", overwrite=True)
    assert (tmp_path / "out" / "b.txt").read_text() == "new"
    assert names_in(tmp_path) == ["out"]


def test_what_others_put_there_is_never_removed(tmp_path):
    write(tmp_path / "out")
    (tmp_path / "out" / "c.txt").write_text("precious")
    (tmp_path / "out" / "d.txt").write_text("precious")
    with pytest.raises(th.errors.OutputError, match=r"holds other files \('c.txt' and 1 more\)"):
        write(tmp_path / "out", overwrite=True)


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), OSError("disk"), th.errors.ArgumentError("a", "c")])
def test_nothing_is_left_of_a_failure(tmp_path, fault):
    raised = th.errors.OutputError if isinstance(fault, OSError) else type(fault)
    with pytest.raises(raised):
        write(tmp_path / "out", fault=fault)
    assert names_in(tmp_path) == []
    write(tmp_path / "out", text="old")
    with pytest.raises(raised):
        write(tmp_path / "out", overwrite=True, fault=fault)
    assert names_in(tmp_path) == ["out"]
    assert (tmp_path / "out" / "b.txt").read_text() == "old"


def test_places_where_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("x")
    for place, what in (("file", "is a file"), ("absent/out", "no folder"), ("file/out", "no folder")):
        with pytest.raises(th.errors.OutputError, match=what):
            require_folder(tmp_path / place, names=NAMES, overwrite=True)


def test_two_renames_serve_where_folders_cannot_be_exchanged(tmp_path, monkeypatch):
    monkeypatch.setattr("thresher._internal.atomic.exchange", lambda *_: False)
    write(tmp_path / "out", text="old")
    write(tmp_path / "out", overwrite=True)
    assert (tmp_path / "out" / "b.txt").read_text() == "new"
    assert names_in(tmp_path) == ["out"]


def test_a_folder_that_was_moved_away_is_put_back_with_a_warning(tmp_path):
    write(tmp_path / ".out.12ab34cd.old", text="old")
    with pytest.warns(UserWarning, match="before a process was killed"):
        recover_folder(tmp_path / "out")
    assert (tmp_path / "out" / "b.txt").read_text() == "old"
    assert names_in(tmp_path) == ["out"]
    recover_folder(tmp_path / "out")
    write(tmp_path / ".other.backup.old")
    recover_folder(tmp_path / "other")  # whose name nobody here gave
    assert not (tmp_path / "other").exists()


def test_the_mask_of_the_process_is_never_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", None)  # other threads may be making files at that very moment
    write_file(tmp_path / "a.html", "x")
    write(tmp_path / "out")
    write(tmp_path / "out", overwrite=True)


def test_a_private_file_is_never_readable_by_others(tmp_path):
    target = tmp_path / "a.html"
    target.touch(mode=0o600)
    with replace_file(target) as temporary:
        assert temporary.stat().st_mode & 0o777 == 0o600


def test_what_replaces_a_read_only_file_can_be_written_by_its_owner(tmp_path):
    target = tmp_path / "a.html"
    target.write_text("old")
    target.chmod(0o444)
    with replace_file(target) as temporary:
        assert temporary.stat().st_mode & 0o200  # root may write anyway
        temporary.write_text("new")
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o444


def test_a_folder_with_a_long_name_is_put_back(tmp_path, monkeypatch):
    target = tmp_path / ("long " * 12)
    write(target, text="old")
    with monkeypatch.context() as patched:
        patched.setattr("thresher._internal.atomic.exchange", lambda *_: False)
        child = os.fork()
        if child == 0:
            rename = Path.rename

            def once(self, other):
                rename(self, other)
                os._exit(0)  # between the two renames

            patched.setattr(Path, "rename", once)
            write(target, overwrite=True)
        os.waitpid(child, 0)
    assert not target.exists()
    with pytest.warns(UserWarning, match="before a process was killed"):
        recover_folder(target)
    assert (target / "a.txt").read_text() == "old"
