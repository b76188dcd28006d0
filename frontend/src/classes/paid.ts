// Foretold against paid: what each model's probabilities said that its decisions would cost, and what they did cost.
import { isolated, svgEl } from "../dom";
import { marker, series } from "../palette";
import { Panel, PLOT } from "../panel";
import { tenth } from "../path";
import { shown } from "../reals";
import { axis } from "../ticks";
import type { ClassScene, ClassView } from "./view";

const HELP = "On the diagonal a model's probabilities are right about costs; above it they are too sure. Upright lines are limits.";
const LEGEND = [
  ["chance", "as foretold"],
  ["isometric best", "most probable class"],
  ["hull", "best constant"],
] as const;

export function paidPanel(scene: ClassScene, uid: string): { figure: HTMLElement; update(view: ClassView): void } {
  const panel = new Panel({ id: "paid", title: "Foretold against paid", help: HELP, models: true }, uid);
  const marks = scene.names.map((name, i) => ({ mark: svgEl("path", { d: marker(i, 14, 6, 0.85), class: `marker ${series(i)}` }), text: name }));
  panel.key([...marks, ...LEGEND.map(([kind, text]) => ({ mark: svgEl("line", { x1: 1, x2: 27, y1: 6, y2: 6, class: kind }), text }))]);
  return {
    figure: panel.figure,
    update({ stands, stand, probable, constant }) {
      const known = [probable.estimate, constant.cost.estimate, ...stands.flatMap(({ cost, foretold }) => [cost.estimate, cost.upper, cost.lower, foretold])].filter(Number.isFinite);
      const [low, high] = [Math.min(0, ...known), 1.06 * Math.max(1e-9, ...known)];
      panel.axes(axis("cost foretold per case", low, high), axis("cost paid per case", low, high));
      panel.base.begin();
      panel.base.draw("chance", "line", { x1: panel.x(low), y1: panel.y(low), x2: panel.x(high), y2: panel.y(high), class: "chance" });
      const flat = (name: string, kind: string, at: number): void => {
        const y = tenth(panel.y(at));
        panel.base.draw(name, "line", { x1: 0, x2: PLOT.width, y1: y, y2: y, class: kind });
      };
      flat("probable", "isometric best", probable.estimate);
      flat("constant", "hull", constant.cost.estimate);
      panel.base.end();
      panel.over.begin(String(stand.index));
      const last = stands.filter((each) => each !== stand);
      for (const { index, cost, foretold } of [...last, stand]) {
        const [x, y] = [tenth(panel.x(foretold)), tenth(panel.y(cost.estimate))];
        if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
        if (Number.isFinite(cost.lower)) panel.over.draw(`limits${index}`, "line", { x1: x, x2: x, y1: tenth(panel.y(cost.lower)), y2: tenth(panel.y(cost.upper)), class: `curve ${series(index)}` });
        panel.over.draw(`at${index}`, "path", { d: marker(index, x, y, index === stand.index ? 1.35 : 1), class: `marker ${series(index)}${index === stand.index ? " current" : ""}` });
      }
      panel.over.end();
      panel.hint = (px, py) => {
        const away = (x: number, y: number): number => Math.hypot(panel.x(x) - px, panel.y(y) - py);
        const near = stands.filter(({ cost, foretold }) => away(foretold, cost.estimate) < 28);
        if (!near.length) return null;
        const { index, cost, foretold } = near.reduce((a, b) => (away(b.foretold, b.cost.estimate) < away(a.foretold, a.cost.estimate) ? b : a));
        return { x: panel.x(foretold), y: panel.y(cost.estimate), lines: [isolated(scene.names[index]), `foretold ${shown(foretold)}`, `paid ${shown(cost.estimate)}`] };
      };
    },
  };
}
