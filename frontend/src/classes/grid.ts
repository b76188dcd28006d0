// The editable costs: a row per actual class, a column per action, presets, and actions that are no classes.
import { button, el, isolated, named, set } from "../dom";
import type { Store } from "../state";
import { isCost } from "./fragment";
import type { ClassScene, ClassState, ClassView } from "./view";

const HINT = "Write a number such as 5, 0.5 or -1.";

export interface Grid {
  root: HTMLElement;
  update(view: ClassView): void;
}

type Made = (costs: ClassState["costs"], i: number, j: number) => number;

/** Presets price the classes; other actions stay as they are. */
const PRESETS: readonly [text: string, title: string, made: Made][] = [
  ["equal", "Every error costs 1", (_, i, j) => Number(i !== j)],
  ["ordinal", "An error costs the number of steps between the classes", (_, i, j) => Math.abs(i - j)],
  ["by class", "Every error costs what the dearest of its row costs now", (costs, i, j) => (i === j ? costs[i][i] : Math.max(...costs[i].slice(0, costs.length).filter((_, other) => other !== i)))],
];

export function costGrid(scene: ClassScene, store: Store<ClassState>, uid: string): Grid {
  const { classes, start } = scene;
  const error = el("p", { class: "error", id: `${uid}-costs-error`, role: "alert" });
  const place = el("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "Costs" });
  const presets = PRESETS.map(([text, title, made]) => button(text, () => preset(made), { title }));
  const evaluated = button("as evaluated", () => store.set({ costs: start.costs, others: start.others }));
  const name = el("input", { type: "text", id: `${uid}-action`, "aria-label": "Name of another action", placeholder: "refer", autocomplete: "off", spellcheck: "false" });
  const add = button("Add action", () => addAction());
  name.addEventListener("keydown", (event) => {
    if (event.key === "Enter") addAction();
  });
  let now: ClassView | null = null;
  let fields: HTMLInputElement[][] = [];
  let built = "";

  const root = el(
    "div",
    { class: "costgrid" },
    place,
    error,
    el("div", { class: "choices" }, el("div", { class: "segmented", role: "group", "aria-label": "Costs to start from" }, evaluated, ...presets), el("div", { class: "pick" }, name, add)),
  );
  return {
    root,
    update(view) {
      now = view;
      const key = view.actions.join("\n");
      if (key !== built) {
        built = key;
        build(view.actions);
      }
      const { costs } = view.state;
      fields.forEach((row, i) =>
        row.forEach((field, j) => {
          const text = String(costs[i][j]);
          if (document.activeElement === field && field.getAttribute("aria-invalid")) return;
          if (document.activeElement !== field && field.value !== text) field.value = text;
          field.classList.toggle("most", i === view.dearest.row && j === view.dearest.column && view.dearest.cost > 0);
        }),
      );
      evaluated.disabled = costs === start.costs;
    },
  };

  function build(actions: readonly string[]): void {
    fields = classes.map((label, i) => actions.map((action, j) => cell(label, action, i, j)));
    const heads = actions.map((action, j) => {
      const remove = j < classes.length ? null : button("×", () => removeAction(j), { class: "quiet", "aria-label": `Remove the action ${isolated(action)}` });
      return el("th", { scope: "col" }, named(action), remove);
    });
    const rows = classes.map((label, i) => el("tr", {}, el("th", { scope: "row", class: "first" }, named(label)), ...fields[i].map((field) => el("td", {}, field))));
    const corner = el("td", { class: "corner" }, "actual ↓ said →");
    place.replaceChildren(el("table", {}, el("caption", { class: "unseen" }, "What it costs per case, by actual class and by what is said"), el("thead", {}, el("tr", {}, corner, ...heads)), el("tbody", {}, ...rows)));
  }

  function cell(label: string, action: string, i: number, j: number): HTMLInputElement {
    const field = el("input", { type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", class: i === j ? "same" : null, "aria-label": `Cost of actual ${isolated(label)} said ${isolated(action)}` });
    const commit = (): void => {
      const text = field.value.trim().replace(",", ".").replace("−", "-");
      const cost = Number(text);
      const fine = text !== "" && isCost(cost);
      invalid(field, fine ? "" : HINT);
      if (fine && now && cost !== now.state.costs[i][j]) store.set({ costs: now.state.costs.map((row, at) => (at === i ? row.map((each, to) => (to === j ? cost : each)) : row)) });
      else if (fine) field.value = String(cost);
    };
    field.addEventListener("change", commit);
    field.addEventListener("focus", () => field.select());
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") commit();
      const down = Number(event.key === "ArrowDown") - Number(event.key === "ArrowUp");
      if (!down) return;
      event.preventDefault();
      fields[i + down]?.[j].focus();
    });
    return field;
  }

  function preset(made: Made): void {
    const { costs } = store.state;
    store.set({ costs: costs.map((row, i) => row.map((cost, j) => (j < classes.length ? made(costs, i, j) : cost))) });
  }

  /** A new action costs what a case costs now, so that it is taken where the model is less sure than usual. */
  function addAction(): void {
    const text = name.value.trim() || "refer";
    const { others, costs } = store.state;
    const raw = scene.given.decision["rule"] as { actions: unknown[] };
    if ([...classes, ...others, ...raw.actions.map(String)].includes(text)) {
      invalid(name, `There is an action ${isolated(text)} already.`);
      return;
    }
    invalid(name, "");
    const cost = Number((now?.stand.cost.estimate ?? 0).toPrecision(2));
    name.value = "";
    store.set({ others: [...others, text], costs: costs.map((row) => [...row, cost]) });
  }

  function removeAction(j: number): void {
    const { others, costs } = store.state;
    store.set({ others: others.filter((_, at) => at !== j - classes.length), costs: costs.map((row) => row.filter((_, at) => at !== j)) });
    name.focus();
  }

  function invalid(field: HTMLInputElement, text: string): void {
    set(field, { "aria-invalid": text ? "true" : null, "aria-describedby": text ? error.id : null });
    error.textContent = text;
  }
}
