// The margin-loss view: where cases lie around the threshold, and what each loss would charge them.
import { svgEl } from "../dom";
import type { Part } from "../drawing";
import { Panel, PLOT } from "../panel";
import { linePath, tenth } from "../path";
import { scoreText, shown } from "../reals";
import type { Scene } from "../scene";
import type { Store } from "../state";
import { axis } from "../ticks";
import type { View } from "../view";

const HELP = "Margin: score − threshold for positives, threshold − score for negatives. Left of 0 a case is wrongly called; bars show how many cases lie where.";

/** Losses of the margin; each is 1 at 0 and bounds the 0-1 loss. */
export const LOSSES = new Map<string, (z: number) => number>([
  ["0–1", (z) => (z > 0 ? 0 : 1)],
  ["hinge", (z) => Math.max(0, 1 - z)],
  ["logistic", (z) => Math.log1p(Math.exp(-z)) / Math.LN2],
  ["exponential", (z) => Math.exp(-z)],
  ["squared", (z) => (1 - z) ** 2],
]);

const DASHES = ["none", "7 3", "2 2.5", "9 3 2 3", "4 2"];
const BINS = 48;

export function marginPanel(scene: Scene, store: Store, uid: string): Part | null {
  if (!scene.models.some((model) => model.of !== null)) return null;
  const panel = new Panel({ id: "margin", title: "Margins and losses", help: HELP }, uid);
  let reach = 0;
  let now: View | null = null;

  panel.hint = (px) => {
    const z = panel.x.invert(px);
    if (!now || !(Math.abs(z) <= reach)) return null;
    return { x: px, y: 16, lines: [`margin ${scoreText(Number(z.toPrecision(3)))}`, ...Array.from(LOSSES, ([name, loss]) => `${name} ${shown(loss(z))}`)] };
  };
  void store;

  return {
    panel,
    update(view) {
      now = view;
      const of = view.stand.model.of;
      if (!of) return;
      const { edges, pos, neg } = of.distribution;
      const wide = edges.length ? edges[edges.length - 1] - edges[0] : 1;
      const wanted = view.stand.model.probabilities ? 1.25 : Math.max(wide, 1e-9);
      if (wanted !== reach) {
        reach = wanted;
        panel.axes(axis("margin: how far on the right side of the threshold", -reach, reach), axis("loss: what a case is charged", 0, 3));
        drawLosses(panel, reach);
      }
      const bars = margins(edges, pos, neg, view.stand.threshold, reach);
      const most = Math.max(...bars.right, ...bars.wrong, 1e-12);
      panel.over.begin();
      for (const [key, counts] of [["right", bars.right], ["wrong", bars.wrong]] as const) {
        panel.over.draw(key, "path", { d: skyline(counts, most), class: `margins ${key}` });
      }
      panel.over.end();
    },
  };
}

function drawLosses(panel: Panel, reach: number): void {
  panel.base.begin(`${reach}`);
  const x0 = tenth(panel.x(0));
  panel.base.draw("wrong", "rect", { x: 0, width: x0, y: 0, height: PLOT.height, class: "refused" });
  panel.base.draw("zero", "line", { x1: x0, x2: x0, y1: 0, y2: PLOT.height, class: "zero" });
  const z = Array.from({ length: 201 }, (_, i) => -reach + (2 * reach * i) / 200);
  let i = 0;
  const entries: { mark: SVGElement; text: string }[] = [];
  for (const [name, loss] of LOSSES) {
    const heights = z.map((each) => Math.min(4, loss(each)));
    panel.base.draw(`loss${i}`, "path", { d: linePath(z, heights, panel.x, panel.y), class: `loss s${i}`, "stroke-dasharray": DASHES[i] });
    entries.push({ mark: svgEl("line", { x1: 1, x2: 27, y1: 6, y2: 6, class: `loss s${i}`, "stroke-dasharray": DASHES[i] }), text: name });
    i += 1;
  }
  panel.key(entries);
  panel.base.end();
}

/** Cases by margin, split into rightly and wrongly called; bins of scores are spread evenly over their width. */
function margins(edges: number[], pos: number[], neg: number[], threshold: number, reach: number): { right: number[]; wrong: number[] } {
  const right = Array<number>(BINS).fill(0);
  const wrong = Array<number>(BINS).fill(0);
  const put = (margin: number, count: number): void => {
    const bin = Math.min(BINS - 1, Math.max(0, Math.floor(((margin + reach) / (2 * reach)) * BINS)));
    (margin < 0 ? wrong : right)[bin] += count;
  };
  if (!Number.isFinite(threshold)) return { right, wrong };
  pos.forEach((each, i) => {
    for (let part = 0; part < 4; part++) {
      const score = edges[i] + ((edges[i + 1] - edges[i]) * (part + 0.5)) / 4;
      put(score - threshold, each / 4);
      put(threshold - score, neg[i] / 4);
    }
  });
  return { right, wrong };
}

function skyline(counts: readonly number[], most: number): string {
  const wide = PLOT.width / counts.length;
  const tall = PLOT.height * 0.45;
  const tops = counts.map((count, i) => `H${tenth(i * wide)}V${tenth(PLOT.height - (tall * count) / most)}H${tenth((i + 1) * wide)}`);
  return `M0,${PLOT.height}${tops.join("")}V${PLOT.height}Z`;
}
