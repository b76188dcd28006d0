// The coverage plot and the ROC plot: the same curve in counts and in rates, with isometrics, hull and bands.
import { banded, drawBand, drawCurve, drawMarker, drawOptimum, drawOwn, goTo, nearestHint, nearestSplit, remembered, order, shownModels, type Columns, type Part } from "../drawing";
import { isometric, type Line } from "../isometric";
import { Panel } from "../panel";
import { linePath } from "../path";
import { countText, shown } from "../reals";
import type { Scene, SceneModel } from "../scene";
import type { Store } from "../state";
import { caseAxis } from "../ticks";
import type { View } from "../view";

const HELP = "The solid line joins all points as good as the current one ●, the dashed line all as good as the optimum ◇. Drag along a curve to move the threshold.";

export function rocPanel(scene: Scene, store: Store, uid: string): Part {
  const own = scene.models.some((model) => model.of?.predictions) ? " ✕ marks the predictions given." : "";
  const panel = new Panel({ id: "roc", title: "ROC plot", help: HELP + own, models: true }, uid);
  const { Pos, Neg } = scene;
  const rates = scene.models.map((model) => columnsOf(model, Neg, Pos));
  const counts = scene.models.map((model) => columnsOf(model, 1, 1));
  const contours = remembered<string[]>();
  let now: View | null = null;
  let drawn = "";

  const columns = (model: SceneModel): Columns => (now?.state.plane === "coverage" ? counts : rates)[model.index];
  panel.move = (px, py) => {
    if (!now) return;
    const { model } = now.stand;
    goTo(store, model, nearestSplit(panel, columns(model), px, py)[0]);
  };
  panel.hint = (px, py) =>
    now &&
    nearestHint(panel, now, columns, px, py, (model, k) => {
      const { tp, fp } = model.curve;
      return [`tpr ${shown(tp[k] / Pos)} (${countText(tp[k])} of ${countText(Pos)})`, `fpr ${shown(fp[k] / Neg)} (${countText(fp[k])} of ${countText(Neg)})`];
    });

  return {
    panel,
    update(view) {
      now = view;
      const { plane, bands, hidden, current } = view.state;
      const key = [plane, bands, current, [...hidden].join(",")].join("|");
      const unit = plane === "coverage" ? { x: Neg, y: Pos } : { x: 1, y: 1 };
      if (key !== drawn) {
        drawn = key;
        panel.title = plane === "coverage" ? "Coverage plot" : "ROC plot";
        const share = plane === "coverage" ? "cases" : "share";
        panel.axes(
          caseAxis(plane === "coverage" ? "negatives called positive (fp)" : "false positive rate: negatives called positive", Neg, share),
          caseAxis(plane === "coverage" ? "positives found (tp)" : "true positive rate: positives found", Pos, share),
        );
        panel.base.begin(order(view));
        panel.base.draw("chance", "line", { x1: panel.x(0), y1: panel.y(0), x2: panel.x(unit.x), y2: panel.y(unit.y), class: "chance" });
        const shownNow = shownModels(view);
        if (bands) for (const model of banded(view)) drawBand(panel, model, model.bands.roc, unit);
        drawHull(panel, scene.models[current], columns(scene.models[current]));
        for (const model of shownNow) drawCurve(panel, model, linePath(columns(model).x, columns(model).y, panel.x, panel.y), view);
        panel.base.end();
      }
      drawOver(view, unit);
    },
  };

  function drawOver(view: View, unit: { x: number; y: number }): void {
    const x = (fp: number): number => panel.x((fp / Neg) * unit.x);
    const y = (tp: number): number => panel.y((tp / Pos) * unit.y);
    const path = (line: Line): string => linePath(line.fp, line.tp, x, y);
    const { state, stand } = view;
    panel.over.begin();
    const key = ["contours", state.measure, state.costRatio, state.classRatio, state.plane].join("|");
    contours(key, () => targets(view).map((target) => path(isometric(view.value, target, Pos, Neg, 8)))).forEach((d, i) => panel.over.draw(`contour${i}`, "path", { d, class: "contour" }));
    panel.over.draw("isobest", "path", { d: path(view.isometric(stand.optimum)), class: "isometric best" });
    panel.over.draw("isonow", "path", { d: path(view.isometric(stand.split)), class: "isometric" });
    for (const model of shownModels(view)) {
      const each = view.stands[model.index];
      drawOwn(panel, model, (tp, fp) => [x(fp), y(tp)]);
      drawOptimum(panel, each, x(model.curve.fp[each.optimum]), y(model.curve.tp[each.optimum]));
    }
    for (const model of shownModels(view)) {
      const each = view.stands[model.index];
      const what = `tpr ${shown(each.cells.tp / Pos)}, fpr ${shown(each.cells.fp / Neg)}`;
      drawMarker(panel, each, view, store, x(each.cells.fp), y(each.cells.tp), what);
    }
    panel.over.end();
  }
}

/** Values between the worst and the best corner of the plane, for the faint lines. */
function targets(view: View): number[] {
  const { Pos, Neg } = view.scene;
  const along = [0.1, 0.25, 0.4, 0.6, 0.75, 0.9];
  return along.map((at) => view.value(Pos * at, Neg * (1 - at)));
}

function drawHull(panel: Panel, model: SceneModel, columns: Columns): void {
  const pick = (of: Float64Array): number[] => model.curve.hull.map((k) => of[k]);
  panel.base.draw("hull", "path", { d: linePath(pick(columns.x), pick(columns.y), panel.x, panel.y), class: "hull" });
}

function columnsOf(model: SceneModel, x: number, y: number): Columns {
  return { x: model.curve.fp.map((fp) => fp / x), y: model.curve.tp.map((tp) => tp / y) };
}
