// The classroom for small rankings: the pairs grid, walked one case at a time, and pooling into the hull.
import { button, clamp, el, set } from "./dom";
import { Panel } from "./panel";
import { tenth } from "./path";
import { countText, real, scoreText } from "./reals";
import type { Scene, SceneModel } from "./scene";
import type { Store } from "./state";
import { caseAxis } from "./ticks";
import { pairs, pooling, violation, walk, type Block, type Pooling, type Segment, type Step, type Verdict } from "./walk";

const HELP = "Each square is a pair of a positive and a negative: green when the positive scores higher, amber when they tie, orange when the ranking errs.";
const PAUSE = 700;

interface Lesson {
  segments: Segment[];
  steps: Step[];
  pairs: Verdict[][];
  stages: Pooling[];
}

/** The section, or null where no model has few enough cases. */
export function classroom(scene: Scene, store: Store, uid: string): HTMLElement | null {
  if (!scene.models.some((model) => model.of?.segments)) return null;
  const panel = new Panel({ id: "pairs", title: "Pairs grid", help: HELP }, uid);
  panel.axes(caseAxis("negatives, in falling score", scene.Neg, "cases"), caseAxis("positives, in falling score", scene.Pos, "cases"));
  const strip = el("ol", { class: "strip", "aria-label": "The ranking, highest score first" });
  const words = el("p", { class: "told", role: "status", "aria-live": "polite" });
  const tally = el("p", { class: "help" });
  const bar = el("input", { type: "range", min: 0, step: 1, "aria-label": "Step" });
  let lesson: Lesson | null = null;
  let mode: "walk" | "pool" = "walk";
  let at = Infinity;
  let playing: ReturnType<typeof setInterval> | undefined;

  const last = (): number => (lesson === null ? 0 : mode === "walk" ? lesson.steps.length : lesson.stages.length - 1);
  const go = (to: number): void => {
    at = clamp(to, 0, last());
    draw();
  };
  const stop = (): void => {
    clearInterval(playing);
    playing = undefined;
    play.textContent = "Play";
  };
  const start = (): void => {
    if (at >= last()) at = 0;
    draw();
    play.textContent = "Pause";
    playing = setInterval(() => (at < last() ? go(at + 1) : stop()), PAUSE);
  };
  const play = button("Play", () => (playing === undefined ? start() : stop()), { class: "primary" });
  const modes = (["walk", "pool"] as const).map((each) =>
    button(each === "walk" ? "Walk down the ranking" : "Pool into the hull", () => {
      stop();
      mode = each;
      go(each === "walk" ? Infinity : 0);
    }),
  );
  bar.addEventListener("input", () => {
    stop();
    go(Number(bar.value));
  });
  const step = (text: string, label: string, to: () => number): HTMLElement =>
    button(text, () => (stop(), go(to())), { "aria-label": label, title: label });
  const buttons = el("div", { class: "stepper" }, step("«", "To the start", () => 0), step("‹", "One step back", () => at - 1), play, step("›", "One step on", () => at + 1), step("»", "To the end", last));
  const teacher = el("div", { class: "teacher" }, el("div", { class: "segmented", role: "group", "aria-label": "Lesson" }, ...modes), buttons, bar, words, tally, strip);

  const choose = (model: SceneModel): void => {
    stop();
    const given = model.of?.segments;
    lesson = given ? lessonOf(given.score.map(real), given.pos, given.neg) : null;
    go(mode === "walk" ? Infinity : 0);
  };
  let shown = -1;
  store.listen((state) => {
    if (state.current === shown) return;
    shown = state.current;
    choose(scene.models[state.current]);
  });

  function draw(): void {
    set(bar, { max: last() });
    bar.value = String(at);
    modes.forEach((each, i) => set(each, { "aria-pressed": String(mode === (i ? "pool" : "walk")) }));
    panel.base.begin();
    panel.over.begin();
    if (lesson === null) words.textContent = "This model’s ranking is not small enough to walk.";
    else if (mode === "walk") drawWalk(panel, lesson, at, words, tally);
    else drawPool(panel, lesson, at, words, tally);
    panel.base.end();
    panel.over.end();
    strip.replaceChildren(...(lesson === null ? [] : mode === "walk" ? cases(lesson, at) : blocks(lesson, at)));
  }

  return el("section", { class: "card classroom" }, el("h2", {}, "Step by step"), el("div", { class: "lesson" }, panel.figure, teacher));
}

function lessonOf(score: number[], pos: number[], neg: number[]): Lesson {
  const segments = score.map((each, i) => ({ score: each, pos: pos[i], neg: neg[i] }));
  return { segments, steps: walk(segments), pairs: pairs(segments), stages: pooling(segments) };
}

function drawPairs(panel: Panel, lesson: Lesson, upTo: number, newest: number): void {
  lesson.pairs.forEach((column, j) =>
    column.forEach((verdict, i) => {
      const [x, y] = [panel.x(j), panel.y(i + 1)];
      const box = { x: tenth(x + 0.5), y: tenth(y + 0.5), width: tenth(panel.x(j + 1) - x - 1), height: tenth(panel.y(i) - y - 1) };
      const state = j >= upTo ? "open" : verdict;
      panel.base.draw(`${j},${i}`, "rect", { ...box, class: `pair ${state}${j >= newest && j < upTo ? " new" : ""}` });
    }),
  );
}

