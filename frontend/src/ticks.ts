// Where axes have their ticks: round numbers, or k/n where cases are few enough to be counted.
import { ticks } from "d3-array";
import { clamp } from "./dom";
import { tickText } from "./reals";

export interface Axis {
  label: string;
  domain: [number, number];
  at: number[];
  text: (value: number) => string;
}

const FEW = 12;
// Differences of numbers beyond these, or their multiples, are infinite or vanish; Python's distribution ends there too.
const FAR = 1e300;
const NEAR = 1e-300;

export function axis(label: string, low: number, high: number, count = 5): Axis {
  const [first, last] = [clamp(low, -FAR, FAR), clamp(high, -FAR, FAR)];
  // Data without spread still needs an axis with two ends.
  const spread = last - first > NEAR ? 0 : Math.max(Math.abs(first), 1) * 0.5;
  const domain: [number, number] = [first - spread, last + spread];
  return { label, domain, at: ticks(domain[0], domain[1], count), text: tickText };
}

/** From 0 to `total` cases, or their share; every case has its tick when there are few. */
export function caseAxis(label: string, total: number, unit: "cases" | "share"): Axis {
  const scale = unit === "cases" ? 1 : 1 / total;
  const few = Number.isInteger(total) && total <= FEW;
  const at = few ? Array.from({ length: total + 1 }, (_, k) => k * scale) : ticks(0, total * scale, 5);
  const text = few && unit === "share" ? (value: number) => fraction(Math.round(value * total), total) : tickText;
  return { label, domain: [0, total * scale], at, text };
}

function fraction(k: number, n: number): string {
  return k === 0 ? "0" : k === n ? "1" : n <= 6 ? `${k}/${n}` : tickText(Number((k / n).toPrecision(2)));
}
