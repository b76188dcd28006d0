// One control: a label, a slider and a text field that say the same thing.
import { el, say, set } from "./dom";

export interface Slider {
  root: HTMLElement;
  /** Show a place on the slider and its text, unless the reader is typing. */
  show(place: number, text: string, spoken: string): void;
  range(low: number, high: number, step: number | "any"): void;
}

export interface SliderText {
  id: string;
  label: string;
  hint: string;
}

/** `slid` hears a place, `typed` a text and says whether it could read it. */
export function slider(text: SliderText, slid: (place: number) => void, typed: (text: string) => boolean): Slider {
  const bar = el("input", { type: "range", id: text.id, "aria-label": text.label });
  const field = el("input", { type: "text", id: `${text.id}-text`, inputmode: "decimal", autocomplete: "off", spellcheck: "false", "aria-label": `${text.label}, type a value` });
  const error = el("span", { class: "error", id: `${text.id}-error`, role: "alert" });
  const commit = (): void => {
    const fine = typed(field.value);
    set(field, { "aria-invalid": fine ? null : "true", "aria-describedby": fine ? null : error.id });
    error.textContent = fine ? "" : text.hint;
  };
  bar.addEventListener("input", () => slid(Number(bar.value)));
  field.addEventListener("change", commit);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") commit();
  });
  const head = el("div", { class: "sliderhead" }, el("label", { for: text.id }, text.label), field);
  return {
    root: el("div", { class: "slider" }, head, bar, error),
    show(place, shown, spoken) {
      if (document.activeElement !== bar || Number(bar.value) !== place) bar.value = String(place);
      set(bar, { "aria-valuetext": spoken });
      if (document.activeElement !== field || !field.getAttribute("aria-invalid")) {
        if (field.value !== shown) field.value = shown;
        set(field, { "aria-invalid": null, "aria-describedby": null });
        say(error, "");
      }
    },
    range(low, high, step) {
      set(bar, { min: low, max: high, step });
    },
  };
}
