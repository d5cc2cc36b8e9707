import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { constraints } from "../../../constraints/index.js";
import { plainKernels } from "../../../kernels/index.js";
import { randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { drain } from "../../../steps/index.js";
import { identityMaps, type LinearMaps, matricesOf, traceOfProduct } from "../../metric/linear-maps.js";
import { metricsFrom } from "../../metric/metrics.js";
import { boundObjective, improveSteps, nearestSteps } from "./assign.js";
import {
  clusterSumsSteps,
  type Farthest,
  farthestSteps,
  learnMetrics,
  metricObjective,
  metricSumsSteps,
  openSearch,
} from "./estimate.js";
import {
  assignWithLargeSteps,
  clusterOfAll,
  findLarge,
  largeComponentsOf,
  SPLIT,
  unitsWithLarge,
  unstableComponents,
} from "./large-components.js";
import { componentMoments, linksOf, unitsOf } from "./links.js";
import type { Problem, State } from "./mpck.reference.js";
import { costObjectiveByDefinition, metricObjectiveByDefinition, problems, rowsOf } from "./mpck.reference.js";
import { distanceTable, openSweep, type Penalty, type SweepState, sweepSteps, tableOnDemand } from "./sweep.js";
import { violationCosts } from "./violations.js";

const kinds = fc.record({ several: fc.boolean(), full: fc.boolean() });

/** Metrics far from the identity, one or one per cluster. */
function randomMaps({ points: { d }, k, draw }: Problem, several: boolean, full: boolean): LinearMaps {
  const random = draw().split("maps");
  const count = several ? k : 1;
  const maps = Array.from({ length: count }, () => {
    const map = new Float64Array(full ? d * d : d);
    for (let i = 0; i < d; i++) {
      if (!full) map[i] = 0.3 + random.unit();
      else for (let j = 0; j <= i; j++) map[i * d + j] = i === j ? 0.3 + random.unit() : random.normal() / 2;
    }
    return map;
  });
  const logDets = Float64Array.from(maps, (map) => {
    let sum = 0;
    for (let i = 0; i < d; i++) sum += 2 * Math.log(map[full ? i * d + i : i]!);
    return sum;
  });
  return { kind: full ? "full" : "diagonal", maps, logDets };
}

function wholeMatrix(a: Float64Array, d: number): number[][] {
  return Array.from({ length: d }, (_, i) =>
    Array.from({ length: d }, (_, j) => (a.length > d ? a[i * d + j]! : i === j ? a[i]! : 0)),
  );
}

interface Setting extends Problem {
  readonly maps: LinearMaps;
  readonly far: Farthest;
  readonly labels: Int32Array;
  readonly counts: Int32Array;
  readonly centres: Float64Array;
  readonly state: (labels: ArrayLike<number>) => State;
}

function settingOf(problem: Problem, several: boolean, full: boolean): Setting {
  const { points, k } = problem;
  const random = problem.draw();
  const { n, d } = points;
  const maps = randomMaps(problem, several, full);
  const search = openSearch(points, plainKernels, plainKernels.arena());
  const far = drain(farthestSteps(points, metricsFrom(maps, d), null, search, [], new Int32Array(0)));
  const labels = Int32Array.from({ length: n }, () => random.int(k));
  const counts = new Int32Array(k);
  for (const label of labels) counts[label]!++;
  const centres = Float64Array.from({ length: k * d }, () => random.normal());
  const matrices = matricesOf(maps, d);
  const metrics = Array.from({ length: k }, (_, h) => {
    const g = several ? h : 0;
    return {
      a: wholeMatrix(full && d === 1 ? matrices[g]! : matrices[g]!, d),
      logDet: maps.logDets[g]!,
      farthest: far.squares[g]!,
    };
  });
  const rows = rowsOf(points);
  const centreRows = rowsOf({ n: k, d, x: centres });
  return {
    ...problem,
    maps,
    far,
    labels,
    counts,
    centres,
    state: (now) => ({ rows, labels: now, centres: centreRows, metrics }),
  };
}

function sweepState({ points, set, k, maps, far, centres, labels }: Setting, penalty: Penalty): SweepState {
  const links = linksOf(set, 1);
  const units = unitsOf(links, points, k, penalty !== "none");
  const { d, x } = points;
  const mapped = new Float64Array(centres.length);
  for (let h = 0; h < k; h++) {
    const a = maps.maps[maps.maps.length > 1 ? h : 0]!;
    for (let i = 0; i < d; i++) {
      for (let j = 0; j < d; j++) {
        const r = maps.kind === "full" ? a[i * d + j]! : i === j ? (maps.kind === "identity" ? 1 : a[i]!) : 0;
        mapped[h * d + i]! += r * centres[h * d + j]!;
      }
    }
  }
  const state = {
    links,
    units,
    penalty,
    x,
    d,
    k,
    metrics: metricsFrom(maps, d),
    centres: mapped,
    farthest: far.squares,
    squares: plainKernels.squares,
    labels,
    moments: componentMoments(links, points, maps.kind === "full", 2),
  };
  return { ...state, table: distanceTable(state) };
}

function near(value: number, expected: number): void {
  expect(Math.abs(value - expected)).toBeLessThanOrEqual(1e-9 * (1 + Math.abs(expected)));
}

describe("equations against all pairs", () => {
  test("equation 6: the objective from sums equals the objective from pairs", () => {
    fc.assert(
      fc.property(problems, kinds, (problem, { several, full }) => {
        const setting = settingOf(problem, several, full);
        const { points, set, k, labels, centres, counts, maps, far, state } = setting;
        const links = linksOf(set, 1);
        const moments = componentMoments(links, points, full, 2);
        const sums = drain(metricSumsSteps(points, links, labels, centres, counts, several ? k : 1, full, null, moments));
        near(metricObjective(sums, maps, far, points.d), metricObjectiveByDefinition(set, state(labels)));
      }),
    );
  });

  test("equation 1: penalties from counts equal penalties from pairs, and weights scale", () => {
    fc.assert(
      fc.property(problems, (problem) => {
        const { set, labels, k, state } = settingOf(problem, false, false);
        const distances = costObjectiveByDefinition({ ...set, ...withoutLinks(set) }, state(labels));
        near(violationCosts(linksOf(set, 1), labels, k), costObjectiveByDefinition(set, state(labels)) - distances);
        near(violationCosts(linksOf(set, 3), labels, k), 3 * (costObjectiveByDefinition(set, state(labels)) - distances));
      }),
    );
  });

  test("E-step: costs on demand equal the full table, one by one and all at once", () => {
    fc.assert(
      fc.property(problems, fc.constantFrom<Penalty>("metric", "cost"), fc.nat(), (problem, penalty, first) => {
        const setting = settingOf(problem, false, false);
        const state = sweepState(penalty === "cost" ? { ...setting, maps: identityMaps(1) } : setting, penalty);
        const { units, table, k, d } = state;
        const asked = tableOnDemand(state, table!.nearest, new Float64Array(units.count * d));
        for (let t = 0; t < units.count; t++) {
          const u = (first + t) % units.count;
          if (t % 3 !== 0) asked.ask(u);
          const costs = Array.from({ length: k }, (_, h) => asked.costIn(u, h));
          expect(costs).toEqual([...table!.cost.subarray(u * k, (u + 1) * k)]);
          if (t % 3 !== 0) expect([...asked.cost.subarray(u * k, (u + 1) * k)]).toEqual(costs);
        }
        expect(asked.mapped).toEqual(table!.mapped);
      }),
    );
  });

  test("E-step: each row takes the cluster of least objective, all others fixed", () => {
    fc.assert(
      fc.property(
        problems,
        kinds,
        fc.constantFrom<Penalty>("metric", "cost"),
        fc.boolean(),
        (problem, { several, full }, penalty, tabled) => {
          const plain = penalty === "cost";
          const setting = settingOf(problem, several && !plain, full && !plain);
          const seen = plain ? { ...setting, maps: identityMaps(1) } : setting;
          const state = { ...sweepState(seen, penalty), ...(tabled ? {} : { table: null }) };
          const { units, labels } = state;
          const objective = (now: ArrayLike<number>): number =>
            plain
              ? costObjectiveByDefinition(setting.set, setting.state(now))
              : metricObjectiveByDefinition(setting.set, setting.state(now));
          for (let u = 0; u < units.count; u++) {
            const row = units.rows.items[units.rows.start[u]!]!;
            const costs = Array.from({ length: setting.k }, (_, h) =>
              objective(labels.map((label, i) => (i === row ? h : label))),
            );
            drain(sweepSteps(openSweep(state), Int32Array.of(u)));
            near(costs[labels[row]!]!, Math.min(...costs));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test("E-step: rows joined by hard must-links take the cluster of least objective together, under one metric and several", () => {
    const cases = fc.record({
      several: fc.boolean(),
      full: fc.boolean(),
      penalty: fc.constantFrom<Penalty>("metric", "metric", "metric", "cost"),
      tabled: fc.boolean(),
    });
    let joined = 0;
    fc.assert(
      fc.property(problems, cases, (problem, { several, full, penalty, tabled }) => {
        const plain = penalty === "cost";
        const set = withHardMustLinks(problem, 4);
        const setting = settingOf({ ...problem, set }, several && !plain, full && !plain);
        const seen = plain ? { ...setting, maps: identityMaps(1) } : setting;
        const state = { ...sweepState(seen, penalty), ...(tabled ? {} : { table: null }) };
        const { units, labels } = state;
        const rowsOfUnit = (u: number): Int32Array => units.rows.items.subarray(units.rows.start[u]!, units.rows.start[u + 1]!);
        for (let u = 0; u < units.count; u++) for (const row of rowsOfUnit(u)) labels[row] = labels[rowsOfUnit(u)[0]!]!;
        const objective = plain ? costObjectiveByDefinition : metricObjectiveByDefinition;
        for (let u = 0; u < units.count; u++) {
          const rows = rowsOfUnit(u);
          if (rows.length < 2) continue;
          joined++;
          const costs = Array.from({ length: setting.k }, (_, h) =>
            objective(set, setting.state(labels.map((label, i) => (rows.includes(i) ? h : label)))),
          );
          drain(sweepSteps(openSweep(state), Int32Array.of(u)));
          near(costs[labels[rows[0]!]!]!, Math.min(...costs));
        }
      }),
      { numRuns: 150 },
    );
    expect(joined).toBeGreaterThan(150);
  });

  /** The given constraints, plus hard must-links between random rows, and soft must-links between other rows. */
  function withHardMustLinks({ points: { n }, set, draw }: Problem, count: number): Problem["set"] {
    const random = draw().split("hard");
    const pairs = (weight: number) =>
      Array.from({ length: count }, () => random.sample(n, 2)).map(([a, b]) => [a!, b!, weight] as const);
    return { ...set, mustLinks: constraints({ n }, { mustLink: [...pairs(Infinity), ...pairs(2)] }).mustLinks };
  }

  test("sweeps, blocks and new placements never raise the objective, and compute it correctly", () => {
    fc.assert(
      fc.property(problems, kinds, (problem, { several, full }) => {
        const setting = settingOf(problem, several, full);
        const state = sweepState(setting, "metric");
        const before = metricObjectiveByDefinition(setting.set, setting.state(state.labels));
        const bound = boundObjective(state);
        drain(improveSteps(state, setting.draw().split("order"), 0));
        const after = metricObjectiveByDefinition(setting.set, setting.state(state.labels));
        expect(after).toBeLessThanOrEqual(before + 1e-9 * (1 + Math.abs(before)));
        expect(Math.abs(boundObjective(state) - bound - (after - before))).toBeLessThanOrEqual(1e-8 * (1 + Math.abs(before)));
      }),
      { numRuns: 60 },
    );
  });
});

test("constrained rows are placed from scratch only if no row moves; this can give a better result", () => {
  let better = 0;
  fc.assert(
    fc.property(problems, kinds, (problem, { several, full }) => {
      const setting = settingOf(problem, several, full);
      const state = sweepState(setting, "metric");
      const improved = (others: number, round: number) =>
        drain(improveSteps(state, setting.draw().split("order", round), others));
      let round = 0;
      while (improved(1, round) > 0) round++;
      const before = state.labels.slice();
      expect(improved(1, ++round)).toBe(0);
      expect(state.labels).toEqual(before);
      if (improved(0, ++round) > 0) better++;
    }),
    { numRuns: 60 },
  );
  expect(better).toBeGreaterThan(0);
});

describe("large components", () => {
  const options = fc.record({ several: fc.boolean(), full: fc.boolean(), penalty: fc.constantFrom<Penalty>("metric", "cost") });

  /** Components of at least three rows as large components. */
  function largeSetting(problem: Problem, { several, full, penalty }: { several: boolean; full: boolean; penalty: Penalty }) {
    const plain = penalty === "cost";
    const setting = settingOf(problem, several && !plain, full && !plain);
    const seen = plain ? { ...setting, maps: identityMaps(1) } : setting;
    const { points, k, labels, maps } = seen;
    const state = sweepState(seen, penalty);
    const { links, centres } = state;
    const chosen = findLarge(links, 3);
    const learning = plain ? null : ({ metrics: several ? "multiple" : "single", matrix: full ? "full" : "diagonal" } as const);
    const moments = componentMoments(links, points, full && !plain, 3);
    const large = largeComponentsOf(links, chosen, moments, points, k, learning, plainKernels, plainKernels.arena());
    if (plain) large.kernel.state?.setCentres(centres);
    const nearest = drain(nearestSteps(large.kernel, points, metricsFrom(maps, points.d), centres));
    const units = unitsOf(links, points, k, true, undefined, chosen);
    const base = { ...state, units, moments };
    const objective = (now: ArrayLike<number>): number =>
      plain
        ? costObjectiveByDefinition(setting.set, setting.state(now))
        : metricObjectiveByDefinition(setting.set, setting.state(now));
    return { nearest, base, objective, labels, large, count: chosen.length, k, draw: setting.draw };
  }

  test("from any labels the objective never rises, rows of stable components would not leave, and clusterOfLarge is correct", () => {
    const seen = { whole: 0, split: 0 };
    fc.assert(
      fc.property(problems, options, fc.boolean(), (problem, kind, whole) => {
        const { nearest, base, objective, labels, large, count, k, draw } = largeSetting(problem, kind);
        if (count === 0) return;
        const random = draw();
        const cluster = new Int32Array(count);
        for (let c = 0; c < count; c++) {
          const h = random.int(k);
          for (let f = large.start[c]!; whole && f < large.start[c + 1]!; f++) labels[large.kernel.rows[f]!] = h;
          cluster[c] = clusterOfAll(large, c, labels);
        }
        for (let round = 0; round < 2; round++) {
          const before = objective(labels);
          drain(assignWithLargeSteps(large, nearest, base, cluster, random.split("round", round), "improve", 0));
          const after = objective(labels);
          expect(after).toBeLessThanOrEqual(before + 1e-9 * (1 + Math.abs(before)));
          for (let c = 0; c < count; c++) {
            expect(cluster[c]).toBe(clusterOfAll(large, c, labels));
            seen[cluster[c]! >= 0 ? "whole" : "split"]++;
          }
        }
        const unstable = unstableComponents(large, nearest, base, cluster);
        const now = objective(labels);
        for (let c = 0; c < count; c++) {
          if (cluster[c]! < 0 || unstable.includes(c)) continue;
          for (let f = large.start[c]!; f < large.start[c + 1]!; f++) {
            for (let h = 0; h < k; h++) {
              const moved = labels.map((label, i) => (i === large.kernel.rows[f] ? h : label));
              expect(objective(moved)).toBeGreaterThanOrEqual(now - 1e-9 * (1 + Math.abs(now)));
            }
          }
        }
      }),
      { numRuns: 150 },
    );
    expect(Math.min(seen.whole, seen.split)).toBeGreaterThan(3);
  });

  test("after a new placement every row has a cluster, and the objective of constrained rows is correct", () => {
    fc.assert(
      fc.property(problems, options, (problem, kind) => {
        const { nearest, base, objective, labels, large, count, k, draw } = largeSetting(problem, kind);
        const was = labels.slice();
        const state = (now: Int32Array): SweepState => ({
          ...base,
          units: unitsWithLarge(base.units, large, new Uint8Array(count).fill(1), base.x, base.d).units,
          labels: now,
          table: null,
        });
        drain(assignWithLargeSteps(large, nearest, base, new Int32Array(count).fill(SPLIT), draw(), "place", 0));
        for (const label of labels) expect(label >= 0 && label < k).toBe(true);
        near(boundObjective(state(labels)) - boundObjective(state(was)), objective(labels) - objective(was));
      }),
      { numRuns: 100 },
    );
  });
});

function withoutLinks({ labels }: Problem["set"]): Pick<Problem["set"], "mustLinks" | "cannotLinks" | "labels" | "exclusive"> {
  const none = { a: new Int32Array(0), b: new Int32Array(0), weight: new Float64Array(0) };
  return {
    mustLinks: none,
    cannotLinks: none,
    labels: { ...labels, row: new Int32Array(0), code: new Int32Array(0), weight: new Float64Array(0) },
    exclusive: [],
  };
}

describe("M-step", () => {
  test("equations 7 and 8: no small change of a learned metric lowers the objective, with the farthest pair held", () => {
    let checked = 0;
    fc.assert(
      fc.property(problems, kinds, (problem, { several, full }) => {
        const setting = settingOf(problem, several, full);
        const { points, set, k, labels, far, maps: before } = setting;
        const { d } = points;
        const links = linksOf(set, 1);
        const { sums, counts } = drain(clusterSumsSteps(points, labels, k));
        const centres = sums.map((sum, p) => (counts[Math.floor(p / d)]! > 0 ? sum / counts[Math.floor(p / d)]! : 0));
        const parts = drain(metricSumsSteps(points, links, labels, centres, counts, several ? k : 1, full));
        const { maps, conditioned, projected } = learnMetrics(parts, far, new Float64Array(d).fill(1));
        if (conditioned + projected > 0) return;
        checked++;
        const least = metricObjective(parts, maps, far, d);
        expect(least).toBeLessThanOrEqual(metricObjective(parts, before, far, d) + 1e-9 * (1 + Math.abs(least)));
        const step = 1e-4;
        maps.maps.forEach((map, g) => {
          const rounding = 1e-14 * traceOfProduct(matricesOf(maps, d)[g]!.map(Math.abs), parts.sums[g]!.map(Math.abs), d, full);
          for (let p = 0; p < map.length; p++) {
            const [up, down] = [1, -1].map((sign) => {
              const changed = changedMap(map, p, 1 + sign * step, full, d);
              const logDets = maps.logDets.slice();
              logDets[g]! += changed.logDet;
              const other = { ...maps, maps: maps.maps.map((m, e) => (e === g ? changed.map : m)), logDets };
              return metricObjective(parts, other, far, d) - least;
            });
            const scale = step * (1 + Math.abs(least));
            expect(Math.min(up!, down!)).toBeGreaterThan(-1e-8 * scale - rounding);
            expect(Math.abs(up! - down!)).toBeLessThan(1e-3 * scale + rounding);
          }
        });
      }),
    );
    expect(checked).toBeGreaterThan(20);
  });

  /** R with one entry changed: on the diagonal by a factor, elsewhere R(I + ε·E), which has the determinant of R. */
  function changedMap(map: Float64Array, p: number, factor: number, full: boolean, d: number) {
    const changed = map.slice();
    const [i, j] = [Math.floor(p / d), p % d];
    if (!full) {
      changed[p]! *= factor;
      return { map: changed, logDet: 2 * Math.log(factor) };
    }
    for (let row = 0; row < d; row++) {
      if (i === j) changed[row * d + i]! *= factor;
      else changed[row * d + j]! += (factor - 1) * map[row * d + i]!;
    }
    return { map: changed, logDet: i === j ? 2 * Math.log(factor) : 0 };
  }
});

test("cannot-links counted per cluster give the same moves as cannot-links visited one by one", () => {
  const random = randomFrom(11);
  const n = 240;
  const k = 4;
  const points = pointsFromRows(Array.from({ length: n }, () => [random.normal(), random.normal()]));
  const pair = (): [number, number] => random.sample(n, 2) as unknown as [number, number];
  // Two long chains make two components of many rows; all others are single rows that must be apart from some of them.
  const chain = (from: number, count: number) =>
    Array.from({ length: count - 1 }, (_, i) => [from + i, from + i + 1] as [number, number]);
  const set = constraints(points, {
    mustLink: [...chain(0, 60), ...chain(60, 60)],
    cannotLink: Array.from({ length: 300 }, pair).filter(([a, b]) => a >= 120 || b >= 120),
  });
  const links = linksOf(set, 0.37);
  expect(links.crowded?.count).toBe(2);
  const movesOf = (own: typeof links) => {
    const labels = new Int32Array(n).fill(-1);
    const centres = Float64Array.from({ length: k * 2 }, (_, p) => Math.sin(p + 1));
    const units = unitsOf(own, points, k, true);
    const metrics = metricsFrom(identityMaps(1), 2);
    const state: SweepState = {
      links: own,
      units,
      penalty: "cost",
      x: points.x,
      d: 2,
      k,
      metrics,
      centres,
      farthest: Float64Array.of(1),
      squares: plainKernels.squares,
      labels,
      table: null,
      moments: null,
    };
    const order = Int32Array.from({ length: units.count }, (_, u) => (u * 7) % units.count);
    const moved = Array.from({ length: 4 }, () => drain(sweepSteps(openSweep(state), order)));
    const first = openSweep(state);
    moved.push(drain(sweepSteps(openSweep(state, first.tallies), order)));
    return { moved, labels: [...labels] };
  };
  expect(movesOf(links)).toEqual(movesOf({ ...links, crowded: null }));
  expect(new Set(movesOf(links).labels.filter((h) => h >= 0)).size).toBe(k);
});
