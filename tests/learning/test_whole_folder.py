"""A folder appears whole, or what stood there stays."""

import pytest

import thresher as th
from thresher.learning.whole_folder import replacing_folder, require_folder

NAMES = ("a.txt", "b.txt")


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def write(path, *, overwrite=False, text="new", fault=None):
    with replacing_folder(path, names=NAMES, overwrite=overwrite) as beside:
        (beside / "a.txt").write_text(text)
        if fault is not None:
            raise fault
        (beside / "b.txt").write_text(text)


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
    with pytest.raises(th.OutputError, match=r"holds 'a\.txt' already"):
        write(tmp_path / "out")
    write(tmp_path / "out", overwrite=True)
    assert (tmp_path / "out" / "b.txt").read_text() == "new"
    assert names_in(tmp_path) == ["out"]


def test_what_others_put_there_is_never_removed(tmp_path):
    write(tmp_path / "out")
    (tmp_path / "out" / "c.txt").write_text("precious")
    (tmp_path / "out" / "d.txt").write_text("precious")
    with pytest.raises(th.OutputError, match=r"holds other files \('c.txt' and 1 more\)"):
        write(tmp_path / "out", overwrite=True)


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), OSError("disk"), th.ArgumentError("a", "c")])
def test_nothing_is_left_of_a_failure(tmp_path, fault):
    with pytest.raises(type(fault)):
        write(tmp_path / "out", fault=fault)
    assert names_in(tmp_path) == []
    write(tmp_path / "out", text="old")
    with pytest.raises(type(fault)):
        write(tmp_path / "out", overwrite=True, fault=fault)
    assert names_in(tmp_path) == ["out"]
    assert (tmp_path / "out" / "b.txt").read_text() == "old"


def test_places_where_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("x")
    for place, told in (("file", "is a file"), ("absent/out", "no folder"), ("file/out", "no folder")):
        with pytest.raises(th.OutputError, match=told):
            require_folder(tmp_path / place, names=NAMES, overwrite=True)
