// Walking down a ranking: up for a positive, right for a negative, diagonally through a tie of both.

export interface Segment {
  score: number;
  pos: number;
  neg: number;
}

export interface Step {
  from: [number, number]; // fp, tp before
  to: [number, number];
  segment: number;
  kind: "up" | "right" | "diagonal";
  lost: number; // pairs that this step ranks wrongly
  tied: number;
}

/** One step per case; cases of both classes with one score are one diagonal step. */
export function walk(segments: readonly Segment[]): Step[] {
  const Pos = segments.reduce((sum, each) => sum + each.pos, 0);
  const steps: Step[] = [];
  let x = 0;
  let y = 0;
  segments.forEach(({ pos, neg }, segment) => {
    const both = pos > 0 && neg > 0;
    const times = both ? 1 : pos + neg;
    for (let i = 0; i < times; i++) {
      const [right, up] = both ? [neg, pos] : pos ? [0, 1] : [1, 0];
      const kind = both ? "diagonal" : pos ? "up" : "right";
      steps.push({ from: [x, y], to: [x + right, y + up], segment, kind, lost: right * (Pos - y - up), tied: both ? pos * neg : 0 });
      x += right;
      y += up;
    }
  });
  return steps;
}

export type Verdict = "won" | "tied" | "lost";

/** How the pair of the i-th positive and the j-th negative (from the top of the ranking) came out, column by column. */
export function pairs(segments: readonly Segment[]): Verdict[][] {
  const Pos = segments.reduce((sum, each) => sum + each.pos, 0);
  const columns: Verdict[][] = [];
  let above = 0;
  for (const { pos, neg } of segments) {
    for (let j = 0; j < neg; j++) {
      columns.push(Array.from({ length: Pos }, (_, i) => (i < above ? "won" : i < above + pos ? "tied" : "lost")));
    }
    above += pos;
  }
  return columns;
}

/** Adjacent segments pooled into one; `from` and `to` count segments. */
export interface Block {
  pos: number;
  neg: number;
  from: number;
  to: number;
}

export interface Pooling {
  blocks: Block[];
  joined: number | null; // the block that this step made
}

/** Pool adjacent violators, the first one first, one at a time: the last stage is the hull. */
export function pooling(segments: readonly Segment[]): Pooling[] {
  let blocks: Block[] = segments.map(({ pos, neg }, i) => ({ pos, neg, from: i, to: i + 1 }));
  const stages: Pooling[] = [{ blocks, joined: null }];
  for (;;) {
    const at = violation(blocks);
    if (at === null) return stages;
    const [a, b] = [blocks[at], blocks[at + 1]];
    const joint: Block = { pos: a.pos + b.pos, neg: a.neg + b.neg, from: a.from, to: b.to };
    blocks = [...blocks.slice(0, at), joint, ...blocks.slice(at + 2)];
    stages.push({ blocks, joined: at });
  }
}

/** The first block whose slope is less than the next one's. */
export function violation(blocks: readonly Block[]): number | null {
  const at = blocks.findIndex((a, i) => {
    const b = blocks[i + 1];
    return b !== undefined && a.pos * b.neg < b.pos * a.neg;
  });
  return at < 0 ? null : at;
}
