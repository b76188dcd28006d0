// Path texts for long curves: rounded to a tenth of a pixel, points that no eye could tell apart left out.

const CLOSE = 0.5;

export type Place = (value: number) => number;

/** A line through points, broken where a coordinate is undefined. */
export function linePath(xs: ArrayLike<number>, ys: ArrayLike<number>, x: Place, y: Place): string {
  // All scales here are straight, and two calls are cheaper than one per point.
  const [x0, y0] = [x(0), y(0)];
  const [dx, dy] = [x(1) - x0, y(1) - y0];
  let text = "";
  let lastX = NaN;
  let lastY = NaN;
  let skippedX = NaN;
  let skippedY = NaN;
  for (let i = 0; i < xs.length; i++) {
    const px = x0 + dx * xs[i];
    const py = y0 + dy * ys[i];
    if (!Number.isFinite(px) || !Number.isFinite(py)) {
      if (skippedX === skippedX) text += `L${tenth(skippedX)},${tenth(skippedY)}`;
      lastX = lastY = skippedX = skippedY = NaN;
      continue;
    }
    if (Math.abs(px - lastX) < CLOSE && Math.abs(py - lastY) < CLOSE) {
      skippedX = px;
      skippedY = py;
      continue;
    }
    text += `${lastX === lastX ? "L" : "M"}${tenth(px)},${tenth(py)}`;
    lastX = px;
    lastY = py;
    skippedX = skippedY = NaN;
  }
  if (skippedX === skippedX) text += `L${tenth(skippedX)},${tenth(skippedY)}`;
  return text;
}

/** The area between two lines over the same places. */
export function bandPath(xs: ArrayLike<number>, lower: ArrayLike<number>, upper: ArrayLike<number>, x: Place, y: Place): string {
  const kept = Array.from(xs, (_, i) => i).filter((i) => Number.isFinite(lower[i]) && Number.isFinite(upper[i]));
  if (kept.length < 2) return "";
  const point = (at: number, height: number): string => `${tenth(x(at))},${tenth(y(height))}`;
  const there = kept.map((i) => point(xs[i], upper[i]));
  const back = kept.reverse().map((i) => point(xs[i], lower[i]));
  return `M${there.join("L")}L${back.join("L")}Z`;
}

export function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}
