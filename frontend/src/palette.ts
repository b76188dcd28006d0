// How models are told apart: Okabe-Ito colours (in page.css), dashes and marker shapes, three ways at once.
import { svgEl } from "./dom";
import { tenth } from "./path";

const COLOURS = 8;
const DASHES = ["", "7 3", "2 2.5", "9 3 2 3", "12 3", "4 2", "1.5 3", "9 3 2 3 2 3", "14 4 4 4", "5 5"];
// Corners around 0, 0, for an area of about 64 square pixels; d3-shape's symbols would cost a sixth of the bundle.
type Corners = readonly (readonly [number, number])[];
const RADIUS = 4.5;
const SHAPES: readonly Corners[] = [
  [], // a circle
  [[-4, -4], [4, -4], [4, 4], [-4, 4]],
  [[0, -6], [5.4, 3.6], [-5.4, 3.6]],
  [[-2, -5.5], [2, -5.5], [2, -2], [5.5, -2], [5.5, 2], [2, 2], [2, 5.5], [-2, 5.5], [-2, 2], [-5.5, 2], [-5.5, -2], [-2, -2]],
  [[0, -6.5], [1.6, -2], [6.2, -2], [2.5, 0.8], [3.9, 5.3], [0, 2.6], [-3.9, 5.3], [-2.5, 0.8], [-6.2, -2], [-1.6, -2]],
  [[0, 6], [5.4, -3.6], [-5.4, -3.6]],
  [[-5.5, -3], [-3, -5.5], [0, -2.5], [3, -5.5], [5.5, -3], [2.5, 0], [5.5, 3], [3, 5.5], [0, 2.5], [-3, 5.5], [-5.5, 3], [-2.5, 0]],
  [[-2.5, -5], [2.5, -5], [5, 0], [2.5, 5], [-2.5, 5], [-5, 0]],
];

/** The class that gives a model its colour. */
export function series(index: number): string {
  return `s${index % COLOURS}`;
}

export function dashes(index: number): string | null {
  return DASHES[index % DASHES.length] || null;
}

/** A marker's path around a place; no transform, which the browser would have to lay out anew at every step. */
export function marker(index: number, x: number, y: number, size = 1): string {
  const corners = SHAPES[index % SHAPES.length];
  if (corners.length) return outline(corners, x, y, size);
  const r = tenth(RADIUS * size);
  return `M${tenth(x + r)},${tenth(y)}a${r},${r},0,1,1,${-2 * r},0a${r},${r},0,1,1,${2 * r},0Z`;
}

const DIAMOND: Corners = [[0, -6.5], [6.5, 0], [0, 6.5], [-6.5, 0]];

/** The path of a diamond around a place. */
export function diamond(x: number, y: number): string {
  return outline(DIAMOND, x, y, 1);
}

function outline(corners: Corners, x: number, y: number, size: number): string {
  return `M${corners.map(([dx, dy]) => `${tenth(x + dx * size)},${tenth(y + dy * size)}`).join("L")}Z`;
}

/** A piece of a model's line with its marker, for legends and table heads. */
export function swatch(index: number): SVGSVGElement {
  const line = svgEl("line", { x1: 1, x2: 33, y1: 7, y2: 7, class: `curve ${series(index)}`, "stroke-dasharray": dashes(index) });
  const mark = svgEl("path", { d: marker(index, 17, 7, 0.85), class: `marker ${series(index)}` });
  return svgEl("svg", { class: "swatch", viewBox: "0 0 34 14", width: 34, height: 14, "aria-hidden": "true" }, line, mark);
}
