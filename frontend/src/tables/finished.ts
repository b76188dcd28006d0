// Tables that no slider moves: whole-model numbers, calibration and refinement, paired comparison, the data.
import type { Contents, Interval, Real } from "../contents";
import { el, named } from "../dom";
import { measureOf } from "../formulas";
import { swatch } from "../palette";
import { countText, intervalDecimals, limitsText, real, shown } from "../reals";
import { Table, type Head } from "../table";
import { intervalCell } from "./measures";

type Number_ = { name: string; label: string; interval: Interval | null; value: Real };

const CALIBRATION = new Set(["brier", "log_loss", "calibration", "refinement", "miscalibration", "discrimination", "uncertainty", "calibration_error", "ece"]);

interface Numbered {
  name: string;
  shown?: string;
  numbers: Number_[];
  data_numbers?: Number_[];
}

/** Numbers of whole models, one row each: those of calibration, or all others. The chosen model stands first, and those of the rows' own mix last. */
export function numbersTable(given: readonly Numbered[], part: "calibration" | "ranking" | "all", mixes: Contents["mixes"] = null, chosen: unknown = null): HTMLElement | null {
  const declared = given
    .map((model, index) => ({ name: model.shown ?? model.name, index, of: model, numbers: model.numbers, what: mixes?.declared ?? "", kind: "" }))
    .sort((a, b) => Number(b.of.name === chosen) - Number(a.of.name === chosen));
  const models = mixes ? [...declared, ...declared.map((column) => ({ ...column, numbers: column.of.data_numbers ?? [], what: mixes.rows, kind: "rowsmix" }))] : declared;
  const labels = new Map<string, string>();
  for (const model of models) {
    for (const each of model.numbers) {
      if (part === "all" || CALIBRATION.has(each.name) === (part === "calibration")) labels.set(each.name, each.label);
    }
  }
  if (!labels.size) return null;
  const rows = Array.from(labels, ([, label]) => ({ text: label }));
  const columns: Head[] = models.map(({ name, index, what, kind }) => ({
    kind,
    text: what ? `${name}, ${what}` : name,
    node: el("span", { class: "head" }, swatch(index), named(name), what ? el("small", {}, what) : null),
  }));
  const caption = part === "calibration" ? "Calibration and refinement" : "Numbers of whole models";
  const table = new Table(caption, [{ text: "number" }, ...columns], rows);
  models.forEach((model, column) => {
    const found = new Map(model.numbers.map((each) => [each.name, each]));
    Array.from(labels.keys()).forEach((name, row) => {
      const each = found.get(name);
      if (!each) table.put(row, column, { text: "–", raw: "" });
      else if (each.interval) table.put(row, column, intervalCell(each.interval));
      else table.put(row, column, { text: shown(real(each.value)), raw: real(each.value) });
    });
  });
  return table.root;
}

/** The predictions that came with the data, beside what the threshold would do. */
export function predictionsTable(contents: Contents): HTMLElement | null {
  const models = contents.models.filter((model) => model.predictions);
  if (!models.length) return null;
  const cells = ["tp", "fn", "fp", "tn"] as const;
  const rows = [...cells.map((text) => ({ text })), ...contents.measures.map(({ label }) => ({ text: label }))];
  const table = new Table("Predictions given", [{ text: "measure" }, ...models.map((model) => ({ text: model.shown, node: named(model.shown) }))], rows);
  models.forEach(({ predictions }, column) => {
    cells.forEach((cell, row) => table.put(row, column, { text: countText(predictions![cell]), raw: predictions![cell] }));
    contents.measures.forEach((measure, i) => {
      const value = measureOf(measure.name, predictions!);
      table.put(cells.length + i, column, { text: shown(value), raw: value });
    });
  });
  return table.root;
}

/** Paired differences, in AUC or in several measures. */
export function comparisonTable(contents: Contents): HTMLElement | null {
  const { comparison } = contents;
  if (!comparison.length) return null;
  const several = comparison.some((pair) => pair.measure !== comparison[0].measure);
  const columns = [several ? "difference" : `difference in ${comparison[0].measure}`, "interval", "p value", "adjusted p", "verdict"];
  const rows = comparison.map((pair) => ({
    text: `${pair.a} - ${pair.b}${several ? `, ${pair.measure}` : ""}`,
    node: el("span", {}, named(pair.a), " − ", named(pair.b), several ? el("small", {}, pair.measure) : null),
  }));
  const table = new Table("Pairwise comparison of models", [{ text: "pair" }, ...columns.map((text) => ({ text }))], rows);
  comparison.forEach((pair, row) => {
    const [lower, upper] = [real(pair.lower), real(pair.upper)];
    table.put(row, 0, { text: shown(real(pair.difference), intervalDecimals(real(pair.difference), lower, upper)), raw: real(pair.difference), limits: [lower, upper] });
    table.put(row, 1, { text: limitsText(lower, upper) || "–", raw: null });
    table.put(row, 2, { text: chance(real(pair.p_value)), raw: real(pair.p_value) });
    table.put(row, 3, { text: chance(real(pair.adjusted)), raw: real(pair.adjusted) });
    table.put(row, 4, { text: pair.verdict });
  });
  return table.root;
}

/** A p value; very small ones are all alike. */
function chance(p: number): string {
  return p < 1e-4 ? "< 0.0001" : shown(p);
}

/** Where the numbers come from. */
export function dataTable(contents: Contents): HTMLElement {
  const { data, level } = contents;
  const lines: [what: string, value: string, name?: string | undefined, raw?: number][] = [
    ["rows read", countText(data.rows + data.dropped), undefined, data.rows + data.dropped],
    ["rows dropped for missing values", countText(data.dropped), undefined, data.dropped],
    ["rows evaluated", countText(data.rows), undefined, data.rows],
    ["weights", data.weighted ? "yes: counts are sums of weights" : "none"],
    ["clusters", data.clusters === null ? "none" : countText(data.clusters)],
  ];
  if (contents.kind === "binary") {
    lines.push(
      ["positives", countText(data.Pos), data.positive, data.Pos],
      ["negatives", countText(data.Neg), data.negative, data.Neg],
      ["class ratio, positives per negative", shown(data.Pos / data.Neg), undefined, data.Pos / data.Neg],
      ["prevalence", shown(data.Pos / (data.Pos + data.Neg)), undefined, data.Pos / (data.Pos + data.Neg)],
    );
    for (const model of contents.models) {
      lines.push(["ties", `${countText(model.ties.segments)} distinct scores, ${countText(model.ties.cases)} cases share theirs`, model.shown]);
    }
    for (const model of contents.models) {
      const { curve } = model;
      if (!curve.exact) lines.push(["curve", `${countText(curve.threshold.length)} of ${countText(curve.splits)} splits kept, all corners of the hull among them; none is farther off than ${shown(curve.deviation)}`, model.shown]);
    }
  }
  lines.push(["level of all intervals", String(level)]);
  if (data.fingerprint) lines.push(["seed", String(data.seed)], ["fingerprint", data.fingerprint]);
  lines.push(["thresher", contents.version]);
  const table = new Table("Data", [{ text: "what" }, { text: "value" }], lines.map(([what, , name]) => (name === undefined ? { text: what } : { text: `${what} (${name})`, node: el("span", {}, `${what} (`, named(name), ")") })));
  lines.forEach(([, text, , raw], row) => table.put(row, 0, raw === undefined ? { text } : { text, raw }));
  table.table.classList.add("facts");
  return table.root;
}
