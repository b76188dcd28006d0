import { describe, expect, it } from "vitest";
import { fragmentOf, stateOf } from "../src/fragment";
import { scene } from "../src/scene";
import { startState, type State } from "../src/state";
import { contents, EMAILS } from "./fixture";

const stage = scene(contents([EMAILS, { ...EMAILS, name: "a&b=#c</script>" }, { ...EMAILS, name: "__proto__" }]));
const start = startState(stage);

describe("the state in the address", () => {
  it("is empty at the start", () => expect(fragmentOf(start, start, stage)).toBe(""));
  it("goes there and back", () => {
    const states: Partial<State>[] = [
      { follow: false, auto: false, threshold: -Infinity, current: 1 },
      { auto: false, current: 0 },
      { costRatio: 1 / 3, classRatio: 0.05, measure: "f1", bands: false, plane: "coverage", lift: true },
      { hidden: new Set([1, 2]), shared: false, follow: false, auto: false, threshold: 0.123456789012345 },
    ];
    for (const change of states) {
      const state = { ...start, ...change };
      expect(stateOf(`#${fragmentOf(state, start, stage)}`, start, stage)).toEqual(state);
    }
  });
  it.each(["#cost=-1&class=x&measure=nope&plane=3d&bands=2&model=none&threshold=", "#%%%", "#cost=1e308&class=1e308", "#cost=1e-320&class=1e-13", "#__proto__=1"])("ignores %s", (text) => {
    expect(stateOf(text, start, stage)).toEqual(start);
  });
});
