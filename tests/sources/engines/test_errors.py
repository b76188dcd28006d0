import pytest
from thresher.sources.faults import told_plainly, without_secrets

import thresher as th


@pytest.mark.parametrize(
    ("said", "meaning"),
    [
        ("could not write block 7: No space left on device", "no room to spill"),
        ("IO Error: failed to offload data block: max_temp_directory_size exceeded", "no room to spill"),
        ('Could not write file "spilt.tmp": File too large', "no room to spill"),
        ("temporary file size exceeds temp_file_limit (1024kB)", "no room to spill"),
        ("canceling statement due to statement timeout", "took longer than it may"),
        ('The file "x.db" exists, but it is not a valid DuckDB database file!', "no database that is known"),
        ('FATAL: password authentication failed for user "ann"', "login was refused"),
        ("connection to server failed: Connection refused", "cannot be reached"),
        ("No such file or directory Is the server running locally and accepting connections?", "cannot be reached"),
        ("no pg_hba.conf entry for host", "login was refused"),
        ("server closed the connection unexpectedly", "connection was lost"),
        ("Job aborted due to stage failure: ExecutorLostFailure (executor 3)", "a worker was lost"),
        ("permission denied for table mails", "reading is not allowed"),
        ("Out of Memory Error: could not allocate block", "ran out of memory"),
        ("something else", "could not be scanned"),
    ],
)
def test_what_engines_say_is_told_in_words(said, meaning):
    with pytest.raises(th.SourceError, match=meaning) as raised, told_plainly("the place"):
        raise RuntimeError(said)
    assert raised.value.fix


def test_much_that_is_said_is_cut_between_words():
    with pytest.raises(th.SourceError, match=r"word word …\n") as raised, told_plainly("place"):
        raise RuntimeError("word " * 100)
    assert len(raised.value.what) < 400


def test_our_own_errors_and_interrupts_pass():
    with pytest.raises(th.EmptyError), told_plainly("place"):
        raise th.EmptyError("nothing", "add")
    with pytest.raises(KeyboardInterrupt), told_plainly("place"):
        raise KeyboardInterrupt


def test_secrets_are_never_told():
    for text in (
        "postgres://ann:tulip@db/x",
        "postgres://ann:tu lip tulip@db/x",
        "postgres://ann:tu/tulip@db/x",
        "password=tulip",
        "PWD: tulip",
        "token=tulip;x",
    ):
        assert "tulip" not in without_secrets(text)
    with pytest.raises(th.SourceError) as raised, told_plainly("postgres://ann:tulip@db/x"):
        raise RuntimeError("cannot connect to postgres://ann:tulip@db/x")
    assert "tulip" not in str(raised.value)


@pytest.mark.parametrize("said", ["Query interrupted", "INTERRUPT Error: Interrupted!"])
def test_an_interrupted_engine_is_an_interrupted_person(said):
    with pytest.raises(KeyboardInterrupt), told_plainly("rows.parquet"):
        raise RuntimeError(said)
