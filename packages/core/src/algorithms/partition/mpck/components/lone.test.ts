import fc from "fast-check";
import { expect, test } from "vitest";
import { constraints } from "../../../../constraints/index.js";
import { plainKernels } from "../../../../kernels/index.js";
import { pointsFromRows } from "../../../../model/points.js";
import { randomFrom } from "../../../../random/index.js";
import { drain } from "../../../../steps/index.js";
import { identityMaps, type LinearMaps, mapInto, matricesOf } from "../../../metric/linear-maps.js";
import { nearestSteps } from "../assign/kernel-rows.js";
import { costObjectiveByDefinition, metricObjectiveByDefinition, rowsOf, type State, squareUnder } from "../mpck.reference.js";
import { componentMoments } from "../statements/component-moments.js";
import { linksOf } from "../statements/links.js";
import { bestWhole, isAtItsBest, placeTogether, rests, sceneOf } from "./bounds.js";
import { clusterOfAll, findLone, largeComponentsOf, type Placement, SPLIT, UNPLACED, withoutLone } from "./large-components.js";
import { afreshLoneSteps, improveLoneSteps, type LoneStep, placeLoneSteps } from "./lone.js";

/** Two components of a few rows each, centres and metrics anywhere, must-links from next to nothing to strong. */
const settings = fc
  .record({
    n: fc.integer({ min: 4, max: 16 }),
    d: fc.integer({ min: 1, max: 3 }),
    k: fc.integer({ min: 2, max: 4 }),
    kind: fc.constantFrom<"cost" | "single" | "multiple">("cost", "single", "multiple"),
    full: fc.boolean(),
    weight: fc.constantFrom(0.001, 0.03, 0.2, 1),
    seed: fc.nat(),
  })
  .map(({ n, d, k, kind, full, weight, seed }) => {
    const random = randomFrom(seed);
    const points = pointsFromRows(Array.from({ length: n }, () => Array.from({ length: d }, () => random.normal())));
    const set = constraints(points, { mustLink: Array.from({ length: n - 2 }, (_, i) => [i, i + 2, weight] as const) });
    const links = linksOf(set, 1);
    const learning = kind === "cost" ? null : ({ metrics: kind, matrix: full ? "full" : "diagonal" } as const);
    const maps = learning ? someMaps(kind === "multiple" ? k : 1, d, full, () => random.normal()) : identityMaps(1);
    const means = Float64Array.from({ length: k * d }, () => random.normal());
    const centres = new Float64Array(k * d);
    for (let h = 0; h < k; h++) mapInto(maps, kind === "multiple" ? h : 0, d, means, h * d, centres, h * d);
    const moments = componentMoments(links, points, learning?.matrix === "full", 2);
    const large = largeComponentsOf(links, findLone(links, 2), moments, points, k, learning, plainKernels, plainKernels.arena());
    if (!learning) large.kernel.machine!.setCentres(centres);
    const nearest = drain(nearestSteps(large.kernel, points, maps, centres));
    const scene = sceneOf({ large, x: points.x, d, k, maps, centres, plainCosts: !learning, nearest });
    const farthest = new Float64Array(maps.maps.length);
    const eStep = { penalty: learning ? "metric" : "cost", x: points.x, d, k, maps, centres, farthest } as const;
    const state = (labels: ArrayLike<number>): State => ({
      rows: rowsOf(points),
      labels,
      centres: rowsOf({ n: k, d, x: means }),
      metrics: metricsOfMaps(maps, d, k),
    });
    const objective = (labels: ArrayLike<number>): number =>
      learning ? metricObjectiveByDefinition(set, state(labels)) : costObjectiveByDefinition(set, state(labels));
    const step: LoneStep = { scene, eStep, faithful: false };
    return {
      n,
      d,
      k,
      points,
      links,
      large,
      scene,
      step,
      state,
      objective,
      weight,
      plain: !learning,
      draw: () => randomFrom(seed),
    };
  });

function someMaps(count: number, d: number, full: boolean, normal: () => number): LinearMaps {
  const diagonal = Array.from({ length: count }, () => Array.from({ length: d }, () => 0.5 + Math.abs(normal())));
  return {
    kind: full ? "full" : "diagonal",
    maps: diagonal.map((values) =>
      full
        ? Float64Array.from({ length: d * d }, (_, p) =>
            p % (d + 1) === 0 ? values[p % d]! : p % d < Math.floor(p / d) ? normal() : 0,
          )
        : Float64Array.from(values),
    ),
    logDets: Float64Array.from(diagonal, (values) => values.reduce((sum, value) => sum + 2 * Math.log(value), 0)),
  };
}

function metricsOfMaps(maps: LinearMaps, d: number, k: number): State["metrics"] {
  const matrices = matricesOf(maps, d);
  return Array.from({ length: k }, (_, h) => {
    const g = maps.maps.length > 1 ? h : 0;
    const at = (i: number, j: number): number =>
      maps.kind === "full" ? matrices[g]![i * d + j]! : i === j ? matrices[g]![i]! : 0;
    const a = Array.from({ length: d }, (_, i) => Array.from({ length: d }, (_, j) => at(i, j)));
    return { a, logDet: maps.logDets[g]!, farthest: 0 };
  });
}

