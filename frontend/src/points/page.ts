// The page of classifiers as points: the answer, two sliders, two planes, and what each classifier costs.
import { cautionList } from "../cautions";
import { clamp, el, isolated, named, say } from "../dom";
import { pageHead, section, skipLink, unique, writeFragment } from "../page";
import { printable } from "../printing";
import { parsedMix, parsedRatio, ratioText, tidyRatio } from "../ratio";
import { real, shown } from "../reals";
import { slider, type Slider } from "../slider";
import { Store } from "../state";
import { Table } from "../table";
import type { PointContents } from "./contents";
import { costPlane, rocPlane } from "./planes";
import { startState, viewOf, type PointState, type PointView } from "./view";

const DECADES = 3;
const PER_DECADE = 60;
const SETTLED = 300;

export function pointsPage(root: HTMLElement, contents: PointContents, address: boolean): void {
  const uid = unique();
  const start = startState(contents);
  const store = new Store(start);
  const lead = el("p", { class: "lead" });
  const words = el("p", { class: "why" });
  const cost = ratioSlider(`${uid}-cost`, "Cost ratio, miss : false alarm", parsedRatio, (costRatio) => store.set({ costRatio }));
  const mix = ratioSlider(`${uid}-mix`, "Class ratio, pos : neg", parsedMix, (classRatio) => store.set({ classRatio }));
  const reset = el("button", { type: "button" }, "Reset");
  reset.addEventListener("click", () => store.reset());
  const bar = el("section", { class: "controls plain", "aria-label": "Controls" }, el("div", { class: "sliders" }, cost.root, mix.root), el("div", { class: "choices" }, reset));
  const planes = [rocPlane(contents, store, uid), costPlane(contents, store, uid)];
  const table = costTable(contents);
  const live = el("p", { class: "unseen", role: "status", "aria-live": "polite" });
  root.replaceChildren(
    skipLink(bar),
    pageHead(contents, `${contents.points.length} ${contents.points.length === 1 ? "classifier" : "classifiers"} of two classes, each a point.`),
    el("section", { class: "answer card", "aria-label": "The answer" }, lead, words, cautionList(contents.cautions)),
    bar,
    live,
    el("h2", { class: "unseen" }, "Plots"),
    el("div", { class: "panels points" }, ...planes.map(({ panel }) => panel.figure)),
    section("What each costs", table.root),
  );
  let quiet: ReturnType<typeof setTimeout> | undefined;
  store.listen((state) => {
    const view = viewOf(contents, state, start);
    say(lead, view.evaluated ? contents.answer[0] : leadText(view));
    say(words, view.evaluated ? (contents.answer[1] ?? "") : `At cost ratio ${ratioText(state.costRatio)} and class ratio ${ratioText(state.classRatio)}, set on the page.`);
    cost.show(state.costRatio, start.costRatio);
    mix.show(state.classRatio, start.classRatio);
    for (const plane of planes) plane.update(view);
    table.update(view, start);
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      say(live, leadText(view));
      if (address) writeFragment(fragmentOf(state, start, contents));
    }, SETTLED);
  });
  const read = (): void => store.set(stateOf(location.hash, start, contents));
  if (address) {
    window.addEventListener("hashchange", read);
    if (location.hash.length > 1) store.set(stateOf(location.hash, start, contents));
  }
  printable(root);
  store.tell();
  clearTimeout(quiet); // nothing has changed yet that would be worth saying
}

function leadText({ best }: PointView): string {
  const names = best.map(({ point }) => isolated(point.name));
  const each = `${shown(best[0].cost)} per case`;
  if (names.length === 1) return `Use ${names[0]}: ${each}.`;
  return `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]} cost the same: ${each} each.`;
}

function ratioSlider(id: string, label: string, read: (text: string) => number | null, chosen: (ratio: number) => void): { root: HTMLElement; show(ratio: number, start: number): void } {
  let text = "";
  const made: Slider = slider(
    { id, label, hint: "Write a ratio such as 5:1, 5 or 1/3, up to 1e12:1." },
    (place) => chosen(tidyRatio(10 ** (place / PER_DECADE))),
    (typed) => {
      const ratio = read(typed);
      if (ratio !== null && typed !== text) chosen(ratio);
      return ratio !== null;
    },
  );
  return {
    root: made.root,
    show(ratio, start) {
      const far = Math.max(DECADES, Math.ceil(Math.abs(Math.log10(start)) + 1)) * PER_DECADE;
      made.range(-far, far, 1);
      text = ratioText(ratio).replaceAll(" ", "");
      made.show(clamp(Math.round(Math.log10(ratio) * PER_DECADE), -far, far), text, ratioText(ratio).replace(":", "to"));
    },
  };
}

const COLUMNS = ["false positive rate", "true positive rate", "cost per case", "costs more by", "cheapest for cost ratios", "dominated by"];

function costTable(contents: PointContents): { root: HTMLElement; update(view: PointView, start: PointState): void } {
  const rows = contents.points.map(({ letter, name }) => ({ text: letter === name ? name : `${letter} ${name}`, node: el("span", {}, letter === name ? null : el("b", {}, `${letter} `), named(name)) }));
  const table = new Table("What each classifier costs", [{ text: "classifier" }, ...COLUMNS.map((text) => ({ text }))], rows);
  return {
    root: table.root,
    update(view, start) {
      const [{ cost: least }] = view.best;
      view.placed.forEach((each, row) => {
        const { point } = each;
        const best = view.best.includes(each);
        // Only the product of both ratios matters, so another class ratio moves the range of cost ratios.
        const ends = point.range?.map((end) => (real(end) * start.classRatio) / view.state.classRatio);
        const more = Math.max(0, each.cost - least);
        table.put(row, 0, { text: shown(each.fpr), raw: each.fpr });
        table.put(row, 1, { text: shown(each.tpr), raw: each.tpr });
        table.put(row, 2, { text: shown(each.cost), raw: each.cost, mark: best });
        table.put(row, 3, { text: best ? "–" : shown(more), raw: best ? 0 : more });
        table.put(row, 4, { text: rangeText(ends) });
        table.put(row, 5, { text: point.dominated.join(", ") || (point.range ? "–" : "nobody, yet below the hull") });
      });
    },
  };
}

function rangeText(ends: number[] | undefined): string {
  if (!ends) return "none";
  const [low, high] = ends;
  if (low <= 0) return high === Infinity ? "all" : `up to ${shown(high)}`;
  if (high === Infinity) return `${shown(low)} and above`;
  return shown(low) === shown(high) ? `${shown(low)} alone` : `${shown(low)} to ${shown(high)}`;
}

function fragmentOf(state: PointState, start: PointState, { points }: PointContents): string {
  const parts = new URLSearchParams();
  if (state.costRatio !== start.costRatio) parts.set("cost", String(state.costRatio));
  if (state.classRatio !== start.classRatio) parts.set("class", String(state.classRatio));
  if (state.current >= 0) parts.set("of", points[state.current].letter);
  return parts.toString();
}

function stateOf(fragment: string, start: PointState, { points }: PointContents): PointState {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const of = (name: string, otherwise: number): number => parsedRatio(parts.get(name) ?? "") ?? otherwise;
  return { costRatio: of("cost", start.costRatio), classRatio: of("class", start.classRatio), current: points.findIndex(({ letter }) => letter === parts.get("of")) };
}
