// Decisions among k classes: the few formulas that the page needs, term by term in Python's order so that results agree bit by bit.
import type { LeastCostModel } from "../contents";

export type Matrix = readonly (readonly number[])[]; // a row per actual class, a column per action

/** Distinct vectors of probabilities in 65,535ths, and the cases of each class that have them; both flat. */
export interface Vectors {
  k: number;
  p: Float64Array;
  counts: Float64Array;
}

export function readVectors({ vectors, counts, weights }: LeastCostModel): Vectors {
  const bytes = atob(vectors);
  const p = Float64Array.from({ length: bytes.length / 2 }, (_, i) => bytes.charCodeAt(2 * i) | (bytes.charCodeAt(2 * i + 1) << 8));
  return { k: weights.length, p, counts: Float64Array.from(counts) };
}

const ROUNDED = 1e-12; // weights this close to 1 say that the mix is that of the data

/** What each class counts in decisions: its share in use, by that which the probabilities were made for. */
export function ruleWeights(mix: readonly number[] | null, ofData: readonly number[], trainedAt: readonly number[]): number[] {
  return ofData.map((share, i) => {
    const at = mix === null ? 1 : share > 0 ? mix[i] / share : 0;
    return (Math.abs(at - 1) < ROUNDED ? 1 : at) * (share / trainedAt[i]);
  });
}

/** The action of least expected cost for each vector; of equals the first. Terms are added class by class, in order. */
export function decide({ k, p }: Vectors, costs: Matrix, weights: readonly number[]): Uint16Array {
  const a = costs[0].length;
  const least = costs.map((row) => Math.min(...row));
  const regret = Float64Array.from({ length: a * k }, (_, at) => costs[at % k][Math.floor(at / k)] - least[at % k]);
  const weighted = new Float64Array(k);
  const actions = new Uint16Array(p.length / k);
  for (let s = 0, at = 0; s < actions.length; s++, at += k) {
    for (let i = 0; i < k; i++) weighted[i] = p[at + i] * weights[i];
    let best = 0;
    let cheapest = Infinity;
    for (let j = 0, cell = 0; j < a; j++) {
      let total = 0;
      for (let i = 0; i < k; i++, cell++) total += weighted[i] * regret[cell];
      if (total < cheapest) [best, cheapest] = [j, total];
    }
    actions[s] = best;
  }
  return actions;
}

/** The most probable class of each vector; of equals the first. */
export function mostProbable({ k, p }: Vectors, weights: readonly number[]): Uint16Array {
  return Uint16Array.from({ length: p.length / k }, (_, s) => {
    let best = 0;
    for (let i = 1; i < k; i++) if (p[s * k + i] * weights[i] > p[s * k + best] * weights[best]) best = i;
    return best;
  });
}

/** Cases by actual class and by what was done with them. */
export function confusion({ k, counts }: Vectors, actions: Uint16Array, a: number): number[][] {
  const cells = new Float64Array(k * a);
  for (let s = 0; s < actions.length; s++) for (let i = 0; i < k; i++) cells[i * a + actions[s]] += counts[s * k + i];
  return Array.from({ length: k }, (_, i) => Array.from(cells.subarray(i * a, (i + 1) * a)));
}

/** What each class adds to the cost per case; `mix` null is that of the data. */
export function costByClass(cells: Matrix, costs: Matrix, mix: readonly number[] | null): number[] {
  const total = sum(cells.map(sum));
  return cells.map((row, i) => {
    const paid = sum(row.map((count, j) => count * costs[i][j]));
    return mix === null ? paid / total : mix[i] > 0 ? (mix[i] * paid) / sum(row) : 0;
  });
}

/** Cost per case of a confusion matrix. */
export function expectedCost(cells: Matrix, costs: Matrix, mix: readonly number[] | null): number {
  if (mix !== null) return sum(costByClass(cells, costs, mix).filter((_, i) => mix[i] > 0));
  return sum(cells.map((row, i) => sum(row.map((count, j) => count * costs[i][j])))) / sum(cells.map(sum));
}

