import pytest

import thresher as th
from thresher.sources.engines.errors import translate_errors, without_secrets


@pytest.mark.parametrize(
    ("message", "meaning"),
    [
        ("could not write block 7: No space left on device", "no space to spill"),
        ("IO Error: failed to offload data block: max_temp_directory_size exceeded", "no space to spill"),
        ('Could not write file "spilt.tmp": File too large', "no space to spill"),
        ("temporary file size exceeds temp_file_limit (1024kB)", "no space to spill"),
        ("canceling statement due to statement timeout", "took longer than it may"),
        ('The file "x.db" exists, but it is not a valid DuckDB database file!', "no database that is known"),
        ('FATAL: password authentication failed for user "ann"', "login was refused"),
        ("connection to server failed: Connection refused", "cannot be reached"),
        ("No such file or directory Is the server running locally and accepting connections?", "cannot be reached"),
        ("no pg_hba.conf entry for host", "login was refused"),
        ("server closed the connection unexpectedly", "connection was lost"),
        ("Job aborted due to stage failure: ExecutorLostFailure (executor 3)", "a worker was lost"),
        ("An error occurred while calling o40.conf", "a worker was lost"),
        ("An error occurred while calling o40.conf. : java.lang.Oops", "could not be scanned"),
        ("permission denied for table mails", "reading is not allowed"),
        ("Out of Memory Error: could not allocate block", "ran out of memory"),
        ("something else", "could not be scanned"),
    ],
)
def test_messages_of_engines_are_translated(message, meaning):
    with pytest.raises(th.errors.SourceError, match=meaning) as raised, translate_errors("the place"):
        raise RuntimeError(message)
    assert raised.value.fix


def test_long_messages_are_cut_between_words():
    with pytest.raises(th.errors.SourceError, match=r"word word …\n") as raised, translate_errors("place"):
        raise RuntimeError("word " * 100)
    assert len(raised.value.what) < 400


def test_errors_of_thresher_and_interrupts_pass():
    with pytest.raises(th.errors.EmptyError), translate_errors("place"):
        raise th.errors.EmptyError("nothing", "add")
    with pytest.raises(KeyboardInterrupt), translate_errors("place"):
        raise KeyboardInterrupt


def test_secrets_are_never_shown():
    for text in (
        "postgres://ann:tulip@db/x",
        "postgres://ann:tu lip tulip@db/x",
        "postgres://ann:tu/tulip@db/x",
        "password=tulip",
        "PWD: tulip",
        "token=tulip;x",
    ):
        assert "tulip" not in without_secrets(text)
    with pytest.raises(th.errors.SourceError) as raised, translate_errors("postgres://ann:tulip@db/x"):
        raise RuntimeError("cannot connect to postgres://ann:tulip@db/x")
    assert "tulip" not in str(raised.value)


@pytest.mark.parametrize("message", ["Query interrupted", "INTERRUPT Error: Interrupted!"])
def test_an_interrupted_engine_is_an_interrupted_person(message):
    with pytest.raises(KeyboardInterrupt), translate_errors("rows.parquet"):
        raise RuntimeError(message)
