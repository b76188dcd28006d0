// The page of two classes: answer, controls, linked panels, tables; everything hears of a change once per frame.
import { announceStand, type Part } from "./drawing";
import { prose, spoken } from "./answer";
import type { Contents } from "./contents";
import { controls } from "./controls";
import { decisionNow } from "./decision";
import { button, el, type Child } from "./dom";
import { factsOf, firstScreen, isAsFound } from "./first";
import { fragmentOf, stateOf } from "./fragment";
import { benefitPanel } from "./panels/benefit";
import { costPanel } from "./panels/cost";
import { gainPanel } from "./panels/gain";
import { marginPanel } from "./panels/margin";
import { prPanel } from "./panels/pr";
import { reliabilityPanel } from "./panels/reliability";
import { rocPanel } from "./panels/roc";
import { scoresPanel } from "./panels/scores";
import { printable } from "./printing";
import { copyText } from "./saving";
import { scene as sceneOf, type Scene } from "./scene";
import { startState, Store } from "./state";
import { contingencyTable } from "./tables/contingency";
import { comparisonTable, dataTable, predictionsTable, numbersTable } from "./tables/finished";
import { measuresTable } from "./tables/measures";
import { view as viewOf, type View } from "./view";

export interface Mounted {
  store: Store;
  view(): View;
  stop(): void; // hear of nothing any more
}

// Words, long tables and what is off the screen follow a moving slider less often: they are read, not watched.
export const CALM = 90;
const FEW_PAIRS = 6;

let mounts = 0;

/** A name that no other page in this document uses. */
export function unique(): string {
  mounts += 1;
  return `thresher${mounts}`;
}

/** Fill an element with the interactive page; `address` keeps the state in the URL fragment. */
export function binaryPage(root: HTMLElement, contents: Contents, address: boolean): Mounted {
  const uid = unique();
  const scene = sceneOf(contents);
  const start = startState(scene);
  const store = new Store(start);
  let view = viewOf(scene, start);
  announceStand(store, () => view.stand);

  const copy = button("Copy decision", () => void copyText(JSON.stringify(decisionNow(contents, view), null, 2), copy, "Copied"), { class: "primary" });
  const words = prose(contents);
  const first = firstScreen(contents, words.root, [copy]);
  const bar = controls(scene, store, uid, []);
  const parts = panels(scene, store, uid);
  const table = contingencyTable(scene);
  const measures = measuresTable(scene, contents.mixes);
  const live = el("p", { class: "unseen", role: "status", "aria-live": "polite" });
  const grid = el("div", { class: "panels" }, ...parts.map((part) => part.panel.figure));
  grid.firstElementChild?.after(table.root);
  root.replaceChildren(
    skipLink(bar.root),
    pageHead(contents, ...factsOf(contents)),
    first.root,
    bar.root,
    live,
    el("h2", { class: "unseen" }, "Plots"),
    grid,
    section("Measures", measures.root),
    el(
      "div",
      { class: contents.models.length > 2 ? "columns whole" : "columns" },
      ...optional("Ranking", numbersTable(contents.models, "ranking", contents.mixes, contents.decision?.["model"])),
      ...optional("Calibration and refinement", numbersTable(contents.models, "calibration", contents.mixes, contents.decision?.["model"])),
      ...optional("Comparison", folded(contents)),
      ...optional("Predictions given", predictionsTable(contents)),
    ),
    section("Data", dataTable(contents)),
  );

  // The controls stand below and must not jump under the pointer: while the page keeps its width, what is above never gets lower.
  let wide = 0;
  const hold = (): void => {
    if (first.root.offsetWidth !== wide) first.root.style.minHeight = "";
    wide = first.root.offsetWidth;
    if (!first.root.querySelector("details[open]")) first.root.style.minHeight = `${first.root.getBoundingClientRect().height}px`;
  };

  const near = onScreen(parts.map((part) => part.panel.figure));
  let late = parts;
  let quiet: ReturnType<typeof setTimeout> | undefined;
  let calm: ReturnType<typeof setTimeout> | undefined;
  const update = (): void => {
    view = viewOf(scene, store.state);
    bar.update(view);
    table.update(view);
    late = parts.filter((part) => !near.has(part.panel.figure));
    for (const part of parts) if (!late.includes(part)) part.update(view);
    calm ??= setTimeout(calmly, CALM);
    clearTimeout(quiet);
    quiet = setTimeout(() => settled(), 300);
  };
  const calmly = (): void => {
    calm = undefined;
    first.update(view);
    root.classList.toggle("asfound", isAsFound(contents, view));
    words.update(view);
    hold();
    for (const part of late) part.update(view); // also what has come on the screen since
    measures.update(view);
  };
  const settled = (): void => {
    live.textContent = spoken(view);
    if (address) writeFragment(fragmentOf(store.state, start, scene));
  };
  store.listen(update);
  const read = (): void => store.set(stateOf(location.hash, start, scene));
  if (address) {
    window.addEventListener("hashchange", read);
    if (location.hash.length > 1) read();
  }
  const printed = (): void => {
    store.tell();
    calmly();
  };
  window.addEventListener("beforeprint", printed);
  const unprint = printable(root);
  store.tell();
  calmly();
  clearTimeout(quiet); // nothing has changed yet that would be worth saying
  const stop = (): void => {
    window.removeEventListener("hashchange", read);
    window.removeEventListener("beforeprint", printed);
    unprint();
    clearTimeout(calm);
    clearTimeout(quiet);
  };
  return { store, view: () => view, stop };
}

