// A panel: two stacked SVGs (curves below, what moves above), axes, hover, dragging, and buttons that save it.
import { drag } from "d3-drag";
import { scaleLinear, type ScaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { button, clamp, el, say, svgEl } from "./dom";
import { Layer } from "./layer";
import { tenth } from "./path";
import { savePicture } from "./saving";
import type { Axis } from "./ticks";

export const WIDTH = 380;
export const HEIGHT = 330;
const LEFT = 52;
const RIGHT = 14;
const TOP = 12;
const BOTTOM = 42;
export const PLOT = { width: WIDTH - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM };

export interface Hint {
  x: number; // in pixels of the plot
  y: number;
  lines: string[];
}

export interface PanelText {
  id: string;
  title: string;
  help: string;
  models?: boolean; // it draws models, whose names go with it when it is saved
}

export class Panel {
  readonly figure: HTMLElement;
  readonly tools: HTMLElement;
  readonly x: ScaleLinear<number, number> = scaleLinear().range([0, PLOT.width]);
  readonly y: ScaleLinear<number, number> = scaleLinear().range([PLOT.height, 0]);
  readonly base: Layer; // curves; redrawn when their numbers change
  readonly over: Layer; // markers; redrawn at every step
  hint: ((x: number, y: number) => Hint | null) | null = null;
  move: ((x: number, y: number) => void) | null = null;

  #axes: Layer;
  #lower: SVGSVGElement;
  #upper: SVGSVGElement;
  #stack: HTMLElement;
  #tip = el("div", { class: "tip", "aria-hidden": "true" });
  #help: HTMLElement;
  #key: HTMLElement;
  #title: HTMLElement;
  #drawn = "";
  #models: boolean;

  constructor(text: PanelText, uid: string) {
    this.#models = text.models === true;
    const box = { viewBox: `0 0 ${WIDTH} ${HEIGHT}` };
    const clip = `${uid}-${text.id}-clip`;
    const inside = (): SVGRectElement => svgEl("rect", { x: -1, y: -1, width: PLOT.width + 2, height: PLOT.height + 2 });
    const shift = { transform: `translate(${LEFT},${TOP})` };
    const axes = svgEl("g", { class: "axes" });
    const curves = svgEl("g", { "clip-path": `url(#${clip})` });
    const marks = svgEl("g", { ...shift });
    const ground = svgEl("rect", { class: "ground", width: PLOT.width, height: PLOT.height });
    this.#lower = svgEl("svg", { ...box, class: "lower", role: "img", "aria-label": text.title });
    this.#lower.append(
      svgEl("defs", {}, svgEl("clipPath", { id: clip }, inside())),
      svgEl("g", shift, ground, axes, curves),
    );
    this.#upper = svgEl("svg", { ...box, class: "upper", role: "group", "aria-label": `${text.title}, markers` });
    this.#upper.append(svgEl("g", { ...shift }, svgEl("rect", { class: "reach", width: PLOT.width, height: PLOT.height })), marks);
    this.#axes = new Layer(axes);
    this.base = new Layer(curves);
    this.over = new Layer(marks);
    this.#title = el("h3", {}, text.title);
    this.#help = el("p", { class: "help" }, text.help);
    this.tools = el("div", { class: "tools" });
    this.tools.append(
      button("SVG", () => this.#save("svg"), { class: "quiet", title: "Save as SVG", "aria-label": `Save ${text.title} as SVG` }),
      button("PNG", () => this.#save("png"), { class: "quiet", title: "Save as PNG", "aria-label": `Save ${text.title} as PNG` }),
    );
    this.#stack = el("div", { class: "stack" }, this.#lower, this.#upper, this.#tip);
    this.#key = el("ul", { class: "key", "aria-label": `${text.title}, key` });
    this.#key.hidden = true;
    const head = el("figcaption", {}, el("div", { class: "title" }, this.#title, this.tools), this.#help);
    this.figure = el("figure", { class: "panel", id: `${uid}-${text.id}`, "data-panel": text.id }, head, this.#stack, this.#key);
    this.#listen();
  }

  set title(text: string) {
    say(this.#title, text);
    this.#lower.setAttribute("aria-label", text);
  }

  set help(text: string) {
    say(this.#help, text);
  }

  /** What lines and bars stand for, below the plot where it covers nothing. */
  key(entries: readonly { mark: SVGElement; text: string }[]): void {
    this.#key.hidden = entries.length === 0;
    this.#key.replaceChildren(...entries.map(({ mark, text }) => el("li", {}, svgEl("svg", { viewBox: "0 0 28 12", width: 28, height: 12, "aria-hidden": "true" }, mark), el("bdi", {}, text))));
  }

  /** Draw axes when they changed. */
  axes(x: Axis, y: Axis): void {
    const key = JSON.stringify([x.label, x.domain, x.at, y.label, y.domain, y.at]);
    if (key === this.#drawn) return;
    this.#drawn = key;
    this.x.domain(x.domain);
    this.y.domain(y.domain);
    const layer = this.#axes;
    layer.begin();
    const { width, height } = PLOT;
    const everyX = spaced(x.at.map((at) => this.x(at)), x.at.map((at) => 7 * x.text(at).length + 6));
    x.at.forEach((at, i) => {
      const place = tenth(this.x(at));
      layer.draw(`x${i}`, "line", { x1: place, x2: place, y1: 0, y2: height, class: "grid" });
      if (everyX.has(i)) layer.draw(`xt${i}`, "text", { x: place, y: height + 16, class: "tick", "text-anchor": "middle" }, x.text(at));
    });
    const everyY = spaced(y.at.map((at) => this.y(at)), y.at.map(() => 13));
    y.at.forEach((at, i) => {
      const place = tenth(this.y(at));
      layer.draw(`y${i}`, "line", { x1: 0, x2: width, y1: place, y2: place, class: "grid" });
      if (everyY.has(i)) layer.draw(`yt${i}`, "text", { x: -7, y: place + 4, class: "tick", "text-anchor": "end" }, y.text(at));
    });
    layer.draw("frame", "path", { d: `M0,0V${height}H${width}`, class: "frame" });
    layer.draw("xl", "text", { x: width / 2, y: height + 35, class: "label", "text-anchor": "middle" }, x.label);
    layer.draw("yl", "text", { transform: `translate(-45,${height / 2}) rotate(-90)`, class: "label", "text-anchor": "middle" }, y.label);
    layer.end();
  }

  /** Where a pointer is, in pixels of the plot. */
  #place(clientX: number, clientY: number): [number, number] {
    const box = this.#upper.getBoundingClientRect();
    const scale = WIDTH / (box.width || WIDTH);
    return [(clientX - box.left) * scale - LEFT, (clientY - box.top) * scale - TOP];
  }

  #listen(): void {
    const follow = (source: MouseEvent | TouchEvent): void => {
      const at = "touches" in source ? source.touches[0] : source;
      if (!at || !this.move) return;
      const [x, y] = this.#place(at.clientX, at.clientY);
      this.move(clamp(x, 0, PLOT.width), clamp(y, 0, PLOT.height));
    };
    const dragging = drag<SVGSVGElement, unknown>()
      // A finger on the panel scrolls the page; a finger on a handle drags it.
      .filter((event: MouseEvent | TouchEvent) =>
        this.move !== null && ("touches" in event ? (event.target as Element).closest(".handle") !== null : event.button === 0),
      )
      .on("start drag", (event: { sourceEvent: MouseEvent | TouchEvent; type: string }) => {
        this.#stack.classList.add("dragging");
        this.#tip.classList.remove("shown");
        follow(event.sourceEvent);
      })
      .on("end", () => this.#stack.classList.remove("dragging"));
    select(this.#upper).call(dragging).style("touch-action", "pan-x pan-y");
    this.#upper.addEventListener("pointermove", (event) => this.#hover(event));
    this.#upper.addEventListener("pointerleave", () => this.#tip.classList.remove("shown"));
  }

  #hover(event: PointerEvent): void {
    if (!this.hint || event.pointerType === "touch" || this.#stack.classList.contains("dragging")) return;
    const hint = this.hint(...this.#place(event.clientX, event.clientY));
    this.#tip.classList.toggle("shown", hint !== null);
    if (hint === null) return;
    this.#tip.replaceChildren(...hint.lines.map((line) => el("div", {}, line)));
    const side = hint.x > PLOT.width * 0.55;
    this.#tip.classList.toggle("left", side);
    this.#tip.style.left = `${((hint.x + LEFT) / WIDTH) * 100}%`;
    this.#tip.style.top = `${((hint.y + TOP) / HEIGHT) * 100}%`;
  }

  #save(kind: "svg" | "png"): void {
    void savePicture([this.#lower, this.#upper], kind, this.#title.textContent ?? "panel", this.#models);
  }
}

/** Indices of ticks whose texts do not run into each other. */
function spaced(places: number[], widths: number[]): Set<number> {
  const kept = new Set<number>();
  let last = 0;
  places.forEach((place, i) => {
    if (kept.size && Math.abs(place - last) < widths[i]) return;
    kept.add(i);
    last = place;
  });
  return kept;
}
