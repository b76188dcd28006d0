// Pictures and texts that leave the page: SVG and PNG files, the clipboard, and a text box where that is denied.
import { button, el, set, svgEl } from "./dom";

const KEPT = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linejoin", "opacity",
  "font-family", "font-size", "font-weight", "text-anchor", "paint-order", "visibility",
];
const PNG_SCALE = 3;

/** Save stacked SVGs as one picture that needs no style sheet. */
export async function savePicture(layers: readonly SVGSVGElement[], kind: "svg" | "png", title: string, models: boolean): Promise<void> {
  const whole = standalone(layers, title, models);
  const text = new XMLSerializer().serializeToString(whole);
  const name = fileName(title);
  const picture = new Blob([text], { type: "image/svg+xml;charset=utf-8" });
  if (kind === "svg") return download(picture, `${name}.svg`);
  const [width, height] = [whole.viewBox.baseVal.width, whole.viewBox.baseVal.height];
  const image = new Image(width * PNG_SCALE, height * PNG_SCALE);
  const address = URL.createObjectURL(picture);
  try {
    image.src = address;
    await image.decode();
    const canvas = el("canvas", { width: width * PNG_SCALE, height: height * PNG_SCALE });
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const made = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (made) download(made, `${name}.png`);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** One SVG with all styles as attributes; where it draws models, the names of those shown stand below the plot. */
export function standalone(layers: readonly SVGSVGElement[], title: string, models: boolean): SVGSVGElement {
  const [width, plot] = size(layers[0]);
  const chips = [
    ...(layers[0].closest(".panel")?.querySelectorAll(".key li") ?? []),
    ...((models && layers[0].closest(".thresher")?.querySelectorAll(".legend .chip[aria-pressed=true]")) || []),
  ];
  const height = plot + 18 * chips.length;
  const whole = svgEl("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, width, height });
  const page = getComputedStyle(layers[0].closest(".panel") ?? layers[0]);
  whole.append(svgEl("title", {}, title), svgEl("rect", { width, height, fill: page.backgroundColor }));
  for (const layer of layers) for (const child of layer.children) whole.append(styled(child));
  chips.forEach((chip, i) => {
    const line = svgEl("g", { transform: `translate(52,${plot + 18 * i})` });
    for (const part of chip.querySelector("svg")?.children ?? []) line.append(styled(part));
    line.append(svgEl("text", { x: 42, y: 11, "font-size": 11, "font-family": page.fontFamily, fill: page.color }, chip.textContent ?? ""));
    whole.append(line);
  });
  return whole;
}

function styled(node: Element): Element {
  const copy = node.cloneNode(false) as Element;
  const style = getComputedStyle(node);
  for (const name of KEPT) {
    const value = style.getPropertyValue(name);
    if (value) copy.setAttribute(name, value);
  }
  for (const name of ["class", "tabindex", "role", ...copy.getAttributeNames().filter((each) => each.startsWith("aria-"))]) {
    copy.removeAttribute(name);
  }
  for (const child of node.childNodes) copy.append(child instanceof Element ? styled(child) : child.cloneNode());
  return copy;
}

/** Copy a text; where the clipboard is denied, show it in a box to select by hand. */
export async function copyText(text: string, near: HTMLElement, done: string): Promise<void> {
  near.parentElement?.querySelector(".copybox")?.remove();
  try {
    await navigator.clipboard.writeText(text);
    announce(near, done);
  } catch {
    const area = el("textarea", { readonly: true, rows: 8, "aria-label": "Text to copy", spellcheck: "false" });
    area.value = text;
    const box = el("div", { class: "copybox" }, el("p", {}, "The browser denies the clipboard. Copy it from here:"), area);
    box.append(button("Close", () => box.remove()));
    near.after(box);
    area.focus();
    area.select();
  }
}

function announce(near: HTMLElement, text: string): void {
  const before = near.textContent;
  if (near.dataset["busy"]) return;
  near.dataset["busy"] = "1";
  near.textContent = text;
  setTimeout(() => {
    near.textContent = before;
    delete near.dataset["busy"];
  }, 1400);
}

function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = el("a", { href: address, download: name });
  set(link, { hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function size(of: SVGSVGElement): [number, number] {
  const box = (of.getAttribute("viewBox") ?? "0 0 380 330").split(" ").map(Number);
  return [box[2], box[3]];
}

function fileName(title: string): string {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "panel";
}