function panels(scene: Scene, store: Store, uid: string): Part[] {
  const makers = [rocPanel, prPanel, costPanel, scoresPanel, reliabilityPanel, benefitPanel, gainPanel, marginPanel];
  return makers.flatMap((make) => make(scene, store, uid) ?? []);
}

/** The elements on or close to the screen, kept up to date. */
export function onScreen(elements: readonly Element[]): ReadonlySet<Element> {
  const near = new Set<Element>(elements);
  if (typeof IntersectionObserver === "undefined") return near;
  const watch = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes) {
        if (isIntersecting) near.add(target);
        else near.delete(target);
      }
    },
    { rootMargin: "120px" },
  );
  for (const element of elements) watch.observe(element);
  return near;
}

/** The first stop of the Tab key: past the answer, to what can be moved. */
export function skipLink(target: HTMLElement): HTMLElement {
  target.tabIndex = -1;
  const link = el("a", { class: "skip", href: "#" }, "Skip to the controls and plots");
  link.addEventListener("click", (event) => {
    event.preventDefault(); // the address holds the state, and stays
    target.focus();
    target.scrollIntoView();
  });
  return link;
}

export function pageHead(contents: { title: string }, ...facts: Child[]): HTMLElement {
  return el("header", {}, el("h1", { dir: "auto" }, contents.title), el("p", { class: "facts" }, ...facts));
}

export function section(title: string, ...children: Node[]): HTMLElement {
  return el("section", { class: "card" }, el("h2", {}, title), ...children);
}

/** The comparison of models; of many pairs, or below other sections, on request. */
export function folded(contents: Contents): HTMLElement | null {
  const table = comparisonTable(contents);
  const { length } = contents.comparison;
  return table && (contents.folded || length > FEW_PAIRS) ? el("details", {}, el("summary", {}, `${length} pair${length > 1 ? "s" : ""}`), table) : table;
}

export function optional(title: string, made: HTMLElement | null): HTMLElement[] {
  return made ? [section(title, made)] : [];
}

/** A page in a sandbox has no address of its own to write to. */
export function writeFragment(fragment: string): void {
  try {
    const bare = location.pathname + location.search;
    if (location.hash.replace(/^#/, "") !== fragment) history.replaceState(null, "", fragment ? `#${fragment}` : bare || "#");
  } catch {
    // The state is still on the screen.
  }
}
