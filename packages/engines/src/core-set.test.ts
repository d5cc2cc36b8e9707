import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cluster } from "@coterie/core/internal";
import type { CoreSetInput, Plan } from "@coterie/core/scale";
import { coreGround, coreLabels, corePoints, isSampled, microClusters, sampledPoints } from "@coterie/core/scale";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, expect, test } from "vitest";
import { drivePlan } from "./checkpoint.js";
import { createDuckdbEngine } from "./duckdb/duckdb-engine.js";
import type { Engine } from "./engine.js";
import { createMemoryEngine } from "./memory/memory-engine.js";
import { measures } from "./testing/measures.js";
import { blobs, known, writeFiles } from "./testing/problems.js";

const table = blobs(2_500, 4, 4, 3);
const { set, ids } = known(table, 20, 5);
const folder = mkdtempSync(join(tmpdir(), "coterie-core-set-"));

beforeAll(async () => {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await writeFiles(connection, table, [join(folder, "a.parquet"), join(folder, "b.parquet")]);
  connection.closeSync();
});

/** The way of the command line, with the first rows of the sample as starts. */
async function through(engine: Engine, method: string, scale: CoreSetInput["scale"]) {
  const drive = async <R>(plan: Plan<R>): Promise<R> => (await drivePlan(plan, engine, {})).outcome;
  const input = { method, constraints: set, ids, seed: 4, scale, microClusters: 150 };
  const ground = await drive(coreGround(input));
  const starts = ground.sample.x.slice(0, 150 * table.d);
  const core = isSampled({ method }) ? sampledPoints(ground) : await drive(microClusters(ground, starts));
  const points = corePoints(input, ground, core);
  const result = cluster(points.points, points.constraints, { algorithm: method as "ccl", k: 4 });
  const outcome = await drive(coreLabels(ground, core, points, result.labels, result.k));
  const { labels } = await engine.labelled();
  return { ground, core, points, outcome, clusters: labels!.map((place) => outcome.clusters[place]!) };
}

test.each([
  ["ccl", "none"],
  ["recon", "zscore"],
  ["clusilc", "minmax"],
  ["density", "none"],
] as const)(
  "%s, scaled by %s: every row has a cluster, constrained rows their own; memory and DuckDB agree to the bit",
  async (method, scale) => {
    const memory = await through(createMemoryEngine(table), method, scale);
    const engine = await createDuckdbEngine(join(folder, "*.parquet"), { threads: 2 });
    const duckdb = await through(engine, method, scale);
    await engine.close();
    expect(duckdb.core).toEqual(memory.core);
    expect([duckdb.outcome, duckdb.clusters]).toEqual([memory.outcome, memory.clusters]);
    const { outcome, clusters } = memory;
    expect(outcome.sizes.reduce((sum, size) => sum + size, outcome.noise)).toBe(table.n);
    outcome.sizes.forEach((size, c) => {
      expect(clusters.filter((cluster) => cluster === c).length).toBe(size);
    });
    expect(ids.map((id) => clusters[id])).toEqual([...outcome.placed]);
    expect(measures(clusters, table.classes)).toBeGreaterThan(isSampled({ method }) ? 0.4 : 0.8);
  },
);

test("micro-clusters are means of the rows nearest to them, without the constrained rows; heavy ones have more points", async () => {
  const { ground, core, points } = await through(createMemoryEngine(table), "recon", "none");
  const { d, x } = table;
  const starts = ground.sample.x.subarray(0, 150 * d);
  const sums = new Map<number, number[]>();
  for (let i = 0; i < table.n; i++) {
    if (ids.includes(i)) continue;
    let [best, least] = [0, Infinity];
    for (let c = 0; c < 150; c++) {
      let square = 0;
      for (let j = 0; j < d; j++) square += (x[i * d + j]! - starts[c * d + j]!) ** 2;
      if (square < least) [best, least] = [c, square];
    }
    const sum = sums.get(best) ?? Array(d + 1).fill(0);
    sums.set(
      best,
      sum.map((value, j) => value + (j < d ? x[i * d + j]! : 1)),
    );
  }
  const expected = [...sums.entries()].sort(([a], [b]) => a - b).map(([, sum]) => sum);
  expect([...core.counts]).toEqual(expected.map((sum) => sum[d]));
  expected.forEach((sum, c) => {
    for (let j = 0; j < d; j++) expect(core.centres[c * d + j]).toBeCloseTo(sum[j]! / sum[d]!, 9);
  });
  const copies = [...points.first].map((from, c) => (points.first[c + 1] ?? points.points.n) - from);
  copies.forEach((count, c) => {
    expect(count).toBe(Math.max(1, Math.round((core.counts[c]! / (table.n - ids.length)) * 2500)));
  });
  expect([...points.points.x.subarray(0, d)]).toEqual([...x.subarray(ids[0]! * d, (ids[0]! + 1) * d)]);
});
