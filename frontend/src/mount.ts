// Put the interactive page into an element, whatever its kind.
import { classesPage } from "./classes";
import type { Contents } from "./contents";
import { binaryPage, type Mounted } from "./page";

/** Replace what an element shows by the interactive page; the page of several classes has no threshold to hand back. */
export function mount(root: HTMLElement, contents: Contents, { address = true } = {}): Mounted | null {
  root.classList.add("thresher", "live");
  if (contents.kind === "binary") return binaryPage(root, contents, address);
  classesPage(root, contents, address);
  return null;
}
