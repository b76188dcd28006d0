"""`Door`: a command that shows examples, and whose every refusal is one paragraph and exit code 2."""

from __future__ import annotations

import errno
import re
from collections.abc import Sequence
from typing import Any

import click

from thresher.cli.option_words import as_options
from thresher.errors import ThresherError

BAD_INPUT = 2
_CALL = re.compile(r"[\w.]+(?:\(|\[|=\.\.\.)")  # "evaluate(labels, scores)", "smoothing=..."
_REASONS = {
    errno.ENOSPC: ("there is no space left on the device", "free some space, or write elsewhere"),
    errno.EDQUOT: ("the disk quota is used up", "free some space, or write elsewhere"),
    errno.EACCES: ("permission is denied", "check who owns it, or write elsewhere"),
    errno.EPERM: ("permission is denied", "check who owns it, or write elsewhere"),
    errno.EROFS: ("the file system is read-only", "write elsewhere"),
    errno.ENOENT: ("there is no such file or folder", "check the spelling"),
    errno.EISDIR: ("it is a folder", "name a file"),
    errno.ENOTDIR: ("a part of its path is a file and not a folder", "check the spelling"),
    errno.ENAMETOOLONG: ("its name is too long", "give a shorter one"),
}


class Refusal(click.ClickException):
    """What is wrong, where, and what to do: printed as one paragraph, never as a traceback."""

    exit_code = BAD_INPUT

    def __init__(self, what: str, where: str, fix: str) -> None:
        super().__init__(f"{what}\n  where: {where}\n  fix:   {fix}")


class Door(click.Command):
    """A command of thresher: examples in its help, refusals in one form.

    >>> Door("gate", examples=["thresher gate predictions.csv"]).examples
    ('thresher gate predictions.csv',)
    """

    def __init__(self, *args: Any, examples: Sequence[str] = (), **options: Any) -> None:
        super().__init__(*args, **options)
        self.examples = tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The examples, as one would type them."""
        super().format_epilog(ctx, formatter)
        if self.examples:
            with formatter.section("Examples" if len(self.examples) > 1 else "Example"):
                for line in self.examples:
                    formatter.write(f"  {line}\n")

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what the library or the system refuses comes out as a `Refusal`."""
        if ctx.params.get("as_json") and ctx.params.get("quiet"):
            raise click.UsageError("--json prints and --quiet does not; give one of them", ctx)
        try:
            return super().invoke(ctx)
        except ThresherError as error:
            raise refusal(error, ctx) from None
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _of_system(error, ctx) from None
        except UnicodeError as error:
            what = f"a text is not in the encoding it should be in: {error}"
            raise Refusal(what, place(ctx), "save it as UTF-8") from None
        except MemoryError:
            fix = "read fewer columns or rows, or count parts of the data and add them with thresher merge"
            raise Refusal("there is not enough memory for this", place(ctx), fix) from None


def refusal(error: ThresherError, ctx: click.Context) -> Refusal:
    """An error of the library in the words of the command line: options instead of arguments.

    >>> ctx = click.Context(click.Command("evaluate"), info_name="evaluate")
    >>> error = ThresherError("which label?", "evaluate(labels, scores)", "pass positive='spam' or missing='drop'")
    >>> print(refusal(error, ctx).message)
    which label?
      where: thresher evaluate
      fix:   pass --positive spam or --missing drop
    """
    where = place(ctx) if _CALL.match(error.where) else error.where
    return Refusal(as_options(error.what), where, as_options(error.fix))


def place(ctx: click.Context) -> str:
    """The command and the file that it was given."""
    source = ctx.params.get("source")
    if isinstance(source, str) and "://" in source:
        from thresher.sources.faults import without_secrets

        source = without_secrets(source)
    return f"thresher {ctx.info_name}" + (f" {source}" if isinstance(source, str) else "")


def _of_system(error: OSError, ctx: click.Context) -> Refusal:
    said = (error.strerror or str(error)).lower()
    reason, fix = _REASONS.get(error.errno or 0, (said, "check the path and try again"))
    name = error.filename2 or error.filename
    return Refusal(f"{name or 'standard output'} cannot be used: {reason}", place(ctx), fix)
