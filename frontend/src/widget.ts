// The same page as an anywidget: `threshold` and `condition` travel both ways between the page and Python.
import type { Contents } from "./contents";
import { isUsable } from "./ratio";
import { plain, real } from "./reals";
import { binaryPage, type Mounted } from "./page";
import { byHand } from "./state";

/** The part of anywidget's model that is used here. */
export interface WidgetModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, act: () => void): void;
  off?(event: string, act: () => void): void;
}

interface Wire {
  cost_ratio: number;
  class_ratio: number | null;
}

export function render({ model, el: element }: { model: WidgetModel; el: HTMLElement }): () => void {
  const given = model.get("contents");
  const contents = (typeof given === "string" ? JSON.parse(given) : given) as Contents;
  const root = document.createElement("div");
  root.className = "thresher live";
  element.append(root);
  return wired(model, binaryPage(root, contents, false));
}

function wired(model: WidgetModel, { store, view, stop }: Mounted): () => void {
  const threshold = (): unknown => (store.state.follow ? null : plain(view().stand.threshold));
  const condition = (): Wire => ({ cost_ratio: store.state.costRatio, class_ratio: store.state.classRatio });
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

  const hear = (): void => {
    const asked = model.get("threshold") as number | "inf" | "-inf" | null | undefined;
    if (asked === null || asked === undefined) {
      if (!store.state.follow) store.set({ follow: true, auto: true });
    } else if (!same(asked, threshold())) store.set(byHand(real(asked), view().state.current));
    const wanted = model.get("condition") as Partial<Wire> | null | undefined;
    if (!wanted) return;
    const cost = wanted.cost_ratio ?? store.state.costRatio;
    const mix = wanted.class_ratio === undefined ? store.state.classRatio : wanted.class_ratio;
    if (isUsable(cost) && (mix === null || isUsable(mix)) && !same({ cost_ratio: cost, class_ratio: mix }, condition())) {
      store.set({ costRatio: cost, classRatio: mix });
    }
  };
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const tell = (): void => {
    if (same(model.get("threshold") ?? null, threshold()) && same(model.get("condition"), condition())) return;
    model.set("threshold", threshold());
    model.set("condition", condition());
    model.save_changes();
  };
  hear();
  store.listen(() => {
    clearTimeout(waiting); // a drag should not flood the kernel
    waiting = setTimeout(tell, 60);
  });
  for (const name of ["threshold", "condition"]) model.on(`change:${name}`, hear);
  return () => {
    clearTimeout(waiting);
    for (const name of ["threshold", "condition"]) model.off?.(`change:${name}`, hear);
    stop();
  };
}
