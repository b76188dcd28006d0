// The first screen: one sentence, four tiles per 1,000 cases, the caution that matters most, and a table of rules.
import { cautionList } from "./cautions";
import type { Cells, Contents, Interval, Rule } from "./contents";
import { el, isolated, named, say, svgEl, type Child } from "./dom";
import { expectedCost, measureOf, perThousand } from "./formulas";
import { countText, intervalDecimals, percentText, perThousandText, real, scoreText, shown } from "./reals";
import { mixText, ratioText } from "./ratio";
import { splitAt } from "./choice";
import { COST } from "./state";
import type { Stand, View } from "./view";

const BAR = 48; // pixels of the longest bar

/** One way to act, as the table shows it; limits only where the evaluation made them. */
export interface Row {
  kind: Rule["kind"];
  name: string;
  said: string; // in a few words
  threshold: number;
  cells: Cells; // per 1,000 cases
  cost: number; // per 1,000 cases
  limits: Interval | null; // of the cost per case
  saving: Interval | null; // per case, of the first row against this one
  equal: boolean; // it may be the best as well
}

/** Every rule under the current sliders; the first is the one looked at. */
export function rowsOf(contents: Contents, view: View, found = isAsFound(contents, view)): Row[] {
  const row = (kind: Rule["kind"], name: string, threshold: number, cells: Cells, rule?: Rule): Row => ({
    kind,
    name,
    said: rule?.said ?? ruleText(kind, name, threshold),
    threshold,
    cells: perThousand(cells, view.classRatio),
    cost: 1000 * (rule ? real(rule.cost.estimate) : expectedCost(cells, view.costs)),
    limits: rule?.cost ?? null,
    saving: rule?.saving ?? null,
    equal: rule?.may_be_best === true,
  });
  if (found) return contents.rules.map((rule) => row(rule.kind, rule.name, real(rule.threshold), rule.cells, rule));
  const { Pos, Neg } = view.scene;
  const now = (stand: Stand, split: number, threshold: number): Row => {
    const { tp, fp } = stand.model.curve;
    return row("model", stand.model.name, threshold, { tp: tp[split], fn: Pos - tp[split], fp: fp[split], tn: Neg - fp[split] });
  };
  const { stand } = view;
  const others = view.stands.filter((each) => each !== stand).sort((a, b) => a.cheapestCost - b.cheapestCost);
  const rows = [now(stand, stand.split, stand.threshold), ...others.map((each) => now(each, each.cheapest, each.model.curve.threshold[each.cheapest]))];
  for (const rule of contents.rules) {
    if (rule.kind === "half") {
      if (stand.model.probabilities) rows.push({ ...now(stand, splitAt(stand.model.curve, 0.5), 0.5), kind: "half", said: ruleText("half", stand.model.name, 0.5) });
    } else if (rule.kind !== "model") rows.push(row(rule.kind, rule.name, real(rule.threshold), rule.cells));
  }
  return rows;
}

/** Whether the page shows what Python evaluated: condition, model and threshold. */
export function isAsFound(contents: Contents, view: View): boolean {
  const { stand, state } = view;
  return view.asEvaluated && state.measure === COST && stand.model.key === contents.decision?.["model"] && stand.split === stand.model.start;
}

/** The rules to measure against, the cheapest first. */
function baselines(rows: readonly Row[]): Row[] {
  return rows.slice(1).filter((row) => row.kind !== "model");
}

/** A rule in a few words. */
function ruleText(kind: Rule["kind"], name: string, threshold: number): string {
  if (kind === "never" || kind === "always") return `${kind} act`;
  if (kind === "current") return "the rule in use";
  if (kind === "half") return `${isolated(name)} ≥ 0.5, the usual cut`;
  if (!Number.isFinite(threshold)) return `${isolated(name)}, calling ${threshold > 0 ? "none" : "all"}`;
  return `${isolated(name)} ≥ ${scoreText(threshold)}`;
}

const SHORT: Record<Rule["kind"], string> = { model: "", never: "never", always: "always", half: "cut at 0.5", current: "now in use" };

/** The sentence under other sliders than those evaluated. */
export function sentence(rows: readonly Row[]): (Node | string)[] {
  const [chosen] = rows;
  const rule: (Node | string)[] =
    chosen.threshold === Infinity
      ? ["Call no case positive"]
      : chosen.threshold === -Infinity
        ? ["Call every case positive"]
        : ["Call a case positive when ", named(chosen.name), " says ", el("strong", {}, scoreText(chosen.threshold)), " or more"];
  const against = baselines(rows).reduce((a, b) => (b.cost < a.cost ? b : a));
  const saved = against.cost - chosen.cost;
  const what = against.kind === "never" ? "never acting" : against.kind === "always" ? "always acting" : against.kind === "half" ? "the usual cut-off of 0.5" : "the rule in use";
  if (Math.abs(saved) < 1e-9) return [...rule, `: that costs as much as ${what}.`];
  if (saved < 0) return [...rule, `: that costs ${shown(-saved)} more per 1,000 cases than ${what}.`];
  return [...rule, `: it saves ${shown(saved)} of the ${shown(against.cost)} that ${what} costs per 1,000 cases.`];
}