test("rows placed by a look go where greedy placement in the same order puts them, pair by pair", () => {
  const seen = { together: 0, apart: 0 };
  fc.assert(
    fc.property(settings, ({ large, scene, state, weight, plain, k, draw }) => {
      const { rows, centres, metrics } = state([]);
      for (let c = 0; c < large.count; c++) {
        const order = Int32Array.from({ length: large.start[c + 1]! - large.start[c]! }, (_, p) => large.start[c]! + p);
        const found = placeTogether(scene, c, order, draw());
        const placed: (readonly [row: number, cluster: number])[] = [];
        for (const row of order.map((f) => large.kernel.rows[f]!)) {
          const costs = Array.from({ length: k }, (_, h) => {
            const { a, logDet } = metrics[h]!;
            const broken = placed.filter(([, at]) => at !== h);
            const price = ([other, at]: readonly [number, number]): number =>
              weight * (plain ? 1 : squareUnder(metrics[at]!.a, rows[row]!, rows[other]!));
            return squareUnder(a, rows[row]!, centres[h]!) - logDet + broken.reduce((sum, pair) => sum + price(pair), 0);
          });
          placed.push([row, costs.indexOf(Math.min(...costs))]);
        }
        const clusters = new Set(placed.map(([, h]) => h));
        expect(found).toBe(clusters.size === 1 ? placed[0]![1] : -1);
        seen[found < 0 ? "apart" : "together"]++;
      }
    }),
    { numRuns: 200 },
  );
  expect(Math.min(seen.together, seen.apart)).toBeGreaterThan(50);
});

test("a component that rests has no row that would leave; one at its best is where no other placement is better", () => {
  const seen = { rests: 0, best: 0 };
  fc.assert(
    fc.property(settings, ({ n, k, large, scene, objective, draw, plain }) => {
      const random = draw();
      const labels = new Int32Array(n);
      const h = random.int(k);
      labels.fill(h);
      const before = objective(labels);
      const share = scene.maps.maps.length > 1 && !plain ? 0.5 : 1;
      for (let c = 0; c < large.count; c++) {
        const rows = large.kernel.rows.subarray(large.start[c]!, large.start[c + 1]!);
        const whole = Array.from({ length: k }, (_, to) => objective(labels.map((label, i) => (rows.includes(i) ? to : label))));
        expect(whole[bestWhole(scene, c, h)]).toBeCloseTo(Math.min(...whole), 8);
        if (isAtItsBest(scene, c, h)) {
          seen.best++;
          const other = labels.map((label, i) => (rows.includes(i) ? random.int(k) : label));
          expect(objective(other)).toBeGreaterThanOrEqual(before - 1e-9 * (1 + Math.abs(before)));
        }
        if (!rests(scene, c, h, share)) continue;
        seen.rests++;
        for (const row of rows) {
          for (let to = 0; to < k; to++) {
            const moved = labels.map((label, i) => (i === row ? to : label));
            expect(objective(moved)).toBeGreaterThanOrEqual(before - 1e-9 * (1 + Math.abs(before)));
          }
        }
      }
    }),
  );
  expect(Math.min(seen.rests, seen.best)).toBeGreaterThan(3);
});

test("from anywhere, moves and placements afresh never raise the objective, and say where components are", () => {
  fc.assert(
    fc.property(settings, fc.boolean(), fc.boolean(), ({ n, k, large, step, objective, draw }, whole, faithful) => {
      const random = draw();
      const labels = Int32Array.from({ length: n }, (_, i) => (whole ? i % 2 : random.int(k)));
      const cluster = new Int32Array(large.count);
      for (let c = 0; c < large.count; c++) cluster[c] = clusterOfAll(large, c, labels);
      const placement: Placement = { cluster, labels };
      let before = objective(labels);
      for (const move of [improveLoneSteps, afreshLoneSteps, improveLoneSteps]) {
        const was = labels.slice();
        const moved = drain(move({ ...step, faithful }, placement, random.split("move")));
        const after = objective(labels);
        expect(after).toBeLessThanOrEqual(before + 1e-9 * (1 + Math.abs(before)));
        if (moved === 0) expect(labels).toEqual(was);
        for (let c = 0; c < large.count; c++) expect(placement.cluster[c]).toBe(clusterOfAll(large, c, labels));
        before = after;
      }
    }),
    { numRuns: 200 },
  );
});

test("all lone components placed anew are in some cluster each, or split with every row placed", () => {
  fc.assert(
    fc.property(settings, ({ n, k, large, step, draw }) => {
      const placement: Placement = { cluster: new Int32Array(large.count).fill(UNPLACED), labels: new Int32Array(n).fill(-1) };
      drain(placeLoneSteps(step, placement, draw()));
      for (let c = 0; c < large.count; c++) expect(placement.cluster[c]).toBeGreaterThanOrEqual(SPLIT);
      for (const label of placement.labels) expect(label >= 0 && label < k).toBe(true);
      expect(drain(placeLoneSteps(step, placement, draw()))).toBe(0);
    }),
  );
});

test("lone components are large, bound by one weight of must-links alone; others keep their rows", () => {
  const points = pointsFromRows(Array.from({ length: 16 }, (_, i) => [i]));
  const chain = (first: number, weight = 1) => [0, 1, 2].map((s) => [first + s, first + s + 1, weight] as const);
  const set = constraints(points, {
    mustLink: [...chain(0), ...chain(4), [4, 6, 3], ...chain(8, Infinity), ...chain(12)],
    cannotLink: [[12, 8]],
  });
  const links = linksOf(set, 1);
  const found = findLone(links, 4);
  expect([...found]).toEqual([links.component[0]]);
  expect(findLone(links, 5)).toHaveLength(0);
  const rest = withoutLone(links, found);
  expect([...rest.component.subarray(0, 5)]).toEqual([-1, -1, -1, -1, links.component[4]]);
  expect([...rest.members.items].sort((a, b) => a - b)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
});
