"""The page: one HTML file that holds everything and asks the network for nothing."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from os import PathLike
from typing import Any, NamedTuple, TypeAlias

from thresher._internal.atomic import write_file
from thresher._internal.optional import extra
from thresher._internal.palette import ON_LIGHT
from thresher._internal.text import percent_text, visible
from thresher.cautions import Caution
from thresher.choices.points import TableChoice
from thresher.evaluation import LeastCostEvaluation, ThresholdEvaluation
from thresher.evaluation.summary import SHORT_NAMES, Tile, rule_cells, rule_heads, rules_caption, tiles
from thresher.report.payload import payload
from thresher.report.points import points_panels, points_payload, points_tables
from thresher.report.static.panels import class_panels, panels
from thresher.report.static.svg import Panel, colour, dashed, element
from thresher.report.static.tables import Table, tables

Shown: TypeAlias = ThresholdEvaluation | LeastCostEvaluation | TableChoice
_PLAIN = ("True", "1")  # labels that say nothing about what is positive


class Section(NamedTuple):
    """A heading with paragraphs, lines, tiles, pictures and tables below it."""

    title: str
    paragraphs: Sequence[str] = ()
    tiles: Sequence[Tile] = ()
    cautions: Sequence[Caution] = ()
    panels: Sequence[Panel] = ()
    tables: Sequence[Table] = ()
    code: str = ""  # lines to show as they are


def page(
    evaluation: Shown,
    *,
    title: str | None = None,
    sections: Sequence[Section] = (),
    grey: Sequence[str] = (),
) -> str:
    """The page of an evaluation or of a choice of tables, as one text of HTML.

    `sections` come first, the evaluation below them under another heading, its comparison of models folded. Models
    named in `grey` are baselines, and are drawn so. Script, style and numbers are inside: a content security policy
    names the one script and the one style by their SHA-256 and forbids everything else. Without scripts the page
    shows the headline, static pictures and all tables.

    >>> from thresher import evaluate
    >>> result = evaluate([1, 1, 0, 1, 0, 0], [.9, .8, .6, .55, .3, .2], seed=1)
    >>> page(result, title="Six cases")[:15]
    '<!DOCTYPE html>'
    """
    if isinstance(evaluation, ThresholdEvaluation):
        evaluation = evaluation.shortlist()
    data, kind = _contents(evaluation, title)
    heading = data["title"]
    if sections:
        data |= {"title": "How the models compare", "folded": True}
    script, style = asset(f"{kind}.js"), asset("page.css")
    drawn, tabled, lines = _without_scripts(evaluation, data)
    templates, markup = environment()
    template = templates.get_template("page.html.jinja")
    html: str = template.render(
        payload=data,
        title=heading,
        grey="".join(f" grey{at % len(ON_LIGHT)}" for at, name in enumerate(lines) if name in grey),
        # Names in it are visible already, and may stand between isolates that are ours.
        headline=[markup.escape(paragraph) for paragraph in data["answer"]],
        summary=_summary(evaluation) if isinstance(evaluation, ThresholdEvaluation) else None,
        policy=policy(script, style),
        style=markup(style),
        script=markup(script),
        data=markup(embedded(data)),
        legend=[(markup(_swatch(place)), name) for place, name in enumerate(lines)],
        panels=drawn,
        tables=tabled,
        sections=sections,
        markup=markup,
    )
    return html


def write_page(
    evaluation: Shown,
    path: str | PathLike[str],
    *,
    title: str | None = None,
    sections: Sequence[Section] = (),
    grey: Sequence[str] = (),
) -> None:
    """Write the page to a file, completely or not at all."""
    write_file(path, page(evaluation, title=title, sections=sections, grey=grey))


def iframe(evaluation: Shown) -> str:
    """The page in a frame whose script reaches nothing of the notebook."""
    inside = escape(page(evaluation), quote=True)
    return (
        f'<iframe srcdoc="{inside}" sandbox="allow-scripts allow-downloads" title="thresher evaluation" width="100%"'
        f' height="900" frameborder="0"></iframe>'
    )


def environment() -> tuple[Any, Any]:
    """The templates of pages, which escape names, and the type of markup of ours."""
    jinja = extra("jinja2", name="report")
    markup = extra("markupsafe", name="report").Markup
    templates = jinja.Environment(
        loader=jinja.FunctionLoader(packaged),
        autoescape=True,
        undefined=jinja.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # Whatever people named is made visible on its way out; markup is ours alone.
        finalize=lambda value: visible(value) if isinstance(value, str) and not isinstance(value, markup) else value,
    )
    return templates, markup


def embedded(data: Mapping[str, Any]) -> str:
    r"""Data as JSON that can stand inside a script element whatever people named."""
    plain = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        plain = plain.replace(sign, f"\\u{ord(sign):04x}")
    return plain


def policy(script: str, style: str) -> str:
    """The content security policy: this script, if there is one, and this style."""
    allowed = (
        f"'sha256-{base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()}'" for each in (script, style)
    )
    sources = [f"{kind}-src {digest}" for kind, digest in zip(("script", "style"), allowed, strict=True)]
    images = "img-src data: blob:"
    sources = [*sources, images] if script else sources[1:]
    return f"default-src 'none'; {'; '.join(sources)}; base-uri 'none'; form-action 'none'"


def asset(name: str) -> str:
    """A file of the bundle that ships with thresher."""
    return resources.files("thresher.report").joinpath("assets", name).read_text(encoding="utf-8")


def packaged(name: str) -> str:
    """A file of this package: a template, or a style that no script needs."""
    return resources.files("thresher.report").joinpath(name).read_text(encoding="utf-8")


def _contents(evaluation: Shown, title: str | None) -> tuple[dict[str, Any], str]:
    """The data of a page, and the script that shows them."""
    if isinstance(evaluation, TableChoice):
        return points_payload(evaluation, title=title), "points"
    return payload(evaluation, title=title), "page" if isinstance(evaluation, ThresholdEvaluation) else "classes"


def _without_scripts(evaluation: Shown, data: Mapping[str, Any]) -> tuple[list[Panel], list[Table], list[str]]:
    """Pictures, tables, and the names of what lines in the pictures stand for."""
    if isinstance(evaluation, TableChoice):
        return points_panels(data), points_tables(data), []
    if isinstance(evaluation, ThresholdEvaluation):
        return panels(evaluation, data), tables(data), list(evaluation.models)
    return class_panels(evaluation, data), tables(data), data["classes"]


def _summary(evaluation: ThresholdEvaluation) -> dict[str, Any]:
    """Facts, tiles and rules as texts, for readers without scripts."""
    share = percent_text(evaluation.decision.data_prevalence)
    return {
        "facts": f"{evaluation.rows:,} labelled cases, {share} positive",
        "positive": "" if str(evaluation.positive) in _PLAIN else visible(str(evaluation.positive)),
        "caption": rules_caption(evaluation),
        "tiles": tiles(evaluation),
        "heads": rule_heads(evaluation),
        "rows": [
            ("baseline" if name in SHORT_NAMES else "model", rule_cells(evaluation, rule))
            for name, rule in evaluation.rules.items()
        ],
    }


def _swatch(place: int) -> str:
    line = element("path", d="M1 6H27", stroke=colour(place), stroke_width=3, fill="none", **dashed(place))
    return element("svg", line, class_="swatch", viewBox="0 0 28 12", width=28, height=12, aria_hidden="true")
