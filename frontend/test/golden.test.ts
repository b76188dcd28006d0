// The page's formulas against the vectors that Python wrote.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cheapest, middle, splitAt, type Splits } from "../src/choice";
import type { Condition, Real } from "../src/contents";
import { atClassRatio, cellsAt, expectedCost, measureOf, netBenefit, ratio, restated, slopeCoverage, slopeRoc, type Costs } from "../src/formulas";
import { isometric } from "../src/isometric";
import { quotient } from "../src/ratio";
import { intervalText, percentText, perThousandText, real, reals, shown } from "../src/reals";

interface Table {
  tp: number;
  fp: number;
  Pos: number;
  Neg: number;
  condition: Condition;
  sample: Record<string, Real>;
  declared: Record<string, Real>;
  expected_cost: number;
  slope_roc: number;
  slope_coverage: number;
}
interface GoldenCurve {
  name: string;
  Pos: number;
  Neg: number;
  threshold: Real[];
  tp: number[];
  fp: number[];
  hull: number[];
  optima: { class_ratio: number; cost_fp: number; cost_fn: number; tied: number[]; optimum: number; expected_cost: number }[];
}
interface GoldenLine {
  measure: string;
  value: number;
  plane: "coverage" | "roc" | "pr";
  Pos: number;
  Neg: number;
  x: number[];
  y: number[];
}

const golden = JSON.parse(readFileSync(new URL("../../tests/report/golden_page.json", import.meta.url), "utf8")) as {
  measures: string[];
  tables: Table[];
  curves: GoldenCurve[];
  isometrics: GoldenLine[];
  texts: { number?: Real; interval?: Real[]; count?: [number, number]; share?: number; text: string }[];
  restated: { probability: number; from: number; to: number; is: number }[];
  net_benefit: { curve: string; lowest: Real[]; to: number; threshold: number[]; is: number[] }[];
};

function close(found: number, wanted: Real): void {
  const target = real(wanted);
  if (!Number.isFinite(target)) expect(found).toBe(target);
  else expect(Math.abs(found - target)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(target)));
}

function costs(condition: Condition): Costs {
  // A baseline b is what costs of b for either right call add up to, whatever the class ratio.
  const { cost_fp, cost_fn, class_ratio, baseline } = condition;
  return { cost_fp, cost_fn, class_ratio, cost_tp: baseline, cost_tn: baseline };
}

function splits(curve: GoldenCurve): Splits {
  const threshold = reals(curve.threshold);
  const tp = Float64Array.from(curve.tp);
  const fp = Float64Array.from(curve.fp);
  return { threshold, lowest: threshold, tp, fp, hull: curve.hull, Pos: curve.Pos, Neg: curve.Neg, whole: true, exact: true };
}

describe("tables", () => {
  it("has vectors", () => expect(golden.tables.length).toBeGreaterThan(20));
  it.each(golden.tables.map((table, i) => [i, table] as const))("table %i", (_, table) => {
    const cells = cellsAt(table.tp, table.fp, table.Pos, table.Neg);
    const there = atClassRatio(cells, table.condition.class_ratio);
    for (const name of golden.measures) {
      close(measureOf(name, cells), table.sample[name]);
      close(measureOf(name, there), table.declared[name]);
    }
    close(expectedCost(cells, costs(table.condition)), table.expected_cost);
    close(slopeRoc(costs(table.condition)), table.slope_roc);
    close(slopeCoverage(costs(table.condition), table.Pos, table.Neg), table.slope_coverage);
  });
});

describe("texts of numbers", () => {
  it.each(golden.texts.map((each) => [each.text, each] as const))("%s", (text, { number, interval, count, share }) => {
    if (share !== undefined) expect(percentText(share)).toBe(text);
    if (number !== undefined) expect(shown(real(number))).toBe(text);
    if (count) expect(perThousandText(...count)).toBe(text);
    if (!interval) return;
    const [estimate, lower, upper, scale] = interval;
    expect(intervalText({ estimate, lower, upper, level: 0.95, method: "" }, real(scale))).toBe(text);
  });
});

const odds = (prevalence: number): number => prevalence / (1 - prevalence);

describe("probabilities at another class mix", () => {
  it("are restated as Python does", () => {
    for (const each of golden.restated) close(restated(each.probability, odds(each.from), odds(each.to)), each.is);
  });
  it.each(golden.net_benefit.map((each) => [each.to, each] as const))("give Python's net benefit at prevalence %d", (to, each) => {
    const of = { ...splits(golden.curves.find((curve) => curve.name === each.curve)!), lowest: reals(each.lowest) };
    each.threshold.forEach((t, i) => {
      const k = splitAt(of, restated(t, odds(to), of.Pos / of.Neg));
      close(netBenefit(atClassRatio(cellsAt(of.tp[k], of.fp[k], of.Pos, of.Neg), odds(to)), t), each.is[i]);
    });
  });
});

describe("optima", () => {
  it.each(golden.curves.map((curve) => [curve.name, curve] as const))("%s", (_, curve) => {
    const of = splits(curve);
    for (const wanted of curve.optima) {
      const found = cheapest(of, quotient(wanted.cost_fn, wanted.cost_fp), wanted.class_ratio);
      expect(found).toEqual(wanted.tied);
      expect(middle(found)).toBe(wanted.optimum);
      const cells = cellsAt(of.tp[found[0]], of.fp[found[0]], of.Pos, of.Neg);
      const { cost_fp, cost_fn, class_ratio } = wanted;
      close(expectedCost(cells, { cost_fp, cost_fn, class_ratio, cost_tp: 0, cost_tn: 0 }), wanted.expected_cost);
    }
  });
  it("finds every split by its own threshold", () => {
    for (const curve of golden.curves) {
      const of = splits(curve);
      of.threshold.forEach((threshold, k) => expect(splitAt(of, threshold)).toBe(k));
    }
  });
});

describe("isometrics", () => {
  it.each(golden.isometrics.map((line, i) => [`${i} ${line.measure} ${line.plane}`, line] as const))("%s", (_, line) => {
    const { Pos, Neg } = line;
    const value = (tp: number, fp: number): number => measureOf(line.measure, cellsAt(tp, fp, Pos, Neg));
    const found = isometric(value, line.value, Pos, Neg, 40);
    expect(found.fp.length).toBeGreaterThan(1);
    found.fp.forEach((fp, i) => close(Number(value(found.tp[i], fp).toFixed(7)), Number(line.value.toFixed(7))));
    line.x.forEach((x, i) => {
      const tp = line.plane === "coverage" ? line.y[i] : line.plane === "roc" ? line.y[i] * Pos : x * Pos;
      const fp = line.plane === "coverage" ? x : line.plane === "roc" ? x * Neg : ratio(tp, line.y[i]) - tp;
      expect(nearest(found, tp, fp, Pos, Neg)).toBeLessThan(0.05);
    });
  });
});

function nearest(line: { fp: number[]; tp: number[] }, tp: number, fp: number, Pos: number, Neg: number): number {
  return Math.min(...line.fp.map((x, i) => Math.hypot((x - fp) / Neg, (line.tp[i] - tp) / Pos)));
}
