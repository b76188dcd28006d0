// The page of k classes: costs and class mix to set, the answer, confusion in cases and in costs, reliability, and tables.
import type { ClassModel, Contents } from "../contents";
import { button, el, isolated, named, set } from "../dom";
import { CALM, folded, onScreen, optional, pageHead, section, skipLink, unique, writeFragment } from "../page";
import { printable } from "../printing";
import { countText } from "../reals";
import { copyText } from "../saving";
import { Store } from "../state";
import { Table } from "../table";
import { dataTable, numbersTable } from "../tables/finished";
import { intervalCell } from "../tables/measures";
import { answer, leadText, waysTable } from "./answer";
import { confusionTable, costsPanel, countsPanel } from "./confusion";
import { decisionNow } from "./decision";
import { fragmentOf, stateOf } from "./fragment";
import { paidPanel } from "./paid";
import { reliabilityPanel } from "./reliability";
import { oneAgainstRest } from "./rest";
import { settings } from "./settings";
import { classScene, classView } from "./view";

const SETTLED = 300;
const WIDE = 6; // actions beyond which the costs need a line of their own

export function classesPage(root: HTMLElement, contents: Contents, address: boolean): void {
  const uid = unique();
  const { class_models: models, classes } = contents;
  const scene = classScene(contents);
  const store = new Store(scene.start);
  let view = classView(scene, scene.start);
  let [own, other] = ["", ""]; // what the address says of the decision, and of one class against the rest
  const write = (): void => {
    if (address) writeFragment([own, other].filter(Boolean).join("&"));
  };
  const copy = button("Copy decision", () => void copyText(JSON.stringify(decisionNow(scene, view), null, 2), copy, "Copied"), { class: "primary" });
  const first = answer(scene, [copy]);
  const setting = settings(scene, store, uid);
  const panels = [countsPanel(scene, uid), costsPanel(scene, uid), paidPanel(scene, uid), reliabilityPanel(scene, uid)];
  const ways = waysTable(scene);
  const counts = confusionTable(scene);
  const words = [first, ways, counts]; // read, not watched: they follow a moving slider less often
  const near = onScreen(panels.map(({ figure }) => figure));
  const rest = oneAgainstRest(contents, (fragment) => {
    other = fragment;
    write();
  });
  const live = el("p", { class: "unseen", role: "status", "aria-live": "polite" });
  const numbers = numbersTable(models, "all");
  const bench = el("div", { class: "workbench" }, setting.root, ...panels.map(({ figure }) => figure));
  root.replaceChildren(
    skipLink(setting.root),
    pageHead(contents, `${countText(contents.data.rows)} cases, ${classes.length} classes, ${models.length} ${models.length === 1 ? "model" : "models"}.`),
    first.root,
    live,
    el("h2", { class: "unseen" }, "Costs and plots"),
    bench,
    el("div", { class: "columns" }, section("What each way to act costs", ways.root), section("Confusion counts", counts.root)),
    ...(numbers ? [section("Models", numbers)] : []),
    ...optional("Comparison", folded(contents)),
    captioned(section("Classes", ...models.map((model) => classTable(model)))),
    rest.root,
    section("Data", dataTable(contents)),
  );
  let quiet: ReturnType<typeof setTimeout> | undefined;
  let calm: ReturnType<typeof setTimeout> | undefined;
  let late = panels;
  const calmly = (): void => {
    calm = undefined;
    for (const part of [...words, ...late]) part.update(view);
  };
  store.listen((state) => {
    view = classView(scene, state);
    setting.update(view);
    late = panels.filter(({ figure }) => !near.has(figure));
    for (const panel of panels) if (!late.includes(panel)) panel.update(view);
    calm ??= setTimeout(calmly, CALM);
    bench.classList.toggle("wide", view.actions.length > WIDE);
    set(copy, { disabled: view.arbitrary });
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      live.textContent = leadText(scene, view);
      own = fragmentOf(state, scene);
      write();
    }, SETTLED);
  });
  const read = (): void => {
    const fragment = address ? location.hash : "";
    store.set(stateOf(fragment, scene));
    rest.show(fragment);
  };
  if (address) window.addEventListener("hashchange", read);
  read();
  window.addEventListener("beforeprint", () => {
    store.tell();
    calmly();
  });
  printable(root);
  store.tell();
  calmly();
}

/** Where several tables share a title, each shows its own. */
function captioned(made: HTMLElement): HTMLElement {
  made.classList.add("captioned");
  return made;
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