export interface FirstScreen {
  root: HTMLElement;
  update(view: View): void;
}

/** Everything above the controls; `tools` stand at its end. */
export function firstScreen(contents: Contents, rest: HTMLElement, tools: readonly HTMLElement[]): FirstScreen {
  const lead = el("p", { class: "lead" });
  const why = el("p", { class: "why" });
  const tiles = ["found", "missed", "alarms", "cost"].map((name) => tile(name));
  const caution = contents.cautions[0];
  const word = el("b");
  const mind = caution ? el("p", { class: "mind" }, word, el("bdi", {}, caution.text), " ", el("small", { class: "code" }, caution.code)) : null;
  const body = el("tbody");
  const caption = el("caption");
  const [found, dearer] = [el("th", { scope: "col" }), el("th", { scope: "col", class: "bars" }, "costs more by")];
  const head = el("tr", {}, el("th", { scope: "col", class: "first" }, "rule"), found, ...["false alarms", "precision", "cost"].map((text) => el("th", { scope: "col" }, text)), dearer);
  const table = el("table", { class: "numbers rules" }, caption, el("thead", {}, head), body);
  const scroller = el("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "Rules" }, table);
  const list = cautionList(contents.cautions);
  const heading = el("h2", {}, "Mind");
  const fold = el("details", { class: "fold" }, el("summary", {}, "Why this threshold, how far it holds, what to mind"), rest, list ? el("aside", { "aria-label": "Cautions" }, heading, list) : null);
  const root = el(
    "section",
    { class: "first", "aria-label": "The answer" },
    el("div", { class: "answer card" }, lead, why),
    el("div", { class: "tiles", role: "list", "aria-label": "Per 1,000 cases" }, ...tiles.map((each) => each.root)),
    mind,
    el("div", { class: "card rulesbox" }, scroller),
    fold,
    el("div", { class: "tools" }, ...tools),
  );
  return {
    root,
    update(view) {
      const rows = rowsOf(contents, view);
      const evaluated = isAsFound(contents, view);
      say(word, evaluated ? "Mind: " : "Mind, as evaluated: ");
      say(heading, evaluated ? "Mind" : "Mind, as evaluated");
      lead.replaceChildren(...(evaluated ? [contents.answer[0]] : sentence(rows)));
      say(why, evaluated ? contents.why : movedText(view));
      const mix = percentText(view.classRatio / (1 + view.classRatio));
      const among = contents.rules.filter((rule) => rule.kind === "model").length > 1 ? ", the decision with the choice among models" : "";
      const priced = evaluated ? `; models cost what they do on rows they were not chosen on${among}, and counts are of the rows chosen on` : "";
      say(caption, `Per 1,000 cases ${view.dataRatio ? `as in these rows (${mix} positive)` : `in production (${mix} positive)`}; a miss costs ${missText(view.state.costRatio)}${priced}`);
      const [chosen] = rows;
      const Pos = chosen.cells.tp + chosen.cells.fn;
      say(found, `found of ${perThousandText(Pos, Pos)}`);
      tileTexts(contents, view, rows, evaluated).forEach((texts, i) => tiles[i].put(texts));
      const most = Math.max(...rows.map((row) => row.cost - chosen.cost));
      body.replaceChildren(...rows.map((row, i) => rowElement(row, chosen, i === 0, most)));
    },
  };
}

function movedText(view: View): string {
  return `At cost ratio ${ratioText(view.state.costRatio)} and ${view.scene.inPercent ? `${mixText(view.classRatio)} positives` : `class ratio ${ratioText(view.classRatio)}`}, set on the page; costs are those on the rows chosen on.`;
}

export function missText(costRatio: number): string {
  return costRatio === 1 ? "as much as a false alarm" : `${shown(costRatio)} false alarms`;
}

export interface TileTexts {
  value: string;
  what: string;
  limits: string;
  against: [name: string, value: string][];
}

/** What the four tiles say. Python's `tiles` in evaluation/summary.py says the same. */
export function tileTexts(contents: Contents, view: View, rows: readonly Row[], evaluated: boolean): TileTexts[] {
  const [chosen] = rows;
  const { tp, fn, fp, tn } = chosen.cells;
  const [Pos, Neg] = [tp + fn, fp + tn];
  const against = (text: (row: Row) => string): [string, string][] => baselines(rows).map((row) => [SHORT[row.kind], text(row)]);
  const of = evaluated ? new Map(view.stand.model.of?.measures.map((each) => [each.name, each.interval])) : new Map<string, Interval>();
  const counted = (rate: string, total: number, value: number, what: string, cell: (row: Row) => number): TileTexts => {
    const limits = of.get(rate);
    const [low, high] = [limits?.lower, limits?.upper].map((each) => total * real(each));
    const known = low <= value && value <= high;
    return {
      value: perThousandText(value, total),
      what,
      limits: known ? `${perThousandText(low, total)} to ${perThousandText(high, total)}` : "",
      against: against((row) => perThousandText(cell(row), total)),
    };
  };
  const cost = chosen.limits;
  const [low, high] = [cost?.lower, cost?.upper].map((each) => 1000 * real(each));
  const places = cost ? intervalDecimals(chosen.cost, low, high) : null;
  return [
    counted("tpr", Pos, tp, `of ${perThousandText(Pos, Pos)} positives found`, (row) => row.cells.tp),
    counted("fnr", Pos, fn, "missed", (row) => row.cells.fn),
    counted("fpr", Neg, fp, "false alarms", (row) => row.cells.fp),
    {
      value: shown(chosen.cost, places),
      what: contents.unit,
      limits: Number.isNaN(low) ? "" : `${shown(low, places)} to ${shown(high, places)}`,
      against: against((row) => shown(row.cost, places)),
    },
  ];
}

export function tile(name: string): { root: HTMLElement; put(texts: TileTexts): void } {
  const value = el("b", { "data-tile": name });
  const what = el("span", { class: "what" });
  const limits = el("span", { class: "limits" });
  const list = el("dl");
  const root = el("div", { class: "tile", role: "listitem" }, value, what, limits, list);
  return {
    root,
    put(texts) {
      say(value, texts.value);
      say(what, texts.what);
      say(limits, texts.limits);
      list.replaceChildren(...texts.against.map(([who, text]) => el("div", {}, el("dt", {}, who), el("dd", {}, text))));
    },
  };
}

function rowElement(row: Row, chosen: Row, first: boolean, most: number): HTMLElement {
  const { tp, fn, fp, tn } = row.cells;
  const precision = measureOf("precision", row.cells);
  const more = row.cost - chosen.cost;
  const saving = row.saving;
  const [low, high] = [saving?.lower, saving?.upper].map((each) => 1000 * real(each));
  const places = saving ? intervalDecimals(1000 * real(saving.estimate), low, high) : null;
  const limits = row.limits ? [row.limits.lower, row.limits.upper].map((each) => 1000 * real(each)) : [NaN, NaN];
  const digits = row.limits ? intervalDecimals(row.cost, limits[0], limits[1]) : null;
  const pm = (a: number, b: number, places_: number | null): HTMLElement | null =>
    Number.isNaN(a) || Number.isNaN(b) || a === b ? null : el("small", {}, `${shown(a, places_)} to ${shown(b, places_)}`);
  const bar = svgEl("svg", { class: "bar", viewBox: `0 0 ${BAR} 10`, width: BAR, height: 10, "aria-hidden": "true" }, svgEl("rect", { width: most > 0 ? Math.max(0, (BAR * more) / most) : 0, height: 10, rx: 2 }));
  const mark = first ? "● " : row.equal ? "○ " : "";
  return el(
    "tr",
    { class: first ? "chosen" : row.kind === "model" ? null : "baseline", "data-rule": row.kind },
    el("th", { scope: "row", class: "first" }, mark ? el("span", { class: "dot", "aria-hidden": "true" }, mark) : null, el("bdi", {}, row.said), row.equal && !first ? el("small", {}, "may be the best as well") : null),
    el("td", {}, perThousandText(tp, tp + fn)),
    el("td", {}, perThousandText(fp, fp + tn)),
    el("td", {}, Number.isNaN(precision) ? "–" : percentText(precision)),
    el("td", {}, shown(row.cost, digits), pm(limits[0], limits[1], digits)),
    first ? el("td", { class: "bars" }, "–") : el("td", { class: "bars" }, bar, shown(saving ? 1000 * real(saving.estimate) : more, places), pm(low, high, places)),
  );
}

export function factsOf(contents: Contents): Child[] {
  const { data } = contents;
  const what: Child[] = ["True", "1"].includes(data.positive) ? [] : [" (", named(data.positive), ")"];
  return [`${countText(data.rows)} labelled cases, ${percentText(data.Pos / (data.Pos + data.Neg))} positive`, ...what, ` · ${contents.asked}`];
}

