import { describe, expect, it } from "vitest";
import { mixText, parsedMix, parsedRatio, parsedShare, ratioText, simplest, tidyRatio } from "../src/ratio";

describe("class mixes", () => {
  it.each([["1%", 1 / 99], ["20 %", 0.25], ["2,5%", 2.5 / 97.5], ["1:9", 1 / 9]])("reads %s", (text, value) => expect(parsedMix(text)).toBeCloseTo(value, 12));
  it.each(["0%", "100%", "120%", "%", "1%%"])("refuses %j", (text) => expect(parsedMix(text)).toBeNull());
  it.each([["0.05", 0.05], ["0,05", 0.05], [".07", 0.07], ["1e-3", 0.001], ["1", 0.01], ["30", 0.3], ["99.5", 0.995], ["5 %", 0.05], ["1:19", 0.05]])("reads %s as a share", (text, share) => {
    const ratio = parsedShare(text)!;
    expect(ratio / (1 + ratio)).toBeCloseTo(share, 12);
  });
  it.each(["", " ", "0", "-5", "100", "150", "0%", "100%", "150%", "abc", "Infinity", "0x10"])("refuses %j as a share", (text) => expect(parsedShare(text)).toBeNull());
  it("writes them as shares", () => expect([1 / 99, 0.25].map(mixText)).toEqual(["1 %", "20 %"]));
});

describe("ratios", () => {
  it.each([
    ["5:1", 5],
    ["5", 5],
    ["1/3", 1 / 3],
    [" 1 : 20 ", 0.05],
    ["0,5", 0.5],
    ["1e3", 1000],
    [".25", 0.25],
    ["1e12:1", 1e12],
  ])("reads %s", (text, value) => expect(parsedRatio(text)).toBeCloseTo(value, 12));
  it.each(["", "0", "-2", "a", "5:0", "1:2:3", "Infinity", "1e999", "1e308", "1e200", "1e13", "1e-13", "1e-320", "1:1e13"])("refuses %j", (text) => {
    expect(parsedRatio(text)).toBeNull();
  });
  it("writes on the side above 1", () => {
    expect(ratioText(5)).toBe("5 : 1");
    expect(ratioText(1 / 3)).toBe("1 : 3");
  });
  it("tidies so that what is read is what is used", () => {
    for (const value of [0.0123456, 0.2, 1, 3.14159, 123456]) {
      const tidy = tidyRatio(value);
      expect(parsedRatio(ratioText(tidy))).toBe(tidy);
    }
  });
  it("finds the simplest fraction", () => {
    expect(simplest(3 / 7)).toEqual({ num: 3n, den: 7n });
    expect(simplest(0.1)).toEqual({ num: 1n, den: 10n });
    expect(simplest(5)).toEqual({ num: 5n, den: 1n });
    const odd = simplest(Math.PI);
    expect(Number(odd.num) / Number(odd.den)).toBe(Math.PI);
  });
});
