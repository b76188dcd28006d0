// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { printable } from "../src/printing";
import { Table } from "../src/table";

describe("tables", () => {
  it("gives limits columns of their own in CSV, unrounded", () => {
    const table = new Table("t", [{ text: "number" }, { text: "a" }, { text: "b" }, { text: "limits" }], [{ text: "x" }, { text: "=y" }]);
    table.put(0, 0, { text: "0.1235 [−0.1, 0.3]", raw: -0.123456789, limits: [-0.1, 1 / 3] });
    table.put(0, 1, { text: "1", raw: 1 });
    table.put(1, 0, { text: "undefined", raw: NaN });
    table.put(1, 1, { text: "−∞", raw: -Infinity });
    table.put(0, 2, { text: "[0, 1]", raw: null });
    table.put(1, 2, { text: "[0, 1]", raw: null });
    expect(table.csv().split("\r\n")).toEqual(["number,a,\"a, lower\",\"a, upper\",b", "x,-0.123456789,-0.1,0.3333333333333333,1", "'=y,,,,-inf", ""]);
  });

  it("are printed in parts when they are wide, and whole again afterwards", () => {
    const root = document.createElement("main");
    const heads = Array.from({ length: 21 }, (_, i) => ({ text: `h${i}` }));
    const table = new Table("t", heads, [{ text: "row" }]);
    root.append(table.root);
    const stop = printable(root);
    window.dispatchEvent(new Event("beforeprint"));
    window.dispatchEvent(new Event("beforeprint"));
    const parts = Array.from(root.querySelectorAll<HTMLTableElement>(".printed"));
    expect(parts.map((part) => part.rows[0].cells.length)).toEqual([7, 7, 7, 3]);
    expect(parts.flatMap((part) => Array.from(part.rows[0].cells, (cell) => cell.textContent).slice(1))).toEqual(heads.slice(1).map(({ text }) => text));
    window.dispatchEvent(new Event("afterprint"));
    expect(root.querySelectorAll("table")).toHaveLength(1);
    expect(root.querySelector(".unprinted")).toBeNull();
    stop();
    window.dispatchEvent(new Event("beforeprint"));
    expect(root.querySelectorAll("table")).toHaveLength(1);
  });
});
