"""`thresher gate`: requirements on bounds, for continuous integration."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from thresher._internal.text import count_text
from thresher.cli import options
from thresher.cli.options import GroupOptions, ModelOptions, PrintOptions, RowOptions, column_option, option
from thresher.errors import ArgumentError, ThresherError

if TYPE_CHECKING:
    from thresher.cli.reading import Group, LabelledScores
    from thresher.evaluation.requirements import Judgement, Requirement
    from thresher.ranking import Ranking
    from thresher.tables import OperatingCondition


@dataclass(frozen=True, slots=True)
class GateOptions:
    """What is required, and how it is judged."""

    required: tuple[str, ...] = option(
        "--require",
        metavar="TEXT",
        help='E.g. "auc >= 0.85", "recall@fpr<=0.01 >= 0.6", "forest:brier.upper <= 0.1". Repeat it for several.',
    )
    requirements: str | None = option(metavar="FILE", help="Read requirements from a file, one a line; # comments.")
    current: str | None = column_option(**options.CURRENT)
    replicates: int = option(default=1000, **options.REPLICATES)
    exact: bool = option(**options.EXACT)
    junit: str | None = option(metavar="FILE", help="Write the verdicts as JUnit XML, too.")
    github: bool = option(help="Print failures as annotations of GitHub Actions, too.")


@options.define(
    "gate",
    examples=[
        'thresher gate predictions.csv --label malignant --score forest --require "auc >= 0.85"',
        'thresher gate predictions.csv --label malignant --score forest --require "recall@fpr<=0.05 >= 0.6"',
        "thresher gate predictions.csv --label malignant --score forest --requirements release.txt --junit gate.xml",
        'thresher gate animals.csv --label animal --probability "tree_{class}" --require "recall[snake] >= 0.3"',
    ],
)
@options.SOURCES
def command(
    sources: tuple[str, ...],
    data: ModelOptions,
    groups: GroupOptions,
    gate: GateOptions,
    printed: PrintOptions,
) -> None:
    """Check requirements on bounds, for CI: exit 1 when one fails.

    A requirement is [MODEL:]QUANTITY[.lower|.upper|.estimate] RELATION NUMBER. What must be large is judged by its
    lower limit and what must be small by its upper limit, unless a bound is named. A quantity is a number of the model
    (auc, partial_auc[fpr<=0.1], brier, net_benefit@0.05, calibration_slope, saving) or a measure at the threshold that
    is cheapest under the condition, at a fixed one (recall@threshold=0.5), or where it is best while a constraint holds
    (recall@fpr<=0.01). Without MODEL, the one that evaluate would decide for is meant. FILE holds rows, or rankings
    that thresher merge wrote. More than two million rows are counted in ranges of scores: a requirement then holds, or
    fails, only if it does for every order that they leave open, and is undecided otherwise.

    Of k classes (--probability) a quantity is expected_cost, overall_accuracy, macro_f1, brier and their like, or a
    measure of one class, as recall[snake].
    """
    if not gate.required and gate.requirements is None:
        raise click.UsageError('nothing is required; pass e.g. --require "auc >= 0.85"')
    if gate.github and printed.as_json:
        raise click.UsageError("--github and --json both print to standard output; give one of them")
    from thresher.cli.vectors import require_vectors_alone

    require_vectors_alone(data)
    declared = data.condition()

    from thresher._internal.atomic import write_file
    from thresher.cli.console.groups import present_groups
    from thresher.cli.console.tables import gate_blocks
    from thresher.cli.reading import group_text
    from thresher.cli.verdicts import github_annotations, junit_xml
    from thresher.evaluation.requirements import read_requirements, requirement

    _require_junit(sources, gate)
    requirements = [requirement(text) for text in gate.required]
    if gate.requirements is not None:
        requirements += read_requirements(gate.requirements)
    if data.probabilities:
        answers, declared = _judge_vectors(sources, data, groups, gate, requirements=requirements)
    else:
        answers = _judge(sources, data, groups, gate, requirements)
    verdicts = [one for each in answers.values() if not isinstance(each, ThresherError) for one in each]
    refused = any(isinstance(each, ThresherError) for each in answers.values())
    passed = all(one.passed for one in verdicts) and not refused
    undecided = sum(one.undecided for one in verdicts)
    by_group = {group_text(groups.by, group): each for group, each in answers.items()}
    if gate.junit is not None:
        write_file(gate.junit, junit_xml(by_group, name=f"thresher gate {' '.join(sources)}"))
    present_groups(
        replace(printed, quiet=printed.quiet and passed),
        groups.by,
        answers,
        plain=lambda each: {"requirements": [one.to_dict() for one in each]},
        blocks=lambda each, screen: gate_blocks(each, screen.width, condition=declared),
        about={"passed": passed, "undecided": bool(undecided), "condition": declared.to_dict()},
    )
    for line in github_annotations(by_group) if gate.github else ():
        click.echo(line)
    if refused or any(not (one.passed or one.undecided) for one in verdicts):
        raise click.exceptions.Exit(1)
    if undecided:
        what = f"{undecided} of {count_text(len(verdicts), 'requirement')} cannot be decided from counts"
        fix = "pass --exact to count every score, also to merge, give rows, or require less close a number"
        raise ArgumentError(what, fix)


def _require_junit(sources: Sequence[str], gate: GateOptions) -> None:
    """Refuse a report that could not be written, or would replace what is read."""
    from thresher.cli.outputs import require_outputs

    for source in sources:
        require_outputs(source=source, junit=gate.junit)
    for name, path in (("requirements", gate.requirements), ("current", gate.current)):
        if gate.junit and path and os.path.realpath(path) == os.path.realpath(gate.junit):
            raise ArgumentError(f"--junit would overwrite the file of --{name}, {path}", "write to another file")


def _judge_vectors(
    sources: Sequence[str],
    data: ModelOptions,
    groups: GroupOptions,
    gate: GateOptions,
    *,
    requirements: Sequence[Requirement],
) -> tuple[dict[Group, list[Judgement] | ThresherError], OperatingCondition]:
    """Judge each group by rows of k classes, and the condition it is judged at."""
    from thresher.cli.reading import answer_groups, single_source
    from thresher.cli.vectors import VectorRows, read_vectors
    from thresher.evaluation import LeastCostEvaluation, evaluate
    from thresher.evaluation.requirements import judge

    rows, condition = read_vectors(single_source(sources), data, groups, current=gate.current)
    asked: list[OperatingCondition] = []

    def answer(part: VectorRows) -> list[Judgement]:
        evaluation: LeastCostEvaluation = evaluate(
            **part.arguments,
            other=data.other,
            condition=condition,
            current=part.current,
            level=data.level,
            seed=data.seed,
        )
        asked.append(evaluation.condition)
        return [judge(one, evaluation, replicates=gate.replicates) for one in requirements]

    return answer_groups(rows, answer), asked[0]


def _judge(
    sources: Sequence[str],
    data: RowOptions,
    groups: GroupOptions,
    gate: GateOptions,
    requirements: Sequence[Requirement],
) -> dict[Group, list[Judgement] | ThresherError]:
    """Judge each group, by rows where these are few or needed and else by counts."""
    from thresher.cli.console.screen import working
    from thresher.cli.reading import answer_groups, is_ranking, read_rankings, read_rows, single_source
    from thresher.evaluation import evaluate, evaluate_rankings
    from thresher.evaluation.counted import countable
    from thresher.evaluation.requirements import judge

    condition = data.condition()
    needs_rows = {"--weight": data.weight, "--cluster": data.cluster, "--current": gate.current}
    needs = [name for name, value in needs_rows.items() if value]
    on_file = all(map(is_ranking, sources))
    if not on_file:
        needs += [str(one.quantity) for one in requirements if not countable(one.quantity, condition, data.trained_at)]
        rows = read_rows(
            single_source(sources), data, groups, cluster=data.cluster, current=gate.current, few=not needs
        )
        if rows is not None:

            def of_rows(part: LabelledScores) -> list[Judgement]:
                evaluation = evaluate(**part.columns, current=part.current, condition=condition, **data.arguments())
                return [judge(one, evaluation, replicates=gate.replicates) for one in requirements]

            with working("drawing the data again"):
                return answer_groups(rows, of_rows)
    if needs:
        what = f"{needs[0]} needs rows, and there are {'only counts' if on_file else 'more than fit'}"
        raise ArgumentError(what, f"leave it out, or give {'rows' if on_file else 'a sample of them'}")
    counts = read_rankings(sources, data, groups, together=True, exact=gate.exact, condition=condition)

    def of_counts(models: dict[str, Ranking]) -> list[Judgement]:
        evaluation = evaluate_rankings(models, condition=condition, trained_at=data.trained_at, level=data.level)
        return [judge(one, evaluation, replicates=gate.replicates) for one in requirements]

    with working("judging requirements"):
        return answer_groups(counts, of_counts)
