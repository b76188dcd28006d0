// Costs, class mix and rule in the address: only what differs from the evaluation, so that a link shows what its sender saw.
import type { ClassScene, ClassState, Rule } from "./view";

const FAR = 1e12; // costs beyond it leave what sums of products can hold
const SUMS = 1e-6;

export function fragmentOf(state: ClassState, { start, given }: ClassScene): string {
  const parts = new URLSearchParams();
  if (state.others !== start.others) for (const name of state.others.length ? state.others : [""]) parts.append("also", name);
  if (state.costs !== start.costs) parts.set("costs", state.costs.map((row) => row.join(" ")).join("_"));
  if (state.mix !== start.mix) parts.set("mix", state.mix === null ? "data" : state.mix.join(" "));
  if (state.rule !== start.rule) parts.set("rule", state.rule);
  if (state.model !== null) parts.set("use", given.models[state.model].name);
  return parts.toString();
}

/** What a fragment says differently from the evaluation; what it says wrongly is left out. */
export function stateOf(fragment: string, scene: ClassScene): ClassState {
  const { start, classes, given } = scene;
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const found: ClassState = { ...start };
  const others = parts.has("also") ? parts.getAll("also").filter((name) => name !== "") : start.others;
  const rows = parts.get("costs")?.split("_").map(numbers) ?? [];
  const wide = classes.length + others.length;
  const named = new Set([...classes, ...others]).size === wide;
  if (named && rows.length === classes.length && rows.every((row) => row.length === wide && row.every(isCost))) Object.assign(found, { costs: rows, others });
  const mix = parts.get("mix");
  if (mix === "data") found.mix = null;
  else if (mix !== null && isMix(numbers(mix), scene.cases)) found.mix = numbers(mix);
  const rules: readonly Rule[] = ["probable", "cost", ...(start.rule === "fitted" ? (["fitted"] as const) : [])];
  found.rule = rules.find((rule) => rule === parts.get("rule")) ?? start.rule;
  const model = given.models.findIndex(({ name }) => name === parts.get("use"));
  if (model >= 0) found.model = model;
  return found;
}

export function isCost(cost: number): boolean {
  return Number.isFinite(cost) && Math.abs(cost) <= FAR;
}

function isMix(shares: readonly number[], cases: readonly number[]): boolean {
  const whole = Math.abs(shares.reduce((all, each) => all + each, 0) - 1) < SUMS;
  return whole && shares.length === cases.length && shares.every((share, i) => share >= 0 && share <= 1 && (cases[i] > 0 || share === 0));
}

function numbers(text: string): number[] {
  return text.split(" ").map((each) => (each.trim() === "" ? NaN : Number(each)));
}
