"""`thresher completion`: a shell completes options, columns and measures."""

from __future__ import annotations

import click

from thresher.cli import options

SHELLS = ("bash", "zsh", "fish")


@options.define("completion", examples=["thresher completion bash > thresher-completion.bash"])
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the completion script of a shell.

    Source it from ~/.bashrc or ~/.zshrc, or put it into ~/.config/fish/completions/thresher.fish. Columns are
    completed once the file stands on the line.
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"there is no completion for {shell}")
    click.echo(kind(click.get_current_context().find_root().command, {}, "thresher", "_THRESHER_COMPLETE").source())
