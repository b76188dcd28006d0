// Numbers as Python writes them, and as people read them: nothing here ever shows NaN or Infinity.
import { format } from "d3-format";
import type { Interval, Real } from "./contents";

export function real(value: Real | null | undefined): number {
  if (value === "inf") return Infinity;
  if (value === "-inf") return -Infinity;
  return typeof value === "number" ? value : NaN;
}

export function reals(values: readonly Real[]): Float64Array {
  return Float64Array.from(values, real);
}

/** The way back, for JSON: infinite numbers as texts, undefined ones as null. */
export function plain(value: number): number | string | null {
  if (Number.isFinite(value)) return value;
  return Number.isNaN(value) ? null : value > 0 ? "inf" : "-inf";
}

const GROUPED = format(",");
const GROUPED_PART = format(",.1f");
const EXPONENT = 1e15; // numbers from here on are written with an exponent
const SHORT = format(".3~s");

export const UNDEFINED = "undefined";

/** A measure or a rate: four decimals, fewer digits for large numbers. */
export function shown(value: number): string {
  if (Number.isNaN(value)) return UNDEFINED;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size <= 1e-13) return "0.0000"; // sums of weights leave dust
  if (size < 0.0005) return minus(Number(value.toPrecision(3)).toString());
  if (size >= EXPONENT) return minus(Number(value.toPrecision(4)).toString());
  if (size >= 1e5) return minus(format(",.0f")(value));
  return minus(value.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 4));
}

/** A threshold or score: up to six digits that matter. */
export function scoreText(value: number): string {
  if (Number.isNaN(value)) return UNDEFINED;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  return minus(Number(value.toPrecision(6)).toString());
}

/** A count, or a sum of weights. */
export function countText(value: number): string {
  if (!Number.isFinite(value)) return UNDEFINED;
  return Number.isInteger(value) ? GROUPED(value) : GROUPED_PART(value);
}

/** A tick of an axis of counts. */
export function tickText(value: number): string {
  return minus(Math.abs(value) >= 1000 && Math.abs(value) < EXPONENT ? SHORT(value) : Number(value.toPrecision(6)).toString());
}

export function percentText(value: number): string {
  return Number.isFinite(value) ? `${Number((100 * value).toPrecision(3))} %` : UNDEFINED;
}

export function intervalText(interval: Interval): string {
  const [estimate, lower, upper] = [interval.estimate, interval.lower, interval.upper].map(real);
  if (Number.isNaN(estimate)) return UNDEFINED;
  if (!Number.isFinite(estimate)) return shown(estimate); // its limits would only say so twice more
  return `${shown(estimate)} ${limitsText(lower, upper)}`.trimEnd();
}

export function limitsText(lower: number, upper: number): string {
  return Number.isNaN(lower) || Number.isNaN(upper) ? "" : `[${shown(lower)}, ${shown(upper)}]`;
}

function minus(text: string): string {
  return text.replace(/^-/, "−").replace("e-", "e−");
}
