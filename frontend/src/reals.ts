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
const EXPONENT = 1e15; // numbers from here on, and those below TINY, are written with an exponent
const TINY = 1e-6;
const DUST = 1e-13; // what sums of weights leave of nothing
const SHORT = format(".3~s");

export const UNDEFINED = "undefined";

/** Decimals that an interval of this width deserves: its last digit is at most a fifth of it. Python's `decimals`. */
export function decimals(lower: number, upper: number): number | null {
  const width = upper - lower;
  if (!(width > 0 && width < Infinity)) return null;
  const [mantissa, exponent] = width.toExponential(3).split("e").map(Number);
  return Math.max(0, (mantissa >= 5 ? 0 : 1) - exponent);
}

/** A number: so many decimals, or three significant digits where nobody says how many. Python's `number_text`. */
export function shown(value: number, places: number | null = null): string {
  if (Number.isNaN(value)) return UNDEFINED;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value) <= DUST ? 0 : Math.abs(value);
  if (size >= EXPONENT || (places === null && size > 0 && size < TINY)) {
    const [mantissa, exponent] = size.toExponential(2).split("e").map(Number);
    return signed(`${mantissa}e${exponent}`.replace("e-", "e−"), value);
  }
  if (places !== null) return signed(rounded(size, places), value);
  if (Number.isInteger(size)) return signed(GROUPED(size), value);
  return signed(unpadded(rounded(size, Math.max(0, 2 - exponentOf(size)))), value);
}

/** An estimate with its limits, all to the digits that the interval's width deserves. Python's `interval_text`. */
export function intervalText(interval: Interval, scale = 1): string {
  const [estimate, lower, upper] = [interval.estimate, interval.lower, interval.upper].map((each) => real(each) * scale);
  if (!Number.isFinite(estimate) || Number.isNaN(lower) || Number.isNaN(upper)) return shown(estimate);
  const places = intervalDecimals(estimate, lower, upper);
  return `${shown(estimate, places)} [${shown(lower, places)}, ${shown(upper, places)}]`;
}

/** Decimals of an estimate and its limits: two at least within [-1, 1]. */
export function intervalDecimals(estimate: number, lower: number, upper: number): number | null {
  const places = decimals(lower, upper);
  const near = Math.max(Math.abs(estimate), Math.abs(lower), Math.abs(upper)) <= 1;
  return places !== null && near ? Math.max(places, 2) : places;
}

/** A count per 1,000 cases out of a total: to three digits of the total, below 10 to a tenth or one digit. Python's `per_thousand_text`. */
export function perThousandText(value: number, total: number): string {
  let places = Math.max(value < 9.95 ? 1 : 0, 2 - exponentOf(total));
  if (value > DUST && Number(value.toFixed(places)) === 0) places = -exponentOf(value);
  return unpadded(rounded(Math.max(0, value), places));
}

function exponentOf(value: number): number {
  return value ? Number(value.toExponential(2).split("e")[1]) : 0;
}

/** Digits of a number that is not negative, halves rounded up. */
function rounded(size: number, places: number): string {
  const [whole, part] = size.toFixed(places).split(".");
  return GROUPED(Number(whole)) + (part ? `.${part}` : "");
}

function unpadded(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** With a minus sign, unless nothing but zeros is left. */
function signed(text: string, value: number): string {
  return value < 0 && /[1-9]/.test(text) ? `−${text}` : text;
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

/** A share in percent: whole ones, a tenth within 10 of either end, and one digit beyond that. Python's `percent_text`. */
export function percentText(value: number): string {
  if (!Number.isFinite(value)) return UNDEFINED;
  const percent = 100 * value;
  const near = Math.min(percent, 100 - percent);
  const places = near >= 10 ? 0 : near >= 0.05 || near <= DUST ? 1 : -exponentOf(near);
  return `${unpadded(rounded(Math.max(0, percent), places))} %`;
}

export function limitsText(lower: number, upper: number): string {
  const places = intervalDecimals(lower, lower, upper);
  return Number.isNaN(lower) || Number.isNaN(upper) ? "" : `[${shown(lower, places)}, ${shown(upper, places)}]`;
}

function minus(text: string): string {
  return text.replace(/^-/, "−").replace("e-", "e−");
}
