import { expect, test } from "vitest";
import { type KeepRows, plainKernels } from "../../kernels/index.js";
import { roomForAll } from "../../kernels/linkage-kept.js";
import { randomFrom } from "../../random/index.js";
import { drain } from "../../steps/index.js";
import { distancesFrom, reduceSteps, type Turning } from "./look-ahead.js";
import { cutToK, orderMerges } from "./merges.js";

/** A symmetric matrix of distances, with many ties. */
function distances(m: number, seed: number): Float64Array {
  const random = randomFrom(seed);
  const d = new Float64Array(m * m);
  for (let i = 0; i < m; i++) for (let j = 0; j < i; j++) d[i * m + j] = d[j * m + i] = 1 + random.int(5 * m);
  return d;
}

function turningAt(clusterOf: Int32Array, count: number): Turning {
  const size = new Int32Array(count);
  for (const cluster of clusterOf) size[cluster]!++;
  return { made: clusterOf.length - count, clusterOf, size, name: size, vertex: size };
}

function run(entries: Float64Array, m: number, above: number, room: number): { raw: Float64Array; keep: KeepRows } {
  const arena = plainKernels.arena();
  const [matrix, into] = [arena.f64(m * m), arena.f64(room)];
  matrix.view().set(entries);
  const machine = plainKernels.chainLinkage("complete", matrix, m, arena, undefined, { above, into });
  machine.advance(m - 1);
  return { raw: machine.merges(), keep: { above, into } };
}

function reference(entries: Float64Array, m: number, turning: Turning): Float64Array {
  const matrix = plainKernels.arena().f64(m * m);
  matrix.view().set(entries);
  return drain(reduceSteps(matrix, turning));
}

test.each([2, 5, 63, 64, 65, 150, 400])("%i rows: kept rows give the distances between the clusters of every turning", (m) => {
  const entries = distances(m, m);
  const { raw, keep } = run(entries, m, -1, roomForAll(m));
  const merges = orderMerges(raw, m);
  for (let count = 2; count <= m; count += Math.ceil(m / 12)) {
    const turning = turningAt(cutToK(merges, m, count), count);
    expect(distancesFrom(keep, raw, turning)).toEqual(reference(entries, m, turning));
  }
});

test("of higher merges alone: the clusters above that height have their distances, those below have not", () => {
  const m = 300;
  const entries = distances(m, 1);
  const merges = orderMerges(run(entries, m, -1, roomForAll(m)).raw, m);
  const { raw, keep } = run(entries, m, merges[m - 60]![2], roomForAll(m));
  const at = (count: number): Turning => turningAt(cutToK(merges, m, count), count);
  expect(distancesFrom(keep, raw, at(40))).toEqual(reference(entries, m, at(40)));
  expect(distancesFrom(keep, raw, at(100))).toBe(null);
});

test("without room enough there are none", () => {
  const m = 300;
  const entries = distances(m, 2);
  const { raw, keep } = run(entries, m, -1, Math.floor(0.9 * roomForAll(m)));
  const turning = turningAt(cutToK(orderMerges(raw, m), m, 20), 20);
  expect(distancesFrom(keep, raw, turning)).toBe(null);
});
