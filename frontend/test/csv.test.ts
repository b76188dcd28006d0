import { describe, expect, it } from "vitest";
import { cell, csv } from "../src/csv";

describe("CSV", () => {
  it("quotes what needs it", () => {
    expect(csv([["a", "b,c", 'd"e'], ["1", "-2.5", "x\ny"]])).toBe('a,"b,c","d""e"\r\n1,-2.5,"x\ny"\r\n');
  });
  it.each(["=cmd()", "+1+2", "-1+cmd", "@SUM(A1)", "\t=1", "  =1", "|calc", "%0A"])("disarms %j", (text) => {
    expect(cell(text).replace(/^"/, "").startsWith("'")).toBe(true);
  });
  it.each(["-1", "-inf", "1e-7", "-0.5e-7", "12", "a=b", "x-y"])("leaves %j alone", (text) => expect(cell(text)).toBe(text));
});
