import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { decisionNow } from "../src/decision";
import { scene } from "../src/scene";
import { startState, type State } from "../src/state";
import { view } from "../src/view";
import { contents, EMAILS } from "./fixture";

const given = contents([EMAILS, { ...EMAILS, name: "other", segments: [...EMAILS.segments].reverse().map(([, pos, neg], i) => [1 - i / 10, pos, neg]), split: 10 }]);
const stage = scene(given);
const now = (change: Partial<State>): Record<string, unknown> => decisionNow(given, view(stage, { ...startState(stage), ...change }));
const schema = JSON.parse(readFileSync(new URL("../../src/thresher/evaluation/decision.schema.json", import.meta.url), "utf8")) as { required: string[]; properties: object; $defs: { threshold_rule: { required: string[] } } };

describe("the decision under the sliders", () => {
  it("is Python's own where nothing changed", () => expect(now({})).toBe(given.decision));
  it("names what the schema names", () => {
    const found = now({ costRatio: 7, follow: false, threshold: 0.5 });
    expect(Object.keys(found).sort()).toEqual([...schema.required].sort());
    expect(Object.keys(found["rule"] as object).sort()).toEqual([...schema.$defs.threshold_rule.required].sort());
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(Object.keys(found)));
  });
  it("carries the sliders and drops what no longer holds", () => {
    const found = now({ costRatio: 7, classRatio: 0.25, follow: false, threshold: 0.5 });
    expect(found).toMatchObject({
      model: "tree",
      rule: { kind: "threshold", threshold: 0.5, equivalent: [0.49, 0.63] },
      condition: { class_ratio: 0.25, cost_fp: 1, cost_fn: 7, cost_tp: 0, cost_tn: 0 },
      wins: null,
      expected_cost: { lower: null, upper: null, variance: null },
    });
    const cost = (found["expected_cost"] as { estimate: number }).estimate;
    expect(cost).toBeCloseTo(0.2 * (2 / 6) * 7 + 0.8 * (1 / 4), 12); // fn 2 of 6, fp 1 of 4
  });
  it("writes infinite thresholds as texts", () => {
    expect(now({ follow: false, threshold: Infinity })).toMatchObject({ rule: { threshold: "inf", equivalent: [0.89, "inf"] } });
  });
  it("has a runner-up only where it is the best", () => {
    expect(now({ follow: false, threshold: 0.85 })).toMatchObject({ runner_up: null, gap: null });
    expect(now({ current: 1 })).toMatchObject({ runner_up: null, gap: null });
    const best = now({ costRatio: 2 });
    expect(best["runner_up"]).toBe("other");
    expect(best["gap"]).toBeGreaterThan(0);
  });
  it("names the models that cost the same, and none that is dearer", () => {
    const twins = contents([EMAILS, { ...EMAILS, name: "twin" }]);
    const tied = (change: Partial<State>): Record<string, unknown> => decisionNow(twins, view(scene(twins), { ...startState(scene(twins)), ...change }));
    expect(tied({ costRatio: 2 })).toMatchObject({ tied: ["tree", "twin"], runner_up: null, gap: null });
    expect(tied({ follow: false, threshold: 0.85 })["tied"]).toEqual(["tree"]);
    expect(now({ costRatio: 2 })["tied"]).toEqual(["tree"]);
  });
  it("drops the calibration of another model", () => expect(now({ current: 1, auto: false })["rule"]).toMatchObject({ calibration: null }));
});
