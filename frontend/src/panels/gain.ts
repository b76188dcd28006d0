// Gain and lift: what working down the ranking brings, at the chosen class ratio.
import { drawCurve, drawMarker, drawOptimum, goTo, nearestHint, nearestSplit, remembered, order, shownModels, type Columns, type Part } from "../drawing";
import { button } from "../dom";
import { Panel } from "../panel";
import { linePath } from "../path";
import { percentText, shown } from "../reals";
import type { Scene, SceneModel } from "../scene";
import type { Store } from "../state";
import { axis } from "../ticks";
import type { View } from "../view";

const GAIN = "Share of positives found against the share of all cases called positive. Dotted: calling at random.";
const LIFT = "How many times more frequent positives are among the called than among all. Dotted: calling at random.";

export function gainPanel(scene: Scene, store: Store, uid: string): Part {
  const panel = new Panel({ id: "gain", title: "Gain", help: GAIN, models: true }, uid);
  const { Pos, Neg } = scene;
  const points = remembered<Columns>();
  const toggle = button("Lift", () => store.set({ lift: !store.state.lift }), { class: "quiet", "aria-pressed": "false" });
  panel.tools.prepend(toggle);
  let now: View | null = null;
  let drawn = "";

  const columns = (model: SceneModel): Columns => {
    const ratio = now?.classRatio ?? 1;
    const lift = now?.state.lift ?? false;
    return points(`${model.index}|${ratio}|${lift}`, () => columnsOf(model, Pos, Neg, ratio, lift));
  };
  panel.move = (px, py) => now && goTo(store, now.stand.model, nearestSplit(panel, columns(now.stand.model), px, py)[0]);
  panel.hint = (px, py) =>
    now &&
    nearestHint(panel, now, columns, px, py, (model, k) => {
      const { x, y } = columns(model);
      return [`called positive ${percentText(x[k])}`, now?.state.lift ? `lift ${shown(y[k])}` : `found ${percentText(y[k])} of positives`];
    });

  return {
    panel,
    update(view) {
      now = view;
      const { hidden, current, lift } = view.state;
      const key = [view.classRatio, lift, current, [...hidden].join(",")].join("|");
      const shownNow = shownModels(view);
      if (key !== drawn) {
        drawn = key;
        panel.title = lift ? "Lift" : "Gain";
        panel.help = lift ? LIFT : GAIN;
        toggle.setAttribute("aria-pressed", String(lift));
        toggle.classList.toggle("on", lift);
        const most = lift ? Math.max(1.2, ...shownNow.map((model) => top(columns(model).y))) : 1;
        panel.axes(axis("share of cases called positive", 0, 1), axis(lift ? "lift: times as many positives as by chance" : "gain: share of positives found", 0, most * (lift ? 1.05 : 1)));
        panel.base.begin(order(view));
        const line = lift ? [1, 1] : [0, 1];
        panel.base.draw("chance", "line", { x1: panel.x(0), y1: panel.y(line[0]), x2: panel.x(1), y2: panel.y(line[1]), class: "chance" });
        for (const model of shownNow) drawCurve(panel, model, linePath(columns(model).x, columns(model).y, panel.x, panel.y), view);
        panel.base.end();
      }
      panel.over.begin();
      for (const model of shownNow) {
        const { optimum } = view.stands[model.index];
        const { x, y } = columns(model);
        drawOptimum(panel, view.stands[model.index], panel.x(x[optimum]), panel.y(y[optimum]));
      }
      for (const model of shownNow) {
        const stand = view.stands[model.index];
        const { x, y } = columns(model);
        const what = lift ? `lift ${shown(stand.split ? y[stand.split] : NaN)}` : `${percentText(y[stand.split])} of positives found`;
        drawMarker(panel, stand, view, store, panel.x(x[stand.split]), panel.y(y[stand.split]), what);
      }
      panel.over.end();
    },
  };
}

/** Share called, and share found or lift; lift of calling nothing is that of the first split. */
function columnsOf(model: SceneModel, Pos: number, Neg: number, ratio: number, lift: boolean): Columns {
  const prevalence = ratio / (1 + ratio);
  const { tp, fp } = model.curve;
  const x = tp.map((each, k) => prevalence * (each / Pos) + (1 - prevalence) * (fp[k] / Neg));
  const y = tp.map((each, k) => (lift ? each / Pos / x[k] : each / Pos));
  if (lift) y[0] = y[1];
  return { x, y };
}

/** The highest lift but for the first few cases, which are noise and would flatten the rest. */
function top(y: Float64Array): number {
  return y.reduce((most, each) => (Number.isFinite(each) && each > most ? each : most), 0);
}
