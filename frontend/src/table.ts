// Tables: heads with scopes, numbers aligned, a scroller of their own, and a button that copies them as CSV.
import { csv } from "./csv";
import { button, el, say, type Child } from "./dom";
import { plain } from "./reals";
import { copyText } from "./saving";

/** What a cell says to people, and what to CSV. */
export interface Value {
  text: string;
  raw?: number | string;
  small?: string;
  mark?: boolean;
}

export interface Head {
  text: string;
  node?: Child;
  title?: string;
}

const RAW = new WeakMap<Element, string>();

export class Table {
  readonly root: HTMLElement;
  readonly table = el("table", { class: "numbers" });
  #cells: HTMLTableCellElement[][] = [];

  constructor(caption: string, columns: readonly Head[], rows: readonly Head[]) {
    const head = el("tr", {}, ...columns.map((column, i) => headCell(column, "col", i === 0 ? "first" : "")));
    const body = el("tbody");
    for (const row of rows) {
      const cells = columns.slice(1).map(() => el("td"));
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
    RAW.set(cell, rawText(value));
    cell.classList.toggle("mark", value.mark === true);
  }

  csv(): string {
    const text = (cell: Element): string => RAW.get(cell) ?? cell.textContent ?? "";
    return csv(Array.from(this.table.rows, (row) => Array.from(row.cells, text)));
  }
}

function rawText(value: Value): string {
  if (value.raw === undefined) return value.text;
  if (typeof value.raw === "string") return value.raw;
  const written = plain(value.raw);
  return written === null ? "" : String(written);
}

function headCell(head: Head, scope: "col" | "row", kind: string): HTMLTableCellElement {
  const cell = el("th", { scope, class: kind || null, title: head.title ?? null }, head.node ?? head.text);
  RAW.set(cell, head.text);
  return cell;
}
