// @vitest-environment jsdom
// Classifiers as points: costs, ties, hull and front of the worked examples.
import { describe, expect, it } from "vitest";
import type { Point, PointContents } from "../src/points/contents";
import { pointsPage } from "../src/points/page";
import { frontOf, hullOf, startState, viewOf } from "../src/points/view";

function point(name: string, fpr: number, tpr: number, n = 100): Point {
  const cells = { tp: tpr * n, fn: n - tpr * n, fp: fpr * n, tn: n - fpr * n };
  return { name, letter: name, cells, corners: [cells], cost: 0, best: false, front: true, range: null, dominated: [] };
}

function contents(points: Point[], cost_fp = 1): PointContents {
  const condition = { class_ratio: 1, cost_fp, cost_fn: 1, cost_tp: 0, cost_tn: 0 };
  return { format: "thresher/page/1", kind: "points", title: "Points", version: "0", cautions: [], answer: ["Use M2."], condition, points };
}

const MODELS = [point("M1", 0.6, 1), point("M2", 0, 0.4), point("M3", 0.3, 0.7)];

describe("classifiers as points", () => {
  it.each([[2, [0.6, 0.3, 0.45], ["M2"]], [1, [0.3, 0.3, 0.3], ["M1", "M2", "M3"]], [0.5, [0.3, 0.6, 0.45], ["M1"]]] as const)("at %d false negatives to a false positive", (alarm, costs, best) => {
    const given = contents(MODELS, alarm);
    const view = viewOf(given, startState(given), startState(given));
    const scale = alarm < 1 ? 2 : 1; // in units of the cheaper error
    view.placed.forEach((each, i) => expect(each.cost * scale).toBeCloseTo(costs[i], 12));
    expect(view.best.map((each) => each.point.name)).toEqual(best);
  });

  it("tells the front from the hull", () => {
    const points = [point("A", 0, 0.5), point("B", 0.2, 0.6), point("C", 0.4, 0.95)];
    expect(hullOf(points).x).toEqual([0, 0, 0.4, 1]);
    expect(frontOf(points).x).toEqual([0, 0, 0.2, 0.2, 0.4, 0.4, 1]);
    expect(frontOf([...points, point("D", 0.3, 0.55)]).x).toEqual(frontOf(points).x);
  });

  it("keeps hostile names as text and shows no NaN", () => {
    const root = document.createElement("div");
    document.body.replaceChildren(root);
    pointsPage(root, contents([point("<img src=x>", 0, 0), point("__proto__", 1, 1)]), false);
    expect(root.querySelectorAll("script, img")).toHaveLength(0);
    expect(root.textContent).toContain("<img src=x>");
    expect(root.textContent).not.toMatch(/NaN|Infinity/);
  });
});
