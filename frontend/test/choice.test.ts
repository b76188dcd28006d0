import { describe, expect, it } from "vitest";
import { best, cheapest, jointChoice, middle, splitAt } from "../src/choice";
import { scene } from "../src/scene";
import { contents, EMAILS } from "./fixture";

const curve = scene(contents([EMAILS])).models[0].curve;
const made = (segments: [number, number, number][]): typeof curve => scene(contents([{ name: "m", segments, split: 0 }])).models[0].curve;

describe("choosing", () => {
  it("finds ties at an exact edge of the hull", () => {
    expect(cheapest(curve, 1, 0.75)).toEqual([2, 5, 8]);
    expect(middle(cheapest(curve, 1, 0.75))).toBe(5);
  });
  it("is as good as brute force for any condition", () => {
    for (let i = -40; i <= 40; i++) {
      const cost = 10 ** (i / 20);
      const loss = (k: number): number => curve.fp[k] + cost * (curve.Pos - curve.tp[k]);
      const least = Math.min(...curve.tp.map((_, k) => loss(k)));
      expect(loss(middle(cheapest(curve, cost, null)))).toBeCloseTo(least, 9);
    }
  });
  it("calls nothing positive at +inf, also no score of +inf", () => {
    const infinite = made([[Infinity, 1, 1], [0.5, 1, 3]]);
    expect(cheapest(infinite, 0.01, null)).toEqual([0]);
    expect(cheapest(infinite, 2, null)).toEqual([1]);
    expect([Infinity, Number.MAX_VALUE, 0.5].map((at) => splitAt(infinite, at))).toEqual([0, 1, 2]);
  });
  it("takes the nearer neighbour where only some splits are kept", () => {
    const thinned = { ...made([[0.9, 1, 0], [0.8, 1, 0], [0.4, 0, 1], [0.1, 0, 1]]), exact: false };
    expect([0.95, 0.9, 0.86, 0.84, 0.61, 0.59, 0.3, 0.24, 0.1, 0].map((at) => splitAt(thinned, at))).toEqual([0, 1, 1, 2, 2, 3, 3, 4, 4, 4]);
    expect([Infinity, -Infinity].map((at) => splitAt(thinned, at))).toEqual([0, 4]);
  });
  it.each([1e-300, 1e300])("compares models at the ratio %j without losing any", (ratio) => {
    const found = jointChoice([curve, made([[2, 4, 2], [1, 2, 2]])], ratio, ratio);
    expect(found.tied.length).toBeGreaterThan(0);
  });
  it("leaves undefined values out", () => expect(best(curve, (tp, fp) => tp / (tp + fp), "higher")).toEqual([1, 2]));
  it("knows over which cost ratios a model stays the cheapest", () => {
    const careful = made([[2, 4, 0], [1, 1, 5]]);
    const eager = made([[2, 5, 1], [1, 0, 4]]);
    const found = jointChoice([careful, eager], 5, null);
    expect(found).toMatchObject({ model: 1, tied: [1], runnerUp: 0, low: 1, high: Infinity });
    expect(jointChoice([careful, eager], 0.5, null)).toMatchObject({ model: 0, low: 0, high: 1 });
    expect(jointChoice([curve], 1, null)).toMatchObject({ model: 0, low: 0, high: Infinity });
    expect(jointChoice([careful, eager], 1, null).tied).toEqual([0, 1]);
  });
});
