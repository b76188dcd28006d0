// Tables on paper, which cannot be scrolled: wide ones are printed as several, each with the first column.

const MOST = 6; // columns beside the first

/** Split what is too wide when the page is printed and join it afterwards; call the result to stop doing so. */
export function printable(root: HTMLElement): () => void {
  const before = (): void => root.querySelectorAll<HTMLTableElement>(".scroller > table").forEach(split);
  const after = (): void => {
    root.querySelectorAll(".printed").forEach((each) => each.remove());
    root.querySelectorAll(".unprinted").forEach((each) => each.classList.remove("unprinted"));
  };
  window.addEventListener("beforeprint", before);
  window.addEventListener("afterprint", after);
  return () => {
    window.removeEventListener("beforeprint", before);
    window.removeEventListener("afterprint", after);
  };
}

function split(table: HTMLTableElement): void {
  const columns = table.rows[0]?.cells.length ?? 0;
  if (columns <= MOST + 1 || table.classList.contains("unprinted")) return;
  for (let from = 1; from < columns; from += MOST) {
    const part = table.cloneNode(true) as HTMLTableElement;
    part.classList.add("printed");
    for (const row of part.rows) {
      const others = Array.from(row.cells).filter((_, i) => i > 0 && (i < from || i >= from + MOST));
      others.forEach((cell) => cell.remove());
    }
    table.parentElement?.append(part);
  }
  table.classList.add("unprinted");
}
