// Where a reader is in which lesson, and how the address says so.
import { clamp } from "../dom";
import type { Lesson, LessonContents } from "./contents";

export interface LessonState {
  lesson: number;
  step: number;
  ask: boolean; // numbers are hidden until they are asked for
  shown: boolean; // the numbers of this step are shown, though steps ask
  large: boolean; // for a projector
}

export function lastStep(lesson: Lesson): number {
  return lesson.steps.length - 1;
}

export function startState({ lessons, start }: LessonContents): LessonState {
  return { lesson: Math.max(0, lessons.findIndex(({ name }) => name === start)), step: 0, ask: false, shown: false, large: false };
}

/** One step on; a step that asks shows its numbers first. */
export function forward(state: LessonState, lesson: Lesson): Partial<LessonState> {
  if (state.ask && !state.shown) return { shown: true };
  if (state.step >= lastStep(lesson)) return {};
  return { step: state.step + 1, shown: false };
}

export function back(state: LessonState): Partial<LessonState> {
  return { step: Math.max(0, state.step - 1), shown: true };
}

export function fragmentOf(state: LessonState, { lessons }: LessonContents): string {
  const parts = new URLSearchParams({ lesson: lessons[state.lesson].name, step: String(state.step) });
  if (state.ask) parts.set("ask", state.shown ? "shown" : "1");
  if (state.large) parts.set("large", "1");
  return parts.toString();
}

/** What a fragment says; what it says wrongly is left out. */
export function stateOf(fragment: string, contents: LessonContents): LessonState {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const start = startState(contents);
  const named = contents.lessons.findIndex(({ name }) => name === parts.get("lesson"));
  const lesson = named < 0 ? start.lesson : named;
  const step = Number(parts.get("step") ?? 0);
  const ask = parts.get("ask");
  return {
    lesson,
    step: Number.isInteger(step) ? clamp(step, 0, lastStep(contents.lessons[lesson])) : 0,
    ask: ask === "1" || ask === "shown",
    shown: ask === "shown",
    large: parts.get("large") === "1",
  };
}
