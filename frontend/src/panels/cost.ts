// The cost curve: the least normalised cost of each model for every condition; dragging sideways changes the cost ratio.
import type { Rule } from "../contents";
import { isolated, svgEl } from "../dom";
import { drawCurve, drawMarker, drawOptimum, order, shownModels, type Part } from "../drawing";
import { costRatioAt, probabilityCost } from "../formulas";
import { Panel, PLOT } from "../panel";
import { dashes, series } from "../palette";
import { linePath, tenth } from "../path";
import { ratioText, tidyRatio } from "../ratio";
import { shown } from "../reals";
import type { Scene, SceneModel } from "../scene";
import type { Store } from "../state";
import { axis } from "../ticks";
import type { View } from "../view";

const DASHES: Partial<Record<Rule["kind"], string>> = { half: "4 2", current: "4 1 1 1" };
const HELP = "Every threshold is a straight line, the curve their lower edge. The vertical line is the condition: drag it sideways to change the cost ratio.";

export function costPanel(scene: Scene, store: Store, uid: string): Part {
  const panel = new Panel({ id: "cost", title: "Cost curve", help: HELP, models: true }, uid);
  const { Pos, Neg } = scene;
  const envelopes = scene.models.map((model) => envelope(model, Pos, Neg));
  const top = height(envelopes.flatMap((each) => each.cost));
  panel.axes(axis("probability-cost: how much of the cost misses decide", 0, 1), axis("cost, 1 = every case wrong (normalised)", 0, top));
  const rules = scene.rules.filter(({ kind }) => DASHES[kind]).map(({ kind, said, cells }) => ({ look: { class: "zero", "stroke-dasharray": DASHES[kind]! }, said, cells }));
  const entries = [{ look: { class: "chance" }, said: "never act, always act" }, ...rules];
  panel.key(entries.map(({ look, said }) => ({ mark: svgEl("line", { x1: 1, x2: 27, y1: 6, y2: 6, ...look }), text: said })));
  let now: View | null = null;
  let drawn = "";

  panel.move = (px) => {
    const place = Math.min(0.999, Math.max(0.001, panel.x.invert(px)));
    if (now) store.set({ costRatio: tidyRatio(costRatioAt(place, now.classRatio)) });
  };
  panel.hint = (px) => {
    if (!now) return null;
    const place = Math.min(0.999, Math.max(0.001, panel.x.invert(px)));
    const lines = shownModels(now).map((model) => `${isolated(model.name)}: ${shown(heightAt(envelopes[model.index], place))}`);
    return { x: px, y: 20, lines: [`cost ratio ${ratioText(tidyRatio(costRatioAt(place, now.classRatio)))}`, ...lines.reverse()] };
  };

  return {
    panel,
    update(view) {
      now = view;
      const { hidden, current } = view.state;
      const key = [current, [...hidden].join(",")].join("|");
      if (key !== drawn) {
        drawn = key;
        panel.base.begin(order(view));
        const trivial = linePath([0, 0.5, 1], [0, 0.5, 0], panel.x, panel.y);
        panel.base.draw("chance", "path", { d: trivial, class: "chance" });
        for (const { look, said, cells } of rules) {
          panel.base.draw(said, "line", { x1: 0, x2: PLOT.width, y1: tenth(panel.y(cells.fp / Neg)), y2: tenth(panel.y(cells.fn / Pos)), ...look });
        }
        for (const model of shownModels(view)) {
          const { place, cost } = envelopes[model.index];
          drawCurve(panel, model, linePath(place, cost, panel.x, panel.y), view);
        }
        panel.base.end();
      }
      const at = probabilityCost(view.costs);
      const px = tenth(panel.x(at));
      panel.over.begin();
      panel.over.draw("condition", "line", { x1: px, x2: px, y1: 0, y2: PLOT.height, class: "condition" });
      for (const model of shownModels(view)) {
        const stand = view.stands[model.index];
        drawOptimum(panel, stand, panel.x(at), panel.y(normalised(model, stand.cheapest, at, Pos, Neg)));
      }
      for (const model of shownModels(view)) {
        const stand = view.stands[model.index];
        const [left, right] = [stand.cells.fp / Neg, stand.cells.fn / Pos];
        if (model.index === view.state.current) {
          const [from, to] = below(left, right, top).map((x) => ({ x: tenth(panel.x(x)), y: tenth(panel.y(left + (right - left) * x)) }));
          const line = { x1: from.x, y1: from.y, x2: to.x, y2: to.y };
          panel.over.draw("line", "line", { ...line, class: `curve thin ${series(model.index)}`, "stroke-dasharray": dashes(model.index) ?? "none" });
        }
        const cost = left * (1 - at) + right * at;
        // What costs more than the plot is high has its place at the upper edge.
        drawMarker(panel, stand, view, store, panel.x(at), Math.max(0, panel.y(cost)), `normalised cost ${shown(cost)}`);
      }
      panel.over.end();
    },
  };
}

/** How high the plot is: the curves fill it, however good the models, and the triangle of trivial rules fits in. */
function height(costs: readonly number[]): number {
  return Math.min(0.5, 1.3 * Math.max(0.05, ...costs));
}

/** Where a straight line from left to right runs below the top; a point at an end where it does not at all. */
function below(left: number, right: number, top: number): [number, number] {
  const crossing = (top - left) / (right - left || 1);
  if (left > top && right > top) return [0, 0];
  return [left > top ? crossing : 0, right > top ? crossing : 1];
}

interface Envelope {
  place: number[];
  cost: number[];
}

/** The lower edge of all lines from (0, fpr) to (1, fnr): its corners lie where neighbours on the hull cost the same. */
function envelope(model: SceneModel, Pos: number, Neg: number): Envelope {
  const { hull, tp, fp } = model.curve;
  const place = [0];
  const cost = [fp[hull[0]] / Neg];
  for (let i = 1; i < hull.length; i++) {
    const run = (fp[hull[i]] - fp[hull[i - 1]]) / Neg;
    const rise = (tp[hull[i]] - tp[hull[i - 1]]) / Pos;
    const at = run / (run + rise);
    place.push(at);
    cost.push(normalised(model, hull[i], at, Pos, Neg));
  }
  place.push(1);
  cost.push(normalised(model, hull[hull.length - 1], 1, Pos, Neg));
  return { place, cost };
}

function normalised(model: SceneModel, split: number, at: number, Pos: number, Neg: number): number {
  return (model.curve.fp[split] / Neg) * (1 - at) + ((Pos - model.curve.tp[split]) / Pos) * at;
}

function heightAt({ place, cost }: Envelope, at: number): number {
  const i = place.findIndex((each) => each >= at);
  if (i <= 0) return cost[0];
  const share = (at - place[i - 1]) / (place[i] - place[i - 1] || 1);
  return cost[i - 1] + share * (cost[i] - cost[i - 1]);
}
