"""`thresher watch`: a deployed decision, and whether it does what it promised."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from importlib import import_module

import click

from thresher.cli.app import Command
from thresher.cli.options import PrintOptions, option

# Where each command is, and what it does, so that the list of them loads none.
COMMANDS = {
    "create": ("watch_create", "Make a watch of a decision, in a file or in PostgreSQL."),
    "insert": ("watch_insert", "Add scored rows; known ones change nothing."),
    "label": ("watch_label", "Add labels, late, corrected or withdrawn."),
    "check": ("watch_check", "Say of every promise whether it holds: exit 0, 1 or 3."),
    "review": ("watch_review", "Choose rows to label next, and say what that buys."),
    "deploy": ("watch_deploy", "Start an epoch with another decision."),
    "rechoose": ("watch_rechoose", "Choose the threshold again, from what is known today."),
    "acknowledge": ("watch_acknowledge", "Acknowledge the alarm of a promise."),
    "compact": ("watch_compact", "Turn old rows into counts."),
    "show": ("watch_show", "Show settings, decisions, batches and checks."),
    "demo": ("watch_demo", "Watch a simulated year, and write the page."),
}
STORE = click.argument("store", metavar="STORE", type=str)


@dataclass(frozen=True)
class StoreOptions:
    """Which watch of a store, and how long to wait for it."""

    name: str | None = option(metavar="NAME", help="Name of the watch, where a store holds several.")
    timeout: float = option(default=30.0, metavar="SECONDS", help="How long to wait for a store in use; then exit 75.")


@dataclass(frozen=True, slots=True)
class WatchPrintOptions(PrintOptions):
    """Print plain data as JSON, a summary, or nothing; the schema is that of `check`."""


class Watches(Command, click.Group):
    """The commands of a watch, each loaded when it is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order of use."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        chosen: click.Command = import_module(f"thresher.cli.commands.{COMMANDS[cmd_name][0]}").command
        return chosen

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without loading any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command, or an error that suggests one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"the commands are {', '.join(COMMANDS)}"
            ctx.fail(f"there is no command watch {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)


def _print_schema(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click's callback
    del param
    if wanted and not ctx.resilient_parsing:
        import json

        from thresher.cli.schemas import json_schema

        click.echo(json.dumps(json_schema("watch"), indent=2))
        ctx.exit()


@click.command(
    "watch",
    cls=Watches,
    examples=[
        "thresher watch create fraud.db decision.json --reference predictions.csv --label malignant --matures 45d",
    ],
)
@click.option(
    "--schema",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_schema,
    help="Print the JSON schema of what check --json prints.",
)
def command() -> None:
    """Watch whether a deployed decision does what it promised.

    A watch stores a decision with its promises, its scored rows and their late labels. Rows and labels may come in any
    order, split and repeated; check says of every promise whether it holds, is broken, or which labels would tell, with
    limits that hold however often one checks.
    """
