// What can be set: costs, class mix, the rule, and the model looked at.
import { button, el, isolated, say, set } from "../dom";
import { percentText } from "../reals";
import { slider } from "../slider";
import type { Store } from "../state";
import { costGrid } from "./grid";
import { isFitted, type ClassScene, type ClassState, type ClassView, type Rule } from "./view";

const PLACES = 1000; // of a slider, in thousandths
const BEST = "best";
const RULES: readonly [Rule, string][] = [["probable", "most probable"], ["cost", "least cost"], ["fitted", "fitted weights"]];

export function settings(scene: ClassScene, store: Store<ClassState>, uid: string): { root: HTMLElement; update(view: ClassView): void } {
  const grid = costGrid(scene, store, uid);
  const mix = mixSliders(scene, store, uid);
  const rules = RULES.filter(([rule]) => rule !== "fitted" || isFitted(scene)).map(([rule, text]) => ({ rule, made: button(text, () => store.set({ rule })) }));
  const best = el("option", { value: BEST });
  const model = el("select", { id: `${uid}-model` }, best, ...scene.names.map((name, i) => el("option", { value: i }, isolated(name))));
  model.addEventListener("change", () => store.set({ model: model.value === BEST ? null : Number(model.value) }));
  const pick = scene.names.length > 1 ? el("div", { class: "pick" }, el("label", { for: model.id }, "Model used"), model) : null;
  const root = el(
    "section",
    { class: "setting", "aria-label": "Costs, class mix and rule" },
    el("div", { class: "choices" }, el("div", { class: "segmented", role: "group", "aria-label": "What is said of a case" }, ...rules.map(({ made }) => made)), pick, button("Reset", () => store.reset())),
    el("h3", {}, "Costs per case"),
    grid.root,
    mix.root,
  );
  return {
    root,
    update(view) {
      grid.update(view);
      mix.update(view);
      for (const { rule, made } of rules) set(made, { "aria-pressed": String(view.state.rule === rule) });
      say(best, `${view.asEvaluated ? "the decision" : "the cheapest"} (${isolated(scene.names[view.best])})`);
      model.value = view.state.model === null ? BEST : String(view.state.model);
    },
  };
}

/** A share per class; the others keep their proportions and make room, so that the sum stays 1. */
function mixSliders(scene: ClassScene, store: Store<ClassState>, uid: string): { root: HTMLElement; update(view: ClassView): void } {
  let now: readonly number[] = scene.ofData;
  const texts = scene.classes.map(() => "");
  const made = scene.classes.map((label, i) =>
    slider(
      { id: `${uid}-mix${i}`, label: `Share of ${isolated(label)}`, hint: "Write a share such as 25% or 0.25." },
      (place) => store.set({ mix: shifted(now, i, place / PLACES, scene.cases) }),
      (text) => {
        const share = readShare(text);
        if (share !== null && text !== texts[i]) store.set({ mix: shifted(now, i, share, scene.cases) });
        return share !== null;
      },
    ),
  );
  const fromData = button("as in the data", () => store.set({ mix: null }));
  const declared = scene.start.mix && button("as evaluated", () => store.set({ mix: scene.start.mix }));
  const root = el("div", { class: "mixes", role: "group", "aria-label": "Class mix" }, el("div", { class: "title" }, el("h3", {}, "Class mix"), fromData, declared), ...made.map((each) => each.root));
  made.forEach((each, i) => {
    each.range(0, PLACES, 1);
    // Nobody knows what cases cost of which there are none.
    if (!(scene.cases[i] > 0)) for (const input of each.root.querySelectorAll("input")) input.disabled = true;
  });
  return {
    root,
    update({ shares, state }) {
      now = shares;
      made.forEach((each, i) => {
        texts[i] = percentText(shares[i]).replace(" ", "");
        each.show(Math.round(shares[i] * PLACES), texts[i], percentText(shares[i]));
      });
      fromData.disabled = state.mix === null;
      if (declared) declared.disabled = state.mix === scene.start.mix;
    },
  };
}

/** Shares with one of them set, the others in proportion, or alike where they had none. */
export function shifted(shares: readonly number[], at: number, share: number, cases: readonly number[]): number[] {
  const others = shares.reduce((all, each, i) => (i === at ? all : all + each), 0);
  const possible = cases.filter((n, i) => n > 0 && i !== at).length;
  if (!possible) return [...shares];
  return shares.map((each, i) => (i === at ? share : others > 0 ? (each * (1 - share)) / others : cases[i] > 0 ? (1 - share) / possible : 0));
}

function readShare(text: string): number | null {
  const found = /^\s*([0-9]*[.,]?[0-9]+)\s*(%?)\s*$/.exec(text);
  if (!found) return null;
  const value = Number(found[1].replace(",", "."));
  const share = found[2] || value > 1 ? value / 100 : value;
  return share <= 1 ? share : null;
}

