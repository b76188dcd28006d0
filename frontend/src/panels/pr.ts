// The precision-recall plot at the chosen class ratio: hyperbolic between splits, with the baseline of calling at random.
import { banded, drawBand, drawCurve, drawMarker, drawOptimum, drawOwn, goTo, nearestHint, nearestSplit, remembered, order, shownModels, type Columns, type Part } from "../drawing";
import { Panel, PLOT } from "../panel";
import { linePath, tenth } from "../path";
import { shown } from "../reals";
import type { Scene, SceneModel } from "../scene";
import type { Store } from "../state";
import { axis, caseAxis } from "../ticks";
import type { View } from "../view";

const HELP = "Precision moves with the class ratio; the dotted line is what calling at random would reach. Lines of equal value as in the ROC plot.";
const STEP = 6; // pixels between points of a hyperbola

export function prPanel(scene: Scene, store: Store, uid: string): Part {
  const panel = new Panel({ id: "pr", title: "Precision–recall plot", help: HELP, models: true }, uid);
  const { Pos, Neg } = scene;
  const points = remembered<Columns>();
  let now: View | null = null;
  let drawn = "";

  /** How much a negative of the data weighs against a positive at the chosen class ratio. */
  const weight = (view: View): number => Pos / Neg / view.classRatio;
  const columns = (model: SceneModel): Columns => {
    const w = now ? weight(now) : 1;
    return points(`${model.index}|${w}`, () => splitPoints(model, Pos, w));
  };
  panel.axes(caseAxis("recall: share of positives found", Pos, "share"), axis("precision: share of calls that are right", 0, 1));
  panel.move = (px, py) => now && goTo(store, now.stand.model, nearestSplit(panel, columns(now.stand.model), px, py)[0]);
  panel.hint = (px, py) =>
    now &&
    nearestHint(panel, now, columns, px, py, (model, k) => {
      const { x, y } = columns(model);
      return [`recall ${shown(x[k])}`, `precision ${shown(y[k])}`];
    });

  return {
    panel,
    update(view) {
      now = view;
      const { bands, hidden, current } = view.state;
      const w = weight(view);
      const key = [w, bands, current, [...hidden].join(",")].join("|");
      if (key !== drawn) {
        drawn = key;
        panel.base.begin(order(view));
        const prevalence = tenth(panel.y(view.classRatio / (1 + view.classRatio)));
        panel.base.draw("chance", "line", { x1: 0, x2: PLOT.width, y1: prevalence, y2: prevalence, class: "chance" });
        const shownNow = shownModels(view);
        // A band was drawn at the evaluated class mix, and holds for no other.
        if (bands && view.evaluatedRatio) for (const model of banded(view)) drawBand(panel, model, model.bands.pr);
        for (const model of shownNow) {
          const path = hyperbolic(model, Pos, Neg, w);
          drawCurve(panel, model, linePath(path.x, path.y, panel.x, panel.y), view);
        }
        panel.base.end();
      }
      panel.over.begin();
      drawIsometrics(view, w);
      for (const model of shownModels(view)) {
        const { x, y } = columns(model);
        const { optimum } = view.stands[model.index];
        drawOwn(panel, model, (tp, fp) => [panel.x(tp / Pos), panel.y(tp / (tp + w * fp))]);
        drawOptimum(panel, view.stands[model.index], panel.x(x[optimum]), panel.y(y[optimum]));
      }
      for (const model of shownModels(view)) {
        const { x, y } = columns(model);
        const stand = view.stands[model.index];
        const what = `recall ${shown(x[stand.split])}, precision ${shown(stand.split ? y[stand.split] : NaN)}`;
        drawMarker(panel, stand, view, store, panel.x(x[stand.split]), panel.y(y[stand.split]), what);
      }
      panel.over.end();
    },
  };

  function drawIsometrics(view: View, w: number): void {
    for (const [name, split] of [["best", view.stand.optimum], ["now", view.stand.split]] as const) {
      const line = view.isometric(split);
      const real = line.tp.map((_, i) => i).filter((i) => line.tp[i] > 0);
      const recall = real.map((i) => line.tp[i] / Pos);
      const precision = real.map((i) => line.tp[i] / (line.tp[i] + w * line.fp[i]));
      const d = linePath(recall, precision, panel.x, panel.y);
      panel.over.draw(`iso${name}`, "path", { d, class: name === "best" ? "isometric best" : "isometric" });
    }
  }
}

/** Recall and precision of every split; nothing called positive stands where its curve begins. */
function splitPoints(model: SceneModel, Pos: number, w: number): Columns {
  const { tp, fp } = model.curve;
  const y = tp.map((each, k) => each / (each + w * fp[k]));
  y[0] = y[1];
  return { x: tp.map((each) => each / Pos), y };
}

/** Between splits tp and fp move in step, so precision follows a hyperbola. */
function hyperbolic(model: SceneModel, Pos: number, Neg: number, w: number): { x: number[]; y: number[] } {
  const { tp, fp } = model.curve;
  const x: number[] = [0];
  const y: number[] = [tp[1] / (tp[1] + w * fp[1])];
  const [wide, tall] = [PLOT.width / Pos / STEP, PLOT.width / Neg / STEP];
  for (let k = 1; k < tp.length; k++) {
    const [up, right] = [tp[k] - tp[k - 1], fp[k] - fp[k - 1]];
    const pieces = k === 1 ? 1 : Math.max(1, Math.ceil(Math.max(up * wide, right * tall)));
    for (let i = pieces - 1; i >= 0; i--) {
      const t = tp[k] - (up * i) / pieces;
      x.push(t / Pos);
      y.push(t / (t + w * (fp[k] - (right * i) / pieces)));
    }
  }
  return { x, y };
}
