// Net benefit by threshold probability, against acting on everyone and on no one; for scores that are probabilities.
import { splitAt } from "../choice";
import { isolated } from "../dom";
import { banded, drawBand, drawCurve, drawMarker, probabilityReach, remembered, order, shownModels, type Columns, type Part } from "../drawing";
import { atClassRatio, cellsAt, costThreshold, netBenefit, restated } from "../formulas";
import { Panel, PLOT } from "../panel";
import { linePath, tenth } from "../path";
import { scoreText, shown } from "../reals";
import type { Scene, SceneModel } from "../scene";
import { byHand, type Store } from "../state";
import { axis } from "../ticks";
import type { View } from "../view";

const HELP = "Probabilities at the chosen class ratio. Hits less false alarms at the exchange rate the threshold implies. Dotted: act on everyone; zero: on no one. The dashed line is the threshold the cost ratio asks for.";
const GRID = Float64Array.from({ length: 198 }, (_, i) => (i + 1) / 200);

const FEW = 200;

export function benefitPanel(scene: Scene, store: Store, uid: string): Part | null {
  const able = scene.models.filter((model) => model.of?.probabilities);
  if (!able.length) return null;
  const panel = new Panel({ id: "benefit", title: "Net benefit", help: HELP, models: true }, uid);
  const curves = remembered<Columns>();
  let now: View | null = null;
  let drawn = "";

  const columns = (model: SceneModel, ratio: number): Columns =>
    curves(`${model.index}|${ratio}`, () => {
      const x = places(model, probabilityReach(scene, ratio), (score) => restated(score, scene.trainedAt, ratio));
      return { x, y: x.map((t) => benefit(model, t, ratio)) };
    });
  const benefit = (model: SceneModel, t: number, ratio: number): number => {
    const split = splitAt(model.curve, restated(t, ratio, scene.trainedAt));
    return netBenefit(atClassRatio(cellsAt(model.curve.tp[split], model.curve.fp[split], scene.Pos, scene.Neg), ratio), t);
  };
  panel.move = (px) => now && store.set(byHand(restated(Number(panel.x.invert(px).toPrecision(3)), now.classRatio, scene.trainedAt), now.state.current));
  panel.hint = (px) => {
    if (!now) return null;
    const t = Math.min(0.99, Math.max(1e-4, panel.x.invert(px)));
    const { classRatio } = now;
    const lines = shownModels(now).filter((model) => able.includes(model)).map((model) => `${isolated(model.name)}: ${shown(benefit(model, t, classRatio))}`);
    return { x: px, y: 20, lines: [`threshold ${shown(t)}`, ...lines.reverse()] };
  };

  return {
    panel,
    update(view) {
      now = view;
      const { hidden, current, bands } = view.state;
      const { classRatio } = view;
      const key = [classRatio, bands, current, [...hidden].join(",")].join("|");
      const shownNow = shownModels(view).filter((model) => able.includes(model));
      if (key !== drawn) {
        drawn = key;
        const prevalence = classRatio / (1 + classRatio);
        const most = Math.max(prevalence, 1e-6);
        const reach = probabilityReach(scene, classRatio);
        panel.axes(axis("threshold probability: act from here on", 0, reach), axis("net benefit: true positives per case, net", -0.25 * most, 1.05 * most));
        panel.base.begin(order(view));
        const grid = GRID.map((t) => t * reach);
        const everyone = grid.map((t) => prevalence - ((1 - prevalence) * t) / (1 - t));
        panel.base.draw("everyone", "path", { d: linePath(grid, everyone, panel.x, panel.y), class: "chance" });
        panel.base.draw("noone", "line", { x1: 0, x2: PLOT.width, y1: panel.y(0), y2: panel.y(0), class: "zero" });
        if (bands && view.evaluatedRatio) for (const model of banded(view).filter((each) => able.includes(each))) drawBand(panel, model, model.bands.net_benefit);
        for (const model of shownNow) {
          const { x, y } = columns(model, classRatio);
          drawCurve(panel, model, linePath(x, y, panel.x, panel.y), view);
        }
        panel.base.end();
      }
      panel.over.begin();
      const asked = tenth(panel.x(costThreshold(view.state.costRatio)));
      if (asked <= PLOT.width) panel.over.draw("asked", "line", { x1: asked, x2: asked, y1: 0, y2: PLOT.height, class: "isometric best" });
      for (const model of shownNow) {
        const stand = view.stands[model.index];
        const t = Math.min(0.999, restated(Math.min(1, Math.max(0, stand.threshold)), scene.trainedAt, classRatio)); // calling all or none has its place at an edge
        const height = stand.threshold >= 1 ? 0 : benefit(model, t, classRatio);
        const place = Math.min(PLOT.height, panel.y(height));
        drawMarker(panel, stand, view, store, Math.min(PLOT.width, panel.x(t)), place, `net benefit ${shown(height)} at ${scoreText(t)}`);
      }
      panel.over.end();
    },
  };
}

/** Where to evaluate: evenly, and on both sides of every score where there are few, so that jumps are upright. */
function places(model: SceneModel, reach: number, at: (score: number) => number): Float64Array {
  const { lowest } = model.curve;
  const grid = GRID.map((t) => t * reach);
  if (lowest.length > FEW) return grid;
  const jumps = Array.from(lowest).filter((score) => score > 0 && score < 1).map(at).filter((t) => t < 0.99);
  return Float64Array.from([...grid, ...jumps, ...jumps.map((score) => score + 1e-9)]).sort();
}