/** A mean with its variance and degrees of freedom; NaN where there is none. */
export interface Mean {
  estimate: number;
  variance: number;
  freedom: number;
}

/** Sums of a quantity over the cases of each class. */
export interface Sums {
  cases: readonly number[];
  of: readonly number[];
  squares: readonly number[];
}

/** The mean over cases, stratified by class where a mix is declared. Python's `CaseCosts._mean`, of independent cases. */
export function mean({ cases, of, squares }: Sums, mix: readonly number[] | null): Mean {
  const strata = mix === null ? [{ share: 1, n: sum(cases), total: sum(of), square: sum(squares) }] : cases.map((n, i) => ({ share: mix[i], n, total: of[i], square: squares[i] }));
  const used = strata.filter(({ share }) => share > 0);
  const parts = used.map(({ share, n, total, square }) => (share * share * Math.max(0, square - (total * total) / n)) / (n * (n - 1)));
  const variance = sum(parts);
  const freedom = variance > 0 ? variance ** 2 / sum(parts.map((part, i) => part ** 2 / (used[i].n - 1))) : NaN;
  return { estimate: sum(used.map(({ share, n, total }) => (share * total) / n)), variance, freedom };
}

/** Sums of what cases cost. */
export function paid(cells: Matrix, costs: Matrix): Sums {
  const per = (power: 0 | 1 | 2): number[] => cells.map((row, i) => sum(row.map((count, j) => count * costs[i][j] ** power)));
  return { cases: per(0), of: per(1), squares: per(2) };
}

/** Sums of what the probabilities say that the actions cost, less what they cost. */
export function foretoldLessPaid({ k, p, counts }: Vectors, actions: Uint16Array, costs: Matrix, weights: readonly number[]): Sums {
  const [cases, of, squares] = [new Float64Array(k), new Float64Array(k), new Float64Array(k)];
  const price = Float64Array.from({ length: costs[0].length * k }, (_, at) => costs[at % k][Math.floor(at / k)]);
  for (let s = 0, at = 0; s < actions.length; s++, at += k) {
    const column = actions[s] * k;
    let expected = 0;
    let likelihood = 0;
    for (let i = 0; i < k; i++) {
      const weighted = p[at + i] * weights[i];
      expected += weighted * price[column + i];
      likelihood += weighted;
    }
    const foretold = expected / likelihood;
    for (let i = 0; i < k; i++) {
      const count = counts[at + i];
      if (count === 0) continue;
      const apart = foretold - price[column + i];
      cases[i] += count;
      of[i] += count * apart;
      squares[i] += count * apart * apart;
    }
  }
  return { cases: Array.from(cases), of: Array.from(of), squares: Array.from(squares) };
}

/** Student's limits around a mean; `z` is the normal quantile (Hill's expansion turns it into Student's). */
export function limits({ estimate, variance, freedom: v }: Mean, z: number): [lower: number, upper: number] {
  const t = z + (z ** 3 + z) / (4 * v) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * v ** 2) + (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * v ** 3);
  const reach = variance > 0 ? t * Math.sqrt(variance) : variance; // 0, or NaN where a class has one case
  return [estimate - reach, estimate + reach];
}

/** The action that is cheapest where every case gets the same one. */
export function bestConstant(costs: Matrix, shares: readonly number[]): { action: number; cost: number } {
  const each = costs[0].map((_, j) => sum(shares.map((share, i) => share * costs[i][j])));
  const cost = Math.min(...each);
  return { action: each.indexOf(cost), cost };
}

const UNROLLED = 8;

/** A sum in NumPy's order: eight at a time from eight numbers on. */
export function sum(values: readonly number[]): number {
  const n = values.length;
  if (n < UNROLLED) return values.reduce((all, each) => all + each, 0);
  const r = values.slice(0, UNROLLED);
  const end = n - (n % UNROLLED);
  for (let i = UNROLLED; i < end; i++) r[i % UNROLLED] += values[i];
  let all = r[0] + r[1] + (r[2] + r[3]) + (r[4] + r[5] + (r[6] + r[7]));
  for (let i = end; i < n; i++) all += values[i];
  return all;
}
