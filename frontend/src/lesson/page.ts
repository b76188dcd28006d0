// The classroom: one lesson at a time, step by step, by buttons and arrow keys; every step can be a question.
import { button, el, say, set } from "../dom";
import { pageHead, skipLink, unique, writeFragment } from "../page";
import { Store } from "../state";
import type { LessonContents } from "./contents";
import { Picture, valueAt } from "./picture";
import { sheets } from "./sheets";
import { back, forward, fragmentOf, lastStep, startState, stateOf, type LessonState } from "./state";
import { strip } from "./strip";
import { lines, sentence } from "./words";

const PAUSE = 1500;
const FINE = 200; // positions of a slider
const HELP = "Keys: → and ← go on and back, Home and End to the ends, ? asks.";

export function lessonPage(root: HTMLElement, contents: LessonContents, address: boolean): Store<LessonState> {
  const uid = unique();
  const store = new Store<LessonState>(address && location.hash.length > 1 ? stateOf(location.hash, contents) : startState(contents));
  const { lessons } = contents;
  const picture = new Picture(uid);
  const words = el("p", { class: "told", role: "status", "aria-live": "polite" });
  const where = el("p", { class: "facts" });
  const row = el("ol", { class: "strip", "aria-label": "The segments, highest score first" });
  const list = el("ol", { class: "steps", start: 0 });
  const bar = el("input", { type: "range", min: 0, step: 1, "aria-label": "Step" });
  const drag = dragging(uid, (value) => draw(store.state, value));
  let playing: ReturnType<typeof setInterval> | undefined;

  const now = (): (typeof lessons)[number] => lessons[store.state.lesson];
  const go = (step: number): void => store.set({ step, shown: false });
  const stop = (): void => {
    clearInterval(playing);
    playing = undefined;
    say(play, "Play");
  };
  const on = (): void => store.set(forward(store.state, now()));
  const play = button("Play", () => {
    if (playing !== undefined) return stop();
    if (store.state.step >= lastStep(now())) go(0);
    say(play, "Pause");
    playing = setInterval(() => (store.state.step < lastStep(now()) || (store.state.ask && !store.state.shown) ? on() : stop()), PAUSE);
  });
  const press = (text: string, label: string, act: () => void, more = ""): HTMLButtonElement => button(text, () => (stop(), act()), { "aria-label": label, title: label, class: more });
  const next = press("Next ›", "Next step", on, "primary");
  const stepper = el(
    "div",
    { class: "stepper" },
    press("«", "To the first step", () => go(0)),
    press("‹ Back", "One step back", () => store.set(back(store.state))),
    next,
    press("»", "To the last step", () => go(lastStep(now()))),
    play,
  );
  bar.addEventListener("input", () => (stop(), go(Number(bar.value))));
  const ask = toggle("Hide the next number", (checked) => store.set({ ask: checked, shown: false }));
  const large = toggle("Large, for a projector", (checked) => store.set({ large: checked }));
  const modes = lessons.map(({ short }, lesson) => button(short, () => (stop(), store.set({ lesson, step: 0, shown: false }))));
  const teacher = el(
    "div",
    { class: "teacher" },
    where,
    words,
    stepper,
    bar,
    drag.root,
    row,
    el("div", { class: "choices" }, ask.root, large.root, button("Print a worksheet", () => window.print())),
    el("p", { class: "help" }, HELP),
  );
  const card = el("section", { class: "card classroom", "aria-label": "The lesson" }, el("h2", { class: "unseen" }, "The lesson"), el("div", { class: "lesson" }, picture.panel.figure, teacher));
  const all = el("details", { class: "card", open: true }, el("summary", {}, "All steps"), list);
  const printed = el("div", { class: "sheets" });
  root.replaceChildren(
    skipLink(teacher),
    pageHead(contents, contents.facts),
    el("nav", { class: "lessons", "aria-label": "Lessons" }, el("div", { class: "segmented" }, ...modes)),
    card,
    all,
    printed,
  );

  let listed = "";
  function draw(state: LessonState, dragged: number | null = null): void {
    const lesson = lessons[state.lesson];
    const asked = state.ask && !state.shown;
    picture.draw(lesson, state.step, asked, dragged);
    strip(row, lesson, state.step, asked);
  }
  store.listen((state) => {
    const lesson = now();
    const asked = state.ask && !state.shown;
    root.classList.toggle("large", state.large);
    modes.forEach((each, i) => set(each, { "aria-pressed": String(i === state.lesson) }));
    set(bar, { max: lastStep(lesson), "aria-valuetext": `step ${state.step} of ${lastStep(lesson)}` });
    bar.value = String(state.step);
    ask.input.checked = state.ask;
    large.input.checked = state.large;
    set(next, { disabled: state.step >= lastStep(lesson) && !asked, "aria-label": asked ? "Show the numbers" : "Next step", title: asked ? "Show the numbers" : "Next step" });
    say(next, asked ? "Show numbers" : "Next ›");
    say(where, `Step ${state.step} of ${lastStep(lesson)}`);
    words.replaceChildren(...lines(lesson.steps[state.step], asked));
    drag.show(asked ? undefined : lesson.steps[state.step].drag);
    draw(state);
    // Steps that were not reached yet stay questions, so that the list gives nothing away.
    const key = `${state.lesson} ${state.step} ${state.ask} ${state.shown}`;
    if (key !== listed) {
      listed = key;
      list.replaceChildren(
        ...lesson.steps.map((each, i) => {
          const hidden = state.ask && (i > state.step || (i === state.step && !state.shown));
          return el("li", { class: i === state.step ? "here" : null }, ...sentence(each, hidden));
        }),
      );
    }
    if (address) writeFragment(fragmentOf(state, contents));
  });

  const keyed = (event: KeyboardEvent): void => {
    const at = event.target as HTMLElement;
    if (event.altKey || event.ctrlKey || event.metaKey || at.matches("input[type=range], textarea")) return;
    const act = { ArrowRight: on, ArrowLeft: () => store.set(back(store.state)), Home: () => go(0), End: () => go(lastStep(now())), "?": () => store.set({ ask: !store.state.ask, shown: false }) }[event.key];
    if (!act) return;
    event.preventDefault();
    stop();
    act();
  };
  window.addEventListener("keydown", keyed);
  window.addEventListener("beforeprint", () => printed.replaceChildren(...sheets(now(), contents.title, contents.facts)));
  window.addEventListener("afterprint", () => printed.replaceChildren());
  if (address) window.addEventListener("hashchange", () => store.set(stateOf(location.hash, contents)));
  store.tell();
  return store;
}

