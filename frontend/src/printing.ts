// Tables on paper, which cannot be scrolled: wide ones are printed as several, each with the first column.

const MOST = 6; // columns beside the first

/** Split what is too wide when the page is printed and join it afterwards; call the result to stop doing so. */
export function printable(root: HTMLElement): () => void {
  const folds = (): NodeListOf<HTMLDetailsElement> => root.querySelectorAll<HTMLDetailsElement>(".fold");
  const open = new Set<HTMLDetailsElement>();
  const before = (): void => {
    root.querySelectorAll<HTMLTableElement>(".scroller > table").forEach(split);
    folds().forEach((fold) => fold.open && open.add(fold));
    folds().forEach((fold) => (fold.open = true)); // nobody opens a fold on paper
  };
  const after = (): void => {
    folds().forEach((fold) => (fold.open = open.has(fold)));
    open.clear();
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
  const hidden = table.closest(".asfound") ? ["rowsmix", "now"] : ["rowsmix"]; // as page.css hides them on paper
  const heads = Array.from(table.rows[0]?.cells ?? []);
  const columns = heads.flatMap((cell, i) => (i === 0 || hidden.some((kind) => cell.classList.contains(kind)) ? [] : [i]));
  if (columns.length <= MOST || table.classList.contains("unprinted")) return;
  for (let from = 0; from < columns.length; from += MOST) {
    const kept = new Set([0, ...columns.slice(from, from + MOST)]);
    const part = table.cloneNode(true) as HTMLTableElement;
    part.classList.add("printed");
    for (const row of part.rows) {
      Array.from(row.cells)
        .filter((_, i) => !kept.has(i))
        .forEach((cell) => cell.remove());
    }
    table.parentElement?.append(part);
  }
  table.classList.add("unprinted");
}
