import { describe, expect, it } from "vitest";
import { pairs, pooling, walk } from "../src/walk";
import { EMAILS } from "./fixture";

const emails = EMAILS.segments.map(([score, pos, neg]) => ({ score, pos, neg }));
const tied = [
  { score: 3, pos: 2, neg: 1 },
  { score: 2, pos: 0, neg: 2 },
  { score: 1, pos: 1, neg: 0 },
];

describe("walking down a ranking", () => {
  it("takes one step per case and ends in the upper right", () => {
    const steps = walk(emails);
    expect(steps).toHaveLength(10);
    expect(steps[9].to).toEqual([4, 6]);
    expect(steps.reduce((sum, step) => sum + step.lost, 0)).toBe(6); // AUC 0.75 of 24 pairs
  });
  it("goes diagonally through a tie", () => {
    const steps = walk(tied);
    expect(steps.map((step) => step.kind)).toEqual(["diagonal", "right", "right", "up"]);
    expect(steps[0]).toMatchObject({ to: [1, 2], tied: 2, lost: 1 });
  });
  it("agrees with the grid of pairs", () => {
    for (const segments of [emails, tied]) {
      const all = pairs(segments).flat();
      const steps = walk(segments);
      expect(all.filter((each) => each === "lost")).toHaveLength(steps.reduce((sum, step) => sum + step.lost, 0));
      expect(all.filter((each) => each === "tied")).toHaveLength(steps.reduce((sum, step) => sum + step.tied, 0));
    }
  });
});

describe("pooling adjacent violators", () => {
  it("ends in the hull of the ten e-mails, one join at a time", () => {
    const stages = pooling(emails);
    expect(stages[stages.length - 1].blocks.map(({ pos, neg }) => [pos, neg])).toEqual([[1, 0], [1, 0], [2, 1], [2, 1], [0, 1], [0, 1]]);
    stages.forEach(({ blocks }, i) => expect(blocks).toHaveLength(10 - i));
  });
});
