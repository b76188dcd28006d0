// Lines of equal value of any measure over the plane of possible tables, solved for by halving.

export type Value = (tp: number, fp: number) => number;

export interface Line {
  fp: number[];
  tp: number[];
}

const HALVINGS = 34;

/**
 * Points where a value that rises with tp and falls with fp (or the other way round) equals `target`, from the lower left.
 * Solved for tp at even fp and for fp at even tp, so that flat and steep lines come out alike.
 */
export function isometric(value: Value, target: number, Pos: number, Neg: number, places = 24): Line {
  if (!Number.isFinite(target)) return { fp: [], tp: [] };
  const points: [number, number][] = [];
  for (let i = 0; i <= places; i++) {
    const fp = (Neg * i) / places;
    const tp = zero((at) => value(at, fp) - target, Pos);
    if (tp !== null) points.push([fp, tp]);
    const height = (Pos * i) / places;
    const right = zero((at) => value(height, at) - target, Neg);
    if (right !== null) points.push([right, height]);
  }
  points.sort((a, b) => a[0] / Neg + a[1] / Pos - (b[0] / Neg + b[1] / Pos));
  return { fp: points.map((point) => point[0]), tp: points.map((point) => point[1]) };
}

/** Where a monotone function on [0, most] passes 0; null where it does not. */
function zero(of: (at: number) => number, most: number): number | null {
  let low = 0;
  let high = most;
  let atLow = of(low);
  let atHigh = of(high);
  if (Number.isNaN(atLow)) atLow = of((low = most * 1e-9)); // a corner where the value is undefined
  if (Number.isNaN(atHigh)) atHigh = of((high = most * (1 - 1e-9)));
  if (atLow === 0) return atHigh === 0 ? null : low;
  if (atHigh === 0) return high;
  if (!(atLow < 0 !== atHigh < 0)) return null;
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (of(middle) < 0 === atLow < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
