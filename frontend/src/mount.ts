// Put an interactive page into the document that carries its contents.

/** Show the page of a document that carries contents; where there is none, the script only offers what it exports. */
export function mountCarried<C>(show: (root: HTMLElement, contents: C) => unknown): void {
  const carried = typeof document === "undefined" ? null : document.getElementById("contents");
  const root = carried && document.getElementById("page");
  if (!carried || !root) return;
  root.classList.add("live");
  show(root, JSON.parse(carried.textContent ?? "") as C);
}
