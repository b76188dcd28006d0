import { describe, expect, it } from "vitest";
import type { Interval } from "../src/contents";
import { intervalText } from "../src/reals";

const interval = (estimate: Interval["estimate"], lower: Interval["lower"], upper: Interval["upper"]): Interval => ({ estimate, lower, upper, level: 0.95, method: "wilson" });

describe("an interval in a cell", () => {
  it.each([
    [interval(0.5, 0.25, 0.75), "0.5000 [0.2500, 0.7500]"],
    [interval(0.5, "nan", "nan"), "0.5000"],
    [interval("inf", "inf", "inf"), "∞"],
    [interval("nan", "nan", "nan"), "undefined"],
  ])("says no more than there is", (given, text) => expect(intervalText(given)).toBe(text));
});
