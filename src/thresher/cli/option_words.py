"""What the library says of its arguments, said of the options of the command line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

_OPTION = re.compile(
    r"\b(?P<name>positive|missing|table|weights?|clusters?|level|prefer|margin|seed|replicates|correction|cost_ratio|class_ratio"
    r"|prevalence|cost_fp|cost_fn|cost_tp|cost_tn|maximise|minimise|subject_to|at_most|measure|method|smoothing"
    r"|thresholds|bins|interpolate|groups|time|search|criterion)=(?P<value>\{[^}]*\}|'[^']*'|\"[^\"]*\"|[\w.+-]*\w|\.\.\.)?"
)
# What a column is declared: types={'age': 'text'}, orders={'size': ['S', 'M']}.
_DECLARED = re.compile(
    r"(?:types|orders)=\{(?P<quote>['\"])(?P<column>.*?)(?P=quote): (?:'(?P<kind>[^']*)'|\[(?P<order>[^\]]*)\])\}"
)
_DECLARING = {"column_types(types=...)": "--type COLUMN=KIND", "overwrite=True": "--overwrite"}
_CONDITION = re.compile(r"OperatingCondition\(([^()]*)\)")
_SINGULAR = {"weights": "weight", "clusters": "cluster", "thresholds": "threshold", "groups": "group"}
# Names in a text that can mean nothing but an argument, unless they are quoted and so somebody's own.
_ARGUMENT = re.compile(r"(?<![\w'\"-])(cost_ratio|cost_fp|cost_fn|cost_tp|cost_tn|at_most|subject_to)(?![\w'\"])")
# Words that also mean something else, such as a measure, in the sentences in which they mean the argument.
_SUBJECT = re.compile(r"^(class_ratio|prevalence|level|margin|seed|replicates|bins)(?= must )")
_BOTH = re.compile(r"^both (class_ratio|maximise) and (prevalence|minimise) are given")
_MEASURES = "thresher.MEASURES lists all of them"
_COLUMN = r"give a --label column that is true where the label is \1"
_PHRASES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\bcost_fn / cost_fp\b"), "what a miss costs in false alarms"),
    (re.compile(r"\b(cost_\w\w) - (cost_\w\w)\b"), r"\1 minus \2"),
    (re.compile(r"\bsingle costs are\b"), "single costs (cost_fp, cost_fn, cost_tp, cost_tn) are"),
    (re.compile(r"\bcompare one with the rest(?:, e\.g\.|: pass) labels == ([^,]+)(?:, or .*)?$"), _COLUMN),
    (re.compile(r"\bpass labels == (.+)$"), _COLUMN),
    (re.compile(r"\bcurrent=\{model: threshold\}"), "--current MODEL=NUMBER"),
    (re.compile(r"\{model: threshold\}"), "MODEL=NUMBER"),
    (re.compile(r"\bor a Decision\b"), "or the file of a decision"),
    (re.compile(r"\bleave clusters out\b"), "leave --cluster out"),
    (re.compile(r'table=\("(\w+)", "(\w+)"\)'), r"--table \1.\2"),
)


def as_options(text: str) -> str:
    """Options in place of arguments; what is quoted is left as it is, for it may be a column's name.

    >>> as_options("both cost_ratio and single costs are given")
    'both --cost-ratio and single costs (--cost-fp, --cost-fn, --cost-tp, --cost-tn) are given'
    >>> as_options("pass positive='spam', or missing='drop'"), as_options("there is no column 'at_most'")
    ('pass --positive spam, or --missing drop', "there is no column 'at_most'")
    """
    for said, spelt in _DECLARING.items():
        text = text.replace(said, spelt)
    found = _CONDITION.sub(r"\1", _DECLARED.sub(_declaration, text))
    for phrase, words in _PHRASES:
        found = phrase.sub(words, found)
    found = _BOTH.sub(_each(r"both {} and {} are given"), _SUBJECT.sub(_each("{}"), _OPTION.sub(_option, found)))
    found = _ARGUMENT.sub(_each("{}"), found)
    return found.replace(_MEASURES, _measures()) if _MEASURES in found else found


def _declaration(found: re.Match[str]) -> str:
    """A declared kind or order as one would type it."""
    if found["kind"] is not None:
        return f"--type {shlex.quote(found['column'] + '=' + found['kind'])}"
    order = ",".join(part.strip().strip("'\"") for part in found["order"].split(","))
    return f"--order {shlex.quote(found['column'] + '=' + order)}"


def _option(found: re.Match[str]) -> str:
    if (found["value"] or "").startswith("{"):
        return " ".join(f"--threshold {model}=..." for model in re.findall(r"'([^']*)'", found["value"]))
    value = (found["value"] or "").strip("'\"")
    return f"{_named(found['name'])} {value}".rstrip()


def _each(form: str) -> Callable[[re.Match[str]], str]:
    return lambda found: form.format(*map(_named, found.groups()))


def _named(argument: str) -> str:
    return f"--{_SINGULAR.get(argument, argument).replace('_', '-')}"


def _measures() -> str:
    from thresher.tables import MEASURES  # only a command that knows measures can have missed one

    return f"Measures are {', '.join(MEASURES)}"
