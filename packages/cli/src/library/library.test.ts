import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as core from "@coterie/core/internal";
import { expect, expectTypeOf, test, vi } from "vitest";
import * as coterie from "../index.js";
import * as ask from "./ask.js";
import * as data from "./data.js";
import * as diagnosis from "./diagnose.js";
import * as figures from "./figures.js";
import * as measures from "./measures.js";
import { sharedKernels, sharedRowKernels } from "./shared-kernels.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const draw = (n: number): core.Points => core.makeSynthetic("stormclouds", n, core.randomFrom(4)).points;
const points = draw(60);
const known = core.constraints(points, { mustLink: [[0, 1]], cannotLink: [[0, 40]], relative: [[0, 1, 40]] });

/** Every method, by the name that it is imported under. */
const BY_IMPORT = new Map(
  core.catalogue.map(({ name }) => [name, name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]),
);

test.each([...BY_IMPORT])("%s is %s: the same result through every entry point", async (name, camel) => {
  const method = (coterie as unknown as Record<string, core.Method>)[camel]!;
  const own = { ...(core.takesK(method) ? { k: 3 } : {}), seed: 2 };
  const direct = method(points, known, own);
  const options = { algorithm: name as "ccl", ...own };
  expect(coterie.cluster(points, known, options)).toEqual(direct);
  expect(await coterie.clusterAsync(points, known, options)).toEqual(direct);
  expect(core.cluster(points, known, options)).toEqual(direct);
});

test.each([...BY_IMPORT])(
  "%s runs on the fast kernels through every entry point, unless a call brings its own",
  async (name, camel) => {
    const method = (coterie as unknown as Record<string, core.Method>)[camel]!;
    const own = core.takesK(method) ? { k: 2 } : {};
    const options = { algorithm: name as "ccl", ...own };
    const fast = [sharedKernels(), sharedRowKernels()];
    for (const each of fast) expect(each.name).toBe("simd");
    const used = fast.map((each) => vi.spyOn(each, "arena"));
    try {
      const uses = (run: () => unknown): number => {
        for (const each of used) each.mockClear();
        run();
        return used.reduce((sum, each) => sum + each.mock.calls.length, 0);
      };
      const direct = uses(() => method(points, known, own));
      expect(uses(() => coterie.cluster(points, known, options))).toBe(direct);
      // Trees of tests, trees of boxes and comparisons of cells need no kernels.
      expect(direct > 0).toBe(!["clusilc", "density", "duplicates"].includes(name));
      expect(uses(() => method(points, known, { ...own, kernels: core.plainKernels }))).toBe(0);
      expect(uses(() => coterie.cluster(points, known, { ...options, kernels: core.plainKernels }))).toBe(0);
    } finally {
      for (const each of used) each.mockRestore();
    }
  },
);

test.each(["kmeans", "pck-means", "ccl", "clusilc"] as const)(
  "%s chooses k alike through every entry point",
  async (algorithm) => {
    const method = (coterie as unknown as Record<string, core.Method>)[BY_IMPORT.get(algorithm)!]!;
    const direct = method(points, known, { k: [2, 4], seed: 2 });
    expect(direct.chosen).toMatchObject({ k: direct.k, by: "silhouette" });
    const phases = new Set<string>();
    const onStep = ({ phase }: core.Step) => phases.add(phase.slice(0, 6));
    expect(coterie.cluster(points, known, { algorithm, k: [2, 4], seed: 2 })).toEqual(direct);
    expect(await coterie.clusterAsync(points, known, { algorithm, k: [2, 4], seed: 2, onStep })).toEqual(direct);
    // Constrained linkage builds one hierarchy, and cuts it for each k.
    const runs = algorithm === "ccl" ? ["k = 4:"] : ["k = 2:", "k = 3:", "k = 4:"];
    expect([...phases]).toEqual(expect.arrayContaining([...runs, "silhou"]));
    const stop = new AbortController();
    const late = coterie.clusterAsync(points, known, {
      algorithm,
      k: [2, 4],
      signal: stop.signal,
      onStep: ({ phase }) => phase === "silhouette" && stop.abort(new Error("enough")),
    });
    await expect(late).rejects.toThrow("enough");
  },
);