function toggle(label: string, chosen: (checked: boolean) => void): { root: HTMLElement; input: HTMLInputElement } {
  const input = el("input", { type: "checkbox" });
  input.addEventListener("change", () => chosen(input.checked));
  return { root: el("label", { class: "check" }, input, label), input };
}

function dragging(uid: string, moved: (value: number) => void): { root: HTMLElement; show(drag: LessonDrag | undefined): void } {
  const input = el("input", { type: "range", min: 0, max: FINE, step: 1, id: `${uid}-drag` });
  const label = el("label", { for: `${uid}-drag` });
  const result = el("output", { for: `${uid}-drag`, class: "result" });
  const root = el("div", { class: "dragging" }, label, input, result);
  let now: LessonDrag | undefined;
  const tell = (at: number): void => {
    if (!now) return;
    const [value, place] = [valueAt(now.result, at), at].map((each) => String(Number(each.toPrecision(4))));
    const text = now.says.replace("{place}", place).replace("{value}", value);
    say(result, text);
    set(input, { "aria-valuetext": text });
  };
  input.addEventListener("input", () => {
    if (!now) return;
    const at = now.low + (Number(input.value) / FINE) * (now.high - now.low);
    tell(at);
    moved(at);
  });
  return {
    root,
    show(drag) {
      now = drag;
      root.hidden = drag === undefined;
      if (!drag) return;
      say(label, drag.label);
      input.value = String(Math.round(((drag.start - drag.low) / (drag.high - drag.low)) * FINE));
      tell(drag.start);
    },
  };
}

type LessonDrag = NonNullable<LessonContents["lessons"][number]["steps"][number]["drag"]>;
