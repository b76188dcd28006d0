// Where axes have their ticks: round numbers, or k/n where cases are few enough to be counted.
import { ticks } from "d3-array";
import { tickText } from "./reals";

export interface Axis {
  label: string;
  domain: [number, number];
  at: number[];
  text: (value: number) => string;
}

const FEW = 12;

export function axis(label: string, low: number, high: number, count = 5): Axis {
  // Data without spread still needs an axis with two ends.
  const spread = high > low ? 0 : Math.max(Math.abs(low), 1) * 0.5;
  const domain: [number, number] = [low - spread, high + spread];
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
