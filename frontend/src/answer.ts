// The prose behind the answer: Python's own where nothing was changed, rewritten under the current sliders where it was.
import { middle } from "./choice";
import type { Contents } from "./contents";
import { el, isolated, named, type Child } from "./dom";
import { mixText, ratioText } from "./ratio";
import { intervalText, scoreText, shown } from "./reals";
import { isAsFound } from "./first";
import type { Stand, View } from "./view";

/** The prose below the first screen. */
export function prose(contents: Contents): { root: HTMLElement; update(view: View): void } {
  const words = el("div", { class: "words" });
  const original = el("details", { class: "original" }, el("summary", {}, "As evaluated"), ...paragraphs(contents.answer));
  const root = el("div", { class: "prose" }, words, original);
  let told = "";
  return {
    root,
    update(view) {
      const asFound = isAsFound(contents, view);
      original.hidden = asFound;
      const found = asFound ? paragraphs(contents.answer.slice(1)) : rewritten(view);
      const key = found.map((each) => each.textContent).join("\n");
      if (key === told) return;
      told = key;
      words.replaceChildren(...found);
    },
  };
}

/** A short sentence for people who hear the page. */
export function spoken(view: View): string {
  const { stand } = view;
  return `${isolated(stand.model.name)} at threshold ${scoreText(stand.threshold)}: expected cost ${shown(stand.cost)} per case, ${Math.round(stand.cells.tp)} hits, ${Math.round(stand.cells.fp)} false alarms, ${Math.round(stand.cells.fn)} misses.`;
}

function paragraphs(texts: readonly string[]): HTMLElement[] {
  return texts.map((text) => el("p", {}, text));
}

function rewritten(view: View): HTMLElement[] {
  const { stand, stands, joint, state } = view;
  const winner = stands[joint.model];
  const { inPercent } = view.scene;
  const mix = inPercent ? `${mixText(view.classRatio)} positives` : `class ratio ${ratioText(view.classRatio)}`;
  const at = ` at cost ratio ${ratioText(state.costRatio)} and ${mix}${view.state.classRatio === null ? " (as in the data)" : ""}`;
  const found: HTMLElement[] = [];
  if (view.measure !== null) {
    const top = stands[view.best];
    const { tp, fp } = top.model.curve;
    const value = shown(view.value(tp[top.optimum], fp[top.optimum]));
    found.push(paragraph(null, `For the best ${view.measure.label}, use `, named(top.model.name), " ", ...rule(top, top.optimum), `: ${view.measure.label} ${value}.`));
    found.push(paragraph(null, "For the least cost, use ", named(winner.model.name), " ", ...rule(winner, winner.cheapest), `: ${shown(winner.cheapestCost)} per case${at}.`));
  } else {
    found.push(paragraph(null, "Use ", named(winner.model.name), " ", ...rule(winner, winner.cheapest), "."));
    found.push(paragraph(null, `That costs ${shown(winner.cheapestCost)} per case${at}. `, interval(view, winner)));
  }
  const { ties, model } = winner;
  if (ties.length > 1) {
    const [strict, lax] = [ties[0], ties[ties.length - 1]].map((k) => scoreText(model.curve.threshold[k]));
    found.push(paragraph(null, `${ties.length} thresholds cost the same; scores between ${lax} and ${strict} are undecided. ${recommended(ties, winner.cheapest)}`));
  }
  const range = `It stays the cheapest model for cost ratios from ${bound(joint.low)} to ${bound(joint.high)} at this ${inPercent ? "share of positives" : "class ratio"}.`;
  const tied = joint.tied.slice(1).flatMap((i): Child[] => [", ", named(stands[i].model.name)]).slice(1);
  const also: Child[] = tied.length ? [" ", ...tied, tied.length > 1 ? " cost the same." : " costs the same."] : [];
  const next = joint.runnerUp === null ? null : stands[joint.runnerUp];
  const runner: Child[] = next ? [" Runner-up: ", named(next.model.name), `, ${shown(next.cheapestCost - winner.cheapestCost)} more per case.`] : [];
  if (stands.length > 1) found.push(paragraph(null, range, ...also, ...runner));
  if (stand !== winner || stand.split !== winner.cheapest) {
    const more = stand.cost - winner.cheapestCost;
    const least = Math.abs(more) < 1e-12 ? "as little as the best" : `${shown(more)} more than the best`;
    const nearest = state.follow || scoreText(stand.threshold) === scoreText(state.threshold) ? "" : ` (nearest kept threshold to ${scoreText(state.threshold)})`;
    found.push(paragraph("now", "You look at ", named(stand.model.name), ` at threshold ${scoreText(stand.threshold)}${nearest}: ${shown(stand.cost)} per case, ${least}.`));
  }
  return found;
}

/** Which of the thresholds that tie is named, in Python's words. */
function recommended(ties: readonly number[], split: number): string {
  if (split !== middle(ties)) return "";
  return ties.length === 2 ? "This is the stricter one." : ties.length % 2 ? "This is the middle one." : "This is the stricter of the middle two.";
}

function paragraph(kind: string | null, ...children: Child[]): HTMLElement {
  return el("p", { class: kind }, ...children);
}

/** What a split does, in words. */
function rule(stand: Stand, split: number): Child[] {
  const { threshold } = stand.model.curve;
  if (split === 0) return ["and call no case positive, whatever its score"];
  if (split === threshold.length - 1) return ["and call every case positive, whatever its score"];
  return ["and call a case positive when its score is at least ", el("strong", {}, scoreText(threshold[split]))];
}

function interval(view: View, winner: Stand): string {
  if (view.asEvaluated && winner.model.of && winner.cheapest === winner.model.start) {
    return `With its interval: ${intervalText(winner.model.of.expected_cost)}.`;
  }
  return "Intervals were made for the evaluated condition only.";
}

function bound(value: number): string {
  if (value === 0) return "0";
  return Number.isFinite(value) ? ratioText(value) : "∞";
}
