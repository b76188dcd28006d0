// Tables: heads with scopes, numbers aligned, a scroller of their own, and a button that copies them as CSV.
import { csv } from "./csv";
import { button, el, say, type Child } from "./dom";
import { plain } from "./reals";
import { copyText } from "./saving";

/** What a cell says to people, and what to CSV. */
export interface Value {
  text: string;
  raw?: number | string | null; // null: CSV has it elsewhere
  limits?: readonly [number, number]; // of an interval; columns of their own in CSV
  small?: string;
  mark?: boolean;
}

export interface Head {
  text: string;
  kind?: string; // a class of the whole column
  node?: Child;
  title?: string;
}

const RAW = new WeakMap<Element, readonly string[]>();
const LIMITS = ["", ", lower", ", upper"];

export class Table {
  readonly root: HTMLElement;
  readonly table = el("table", { class: "numbers" });
  #cells: HTMLTableCellElement[][] = [];

  constructor(caption: string, columns: readonly Head[], rows: readonly Head[]) {
    const head = el("tr", {}, ...columns.map((column, i) => headCell(column, "col", i === 0 ? "first" : (column.kind ?? ""))));
    const body = el("tbody");
    for (const row of rows) {
      const cells = columns.slice(1).map((column) => el("td", { class: column.kind ?? null }));
      this.#cells.push(cells);
      body.append(el("tr", {}, headCell(row, "row", "first"), ...cells));
    }
    this.table.append(el("caption", {}, caption), el("thead", {}, head), body);
    const scroller = el("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": caption }, this.table);
    const copy = button("Copy CSV", () => void copyText(this.csv(), copy, "Copied"), { class: "quiet", "aria-label": `Copy ${caption} as CSV` });
    this.root = el("div", { class: "tablebox" }, scroller, el("div", { class: "tools" }, copy));
  }

  put(row: number, column: number, value: Value): void {
    const cell = this.#cells[row][column];
    const key = `${value.text}\u0000${value.small ?? ""}`;
    if (cell.dataset["key"] !== key) {
      cell.dataset["key"] = key;
      if (value.small === undefined) say(cell, value.text);
      else cell.replaceChildren(value.text, el("small", {}, value.small));
    }
    RAW.set(cell, rawTexts(value));
    cell.classList.toggle("mark", value.mark === true);
  }

  csv(): string {
    const texts = (cell: Element): readonly string[] => RAW.get(cell) ?? [cell.textContent ?? ""];
    const [heads, ...rows] = Array.from(this.table.rows, (row) => Array.from(row.cells, texts));
    const widths = heads.map((_, i) => Math.max(0, ...rows.map((row) => row[i].length)));
    const whole = (cells: readonly string[], i: number): string[] => Array.from({ length: widths[i] }, (_, k) => cells[k] ?? "");
    const head = heads.flatMap(([text], i) => LIMITS.slice(0, widths[i]).map((what) => text + what));
    return csv([head, ...rows.map((row) => row.flatMap(whole))]);
  }
}

function rawTexts({ text, raw, limits }: Value): string[] {
  if (raw === null) return [];
  const first = raw === undefined ? text : typeof raw === "string" ? raw : numberText(raw);
  return [first, ...(limits ?? []).map(numberText)];
}

function numberText(value: number): string {
  const written = plain(value);
  return written === null ? "" : String(written);
}

function headCell(head: Head, scope: "col" | "row", kind: string): HTMLTableCellElement {
  const cell = el("th", { scope, class: kind || null, title: head.title ?? null }, head.node ?? head.text);
  RAW.set(cell, [head.text]);
  return cell;
}
