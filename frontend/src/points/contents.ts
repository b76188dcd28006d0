// What Python writes of classifiers as points. Python writes this in src/thresher/report/points.py.
import type { Cells, Real } from "../contents";

export interface Point {
  name: string; // as it may be shown
  letter: string;
  cells: Cells; // at its best under the evaluated condition
  corners: Cells[]; // all that it may be: the table itself, or the corners of a ranking's hull
  cost: number; // per case, as evaluated
  best: boolean;
  front: boolean; // no other dominates it
  range: [Real, Real] | null; // cost ratios for which it is the cheapest, at the evaluated class ratio
  dominated: string[]; // by whom
}

export interface PointContents {
  format: "thresher/page/1";
  kind: "points";
  title: string;
  version: string;
  cautions: { code: string; text: string }[];
  answer: string[];
  condition: { class_ratio: number; cost_fp: number; cost_fn: number; cost_tp: number; cost_tn: number };
  points: Point[];
}
