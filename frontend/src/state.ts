// What the reader has set, and one place that tells everyone when it changes: once per frame.
import type { Scene } from "./scene";

export interface State {
  auto: boolean; // while following, the model looked at is the best one
  current: number; // the model looked at otherwise
  threshold: number; // of the current model, when not following
  follow: boolean; // thresholds stay at each model's optimum
  shared: boolean; // a threshold set by hand holds for all models
  costRatio: number;
  classRatio: number | null; // null: as in the data
  measure: string; // whose isometrics are drawn and whose optimum is followed; COST for expected cost
  hidden: ReadonlySet<number>;
  bands: boolean;
  plane: "coverage" | "roc";
  lift: boolean;
}

export const COST = "expected_cost";

export function startState(scene: Scene): State {
  const model = scene.models[scene.model];
  return {
    auto: scene.models.some((each) => each.of !== null),
    current: scene.model,
    threshold: model.start >= 0 ? model.curve.threshold[model.start] : NaN,
    follow: true,
    shared: scene.models.every((each) => each.probabilities),
    costRatio: scene.costRatio,
    classRatio: scene.classRatio,
    measure: COST,
    hidden: new Set(),
    bands: true,
    plane: "roc",
    lift: false,
  };
}

/** A threshold set by hand, of the model looked at: neither follows the optimum any more. */
export function byHand(threshold: number, current: number): Partial<State> {
  return { threshold, current, follow: false, auto: false };
}

export type Listener<S = State> = (state: S) => void;

/** Holds the state; listeners hear of it once per frame, however often it changed. */
export class Store<S extends object = State> {
  #state: S;
  #listeners: Listener<S>[] = [];
  #waiting = false;
  #schedule: (tell: () => void) => void;

  constructor(
    readonly start: S,
    schedule: (tell: () => void) => void = (tell) => void requestAnimationFrame(tell),
  ) {
    this.#state = start;
    this.#schedule = schedule;
  }

  get state(): S {
    return this.#state;
  }

  listen(listener: Listener<S>): void {
    this.#listeners.push(listener);
  }

  set(change: Partial<S>): void {
    this.#state = { ...this.#state, ...change };
    if (this.#waiting) return;
    this.#waiting = true;
    this.#schedule(() => this.tell());
  }

  reset(): void {
    this.set(this.start);
  }

  /** Tell everyone now. */
  tell(): void {
    this.#waiting = false;
    for (const listener of this.#listeners) listener(this.#state);
  }
}
