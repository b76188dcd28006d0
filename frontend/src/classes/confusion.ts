// The confusion matrix twice: cases, and what they cost; shades show where most cases of a class, and most costs, lie.
import { el, isolated, named, say } from "../dom";
import { Panel, PLOT } from "../panel";
import { tenth } from "../path";
import { countText, percentText, shown } from "../reals";
import { Table } from "../table";
import { axis, type Axis } from "../ticks";
import { sum, type Matrix } from "./formulas";
import type { ClassScene, ClassView } from "./view";

const SHADES = 9;
const MOST_NUMBERED = 14; // actions up to which cells hold numbers

export interface Cells {
  figure: HTMLElement;
  update(view: ClassView): void;
}

/** Cases by actual class and action. */
export function countsPanel(scene: ClassScene, uid: string): Cells {
  const panel = new Panel({ id: "confusion", title: "Confusion matrix", help: "Rows: actual class; columns: what is said. Shades are shares of the row." }, uid);
  return {
    figure: panel.figure,
    update(view) {
      const { cells } = view.stand;
      const sums = cells.map((row) => sum(row));
      panel.title = `Confusion matrix: ${isolated(scene.names[view.stand.index])}`;
      draw(panel, scene, view, {
        cells,
        text: countText,
        shade: (i, j) => (sums[i] ? cells[i][j] / sums[i] : 0),
        lines: (i, j) => [`${countText(cells[i][j])} cases, ${percentText(sums[i] ? cells[i][j] / sums[i] : 0)} of the class`],
        dearest: false,
      });
    },
  };
}

/** What the cases of each cell cost; the dearest stands out. */
export function costsPanel(scene: ClassScene, uid: string): Cells {
  const panel = new Panel({ id: "costcells", title: "What that costs", help: " " }, uid);
  return {
    figure: panel.figure,
    update(view) {
      const { cellCosts: cells, dearest, state } = view;
      const unit = unitOf(state);
      panel.title = `What that costs: ${shown(dearest.total)} ${unit}`;
      panel.help = dearest.cost > 0 ? dearestText(view) : "No case costs anything.";
      draw(panel, scene, view, {
        cells,
        text: shown,
        shade: (i, j) => (dearest.cost > 0 ? Math.max(0, cells[i][j] / dearest.cost) : 0),
        lines: (i, j) => [`${shown(state.costs[i][j])} each, ${shown(cells[i][j])} ${unit}`],
        dearest: dearest.cost > 0,
      });
    },
  };
}

/** The cell that costs the most, in words. */
export function dearestText({ actions, state, dearest: { row, column, cost, total } }: ClassView): string {
  const way = column < actions.length - state.others.length ? " called " : ", action ";
  return `The dearest cell is ${isolated(actions[row])}${way}${isolated(actions[column])}: ${shown(cost)} of ${shown(total)}.`;
}

/** Both as a table, of the model looked at. */
export function confusionTable(scene: ClassScene): { root: HTMLElement; update(view: ClassView): void } {
  const help = el("p", { class: "help" });
  const root = el("div", {}, help);
  let table: Table | null = null;
  let built = "";
  return {
    root,
    update({ actions, stand, cellCosts, state }) {
      const key = `${stand.index}\n${actions.join("\n")}`;
      if (table === null || key !== built) {
        built = key;
        const columns = actions.map((action) => ({ text: `said ${action}`, node: el("span", {}, "said ", named(action)) }));
        const rows = scene.classes.map((label) => ({ text: `actual ${label}`, node: el("span", {}, "actual ", named(label)) }));
        table = new Table(`Confusion matrix of ${isolated(scene.names[stand.index])}`, [{ text: "class" }, ...columns], rows);
        root.replaceChildren(help, table.root);
      }
      say(help, `Cases of ${isolated(scene.names[stand.index])}; below them what they cost ${unitOf(state)}.`);
      const put = table.put.bind(table);
      stand.cells.forEach((row, i) => row.forEach((count, j) => put(i, j, { text: countText(count), raw: count, small: shown(cellCosts[i][j]) })));
    },
  };
}

function unitOf({ mix }: ClassView["state"]): string {
  return mix === null ? "in these rows" : "per 1,000 cases at this class mix";
}

interface Shown {
  cells: Matrix;
  text(value: number): string;
  shade(i: number, j: number): number;
  lines(i: number, j: number): string[];
  dearest: boolean;
}

function draw(panel: Panel, { classes }: ClassScene, { actions, dearest }: ClassView, { cells, text, shade, lines, dearest: marked }: Shown): void {
  const [k, a] = [classes.length, actions.length];
  const across: Axis = { ...axis("said", 0, a), at: actions.map((_, j) => j + 0.5), text: (at) => short(actions[Math.round(at - 0.5)] ?? "", Math.max(3, Math.floor(40 / a))) };
  const down: Axis = { ...axis("actual", 0, k), domain: [k, 0], at: classes.map((_, i) => i + 0.5), text: (at) => short(classes[Math.round(at - 0.5)] ?? "", 5) };
  panel.axes(across, down);
  const [wide, tall] = [PLOT.width / a, PLOT.height / k];
  panel.base.begin(actions.join("\n"));
  cells.forEach((row, i) =>
    row.forEach((value, j) => {
      const share = shade(i, j);
      const level = value ? Math.max(1, Math.round(share * SHADES)) : 0;
      const most = marked && i === dearest.row && j === dearest.column;
      const place = { x: tenth(j * wide + 1), y: tenth(i * tall + 1), width: tenth(wide - 2), height: tenth(tall - 2) };
      panel.base.draw(`cell${i},${j}`, "rect", { ...place, rx: 3, class: `heat ${i === j ? "right" : j < k || marked ? "wrong" : "other"} h${level}${most ? " dearest" : ""}` });
      if (a > MOST_NUMBERED) return;
      const size = Math.min(most ? 15 : 13, wide / 3.4);
      const where = { x: tenth((j + 0.5) * wide), y: tenth((i + 0.5) * tall + size / 3), "text-anchor": "middle", "font-size": tenth(size), class: `heattext${level > 5 ? " strong" : ""}` };
      panel.base.draw(`text${i},${j}`, "text", where, text(value));
    }),
  );
  panel.base.end();
  panel.hint = (px, py) => {
    const [i, j] = [Math.floor(py / tall), Math.floor(px / wide)];
    if (cells[i]?.[j] === undefined) return null;
    return { x: px, y: py, lines: [`actual ${isolated(classes[i])}`, `said ${isolated(actions[j])}`, ...lines(i, j)] };
  };
}

/** A text of so many letters at most, wide signs counting twice: what stands left of the axis must not reach its label. */
function short(text: string, most: number): string {
  const signs = Array.from(text);
  const wide = (sign: string): number => (sign.codePointAt(0)! >= 0x1100 ? 2 : 1);
  if (signs.reduce((all, sign) => all + wide(sign), 0) <= most) return text;
  let room = most - 1;
  const kept = signs.slice(0, signs.findIndex((sign) => (room -= wide(sign)) < 0));
  return `${kept.join("")}…`;
}
