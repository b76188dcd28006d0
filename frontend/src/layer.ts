// A group of SVG elements drawn again and again: what stays keeps its element, what is not drawn any more goes.
import { svgEl } from "./dom";

type Attributes = Record<string, string | number | null>;

interface Kept {
  node: SVGElement;
  attributes: Map<string, string | null>;
  drawn: boolean;
}

export class Layer {
  #kept = new Map<string, Kept>();
  #order = "";

  constructor(readonly group: SVGGElement) {}

  /** Begin to draw anew; elements are kept while their order, named by a key, stays. */
  begin(order = ""): void {
    if (order !== this.#order) {
      this.#order = order;
      this.#kept.clear();
      this.group.replaceChildren();
    }
    for (const kept of this.#kept.values()) kept.drawn = false;
  }

  /** Draw an element under a key; only attributes that changed are written. */
  draw(key: string, tag: keyof SVGElementTagNameMap, attributes: Attributes, text?: string): SVGElement {
    let kept = this.#kept.get(key);
    if (!kept) {
      kept = { node: svgEl(tag), attributes: new Map(), drawn: true };
      this.#kept.set(key, kept);
      this.group.append(kept.node);
    }
    kept.drawn = true;
    for (const name of Object.keys(attributes)) {
      const value = attributes[name] === null ? null : String(attributes[name]);
      if (kept.attributes.get(name) === value) continue;
      kept.attributes.set(name, value);
      if (value === null) kept.node.removeAttribute(name);
      else kept.node.setAttribute(name, value);
    }
    if (text !== undefined && kept.node.textContent !== text) kept.node.textContent = text;
    return kept.node;
  }

  end(): void {
    for (const [key, kept] of this.#kept) {
      if (kept.drawn) continue;
      kept.node.remove();
      this.#kept.delete(key);
    }
  }
}
