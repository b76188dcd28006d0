// Ratios as people write them (5:1, 5, 1/3), on a log scale, and as exact fractions.

export interface Fraction {
  num: bigint;
  den: bigint;
}

const NUMBER = "[0-9]*\\.?[0-9]+(?:e[+-]?[0-9]+)?";
const WRITTEN = new RegExp(`^\\s*(${NUMBER})\\s*(?:[:/]\\s*(${NUMBER})\\s*)?$`, "i");

const LEAST = 1e-12;
const MOST = 1e12;

/** Whether costs or classes may stand in this ratio: beyond it products of counts leave what numbers can hold. */
export function isUsable(ratio: number): boolean {
  return ratio >= LEAST && ratio <= MOST;
}

/** A usable ratio, or null when the text is none. */
export function parsedRatio(text: string): number | null {
  const found = WRITTEN.exec(text.replace(",", "."));
  if (!found) return null;
  const value = Number(found[1]) / Number(found[2] ?? 1);
  return isUsable(value) ? value : null;
}

/** A class ratio from a ratio or from a share of positives in percent: 1% is 1 : 99. */
export function parsedMix(text: string): number | null {
  const percent = /^\s*([0-9]*[.,]?[0-9]+)\s*%\s*$/.exec(text);
  if (!percent) return parsedRatio(text);
  const share = Number(percent[1].replace(",", "."));
  const value = share / (100 - share);
  return isUsable(value) ? value : null;
}

/** The same where mixes are shares: a bare number is one as well, 0.05 and 5 alike. */
export function parsedShare(text: string): number | null {
  const found = WRITTEN.exec(text.replace(",", "."));
  if (!found || found[2]) return parsedMix(text);
  const bare = Number(found[1]);
  const value = bare < 1 ? bare / (1 - bare) : bare / (100 - bare);
  return isUsable(value) ? value : null;
}

/** A class ratio as a share of positives: four digits of it. */
export function mixText(value: number): string {
  return `${Number(((100 * value) / (1 + value)).toPrecision(4))} %`;
}

/** 5 as "5 : 1" and 0.2 as "1 : 5". */
export function ratioText(value: number): string {
  return value >= 1 ? `${digits(value)} : 1` : `1 : ${digits(1 / value)}`;
}

/** The ratio nearest to a place on the log slider that reads as it is: three digits, on the side above 1. */
export function tidyRatio(value: number): number {
  return value >= 1 ? Number(value.toPrecision(3)) : 1 / Number((1 / value).toPrecision(3));
}

/** The simplest fraction a float stands for, as Python's `simplest`: 3/7 and not its 53-bit neighbour. */
export function simplest(value: number): Fraction {
  const exact = exactFraction(value);
  const simple = limited(exact, 1_000_000n);
  return Number(simple.num) / Number(simple.den) === value ? simple : exact;
}

/** a / b of two costs as people mean them: 0.3 / 0.1 is 3. */
export function quotient(a: number, b: number): number {
  const [above, below] = [simplest(a), simplest(b)];
  return Number(above.num * below.den) / Number(above.den * below.num);
}

function exactFraction(value: number): Fraction {
  let den = 1n;
  let scaled = value;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    den *= 2n;
  }
  return { num: BigInt(scaled), den };
}

/** The closest fraction with a denominator up to `most`, by continued fractions. */
function limited(exact: Fraction, most: bigint): Fraction {
  if (exact.den <= most) return exact;
  let [p0, q0, p1, q1] = [0n, 1n, 1n, 0n];
  let [n, d] = [exact.num, exact.den];
  for (;;) {
    const a = n / d;
    const q2 = q0 + a * q1;
    if (q2 > most) break;
    [p0, q0, p1, q1] = [p1, q1, p0 + a * p1, q2];
    [n, d] = [d, n - a * d];
  }
  const k = (most - q0) / q1;
  // The nearer of the two bounds, as Python's Fraction.limit_denominator decides it.
  if (2n * d * (q0 + k * q1) <= exact.den) return { num: p1, den: q1 };
  return { num: p0 + k * p1, den: q0 + k * q1 };
}

function digits(value: number): string {
  return Number(value.toPrecision(4)).toString();
}
