import { describe, expect, it } from "vitest";
import { diamond, marker } from "../src/palette";

describe("markers", () => {
  it("are drawn around their place, at their size", () => {
    expect(marker(0, 10, 20, 2)).toBe("M19,20a9,9,0,1,1,-18,0a9,9,0,1,1,18,0Z");
    expect(marker(1, 10, 20)).toBe("M6,16L14,16L14,24L6,24Z");
    expect(diamond(1, 2)).toBe("M1,-4.5L7.5,2L1,8.5L-5.5,2Z");
  });

  it("differ for eight models", () => {
    expect(new Set(Array.from({ length: 8 }, (_, i) => marker(i, 0, 0))).size).toBe(8);
  });
});