function drawWalk(panel: Panel, lesson: Lesson, at: number, words: HTMLElement, tally: HTMLElement): void {
  const done = lesson.steps.slice(0, at);
  const newest = done[done.length - 1];
  const [x, y] = newest?.to ?? [0, 0];
  drawPairs(panel, lesson, x, newest ? newest.from[0] : 0);
  const corners: [number, number][] = [[0, 0], ...done.map((step) => step.to)];
  panel.over.draw("path", "path", { d: `M${corners.map(([fp, tp]) => `${tenth(panel.x(fp))},${tenth(panel.y(tp))}`).join("L")}`, class: "walked" });
  panel.over.draw("here", "circle", { cx: tenth(panel.x(x)), cy: tenth(panel.y(y)), r: 6, class: "here" });
  const lost = done.reduce((sum, step) => sum + step.lost, 0);
  const tied = done.reduce((sum, step) => sum + step.tied, 0);
  const all = lesson.pairs.length * (lesson.pairs[0]?.length ?? 0);
  words.textContent = newest ? told(newest, lesson) : "Start at the lower left: no case is called positive yet.";
  tally.textContent = `Step ${at} of ${lesson.steps.length}. Ranking errors so far: ${countText(lost)}${tied ? ` and ${countText(tied)} ties, half an error each` : ""}, of ${countText(all)} pairs.`;
  if (at === lesson.steps.length) tally.textContent += ` AUC = 1 − ${countText(lost + tied / 2)}/${countText(all)} = ${scoreText(1 - (lost + tied / 2) / all)}.`;
}

function told(step: Step, lesson: Lesson): string {
  const { score, pos, neg } = lesson.segments[step.segment];
  const which = `Score ${scoreText(score)}`;
  if (step.kind === "up") return `${which}: a positive, so go up.`;
  if (step.kind === "right") return `${which}: a negative, so go right. ${step.lost ? `${countText(step.lost)} ${step.lost === 1 ? "positive is" : "positives are"} still to come: as many ranking errors.` : "No positive is left below it: no error."}`;
  return `${which}: ${pos} positive and ${neg} negative tie, so go diagonally.${step.lost ? ` ${countText(step.lost)} ranking errors with positives further down.` : ""}`;
}

function drawPool(panel: Panel, lesson: Lesson, at: number, words: HTMLElement, tally: HTMLElement): void {
  const { blocks: now, joined } = lesson.stages[at];
  drawPairs(panel, lesson, 0, 0);
  const walked: [number, number][] = [[0, 0], ...lesson.steps.map((step) => step.to)];
  const line = (points: readonly [number, number][]): string => `M${points.map(([fp, tp]) => `${tenth(panel.x(fp))},${tenth(panel.y(tp))}`).join("L")}`;
  panel.over.draw("path", "path", { d: line(walked), class: "walked faint" });
  const corners = cornersOf(now);
  panel.over.draw("chord", "path", { d: line(corners), class: "walked" });
  if (joined !== null) panel.over.draw("joined", "path", { d: line(corners.slice(joined, joined + 2)), class: "joined" });
  corners.forEach(([fp, tp], i) => panel.over.draw(`corner${i}`, "circle", { cx: tenth(panel.x(fp)), cy: tenth(panel.y(tp)), r: 3.5, class: "corner" }));
  const next = violation(now);
  const block = (each: Block): string => `[${each.pos}+,${each.neg}−]`;
  if (joined === null) words.textContent = "Every score is a segment of its own; its slope is positives over negatives. Slopes must fall.";
  else words.textContent = `Pooled into ${block(now[joined])}: the right neighbour was steeper, which the hull does not allow.`;
  if (next === null) words.textContent += " Slopes fall all the way: this is the hull, and the proportions in its pools are isotonic calibration.";
  else words.textContent += ` Next: ${block(now[next])} is flatter than ${block(now[next + 1])}.`;
  tally.textContent = `Step ${at} of ${lesson.stages.length - 1}; ${now.length} segments.`;
}

function cornersOf(blocks: readonly Block[]): [number, number][] {
  const corners: [number, number][] = [[0, 0]];
  for (const { pos, neg } of blocks) {
    const [x, y] = corners[corners.length - 1];
    corners.push([x + neg, y + pos]);
  }
  return corners;
}

/** The ranking as a strip of cases, ties boxed together. */
function cases(lesson: Lesson, at: number): HTMLElement[] {
  const done = lesson.steps.slice(0, at);
  const passed = done.reduce((sum, step) => sum + step.to[0] + step.to[1] - step.from[0] - step.from[1], 0);
  const newest = done[done.length - 1];
  let seen = 0;
  return lesson.segments.map(({ score, pos, neg }, i) => {
    const signs = [...Array<string>(pos).fill("+"), ...Array<string>(neg).fill("−")];
    const chips = signs.map((sign) => el("span", { class: `case ${sign === "+" ? "positive" : "negative"}${seen++ < passed ? " passed" : ""}` }, sign));
    return el("li", { class: newest?.segment === i ? "here" : null, title: `score ${scoreText(score)}` }, ...chips, el("small", {}, scoreText(Number(score.toPrecision(3)))));
  });
}

function blocks(lesson: Lesson, at: number): HTMLElement[] {
  const { blocks: now, joined } = lesson.stages[at];
  const next = violation(now);
  return now.map(({ pos, neg }, i) => {
    const kind = i === joined ? "here" : next !== null && (i === next || i === next + 1) ? "next" : null;
    return el("li", { class: kind }, el("span", { class: "block" }, `${pos}+ ${neg}−`), el("small", {}, scoreText(Number((pos / (pos + neg)).toPrecision(3)))));
  });
}
