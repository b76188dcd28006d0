"""The command-line program: commands loaded when run, refusals as one paragraph."""

from __future__ import annotations

import ast
import difflib
import errno
import os
import re
import shlex
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

import click

from thresher._internal.text import log_line, plain_text
from thresher.errors import BusyError, Spelling, ThresherError, paragraph
from thresher.version import __version__


def colours_wanted(environment: Mapping[str, str] | None = None) -> bool:
    """False where NO_COLOR is set (no-color.org), or the terminal has no colours."""
    known = os.environ if environment is None else environment
    return not known.get("NO_COLOR") and known.get("TERM", "").lower() not in ("dumb", "unknown")


BAD_INPUT = 2
BUSY = 75  # EX_TEMPFAIL of sysexits.h: try again
_LEAST_MEMORY = 1 << 30  # with less, threads of Arrow and BLAS that cannot start may wait for ever
_LESS = "read fewer columns or rows, allow more memory, or count parts of the data and add them with thresher merge"
_SHOWN = 3  # of the files that a command was given
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
    errno.EBADF: ("it is closed", "send it to a file or to /dev/null, or pass --quiet where nothing has to be printed"),
    errno.ENOMEM: ("there is not enough memory for this", _LESS),
}
# Packages that cannot be mapped and threads that cannot start: the errors of too little memory that have no kind.
_NO_MEMORY = re.compile(
    r"(?i)can't start new thread|failed to map segment|cannot allocate memory|cannot create.*mapping"
)


class Refusal(click.ClickException):
    """What is wrong, where, and what to do, printed as one paragraph."""

    exit_code = BAD_INPUT

    def __init__(self, what: str, where: str, fix: str) -> None:
        super().__init__(paragraph(what, where, fix))


class Busy(Refusal):
    """A store is in use: try again."""

    exit_code = BUSY


class Command(click.Command):
    """A command of thresher: examples in its help, refusals in one form."""

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
        """Run the command; what the library or the system refuses becomes a `Refusal`."""
        if ctx.params.get("as_json") and ctx.params.get("quiet"):
            raise click.UsageError("--json prints and --quiet does not; give one of them", ctx)
        with translate_errors(ctx):
            _require_memory()
            return super().invoke(ctx)


def _require_memory() -> None:
    """Refuse limits in which Arrow's threads would wait for each other for ever."""
    with suppress(ImportError):  # Windows has neither the module nor such limits
        import resource

        limits = ((resource.RLIMIT_AS, "address space", "-v"), (resource.RLIMIT_DATA, "data", "-d"))
        for kind, words, flag in limits:
            limit, _ = resource.getrlimit(kind)
            if limit == resource.RLIM_INFINITY or limit >= _LEAST_MEMORY:
                continue
            what = f"this process may use {limit >> 20:,} MiB of {words}, and a command needs"
            fix = f"allow more (ulimit {flag}), or limit memory by a control group instead"
            raise ThresherError(f"{what} {_LEAST_MEMORY >> 20:,} MiB before it has read anything", fix)


@contextmanager
def translate_errors(ctx: click.Context) -> Iterator[None]:
    """Turn what the library or the system refuses into a `Refusal`."""
    try:
        yield
    except ThresherError as error:
        raise refusal(error, ctx) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        other = (error.strerror or str(error)).lower(), "check the path and try again"
        reason, fix = _REASONS.get(error.errno or 0, other)
        name = error.filename2 or error.filename or "standard output"
        raise Refusal(f"{name} cannot be used: {reason}", place(ctx), fix) from None
    except UnicodeError as error:
        what = f"a text is not in the encoding it should be in: {error}"
        raise Refusal(what, place(ctx), "save it as UTF-8") from None
    except (MemoryError, RuntimeError, ImportError, SystemError) as error:
        if isinstance(error, MemoryError) or _NO_MEMORY.search(str(error)):
            raise Refusal("there is not enough memory for this", place(ctx), _LESS) from None
        raise


def refusal(error: ThresherError, ctx: click.Context) -> Refusal:
    """An error of the library, with options for arguments and files for calls."""
    what, fix = error.spelled(option_spelling(ctx.command))
    kind = Busy if isinstance(error, BusyError) else Refusal
    return kind(what, error.place or place(ctx), fix)


def option_spelling(command: click.Command) -> Spelling:
    """How arguments are spelled as options: with dashes, in singular or plural."""
    options = {name for one in command.params if isinstance(one, click.Option) for name in one.opts}

    def spelled(name: str, value: str | None) -> str:
        dashed = "--" + name.replace("_", "-")
        option = next((each for each in (dashed, dashed.removesuffix("s"), dashed + "s") if each in options), None)
        if option is None:
            return name if value is None else f"{name}={value}"
        return option if value is None else " ".join(f"{option} {each}".rstrip() for each in _typed(value))

    return spelled


def _typed(value: str) -> Iterator[str]:
    """What is typed after an option for a Python literal, once per key of a mapping."""
    try:
        literal = ast.literal_eval(value)
    except (SyntaxError, ValueError):
        literal = value
    if isinstance(literal, dict):
        yield from (shlex.quote(f"{key}={_word(each)}") for key, each in literal.items())
    else:
        yield shlex.quote(_word(literal)) if literal is not True else ""  # a flag has no value


