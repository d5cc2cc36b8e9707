import fc from "fast-check";
import { expect, test } from "vitest";
import {
  costObjectiveByDefinition,
  metricObjectiveByDefinition,
  type Problem,
  problems,
  rowsOf,
} from "../algorithms/partition/mpck/mpck.reference.js";
import { drain } from "../steps/index.js";
import { modelOf, type PassModel } from "./pass-model.js";
import { penaltyOf, placeSoftly, softConstraintsOf } from "./soft-constraints.js";

/** A random model: centres among the rows, and metrics if `kind` says so. */
function openModel({ points: { n, d, x }, k, draw }: Problem, kind: PassModel["metric"], several: boolean) {
  const random = draw();
  const columns = Array.from({ length: d }, (_, j) => Array.from({ length: n }, (_, i) => x[i * d + j]!));
  const ranges = columns.map((values) => ({ least: Math.min(...values), most: Math.max(...values) }));
  const size = kind === "plain" ? 0 : kind === "full" ? d * d : d;
  const parts = {
    d,
    k,
    metric: kind,
    centres: Float64Array.from({ length: k * d }, () => random.normal()),
    maps: Float64Array.from({ length: (several ? k : 1) * size }, () => 0.2 + random.unit()),
    several,
    bias: Float64Array.from({ length: k }, () => (several ? random.normal() : 0)),
    moments: "none",
    scaling: null,
  } as const;
  return { model: modelOf(parts, ranges, n), range: Float64Array.from(ranges, ({ least, most }) => most - least), random };
}

/** The full matrix A of each cluster, and the bound of its farthest pair. */
function matrices({ d, k, metric, maps, several, bias }: PassModel, range: Float64Array) {
  return Array.from({ length: k }, (_, h) => {
    const g = several ? h : 0;
    const at = (i: number, j: number): number => {
      if (metric === "plain") return i === j ? 1 : 0;
      if (metric === "diagonal") return i === j ? maps[g * d + i]! : 0;
      let sum = 0;
      for (let r = 0; r < d; r++) sum += maps[(g * d + r) * d + i]! * maps[(g * d + r) * d + j]!;
      return sum;
    };
    const a = Array.from({ length: d }, (_, i) => Array.from({ length: d }, (_, j) => at(i, j)));
    const farthest = a.flatMap((row, i) => row.map((value, j) => Math.abs(value) * range[i]! * range[j]!));
    return { a, logDet: several ? -bias[h]! : 0, farthest: farthest.reduce((sum, value) => sum + value, 0) };
  });
}

const kinds = fc.constantFrom(
  ["plain", false] as const,
  ["diagonal", false] as const,
  ["diagonal", true] as const,
  ["full", false] as const,
  ["full", true] as const,
);

test("penalties of an engine's rows are those of equations 1 and 6, given and implied constraints alike, and no placement raises them", () => {
  let violated = 0;
  fc.assert(
    fc.property(problems, kinds, fc.boolean(), (problem, [kind, several], byMetric) => {
      const { points, set, k } = problem;
      const { model, range, random } = openModel(problem, byMetric ? kind : "plain", byMetric && several);
      const soft = softConstraintsOf(set, [], points.x, range, { k, byMetric, unit: 2 });
      const rows = rowsOf(points);
      const centres = Array.from({ length: k }, (_, h) => [...model.centres.subarray(h * points.d, (h + 1) * points.d)]);
      const metrics = matrices(model, range);
      const objective = (labels: Int32Array): number => {
        if (byMetric) return metricObjectiveByDefinition(set, { rows, labels, centres, metrics });
        const whole = costObjectiveByDefinition(set, { rows, labels, centres, metrics });
        return whole + (whole - distances(labels));
      };
      const distances = (labels: Int32Array): number =>
        metricObjectiveByDefinition(unconstrained, { rows, labels, centres, metrics });
      const unconstrained = { ...set, ...EMPTY };
      const before = Int32Array.from(rows, () => random.int(k));
      const penalty = penaltyOf(soft, model, before);
      expect(penalty).toBeCloseTo(objective(before) - distances(before), 6);
      const after = drain(placeSoftly(soft, model, before, random) as never) as Int32Array;
      expect(objective(after)).toBeLessThanOrEqual(objective(before) + 1e-6);
      if (penaltyOf(soft, model, after) > 0) violated++;
    }),
    { numRuns: 200 },
  );
  expect(violated).toBeGreaterThan(20);
});

const LINKS = { a: new Int32Array(0), b: new Int32Array(0), weight: new Float64Array(0) };
const EMPTY = {
  mustLinks: LINKS,
  cannotLinks: LINKS,
  labels: { row: new Int32Array(0), code: new Int32Array(0), weight: new Float64Array(0), names: [] },
  exclusive: [],
};
