// The distribution of scores by class: positives above the axis, negatives below, and the threshold between them.
import { splitAt } from "../choice";
import { isolated, svgEl } from "../dom";
import { drawMarker, goTo, type Part } from "../drawing";
import { Panel, PLOT } from "../panel";
import { tenth } from "../path";
import { countText, percentText, scoreText } from "../reals";
import type { Scene } from "../scene";
import { byHand, type Store } from "../state";
import { axis, type Axis } from "../ticks";
import type { View } from "../view";

const HELP = "Where the scores of each class lie, by the current model; heights are square roots, so that rare scores are seen. What lies right of the threshold is called positive. Drag the line.";

export function scoresPanel(scene: Scene, store: Store, uid: string): Part | null {
  if (!scene.models.some((model) => model.of !== null)) return null;
  const panel = new Panel({ id: "scores", title: "Scores by class", help: HELP }, uid);
  let now: View | null = null;
  let drawn = -1;

  panel.move = (px) => {
    if (!now) return;
    const { model } = now.stand;
    const t = panel.x.invert(px);
    if (model.exact && model.curve.threshold.length > 60) store.set(byHand(Number(t.toPrecision(4)), model.index));
    else goTo(store, model, splitAt(model.curve, t));
  };
  panel.hint = (px) => {
    const of = now?.stand.model.of;
    if (!of) return null;
    const { edges, pos, neg } = of.distribution;
    const t = panel.x.invert(px);
    const bin = edges.findIndex((edge, i) => edge <= t && t < edges[i + 1]);
    if (bin < 0 || bin >= pos.length) return null;
    return {
      x: px,
      y: 20,
      lines: [
        `${scoreText(edges[bin])} to ${scoreText(edges[bin + 1])}`,
        `${isolated(scene.positive)}: ${countText(pos[bin])} (${percentText(pos[bin] / scene.Pos)})`,
        `${isolated(scene.negative)}: ${countText(neg[bin])} (${percentText(neg[bin] / scene.Neg)})`,
      ],
    };
  };

  return {
    panel,
    update(view) {
      now = view;
      const { model } = view.stand;
      const of = model.of;
      if (!of) return;
      const { edges } = of.distribution;
      if (drawn !== model.index) {
        drawn = model.index;
        drawBars(panel, scene, of.distribution);
      }
      panel.over.begin();
      const [low, high] = panel.x.domain();
      const at = tenth(panel.x(Math.min(high, Math.max(low, view.stand.threshold))));
      panel.over.draw("accepted", "rect", { x: at, width: Math.max(0, PLOT.width - at), y: 0, height: PLOT.height, class: "accepted" });
      panel.over.draw("threshold", "line", { x1: at, x2: at, y1: 0, y2: PLOT.height, class: "condition" });
      const least = tenth(panel.x(Math.min(high, Math.max(low, model.curve.threshold[view.stand.optimum]))));
      panel.over.draw("best", "line", { x1: least, x2: least, y1: 0, y2: PLOT.height, class: "isometric best" });
      const what = `${countText(view.stand.cells.tp + view.stand.cells.fp)} cases called positive`;
      if (edges.length) drawMarker(panel, view.stand, view, store, at, panel.y(0), what);
      panel.over.end();
    },
  };
}

/** Shares on a root scale, so that few cases among many are seen: heights are the roots of shares. */
function rootAxis(most: number): Axis {
  const high = Math.sqrt(most * 1.06);
  const shares = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1].filter((each) => each <= most * 1.06 && each >= most / 60);
  const at = [...shares.map((each) => -Math.sqrt(each)).reverse(), 0, ...shares.map(Math.sqrt)];
  return { label: "share of the class, on a root scale", domain: [-high, high], at, text: (value) => percentText(value * value) };
}

function drawBars(panel: Panel, scene: Scene, { edges, pos, neg }: { edges: number[]; pos: number[]; neg: number[] }): void {
  const up = pos.map((each) => Math.sqrt(each / scene.Pos));
  const down = neg.map((each) => Math.sqrt(each / scene.Neg));
  const most = Math.max(...up, ...down, 1e-5) ** 2;
  const last = edges[edges.length - 1] ?? 1;
  panel.axes(axis("score", edges[0] ?? 0, last), rootAxis(most));
  panel.base.begin(`${edges[0]} ${last} ${edges.length}`);
  const zero = panel.y(0);
  up.forEach((height, i) => {
    // All scores equal leave one bin of no width: draw it as a thin bar.
    const x = panel.x(edges[i]);
    const width = Math.max(1, panel.x(edges[i + 1]) - x - 0.6);
    const top = panel.y(height);
    if (height > 0) panel.base.draw(`p${i}`, "rect", { x: tenth(x), width: tenth(width), y: tenth(top), height: tenth(zero - top), class: "bar positive" });
    const depth = panel.y(-down[i]) - zero;
    if (down[i] > 0) panel.base.draw(`n${i}`, "rect", { x: tenth(x), width: tenth(width), y: tenth(zero), height: tenth(depth), class: "bar negative" });
  });
  panel.base.draw("zero", "line", { x1: 0, x2: PLOT.width, y1: zero, y2: zero, class: "zero" });
  panel.base.end();
  const mark = (kind: string): SVGElement => svgEl("rect", { x: 8, width: 12, height: 12, class: `bar ${kind}` });
  panel.key([{ mark: mark("positive"), text: `upwards: ${isolated(scene.positive)}` }, { mark: mark("negative"), text: `downwards: ${isolated(scene.negative)}` }]);
}