def _word(literal: Any) -> str:
    if literal is ...:
        return "..."
    if isinstance(literal, list | tuple):
        return ("." if isinstance(literal, tuple) else ",").join(map(_word, literal))
    return str(literal)


def place(ctx: click.Context) -> str:
    """The command and the file that it was given."""
    several = ctx.params.get("sources") or ()
    sources = [source for source in (ctx.params.get("store"), ctx.params.get("source"), *several) if source]
    names = ctx.command_path.split()[1:] if ctx.parent is not None else [str(ctx.info_name)]
    words = ["thresher", *names, *sources[:_SHOWN], *(["…"] if sources[_SHOWN:] else [])]
    if any("://" in word for word in words):
        from thresher.sources.engines.errors import without_secrets

        words = [without_secrets(word) for word in words]
    return " ".join(words)


INTERRUPTED = 130  # 128 + SIGINT, as shells have it
TERMINATED = 143  # 128 + SIGTERM, which job schedulers and containers send
BROKEN_PIPE = 141  # 128 + SIGPIPE
FAULT = 70  # EX_SOFTWARE of sysexits.h

# What each command does, so that the list of them loads none of them.
COMMANDS = {
    "evaluate": "Say which model to deploy at which threshold, and how sure that is.",
    "choose": "Choose the best threshold of a model, exactly.",
    "compare": "Compare models that scored the same rows, pair by pair.",
    "calibrate": "Fit a map from scores to probabilities, and use it.",
    "apply": "Do what a decision or a calibration map says to new scores.",
    "gate": "Check requirements on bounds, for CI: exit 1 when one fails.",
    "table": "Count actual against predicted classes, and measure how well they agree.",
    "costs": "Write a form of the costs of errors between classes, to fill in.",
    "learn": "Learn a model and its decision from a table, checked on untouched rows.",
    "predict": "Score new rows and decide about them, with what learn wrote.",
    "features": "Choose the features that keep the classes furthest apart.",
    "watch": "Watch whether a deployed decision does what it promised.",
    "merge": "Count rows into rankings, and add rankings up.",
    "classroom": "Write a page that teaches a small ranking, or tables, step by step.",
    "demo": "Evaluate three real models and write a report; needs no input.",
    "completion": "Print the completion script of a shell.",
}


class Group(click.Group):
    """Commands in the order of use; a misspelt one is refused with the nearest."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Show the help where there is no command."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(BAD_INPUT)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, the first ones first."""
        del ctx
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command, or an error that suggests one."""
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], names, n=1)
            hint = f"did you mean {near[0]}?" if near else f"the commands are {', '.join(names)}"
            ctx.fail(f"there is no command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)


class Program(Group):
    """All commands; exits with 0, 1 (a gate failed), 2 (bad input), 3, 70, 75 ..."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, the first ones first."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"thresher.cli.commands.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without loading any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run; an interruption and a closed pipe are no errors."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except KeyboardInterrupt:
            raise click.exceptions.Exit(TERMINATED if ctx.obj else INTERRUPTED) from None
        except BrokenPipeError:
            raise click.exceptions.Exit(BROKEN_PIPE) from None
        return result

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Run and leave; every refusal is one paragraph on stderr."""
        extra["standalone_mode"] = False
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(errors="replace")  # a name that the terminal cannot show must not end the run
        try:
            with _terminable() as signals, translate_errors(click.Context(self, info_name="")):
                code = super().main(*args, obj=signals, **extra)
        except click.ClickException as error:
            with suppress(OSError):  # nobody reads what went wrong, and the exit code says that something did
                click.echo(_paragraph(error), err=True)
            sys.exit(error.exit_code if isinstance(error, Refusal) else BAD_INPUT)
        except click.Abort:
            sys.exit(INTERRUPTED)
        except Exception:  # noqa: BLE001 - a fault must not look like a gate that failed, which leaves with 1
            with suppress(OSError):
                traceback.print_exc()
                click.echo(
                    "thresher: this is a fault of thresher and not of what it was given; please report it", err=True
                )
            sys.exit(FAULT)
        finally:
            _leave_unwritten()
        sys.exit(code if isinstance(code, int) else 0)


def _leave_unwritten() -> None:
    """Let Python's last flush of standard output on leaving succeed, where none can."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _terminable() -> Iterator[list[int]]:
    """Let SIGTERM clean up as an interruption does; the list holds it then."""
    signals: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        del frame
        signals.append(number)
        raise KeyboardInterrupt

    # Other threads receive no signals, and the parent process may want this one ignored.
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield signals
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield signals
    finally:
        signal.signal(signal.SIGTERM, before)


def _paragraph(error: click.ClickException) -> str:
    message = error.format_message()
    if isinstance(error, click.UsageError):
        path = error.ctx.command_path if error.ctx is not None else "thresher"
        message = re.sub(r"\S{300,}", lambda word: f"{word[0][:99]}…", message)
        message = f"{message[:1].lower()}{message[1:].rstrip('.')}\n  where: {path}\n  fix:   see {path} --help"
    lines = [plain_text(line) for line in message.split("\n")]
    name = click.style("thresher: ", fg="red", bold=True) if colours_wanted() else "thresher: "
    return name + log_line("\n".join(lines))


@click.command(
    cls=Program,
    invoke_without_command=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="thresher %(version)s")
def program() -> None:
    """Turn classifier scores into decisions.

    Which model, at which threshold, for your costs and your mix of classes, and how far to trust the answer.
    Try: thresher demo
    """
