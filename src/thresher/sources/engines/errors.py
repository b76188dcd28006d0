"""Errors of engines: one paragraph that names the place and shows no secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from thresher.errors import SourceError, ThresherError

_CREDENTIALS = re.compile(r"(?P<scheme>[\w+]+://)[^\n]*@")  # a password may hold any sign, written properly or not
_SECRET = re.compile(r"(?i)\b(password|passwd|pwd|token|secret|key)\b\s*[=:]\s*[^\s,;&)]+")
_MOST = 300
_AGAIN = "start the scan again when it is back: nothing was changed, and the same rows give the same counts"
_INTERRUPTED = re.compile(r"(?i)(interrupt error|query interrupted)")
# A pattern in a message, what it means and what to do; the first that fits is used.
_KNOWN: dict[str, tuple[str, str]] = {
    r"no space left|disk full|disk quota|out of disk|max_temp_directory_size|could not write file|file too large": (
        "there is no space to spill",
        "free disk space; rows that do not fit in memory go to the temporary folder, which TMPDIR names",
    ),
    r"temp_file_limit": (
        "there is no space to spill",
        "ask for a higher limit of temporary files, or compare fewer models at once",
    ),
    r"(statement|query) (timeout|timed out)": (
        "the query took longer than it may",
        "ask for a longer limit of time, or scan a table of fewer rows",
    ),
    r"not a valid .* database file|file is not a database": (
        "it is no database that is known",
        "check that it is the right file, and complete",
    ),
    r"password|authentication|role .* does not exist|no \w+\.conf entry": (
        "the login was refused",
        "check user, password and rights",
    ),
    r"connection refused|could not translate|name or service not known|timeout expired|no route|is the server runn": (
        "it cannot be reached",
        "check host and port, and that the server runs",
    ),
    r"server closed the connection|terminating connection|connection (is |was )?(lost|closed)": (
        "the connection was lost",
        _AGAIN,
    ),
    # Py4J says no more than which call failed when the machine dies while its answer is awaited.
    r"executor.*(lost|failure)|job aborted|context.*(stopped|shut)|networkerror|connection reset|in the jvm"
    r"|calling o\d+\.\w+\W*$": ("a worker was lost", _AGAIN),
    r"conflicting lock|already attached": (
        "another connection has it open",
        "close that connection, or scan its own table: th.scan(connection.table(...)) of an Ibis connection",
    ),
    r"(compilation|translation) rule for": (
        "this engine cannot do what is asked of it",
        "give the rows as files or a frame, or ask for less: one score, or evaluate_scan(..., paired=False)",
    ),
    r"interrupt|cancel": ("the query was cancelled", _AGAIN),
    r"permission denied|(access|operation|select) (is )?not allowed|insufficient privilege": (
        "reading is not allowed",
        "ask for the right to read it",
    ),
    r"out of memory|memory limit|could not allocate": (
        "the engine ran out of memory",
        "give it more memory, or scan with fewer buckets",
    ),
    r"database .* does not exist": ("there is no such database", "check the name in the URL"),
}


@contextmanager
def translate_errors(place: str) -> Iterator[None]:
    """Turn whatever an engine raises into a `SourceError`; thresher's own errors pass."""
    try:
        yield
    except ThresherError:
        raise
    except Exception as error:  # noqa: BLE001 - every engine has its own kinds of errors
        if _INTERRUPTED.match(str(error)):  # an embedded engine saw Ctrl-C before Python did
            raise KeyboardInterrupt from None
        message = without_secrets(" ".join(str(error).split())) or type(error).__name__
        shown, cut = without_secrets(place), message
        if len(message) > _MOST:  # after a word, where there is one
            cut = f"{message[:_MOST].rpartition(' ')[0] or message[:_MOST]} …"
        for pattern, (meaning, fix) in _KNOWN.items():
            if re.search(pattern, f"{type(error).__name__}: {message}", flags=re.IGNORECASE):
                raise SourceError(f"{shown}: {meaning} ({cut})", fix) from None
        fix = "check the source and the columns; nothing was changed"
        raise SourceError(f"{shown} could not be scanned: {cut}", fix) from None


def without_secrets(text: str) -> str:
    """A text in which no login can be read.

    >>> without_secrets("postgres://ann:tulip@db.example:5432/mail, password=tulip")
    'postgres://db.example:5432/mail, password=…'
    """
    return _SECRET.sub(r"\1=…", _CREDENTIALS.sub(r"\g<scheme>", text))
