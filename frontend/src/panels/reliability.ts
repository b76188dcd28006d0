// The reliability diagram: the hull's pools as steps, which is isotonic calibration, with its band.
import { splitAt } from "../choice";
import type { Pool } from "../contents";
import { drawBand, drawCurve, drawMarker, goTo, order, probabilityReach, shownModels, type Part } from "../drawing";
import { costThreshold, restated } from "../formulas";
import { Panel, PLOT } from "../panel";
import { series } from "../palette";
import { linePath, tenth } from "../path";
import { countText, real, scoreText, shown } from "../reals";
import type { Scene, SceneModel } from "../scene";
import type { Store } from "../state";
import { axis } from "../ticks";
import type { View } from "../view";

const HELP = "Proportion of positives among cases pooled by the hull, at the chosen class ratio. Where the steps pass the dashed height, a positive call becomes the cheaper one.";

export function reliabilityPanel(scene: Scene, store: Store, uid: string): Part | null {
  if (!scene.models.some((model) => model.of?.pools.length)) return null;
  const panel = new Panel({ id: "reliability", title: "Reliability", help: HELP, models: true }, uid);
  let now: View | null = null;
  let drawn = "";

  /** Where a score has its place: probabilities are restated for the chosen class ratio, other scores stay. */
  const placed = (model: SceneModel, score: number, ratio: number): number =>
    model.probabilities ? restated(Math.min(1, Math.max(0, score)), scene.trainedAt, ratio) : score;
  const scoreAt = (px: number): number => {
    const at = panel.x.invert(px);
    return now?.stand.model.probabilities ? restated(Math.min(1, Math.max(0, at)), now.classRatio, scene.trainedAt) : at;
  };
  panel.move = (px) => now && goTo(store, now.stand.model, splitAt(now.stand.model.curve, scoreAt(px)));
  panel.hint = (px) => {
    const pools = now?.stand.model.of?.pools;
    if (!now || !pools) return null;
    const at = scoreAt(px);
    const pool = pools.find((each) => real(each.low) <= at && at <= real(each.high));
    if (!pool) return null;
    const height = proportion(pool, scene, now.classRatio);
    return {
      x: px,
      y: Math.max(0, panel.y(height)),
      lines: [
        `scores ${scoreText(real(pool.low))} to ${scoreText(real(pool.high))}`,
        `${countText(pool.pos)} of ${countText(pool.pos + pool.neg)} positive`,
        `proportion ${shown(height)}, mean score ${scoreText(real(pool.score))}`,
      ],
    };
  };

  return {
    panel,
    update(view) {
      now = view;
      const { hidden, current, bands } = view.state;
      const key = [view.classRatio, bands, current, [...hidden].join(",")].join("|");
      const { model } = view.stand;
      // Scores on other scales than the current model's have no place on its axis.
      const shownNow = shownModels(view).filter((each) => each === model || (model.probabilities && each.probabilities));
      if (key !== drawn) {
        drawn = key;
        drawBase(view, shownNow);
      }
      panel.over.begin();
      const height = tenth(panel.y(costThreshold(view.state.costRatio)));
      if (height >= 0) panel.over.draw("asked", "line", { x1: 0, x2: PLOT.width, y1: height, y2: height, class: "isometric best" });
      const [low, high] = panel.x.domain();
      const px = tenth(panel.x(Math.min(high, Math.max(low, placed(model, view.stand.threshold, view.classRatio)))));
      panel.over.draw("threshold", "line", { x1: px, x2: px, y1: 0, y2: PLOT.height, class: "condition" });
      const at = heightAt(model, view.stand.threshold, scene, view.classRatio);
      drawMarker(panel, view.stand, view, store, px, Math.max(0, panel.y(at)), `proportion of positives ${shown(at)}`);
      panel.over.end();
    },
  };

  function drawBase(view: View, shownNow: SceneModel[]): void {
    const { model } = view.stand;
    const pools = model.of?.pools ?? [];
    const scores = pools.flatMap((pool) => [real(pool.low), real(pool.high)]).filter(Number.isFinite);
    const reach = model.probabilities ? probabilityReach(scene, view.classRatio) : 1;
    const [low, high] = model.probabilities ? [0, reach] : [Math.min(...scores), Math.max(...scores)];
    panel.axes(axis(model.probabilities ? "stated probability, at this class ratio" : "score", low, high), axis("observed share of positives", 0, reach));
    panel.base.begin(order(view));
    if (model.probabilities) {
      panel.base.draw("chance", "line", { x1: panel.x(0), y1: panel.y(0), x2: panel.x(1), y2: panel.y(1), class: "chance" });
    }
    // The band is of the evaluated class mix, and of one model at a time, to stay readable.
    if (view.state.bands && view.evaluatedRatio) drawBand(panel, model, model.bands.reliability);
    for (const each of shownNow) {
      const { x, y } = steps(each.of?.pools ?? [], scene, view.classRatio);
      drawCurve(panel, each, linePath(x.map((at) => placed(each, at, view.classRatio)), y, panel.x, panel.y), view);
    }
    const most = Math.max(...pools.map((pool) => pool.pos + pool.neg));
    pools.forEach((pool, i) => {
      const r = 1.5 + 4 * Math.sqrt((pool.pos + pool.neg) / most);
      const cx = panel.x(placed(model, real(pool.score), view.classRatio));
      if (pools.length <= 60 && Number.isFinite(cx)) {
        const cy = panel.y(proportion(pool, scene, view.classRatio));
        panel.base.draw(`pool${i}`, "circle", { cx: tenth(cx), cy: tenth(cy), r: tenth(r), class: `pool ${series(model.index)}` });
      }
    });
    panel.base.end();
  }
}

/** The proportion of positives in a pool at a class ratio. */
function proportion(pool: Pool, scene: Scene, ratio: number): number {
  const up = (pool.pos / scene.Pos) * ratio;
  return up / (up + pool.neg / scene.Neg);
}

/** A step per pool in rising score; between pools it rises midway, where a threshold would lie. */
function steps(pools: readonly Pool[], scene: Scene, ratio: number): { x: number[]; y: number[] } {
  const rising = [...pools].sort((a, b) => real(a.low) - real(b.low));
  const between = (a: Pool, b: Pool): number => real(a.high) / 2 + real(b.low) / 2;
  const x = rising.flatMap((pool, i) => [
    i ? between(rising[i - 1], pool) : real(pool.low),
    i + 1 < rising.length ? between(pool, rising[i + 1]) : real(pool.high),
  ]);
  const y = rising.flatMap((pool) => Array<number>(2).fill(proportion(pool, scene, ratio)));
  return { x, y };
}

function heightAt(model: SceneModel, threshold: number, scene: Scene, ratio: number): number {
  const pools = model.of?.pools ?? [];
  const rising = [...pools].sort((a, b) => real(a.low) - real(b.low));
  const pool = rising.find((each) => real(each.high) >= threshold) ?? rising[rising.length - 1];
  return pool ? proportion(pool, scene, ratio) : NaN;
}
