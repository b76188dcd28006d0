// What d3-scale needs of d3-interpolate, for numbers only: colours, dates and transforms would add 16 kB to the bundle.
// The build puts this in place of d3-interpolate; scales of anything but numbers are not used here.

export function interpolateNumber(a: number, b: number): (t: number) => number {
  return (t) => a * (1 - t) + b * t;
}

export function interpolateRound(a: number, b: number): (t: number) => number {
  return (t) => Math.round(a * (1 - t) + b * t);
}

export { interpolateNumber as interpolate };

export function piecewise(): never {
  throw new Error("scales of several pieces are not part of this bundle");
}
