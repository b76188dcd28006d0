// The control bar: threshold, class ratio, cost ratio, measure, models, and what to show.
import { button, clamp, el, isolated, named, say, set } from "./dom";
import { goTo } from "./drawing";
import { swatch } from "./palette";
import { mixText, parsedMix, parsedRatio, parsedShare, ratioText, tidyRatio } from "./ratio";
import { scoreText } from "./reals";
import type { Scene } from "./scene";
import { slider } from "./slider";
import { byHand, COST, type State, type Store } from "./state";
import type { View } from "./view";

const DECADES = 3;
const PER_DECADE = 60;
const AUTO = "best";
const RATIO_HINT = "Write a ratio such as 5:1, 5 or 1/3, up to 1e12:1.";
const SHARE_HINT = "Write a share such as 5% or 0.05, above 0 and below 100%.";

export interface Controls {
  root: HTMLElement;
  update(view: View): void;
}

export function controls(scene: Scene, store: Store, uid: string, extra: readonly HTMLElement[]): Controls {
  let now: View | null = null;
  const threshold = slider(
    { id: `${uid}-threshold`, label: "Threshold", hint: "Write a number, inf or -inf." },
    (place) => now && goTo(store, now.stand.model, now.stand.model.curve.threshold.length - 1 - place),
    (text) => {
      const value = readThreshold(text);
      if (value === null) return false;
      if (!now || scoreText(now.stand.threshold) !== text) store.set(byHand(value, now?.state.current ?? store.state.current));
      return true;
    },
  );
  const mixLabel = scene.inPercent ? "Share of positives" : "Class ratio, pos : neg";
  const chosenMix = (classRatio: number): void => store.set({ classRatio });
  const mix = scene.inPercent ? ratioSlider("classratio", mixLabel, chosenMix, parsedShare, mixText, SHARE_HINT) : ratioSlider("classratio", mixLabel, chosenMix, parsedMix);
  const cost = ratioSlider("costratio", "Cost ratio, miss : false alarm", (costRatio) => store.set({ costRatio }));
  const fromData = button("from data", () => store.set({ classRatio: null }), { class: "quiet", title: "The class mix as in the data" });
  mix.root.querySelector("label")?.after(fromData);

  const best = el("option", { value: AUTO });
  const model = el("select", { id: `${uid}-model` }, store.start.auto ? best : null, ...scene.models.map((each) => el("option", { value: each.index }, isolated(each.name))));
  model.addEventListener("change", () => store.set(model.value === AUTO ? { auto: true, follow: true } : chosenModel(Number(model.value), store.state, now)));
  const measure = el("select", { id: `${uid}-measure` }, el("option", { value: COST }, "expected cost"));
  for (const each of scene.measures) if (each.direction !== "neither") measure.append(el("option", { value: each.name }, each.label));
  measure.addEventListener("change", () => store.set({ measure: measure.value }));

  const follow = check("follow the optimum", `${uid}-follow`, (on) => store.set(on ? { follow: true, auto: store.start.auto } : byHand(now?.stand.threshold ?? NaN, now?.state.current ?? 0)));
  const shared = check("one threshold for all models", `${uid}-shared`, (on) => store.set({ shared: on }));
  const bands = check("confidence bands", `${uid}-bands`, (on) => store.set({ bands: on }));
  const plane = el("div", { class: "segmented", role: "group", "aria-label": "Plane" });
  const planes = (["roc", "coverage"] as const).map((each) => button(each === "roc" ? "ROC" : "coverage", () => store.set({ plane: each })));
  plane.append(...planes);
  const legend = scene.models.map((each) => {
    const made = el("button", { type: "button", class: "chip", "aria-pressed": "true", title: "Show or hide this model" }, swatch(each.index), named(each.name));
    made.addEventListener("click", () => store.set({ hidden: toggled(store.state.hidden, each.index) }));
    return made;
  });

  const labelled = (text: string, input: HTMLSelectElement): HTMLElement => el("div", { class: "pick" }, el("label", { for: input.id }, text), input);
  const several = scene.models.length > 1;
  const banded = scene.models.some((each) => Object.values(each.bands).some((band) => band !== null));
  const sliders = el("div", { class: "sliders" }, threshold.root, mix.root, cost.root);
  const row = el("div", { class: "choices" }, several ? labelled("Model", model) : null, labelled("Best by", measure), plane, follow.root, several ? shared.root : null, banded ? bands.root : null, ...extra, button("Reset", () => store.reset()));
  // A phone shows one slider at a time, and the rest on request: the bar stays in sight and leaves the screen to the plots.
  const parts = [threshold.root, mix.root, cost.root];
  const pick = (at: number): void => {
    parts.forEach((part, i) => part.classList.toggle("now", i === at));
    tabs.forEach((tab, i) => set(tab, { "aria-pressed": String(i === at) }));
  };
  const tabs = ["Threshold", scene.inPercent ? "Positives" : "Class ratio", "Cost ratio"].map((text, i) => button(text, () => pick(i)));
  const more = button("More", () => set(more, { "aria-expanded": String(root.classList.toggle("open")) }), { "aria-expanded": "false" });
  const bar = el("div", { class: "phonebar" }, el("div", { class: "segmented", role: "group", "aria-label": "Slider shown" }, ...tabs), more);
  const root = el("section", { class: "controls", "aria-label": "Controls" }, bar, sliders, row);
  pick(2);
  if (several) root.append(el("div", { class: "legend", role: "group", "aria-label": "Models shown" }, ...legend));

  return {
    root,
    update(view) {
      now = view;
      const { state, stand } = view;
      const last = stand.model.curve.threshold.length - 1;
      threshold.range(0, last, 1);
      threshold.show(last - stand.split, scoreText(stand.threshold), `threshold ${scoreText(stand.threshold)}`);
      mix.show(view.classRatio, scene.Pos / scene.Neg);
      cost.show(state.costRatio, scene.costRatio);
      fromData.disabled = state.classRatio === null;
      say(best, `the best (${isolated(scene.models[view.best].name)})`);
      model.value = state.auto && state.follow ? AUTO : String(state.current);
      measure.value = state.measure;
      follow.box.checked = state.follow;
      shared.box.checked = state.shared;
      bands.box.checked = state.bands;
      planes.forEach((each, i) => set(each, { "aria-pressed": String(state.plane === (i ? "coverage" : "roc")) }));
      legend.forEach((each, i) => {
        set(each, { "aria-pressed": String(i === state.current || !state.hidden.has(i)), disabled: i === state.current });
        each.classList.toggle("current", i === state.current);
      });
    },
  };

  function ratioSlider(id: string, label: string, chosen: (ratio: number) => void, read = parsedRatio, written = ratioText, hint = RATIO_HINT): { root: HTMLElement; show(ratio: number, start: number): void } {
    const made = slider(
      { id: `${uid}-${id}`, label, hint },
      (place) => chosen(tidyRatio(10 ** (place / PER_DECADE))),
      (text) => {
        const ratio = read(text);
        // The field shows four digits: leaving it untouched must not round what was given.
        if (ratio !== null && text !== shownText) chosen(ratio);
        return ratio !== null;
      },
    );
    let shownText = "";
    return {
      root: made.root,
      show(ratio, start) {
        const far = Math.max(DECADES, Math.ceil(Math.abs(Math.log10(start)) + 1)) * PER_DECADE;
        made.range(-far, far, 1);
        shownText = written(ratio).replaceAll(" ", "");
        made.show(clamp(Math.round(Math.log10(ratio) * PER_DECADE), -far, far), shownText, written(ratio).replace(":", "to"));
      },
    };
  }
}

/** Looking at another model keeps a shared threshold; thresholds of other scales are not carried over. */
function chosenModel(index: number, state: State, view: View | null): Partial<State> {
  if (state.follow || state.shared || !view) return { current: index, auto: false };
  return { current: index, auto: false, threshold: view.stands[index].threshold };
}

function check(label: string, id: string, act: (on: boolean) => void): { root: HTMLElement; box: HTMLInputElement } {
  const box = el("input", { type: "checkbox", id });
  box.addEventListener("change", () => act(box.checked));
  return { root: el("label", { class: "check", for: id }, box, label), box };
}

function readThreshold(text: string): number | null {
  const plain = text.trim().replace("−", "-").replace(",", ".").toLowerCase();
  if (/^[+]?(inf|infinity|∞)$/.test(plain)) return Infinity;
  if (/^-(inf|infinity|∞)$/.test(plain)) return -Infinity;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(plain) ? Number(plain) : null;
}

function toggled(hidden: ReadonlySet<number>, index: number): Set<number> {
  const next = new Set(hidden);
  if (!next.delete(index)) next.add(index);
  return next;
}
