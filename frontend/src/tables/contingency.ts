// The contingency table of the current model: counts in the data, and per 1,000 cases at the chosen class ratio.
import { button, el, say } from "../dom";
import { csv } from "../csv";
import { atClassRatio, measureOf, perThousand } from "../formulas";
import { countText, percentText, plain, scoreText, shown } from "../reals";
import { copyText } from "../saving";
import type { Scene } from "../scene";
import { COST } from "../state";
import type { View } from "../view";

const CELLS = ["tp", "fn", "Pos", "fp", "tn", "Neg", "yes", "no", "all"] as const;
const KEY_FIGURES = [
  [COST, "cost per case"],
  ["accuracy", "accuracy"],
  ["tpr", "recall"],
  ["tnr", "specificity"],
  ["precision", "precision"],
  ["f1", "F1"],
] as const;
type Name = (typeof CELLS)[number];

export function contingencyTable(scene: Scene): { root: HTMLElement; update(view: View): void } {
  const counts = new Map<Name, HTMLElement>(CELLS.map((name) => [name, el("span")]));
  const shares = new Map<Name, HTMLElement>(CELLS.map((name) => [name, el("small")]));
  const cell = (name: Name, kind: string): HTMLElement => el("td", { class: kind, "data-cell": name }, counts.get(name)!, shares.get(name)!);
  const actual = (sign: string, name: string): HTMLElement => el("th", { scope: "row", class: "first" }, `actual ${sign}`, el("small", {}, el("bdi", {}, name)));
  const model = el("bdi");
  const place = el("span");
  const where = el("caption", {}, model, place);
  const table = el(
    "table",
    { class: "numbers contingency" },
    where,
    el("thead", {}, el("tr", {}, el("td"), ...["called +", "called −", "sum"].map((text) => el("th", { scope: "col" }, text)))),
    el(
      "tbody",
      {},
      el("tr", {}, actual("+", scene.positive), cell("tp", "right"), cell("fn", "wrong"), cell("Pos", "sum")),
      el("tr", {}, actual("−", scene.negative), cell("fp", "wrong"), cell("tn", "right"), cell("Neg", "sum")),
      el("tr", {}, el("th", { scope: "row", class: "first" }, "sum"), cell("yes", "sum"), cell("no", "sum"), cell("all", "sum")),
    ),
  );
  const legend = el("p", { class: "help" });
  const head = el("div", { class: "title" }, el("h3", {}, "Contingency table"));
  const copy = button("CSV", () => void copyText(text(), copy, "Copied"), { class: "quiet", "aria-label": "Copy the contingency table as CSV" });
  head.append(el("div", { class: "tools" }, copy));
  const figures = el("dl", { class: "figures" });
  const key = KEY_FIGURES.map(([name, label]) => {
    const value = el("dd", { "data-measure": name });
    figures.append(el("div", {}, el("dt", {}, label), value));
    return value;
  });
  const root = el("section", { class: "panel tablepanel", "aria-label": "Contingency table" }, head, legend, table, figures);
  let rows: string[][] = [];
  const text = (): string => csv(rows);

  return {
    root,
    update(view) {
      const { cells } = view.stand;
      const now = sums(cells);
      const per = sums(perThousand(cells, view.classRatio));
      for (const name of CELLS) {
        say(counts.get(name)!, countText(now[name]));
        say(shares.get(name)!, per[name].toFixed(1));
      }
      const at = view.dataRatio ? cells : atClassRatio(cells, view.classRatio);
      KEY_FIGURES.forEach(([name], i) => say(key[i], shown(name === COST ? view.stand.cost : measureOf(name, at))));
      say(model, view.stand.model.name);
      say(place, ` at threshold ${scoreText(view.stand.threshold)}`);
      say(legend, `Counts in these rows; below them, per 1,000 cases ${view.dataRatio ? "mixed as here" : `of which ${percentText(view.classRatio / (1 + view.classRatio))} are positive`}, as the figures.${view.stand.model.exact ? "" : " This page keeps some thresholds only and shows the nearest kept threshold."}`);
      const line = (name: string, keys: readonly Name[]): string[] => [name, ...keys.map((key) => String(plain(now[key]))), ...keys.map((key) => String(plain(per[key])))];
      rows = [
        [view.stand.model.name, "called +", "called -", "sum", "called + per 1000", "called - per 1000", "sum per 1000"],
        line("actual +", ["tp", "fn", "Pos"]),
        line("actual -", ["fp", "tn", "Neg"]),
        line("sum", ["yes", "no", "all"]),
      ];
    },
  };
}

function sums({ tp, fn, fp, tn }: { tp: number; fn: number; fp: number; tn: number }): Record<Name, number> {
  return { tp, fn, fp, tn, Pos: tp + fn, Neg: fp + tn, yes: tp + fp, no: fn + tn, all: tp + fn + fp + tn };
}
