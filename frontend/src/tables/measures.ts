// Every registered measure of every model: now, at the current threshold, and at the model's optimum with its interval.
import type { Contents, Interval } from "../contents";
import { el, named } from "../dom";
import { atClassRatio, measureOf } from "../formulas";
import { swatch } from "../palette";
import { intervalText, real, scoreText, shown } from "../reals";
import type { Scene } from "../scene";
import { Table, type Head, type Value } from "../table";
import type { View } from "../view";

export function measuresTable(scene: Scene, mixes: Contents["mixes"] = null): { root: HTMLElement; update(view: View): void } {
  const { models, measures } = scene;
  const evaluated = models.some((model) => model.of !== null);
  const head = (model: (typeof models)[number], what: string): Head => ({
    text: `${model.name}, ${what}`,
    node: el("span", { class: "head" }, swatch(model.index), named(model.name), el("small", {}, what)),
  });
  const percent = Number((100 * scene.level).toPrecision(4));
  const optimum = `at its optimum, ${percent} % interval`;
  const finished = !evaluated ? [] : mixes === null ? [optimum] : [`at its optimum ${mixes.declared}`, `at its optimum ${mixes.rows}`];
  const columns = models.flatMap((model) => [{ ...head(model, "now"), kind: evaluated ? "now" : "" }, ...finished.map((what, at) => ({ ...head(model, what), kind: at ? "rowsmix" : "" }))]);
  const rows: Head[] = [
    { text: "threshold" },
    { text: "expected cost per case" },
    ...measures.map((measure) => ({ text: measure.label, title: `${measure.symbol} = ${measure.formula}` })),
  ];
  const table = new Table("Measures of all models", [{ text: "measure" }, ...columns], rows);
  const note = el("p", { class: "help" }, "“Now” is at the current threshold, class ratio and costs. ");
  if (evaluated) note.append(`Values at the optimum, with their ${percent} % intervals, are as evaluated, at the threshold chosen there.`);
  table.table.classList.add("pairs");
  const step = 1 + finished.length;
  if (evaluated) {
    models.forEach((model, i) => {
      const of = model.of!;
      const put = (row: number, value: Value): void => table.put(row, step * i + 1, value);
      put(0, { text: scoreText(real(of.optimum.threshold)), raw: real(of.optimum.threshold) });
      put(1, intervalCell(of.expected_cost));
      [of.measures, of.data_measures].slice(0, finished.length).forEach((known, at) => {
        const found = new Map(known.map((each) => [each.name, each.interval]));
        measures.forEach((measure, row) => {
          const interval = found.get(measure.name);
          table.put(row + 2, step * i + 1 + at, interval ? intervalCell(interval) : { text: "–", raw: "" });
        });
      });
    });
  }
  return {
    root: el("div", {}, note, table.root),
    update(view) {
      view.stands.forEach((stand, i) => {
        const cells = atClassRatio(stand.cells, view.classRatio);
        const at = view.dataRatio ? stand.cells : cells;
        table.put(0, step * i, { text: scoreText(stand.threshold), raw: stand.threshold });
        const least = Math.min(...view.stands.map((each) => each.cost));
        table.put(1, step * i, { text: shown(stand.cost), raw: stand.cost, mark: models.length > 1 && stand.cost === least });
        measures.forEach((measure, row) => {
          const value = measureOf(measure.name, at);
          table.put(row + 2, step * i, { text: shown(value), raw: value });
        });
      });
    },
  };
}

/** A cell that shows an interval, and its three numbers for CSV. */
export function intervalCell(interval: Interval): Value {
  return { text: intervalText(interval), raw: real(interval.estimate), limits: [real(interval.lower), real(interval.upper)] };
}
