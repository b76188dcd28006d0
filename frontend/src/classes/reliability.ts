// Reliability class by class: observed shares among cases pooled by isotonic regression, against the stated probability.
import { isolated, svgEl } from "../dom";
import { Panel } from "../panel";
import { dashes, series } from "../palette";
import { linePath } from "../path";
import { countText, shown } from "../reals";
import { axis } from "../ticks";
import type { Vectors } from "./formulas";
import type { ClassScene, ClassView } from "./view";

const STEPS = 65_535;
const HELP = "Share of each class among cases of a stated probability, pooled so that it rises. On the diagonal probabilities are right; it does not depend on costs.";

export interface Pool {
  low: number; // stated probabilities
  high: number;
  cases: number;
  hits: number;
}

/** The pools of one class in rising probability (pool adjacent violators). */
export function pools({ k, p, counts }: Vectors, of: number): Pool[] {
  const found: Pool[] = [];
  for (const s of Uint32Array.from({ length: p.length / k }, (_, i) => i).sort((a, b) => p[a * k + of] - p[b * k + of])) {
    let cases = 0;
    for (let i = 0; i < k; i++) cases += counts[s * k + i];
    if (!cases) continue;
    const at = p[s * k + of] / STEPS;
    let pool: Pool = { low: at, high: at, cases, hits: counts[s * k + of] };
    for (let last = found[found.length - 1]; last && (last.high === pool.low || last.hits * pool.cases >= pool.hits * last.cases); last = found[found.length - 1]) {
      pool = { low: last.low, high: pool.high, cases: last.cases + pool.cases, hits: last.hits + pool.hits };
      found.pop();
    }
    found.push(pool);
  }
  return found;
}

export function reliabilityPanel(scene: ClassScene, uid: string): { figure: HTMLElement; update(view: ClassView): void } {
  const { classes } = scene;
  const panel = new Panel({ id: "reliability", title: "Reliability of each class", help: HELP }, uid);
  const known = new Map<number, Pool[][]>();
  panel.axes(axis("stated probability", 0, 1), axis("observed share of the class", 0, 1));
  panel.key(classes.map((text, i) => ({ mark: svgEl("line", { x1: 1, x2: 27, y1: 6, y2: 6, class: `curve ${series(i)}`, "stroke-dasharray": dashes(i) }), text })));
  let drawn = -1;
  return {
    figure: panel.figure,
    update({ stand: { index } }) {
      if (index === drawn) return;
      drawn = index;
      const every = known.get(index) ?? classes.map((_, i) => pools(scene.models[index].vectors, i));
      known.set(index, every);
      panel.title = `Reliability of each class: ${isolated(scene.names[index])}`;
      panel.base.begin();
      panel.base.draw("chance", "line", { x1: panel.x(0), y1: panel.y(0), x2: panel.x(1), y2: panel.y(1), class: "chance" });
      every.forEach((pooled, i) => {
        const [x, y] = [pooled.flatMap(({ low, high }) => [low, high]), pooled.flatMap(({ hits, cases }) => [hits / cases, hits / cases])];
        panel.base.draw(`curve${i}`, "path", { d: linePath(x, y, panel.x, panel.y), class: `curve ${series(i)}`, "stroke-dasharray": dashes(i) });
      });
      panel.base.end();
      panel.hint = (px, py) => {
        const [at, height] = [panel.x.invert(px), panel.y.invert(py)];
        const near = every.flatMap((pooled, i) => pooled.filter(({ low, high }) => low <= at && at <= high).map((pool) => ({ pool, i, away: Math.abs(pool.hits / pool.cases - height) })));
        if (!near.length) return null;
        const { pool, i } = near.reduce((a, b) => (b.away < a.away ? b : a));
        return { x: px, y: panel.y(pool.hits / pool.cases), lines: [isolated(classes[i]), `stated ${shown(pool.low)} to ${shown(pool.high)}`, `observed ${shown(pool.hits / pool.cases)} of ${countText(pool.cases)} cases`] };
      };
    },
  };
}