test("a run can be watched and stopped", async () => {
  const phases = new Set<string>();
  await coterie.clusterAsync(points, known, { algorithm: "ccl", k: 3, onStep: ({ phase }) => phases.add(phase) });
  expect(phases.size).toBeGreaterThan(0);
  const aborted = AbortSignal.abort(new Error("enough"));
  await expect(coterie.clusterAsync(points, known, { algorithm: "ccl", k: 3, signal: aborted })).rejects.toThrow("enough");
  const stop = new AbortController();
  const late = coterie.clusterAsync(points, known, {
    algorithm: "mpck-means",
    k: 3,
    signal: stop.signal,
    onStep: () => stop.abort(new Error("enough")),
  });
  await expect(late).rejects.toThrow("enough");
});

test("many rows on several threads give the same bytes, in the build that people install", () => {
  const script = `
    import { cluster, clusterAsync, pointsFromRows } from "coterie";
    const points = pointsFromRows(Array.from({ length: 2500 }, (_, i) => [(i * 37) % 101, (i * 53) % 89]));
    const options = { algorithm: "kmeans", k: 4, restarts: 3 };
    const results = [cluster(points, undefined, options)];
    for (const threads of [1, 2]) results.push(await clusterAsync(points, undefined, { ...options, threads }));
    console.log(new Set(results.map((result) => JSON.stringify(result))).size);`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: HERE, encoding: "utf8" });
  expect(output.trim()).toBe("1");
});

test("types follow the name", async () => {
  expectTypeOf(coterie.ccl(points, known, { k: 2 }).merges).toEqualTypeOf<readonly core.Merge[]>();
  expectTypeOf(coterie.clusterAsync(points, known, { algorithm: "clusilc", k: 2 })).resolves.toEqualTypeOf<core.TreeResult>();
  expectTypeOf(coterie.cluster(points, known, { algorithm: "ward", k: [2, 3] }).chosen!.evidence[0]!.score).toEqualTypeOf<
    number | null
  >();
  // @ts-expect-error: the first and the last alone
  await expect(coterie.clusterAsync(points, known, { algorithm: "ccl", k: [2] })).rejects.toThrow("such as [2, 10]");
  // @ts-expect-error: an option of another method
  expect(() => coterie.cluster(points, known, { algorithm: "ccl", k: 2, gamma: 0.5 })).toThrow("gamma");
});

test("rooms: measures by labels, diagnosis with prices, drawn sets, questions, files and figures", async () => {
  const truth = Int32Array.from({ length: 60 }, (_, i) => (i < 30 ? 0 : 1));
  expect(measures.randIndex(truth, truth)).toBe(1);
  expect(measures.adjustedRandIndex(truth, truth)).toBe(1);
  expect(measures.pairwiseF(truth, truth)).toMatchObject({ f: 1 });
  expect(measures.normalizedMutualInformation(truth, truth)).toBeCloseTo(1, 12);
  expect(measures.scores(truth, truth, known)).toMatchObject({ rand: 1, constrainedRand: 1 });
  const drawn = diagnosis.drawConstraints({ codes: truth, names: ["a", "b"] }, { count: 20, seed: 3 });
  expect(drawn.mustLinks.a.length + drawn.cannotLinks.a.length).toBe(20);
  expect(diagnosis.drawBalanced({ codes: truth, names: ["a", "b"] }, { count: 20, seed: 3 }).n).toBe(60);
  expect(await diagnosis.diagnoseAsync(drawn, { k: 2 })).toMatchObject({ feasible: true });
  const stopped = diagnosis.diagnoseAsync(drawn, { k: 2, signal: AbortSignal.abort(new Error("enough")) });
  await expect(stopped).rejects.toThrow("enough");
  const clash = coterie.constraints(points, {
    mustLink: [
      [0, 1],
      [1, 2],
    ],
    cannotLink: [[0, 2]],
  });
  expect(diagnosis.contradictions(clash)).toHaveLength(1);
  expect(ask.startAsking({ points, k: 2, budget: 3 }).next()).toMatchObject({ kind: "pair" });
  const folder = mkdtempSync(join(tmpdir(), "coterie-library-"));
  writeFileSync(join(folder, "known.csv"), "type,a,b\nmust-link,0,1\n");
  writeFileSync(join(folder, "labels.csv"), "id,cluster\n0,x\n1,y\n");
  expect((await data.readConstraints(join(folder, "known.csv"), points)).mustLinks.a).toEqual(Int32Array.of(0));
  expect([...(await data.readLabels(join(folder, "labels.csv"), points))].slice(0, 3)).toEqual([0, 1, -1]);
  expect(figures.scatterFigure({ points, labels: truth })).toMatch(/^<svg/);
});
