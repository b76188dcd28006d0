// How models are told apart: Okabe-Ito colours (in page.css), dashes and marker shapes, three ways at once.
import { svgEl } from "./dom";

const COLOURS = 8;
const DASHES = ["", "7 3", "2 2.5", "9 3 2 3", "12 3", "4 2", "1.5 3", "9 3 2 3 2 3", "14 4 4 4", "5 5"];
// Drawn for an area of about 64 square pixels; d3-shape's symbols would cost a sixth of the bundle.
const SHAPES = [
  "M4.5,0A4.5,4.5,0,1,1,-4.5,0A4.5,4.5,0,1,1,4.5,0Z",
  "M-4,-4H4V4H-4Z",
  "M0,-6L5.4,3.6H-5.4Z",
  "M-2,-5.5H2V-2H5.5V2H2V5.5H-2V2H-5.5V-2H-2Z",
  "M0,-6.5L1.6,-2H6.2L2.5,0.8L3.9,5.3L0,2.6L-3.9,5.3L-2.5,0.8L-6.2,-2H-1.6Z",
  "M0,6L5.4,-3.6H-5.4Z",
  "M-5.5,-3L-3,-5.5L0,-2.5L3,-5.5L5.5,-3L2.5,0L5.5,3L3,5.5L0,2.5L-3,5.5L-5.5,3L-2.5,0Z",
  "M-2.5,-5H2.5L5,0L2.5,5H-2.5L-5,0Z",
];

/** The class that gives a model its colour. */
export function series(index: number): string {
  return `s${index % COLOURS}`;
}

export function dashes(index: number): string | null {
  return DASHES[index % DASHES.length] || null;
}

/** A marker's path around 0, 0. */
export function marker(index: number): string {
  return SHAPES[index % SHAPES.length];
}

export const DIAMOND = "M0,-6.5L6.5,0L0,6.5L-6.5,0Z";

/** A piece of a model's line with its marker, for legends and table heads. */
export function swatch(index: number): SVGSVGElement {
  const line = svgEl("line", { x1: 1, x2: 33, y1: 7, y2: 7, class: `curve ${series(index)}`, "stroke-dasharray": dashes(index) });
  const mark = svgEl("path", { d: marker(index), transform: "translate(17,7) scale(0.85)", class: `marker ${series(index)}` });
  return svgEl("svg", { class: "swatch", viewBox: "0 0 34 14", width: 34, height: 14, "aria-hidden": "true" }, line, mark);
}
