// One class against the rest: the curves of two classes, with a chooser of the class.
import type { Contents } from "../contents";
import { controls } from "../controls";
import { announceStand, type Part } from "../drawing";
import { el, isolated } from "../dom";
import { fragmentOf, stateOf } from "../fragment";
import { section, unique } from "../page";
import { costPanel } from "../panels/cost";
import { gainPanel } from "../panels/gain";
import { prPanel } from "../panels/pr";
import { rocPanel } from "../panels/roc";
import { classScene } from "../scene";
import { startState, Store } from "../state";
import { contingencyTable } from "../tables/contingency";
import { measuresTable } from "../tables/measures";
import { view as viewOf } from "../view";

const SETTLED = 300;

export interface Rest {
  root: HTMLElement;
  show(fragment: string): void;
}

/** Curves of a class; `write` hears of the class and of what was set for it. */
export function oneAgainstRest(contents: Contents, write: (fragment: string) => void): Rest {
  const { classes } = contents;
  const chooser = el("select", { id: `${unique()}-class` }, ...classes.map((label, i) => el("option", { value: i }, isolated(label))));
  const place = el("div", { class: "rest" });
  const tell = (fragment: string): void => {
    const parts = new URLSearchParams(fragment);
    if (chooser.value !== "0") parts.set("of", classes[Number(chooser.value)]);
    write(parts.toString());
  };
  chooser.addEventListener("change", () => {
    place.replaceChildren(...restOf(contents, Number(chooser.value), "", tell));
    tell("");
  });
  const pick = el("div", { class: "pick" }, el("label", { for: chooser.id }, "Class"), chooser);
  return {
    root: section("One class against the rest", pick, place),
    show(fragment) {
      chooser.value = String(Math.max(0, classes.indexOf(new URLSearchParams(fragment.replace(/^#/, "")).get("of") ?? classes[0])));
      place.replaceChildren(...restOf(contents, Number(chooser.value), fragment, tell));
    },
  };
}

function restOf(contents: Contents, at: number, fragment: string, write: (fragment: string) => void): HTMLElement[] {
  const uid = unique();
  const scene = classScene(contents, at);
  if (!(scene.Pos > 0 && scene.Neg > 0)) return [el("p", { class: "help" }, "All cases or none are of this class, so there is no curve.")];
  const start = startState(scene);
  const store = new Store(start);
  let view = viewOf(scene, store.state);
  announceStand(store, () => view.stand);
  const bar = controls(scene, store, uid, []);
  const parts: Part[] = [rocPanel, prPanel, costPanel, gainPanel].map((make) => make(scene, store, uid));
  const table = contingencyTable(scene);
  const measures = measuresTable(scene);
  let quiet: ReturnType<typeof setTimeout> | undefined;
  store.listen((state) => {
    view = viewOf(scene, state);
    bar.update(view);
    table.update(view);
    for (const part of parts) part.update(view);
    measures.update(view);
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      if (bar.root.isConnected) write(fragmentOf(state, start, scene));
    }, SETTLED);
  });
  if (fragment.length > 1) store.set(stateOf(fragment, start, scene));
  store.tell();
  clearTimeout(quiet); // nothing has changed yet
  const details = el("details", {}, el("summary", {}, "Measures of this class against the rest"), measures.root);
  return [bar.root, el("div", { class: "panels" }, ...parts.map((part) => part.panel.figure), table.root), details];
}
