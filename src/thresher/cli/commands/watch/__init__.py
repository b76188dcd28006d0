"""`thresher watch`: a deployed decision, and whether it does what it promised."""

from __future__ import annotations

import click

from thresher.cli.app import Command, Group
from thresher.cli.commands.watch import answers, changes, demo
from thresher.cli.options import schema_option


class Watch(Command, Group):
    """The commands of a watch."""


@click.command(
    "watch",
    cls=Watch,
    examples=[
        "thresher watch create fraud.db decision.json --reference predictions.csv --label malignant --matures 45d",
    ],
)
@schema_option("Print the JSON schema of what check --json prints.")
def command() -> None:
    """Watch whether a deployed decision does what it promised.

    A watch stores a decision with its promises, its scored rows and their late labels. Rows and labels may come in any
    order, split and repeated; check says of every promise whether it holds, is broken, or which labels would tell, with
    limits that hold however often one checks.
    """


for each in (
    changes.create, changes.insert, changes.label, answers.check, answers.review, changes.deploy, answers.rechoose,
    changes.acknowledge, changes.compact, answers.show, demo.demo,
):  # fmt: skip
    command.add_command(each)
