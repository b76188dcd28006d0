// Elements from names, attributes and texts; text only ever becomes text.

export type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | null | undefined>;

const SVG = "http://www.w3.org/2000/svg";

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  set(made, attributes);
  fill(made, children);
  return made;
}

export function svgEl<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const made = document.createElementNS(SVG, tag);
  set(made, attributes);
  fill(made, children);
  return made;
}

/** Set attributes that differ, since setting one costs style and layout; null, undefined and false remove them. */
export function set(node: Element, attributes: Attributes): void {
  for (const name of Object.keys(attributes)) {
    const value = attributes[name];
    const wanted = value === null || value === undefined || value === false ? null : value === true ? "" : String(value);
    if (node.getAttribute(name) === wanted) continue;
    if (wanted === null) node.removeAttribute(name);
    else node.setAttribute(name, wanted);
  }
}

/** Change a text only when it differs, and in its own node: layout is dear. */
export function say(node: Node, text: string): void {
  const only = node.firstChild;
  if (only === null || only !== node.lastChild || only.nodeType !== Node.TEXT_NODE) node.textContent = text;
  else if (only.nodeValue !== text) only.nodeValue = text;
}

/** A name from the user, kept from turning the text around it. */
export function named(name: string): HTMLElement {
  return el("bdi", { class: "name" }, name);
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** The same where there are no elements: Unicode isolates around names that are written from right to left. */
export function isolated(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name;
}

export function button(label: string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = el("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", act);
  return made;
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

function fill(node: Element, children: readonly Child[]): void {
  for (const child of children) if (child !== null) node.append(child);
}
