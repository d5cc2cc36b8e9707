import {
  constraints,
  contingency,
  emptyConstraints,
  generateConstraints,
  mpckMeans,
  pairCounts,
  randIndex,
  randomFrom,
  rcaKmeans,
} from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";
import type { Line } from "@coterie/workbench/trials";
import { expect, test } from "vitest";
import type { Labelled } from "../frame/data.js";
import { findingOf } from "../frame/judge.js";
import type { PageData, TrialTable } from "../frame/paper.js";
import { crossed } from "../grid.js";
import { ABLATION_CLAIMS, METRIC_CLAIMS } from "./index.js";
import { COUNTS } from "./protocol.js";
import { ABLATIONS, METRICS } from "./schemes.js";
import { SETS, sampleOf } from "./sets.js";
import { ablations, metrics, mpckInOrder } from "./tables.js";

const kernels = createSimdKernels();

/** Two long stripes: without a metric the wide axis decides. */
function stripes(n: number): Labelled {
  const random = randomFrom(3);
  const codes = Int32Array.from({ length: n }, (_, i) => i % 2);
  const x = Float64Array.from({ length: 2 * n }, (_, p) =>
    p % 2 === 0 ? 20 * random.normal() : 6 * codes[p >> 1]! + random.normal(),
  );
  return { n, d: 2, x, truth: { codes, names: ["a", "b"] } };
}

test("a trial has F for every scheme between 0 and 1, the same again; without constraints they do not matter", async () => {
  const trial = ablations.trials("quick", 0).find(({ key }) => key.set === "Iris" && key.count === 0)!;
  const values = await ablations.measure(trial);
  expect(Object.keys(values)).toEqual([...Object.keys(ABLATIONS), "MPCK-S-D converged", "MPCK-S-D rises"]);
  for (const value of Object.values(values)) expect(value! >= 0 && value! <= 1).toBe(true);
  expect(await ablations.measure(trial)).toEqual(values);
});

test("the paper's RCA mixes nothing in, and without must-links it is k-means in the space as it is", () => {
  const points = stripes(60);
  const task = { points, known: emptyConstraints(60), k: 2, seed: 1, kernels };
  const plain = METRICS.RCA!(task).labels;
  expect(plain).toEqual(ABLATIONS["k-means"]!(task).labels);
  const known = generateConstraints(points.truth, { count: 40, random: randomFrom(2) });
  expect(METRICS.RCA!({ ...task, known }).labels).toEqual(
    rcaKmeans(points, known, { k: 2, seed: 1, kernels, restarts: 1, prior: 0 }).labels,
  );
});

test("a sample keeps rows with their classes, and its size is the share", () => {
  const sample = sampleOf(stripes(50), 0.3, randomFrom(1));
  expect(sample.n).toBe(15);
  for (let i = 0; i < sample.n; i++) expect(sample.x[2 * i + 1]! > 3).toBe(sample.truth.codes[i] === 1);
});

test("the plain MPCK-means finds what the library's does, in either order", () => {
  const points = stripes(80);
  const known = generateConstraints(points.truth, { count: 60, random: randomFrom(4) });
  const task = { points, known, k: 2, seed: 5, kernels };
  const library = mpckMeans(points, known, { k: 2, seed: 5, kernels, restarts: 1, faithful: true }).labels;
  for (const order of ["random", "greedy"] as const) {
    expect(randIndex(pairCounts(contingency(mpckInOrder(task, order, randomFrom(1)), library)))).toBeGreaterThan(0.95);
  }
  expect(mpckInOrder({ ...task, known: constraints(points, {}) }, "random", randomFrom(1))).toHaveLength(80);
});

/** Lines that are what a function of set, scheme and count says, with a little noise by run. */
function seenWith(score: (set: string, scheme: string, count: number) => number): PageData {
  const lines = (table: TrialTable): Line[] =>
    crossed(SETS, COUNTS.quick, ({ title }, count) =>
      Array.from({ length: 20 }, (_, run) => ({
        set: title,
        count,
        run,
        ...Object.fromEntries(
          table.values.map((scheme, s) => [scheme, score(title, scheme, count) + ((run * (s + 2)) % 5) / 1e4]),
        ),
      })),
    ).flat();
  const known = new Map([ablations, metrics].map((table) => [table, lines(table)]));
  return { size: "quick", seed: 0, missing: [], lines: (table) => known.get(table) ?? [] };
}

const verdicts = (claims: typeof ABLATION_CLAIMS, seen: PageData) =>
  Object.fromEntries(claims.map((claim) => [claim.id.replace(/.*\./, ""), findingOf(claim, seen).verdict]));

test("claims are decided by the curves: all as the paper says, and none", () => {
  const rank = ["k-means", "MK", "PCK", "supervised", "MPCK-S-D"];
  const asPublished = seenWith((_, scheme, count) => {
    if (scheme === "k-means") return 0.4;
    if (scheme === "PCK") return count === 0 ? 0.4 : 0.6 + count / 1e4;
    if (scheme === "MK") return count === 0 ? 0.5 : count === 25 ? 0.45 : 0.55;
    return 0.5 + rank.indexOf(scheme) / 20 + count / 1e4;
  });
  expect(new Set(Object.values(verdicts(ABLATION_CLAIMS, asPublished)))).toEqual(new Set(["holds"]));
  const falling = seenWith((_, scheme, count) => (scheme === "MK" ? 0.9 : 0.5) - count / 1e4);
  expect(verdicts(ABLATION_CLAIMS, falling)).toMatchObject({
    unified: "does not hold",
    "metric-alone": "does not hold",
    "seeding-alone": "does not hold",
    dip: "does not hold",
  });
});

test("Ionosphere: supervised means above one diagonal metric and below the others", () => {
  const of = (diagonal: number) =>
    seenWith((_, scheme) =>
      scheme === "supervised" ? 0.6 : scheme === "MPCK-S-D" ? diagonal : scheme.startsWith("MPCK") ? 0.7 : 0.5,
    );
  expect(verdicts(METRIC_CLAIMS, of(0.5)).ionosphere).toBe("holds");
  expect(verdicts(METRIC_CLAIMS, of(0.65)).ionosphere).toBe("holds in part");
});
