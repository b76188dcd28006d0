// Steps of the classroom: forward asks before it goes on, and the address brings a reader back.
import { describe, expect, it } from "vitest";
import type { Lesson, LessonContents } from "../src/lesson/contents";
import { valueAt } from "../src/lesson/picture";
import { back, forward, fragmentOf, startState, stateOf, type LessonState } from "../src/lesson/state";

const lesson = (name: string, steps: number): Lesson => ({
  name,
  short: name,
  title: name,
  about: "",
  x: [0, 1, "x"],
  y: [0, 1, "y"],
  marks: [],
  strips: [],
  shares: false,
  key: [],
  paper: 0,
  steps: Array.from({ length: steps }, (_, i) => ({ parts: ["Step ", String(i)] })),
});
const contents: LessonContents = { title: "T", facts: "", start: "pool", lessons: [lesson("walk", 3), lesson("pool", 5)] };

describe("steps", () => {
  it("go on one by one to the last and back to the first", () => {
    let state: LessonState = startState(contents);
    expect(state).toMatchObject({ lesson: 1, step: 0, ask: false });
    for (let i = 0; i < 9; i++) state = { ...state, ...forward(state, contents.lessons[1]) };
    expect(state.step).toBe(4);
    for (let i = 0; i < 9; i++) state = { ...state, ...back(state) };
    expect(state.step).toBe(0);
  });
  it("show their numbers before they go on, when they ask", () => {
    const asked: LessonState = { ...startState(contents), ask: true, step: 2 };
    const told = { ...asked, ...forward(asked, contents.lessons[1]) };
    expect(told).toMatchObject({ step: 2, shown: true });
    expect({ ...told, ...forward(told, contents.lessons[1]) }).toMatchObject({ step: 3, shown: false });
  });
  it("are kept in the address", () => {
    for (const state of [
      { lesson: 0, step: 2, ask: false, shown: false, large: true },
      { lesson: 1, step: 4, ask: true, shown: true, large: false },
      { lesson: 1, step: 0, ask: true, shown: false, large: false },
    ]) {
      expect(stateOf(fragmentOf(state, contents), contents)).toEqual(state);
    }
  });
  it.each([["lesson=walk&step=99", 2], ["lesson=walk&step=-1", 0], ["lesson=walk&step=x", 0], ["step=3", 3]])("read %s without trust", (fragment, step) => {
    expect(stateOf(fragment, contents).step).toBe(step);
  });
});

it("adds polynomials up as Horner did", () => {
  expect([1 / 3, 0.4, 0.2].map((p) => Number(valueAt([20, -40, 60], p).toFixed(2)))).toEqual([13.33, 13.6, 14.4]);
});
