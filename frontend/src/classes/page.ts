// The page of several classes: confusion matrices as heat maps, a table per class, and one class against the rest.
import { cautionList } from "../cautions";
import type { ClassModel, Contents } from "../contents";
import { announceStand, type Part } from "../drawing";
import { controls } from "../controls";
import { el, isolated, named } from "../dom";
import { fragmentOf, stateOf } from "../fragment";
import { confusionPanel } from "../panels/confusion";
import { gainPanel } from "../panels/gain";
import { costPanel } from "../panels/cost";
import { prPanel } from "../panels/pr";
import { rocPanel } from "../panels/roc";
import { folded, optional, pageHead, section, unique, writeFragment } from "../page";
import { printable } from "../printing";
import { countText } from "../reals";
import { classScene } from "../scene";
import { startState, Store } from "../state";
import { Table } from "../table";
import { contingencyTable } from "../tables/contingency";
import { dataTable, numbersTable } from "../tables/finished";
import { intervalCell, measuresTable } from "../tables/measures";
import { view as viewOf } from "../view";

const SETTLED = 300;

export function classesPage(root: HTMLElement, contents: Contents, address: boolean): void {
  const uid = unique();
  const { class_models: models, classes } = contents;
  const words = contents.answer.map((text, i) => el("p", { class: i ? null : "lead" }, text));
  const matrices = models.map((model, i) => confusionPanel(model, classes, i, uid));
  const numbers = numbersTable(models, "all");
  root.replaceChildren(
    pageHead(contents, `${countText(contents.data.rows)} cases, ${classes.length} classes, ${models.length} ${models.length === 1 ? "model" : "models"}.`),
    el("section", { class: "answer card", "aria-label": "The answer" }, ...words, cautionList(contents.cautions)),
    el("h2", { class: "unseen" }, "Confusion matrices"),
    el("div", { class: "panels" }, ...matrices),
    ...(numbers ? [section("Models", numbers)] : []),
    ...optional("Comparison", folded(contents)),
    captioned(section("Classes", ...models.map((model) => classTable(model)))),
    oneAgainstRest(contents, address),
    captioned(section("Confusion counts", ...models.map((model) => matrixTable(model, classes)))),
    section("Data", dataTable(contents)),
  );
  printable(root);
}

/** Where several tables share a title, each shows its own. */
function captioned(made: HTMLElement): HTMLElement {
  made.classList.add("captioned");
  return made;
}

/** Curves of one class against the rest, with a chooser; the address keeps the class and what was set for it. */
function oneAgainstRest(contents: Contents, address: boolean): HTMLElement {
  const { classes } = contents;
  const chooser = el("select", { id: `${unique()}-class` }, ...classes.map((label, i) => el("option", { value: i }, isolated(label))));
  const place = el("div", { class: "rest" });
  const write = (fragment: string): void => {
    const parts = new URLSearchParams(fragment);
    if (chooser.value !== "0") parts.set("of", classes[Number(chooser.value)]);
    if (address) writeFragment(parts.toString());
  };
  const show = (fragment: string): void => {
    chooser.value = String(Math.max(0, classes.indexOf(new URLSearchParams(fragment.replace(/^#/, "")).get("of") ?? classes[0])));
    place.replaceChildren(...restOf(contents, Number(chooser.value), fragment, write));
  };
  chooser.addEventListener("change", () => {
    place.replaceChildren(...restOf(contents, Number(chooser.value), "", write));
    write("");
  });
  if (address) window.addEventListener("hashchange", () => show(location.hash));
  show(address ? location.hash : "");
  const pick = el("div", { class: "pick" }, el("label", { for: chooser.id }, "Class"), chooser);
  return section("One class against the rest", pick, place);
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

function classTable(model: ClassModel): HTMLElement {
  const columns = ["cases", "precision", "recall", "F1", "AUC, against the rest"];
  const rows = model.classes.map((row) => ({ text: row.label, node: named(row.label) }));
  const table = new Table(`Classes by ${isolated(model.name)}`, [{ text: "class" }, ...columns.map((text) => ({ text }))], rows);
  model.classes.forEach((row, i) => {
    table.put(i, 0, { text: countText(row.count), raw: row.count });
    [row.precision, row.recall, row.f1, row.auc].forEach((interval, j) => table.put(i, j + 1, intervalCell(interval)));
  });
  return table.root;
}

function matrixTable(model: ClassModel, classes: readonly string[]): HTMLElement {
  const columns = classes.map((label) => ({ text: `called ${label}`, node: el("span", {}, "called ", named(label)) }));
  const rows = classes.map((label) => ({ text: `actual ${label}`, node: el("span", {}, "actual ", named(label)) }));
  const table = new Table(`Confusion matrix of ${isolated(model.name)}`, [{ text: "class" }, ...columns], rows);
  model.matrix.forEach((row, i) => row.forEach((count, j) => table.put(i, j, { text: countText(count), raw: count })));
  return table.root;
}
