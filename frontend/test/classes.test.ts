// @vitest-environment jsdom
// Decisions among k classes against the vectors that Python wrote, the address, and the decision that is copied.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bestConstant, confusion, costByClass, decide, expectedCost, foretoldLessPaid, limits, mean, mostProbable, paid, readVectors, ruleWeights, sum, type Matrix } from "../src/classes/formulas";
import type { LeastCostModel } from "../src/contents";

interface Case {
  costs: string;
  mix: Record<string, number> | null;
  weights: number[];
  matrix: Matrix;
  vectors: string;
  counts: number[];
  actions: number[];
  confusion: number[][];
  expected_cost: number;
}
const golden = JSON.parse(readFileSync("../tests/report/golden_vectors.json", "utf8")) as { classes: string[]; cases: Case[] };

describe("decisions among k classes", () => {
  it.each(golden.cases.map((each, i) => [each.costs, JSON.stringify(each.mix), i] as const))("are Python's bit by bit: %s, %s", (_, __, at) => {
    const known = golden.cases[at];
    const vectors = readVectors(known as unknown as LeastCostModel);
    const k = golden.classes.length;
    const cases = Array.from({ length: k }, (_, i) => sum(Array.from(vectors.counts).filter((_, place) => place % k === i)));
    const ofData = cases.map((each) => each / sum(cases));
    const mix = known.mix && golden.classes.map((name) => known.mix![name]);
    expect(ruleWeights(mix, ofData, ofData)).toEqual(known.weights);
    const actions = decide(vectors, known.matrix, known.weights);
    expect(Array.from(actions)).toEqual(known.actions);
    const cells = confusion(vectors, actions, known.matrix[0].length);
    expect(cells).toEqual(known.confusion);
    expect(expectedCost(cells, known.matrix, mix)).toBe(known.expected_cost);
    expect(sum(costByClass(cells, known.matrix, mix))).toBeCloseTo(known.expected_cost, 14);
    expect(mean(paid(cells, known.matrix), mix).estimate).toBeCloseTo(known.expected_cost, 14);
    // No constant is cheaper than said, and the foretold cost is the mean over cases of what the vectors say.
    const always = bestConstant(known.matrix, mix ?? ofData);
    known.matrix[0].forEach((_, j) => expect(always.cost).toBeLessThanOrEqual(sum((mix ?? ofData).map((share, i) => share * known.matrix[i][j]))));
    let foretold = 0;
    known.actions.forEach((a, s) => {
      const p = Array.from({ length: k }, (_, i) => vectors.p[s * k + i] * known.weights[i]);
      const cost = sum(p.map((each, i) => each * known.matrix[i][a])) / sum(p);
      for (let i = 0; i < k; i++) foretold += (vectors.counts[s * k + i] * (mix ?? ofData)[i] * (cost - known.matrix[i][a])) / cases[i];
    });
    expect(mean(foretoldLessPaid(vectors, actions, known.matrix, known.weights), mix).estimate).toBeCloseTo(foretold, 12);
  });

  it("takes the first of equal actions and of equal classes", () => {
    const even = { k: 3, p: Float64Array.from([21845, 21845, 21845]), counts: Float64Array.from([1, 0, 0]) };
    const errors = [[0, 1, 1], [1, 0, 1], [1, 1, 0]];
    expect(Array.from(decide(even, errors, [1, 1, 1]))).toEqual([0]);
    expect(Array.from(mostProbable(even, [1, 1, 1]))).toEqual([0]);
    expect(Array.from(mostProbable(even, [1, 2, 2]))).toEqual([1]);
  });

  it("has Student's limits, and none of a class with one case", () => {
    const [lower, upper] = limits(mean({ cases: [20], of: [10], squares: [10] }, null), 1.959963984540054);
    expect(upper - lower).toBeCloseTo(2 * 2.0930240544 * Math.sqrt(5 / (20 * 19)), 4);
    expect(limits(mean({ cases: [1, 9], of: [1, 3], squares: [1, 3] }, [0.5, 0.5]), 1.96)).toEqual([NaN, NaN]);
  });
});
