// The state in the address: what the reader set, and only that, so that a link shows what its sender saw.
import type { Scene } from "./scene";
import { COST, type State } from "./state";
import { isUsable } from "./ratio";
import { plain } from "./reals";

/** The part after "#" for a state; empty when nothing differs from the start. */
export function fragmentOf(state: State, start: State, scene: Scene): string {
  const parts = new URLSearchParams();
  if (!state.auto && (state.current !== start.current || (start.auto && state.follow))) parts.set("model", scene.models[state.current].key);
  if (!state.follow) parts.set("threshold", String(plain(state.threshold)));
  if (state.shared !== start.shared) parts.set("shared", flag(state.shared));
  if (state.costRatio !== start.costRatio) parts.set("cost", String(state.costRatio));
  if (state.classRatio !== start.classRatio) parts.set("class", state.classRatio === null ? "data" : String(state.classRatio));
  if (state.measure !== start.measure) parts.set("measure", state.measure);
  for (const index of [...state.hidden].sort((a, b) => a - b)) parts.append("hide", scene.models[index].key);
  if (state.bands !== start.bands) parts.set("bands", flag(state.bands));
  if (state.plane !== start.plane) parts.set("plane", state.plane);
  if (state.lift !== start.lift) parts.set("lift", flag(state.lift));
  return parts.toString();
}

/** What a fragment says differently from the start; what it says wrongly is left out. */
export function stateOf(fragment: string, start: State, scene: Scene): Partial<State> {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const found: Partial<State> = {};
  const names = new Map(scene.models.map((model) => [model.key, model.index]));
  const model = names.get(parts.get("model") ?? "");
  if (model !== undefined) Object.assign(found, { current: model, auto: false });
  const threshold = number(parts.get("threshold"));
  if (threshold !== null) Object.assign(found, { threshold, follow: false, auto: false });
  const cost = number(parts.get("cost"));
  if (cost !== null && isUsable(cost)) found.costRatio = cost;
  const mix = number(parts.get("class"));
  if (parts.get("class") === "data") found.classRatio = null;
  else if (mix !== null && isUsable(mix)) found.classRatio = mix;
  const measure = parts.get("measure");
  if (measure === COST || scene.measures.some((each) => each.name === measure && each.direction !== "neither")) found.measure = measure!;
  const hidden = parts.getAll("hide").flatMap((name) => names.get(name) ?? []);
  if (hidden.length) found.hidden = new Set(hidden);
  const plane = parts.get("plane");
  if (plane === "coverage" || plane === "roc") found.plane = plane;
  for (const name of ["shared", "bands", "lift"] as const) {
    const value = parts.get(name);
    if (value === "1" || value === "0") found[name] = value === "1";
  }
  return { ...start, ...found };
}

function flag(value: boolean): string {
  return value ? "1" : "0";
}

function number(text: string | null): number | null {
  if (text === null || text.trim() === "") return null;
  const value = text === "inf" ? Infinity : text === "-inf" ? -Infinity : Number(text);
  return Number.isNaN(value) ? null : value;
}
