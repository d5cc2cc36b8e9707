import {
  CoterieError,
  constraints,
  emptyConstraints,
  plainKernels,
  pointsFromRows,
  pointsOfSingles,
  type Step,
  violationCount,
} from "@coterie/core/internal";
import { describe, expect, test } from "vitest";
import type { Port } from "./calls.js";
import { createPool } from "./pool.js";
import { ownProbabilities, reportOf } from "./report.js";
import { clusterWords, run } from "./run.js";
import { localPort } from "./testing/local-port.js";
import { runAtOnce } from "./testing/run-at-once.js";

const points = pointsFromRows([[0], [1], [10], [11], [20], [21]], ["length"]);
const known = constraints(points, { mustLink: [[0, 5]], cannotLink: [[0, 1]] });
const pause = () => Promise.resolve();
const spec = { algorithm: "kmeans", options: { k: 3, restarts: 4 }, seed: 0 };

test("a run lists what it breaks and says which constraints the method does not look at", async () => {
  const { result, spec: checked } = await run(points, known, spec, { kernels: plainKernels, pause });
  expect([...result.labels]).toEqual([0, 0, 1, 1, 2, 2]);
  expect(result.violations.mustLink).toEqual([[0, 5]]);
  expect(result.violations.cannotLink).toEqual([[0, 1]]);
  expect(result.notices).toEqual(["Ignored by k-means: 1 must-link, 1 cannot-link."]);
  expect(checked.options).toMatchObject({ k: 3, restarts: 4, init: "k-means++", maxIterations: 300 });
});

test.each(["rca-kmeans", "supervised-means"])(
  "%s keeps hard cannot-links, and says that it does not look at others",
  (algorithm) => {
    const some = constraints(points, {
      mustLink: [[2, 3]],
      cannotLink: [
        [0, 1, Infinity],
        [4, 5],
      ],
    });
    const { result } = runAtOnce(points, some, { algorithm, options: { k: 3 }, seed: 0 }, plainKernels);
    expect(result.labels[0]).not.toBe(result.labels[1]);
    expect(result.notices.filter((notice) => notice.startsWith("Ignored by"))).toEqual([
      expect.stringMatching(/: 1 cannot-link\.$/),
    ]);
  },
);

test("at once, step by step and in a pool: one answer", async () => {
  const steps: Step[] = [];
  const politely = await run(points, known, spec, { kernels: plainKernels, pause, onStep: (step) => steps.push(step) });
  const pooled = await run(points, known, spec, { kernels: plainKernels, pause, pool: createPool(2, localPort) });
  expect(politely).toEqual(runAtOnce(points, known, spec, plainKernels));
  expect(pooled).toEqual(politely);
  expect(steps.length).toBeGreaterThan(4);
});

describe("a request that is wrong fails before any work", () => {
  test.each([
    [{ ...spec, algorithm: "kmean" }, 'algorithm is "kmean"; it must be one of auto, kmeans, '],
    [{ ...spec, algorithm: "kmean" }, "did you mean kmeans?"],
    [{ ...spec, options: { k: 0 } }, "k is 0; it must be at least 1."],
    [{ ...spec, options: { k: 2.5 } }, "k is 2.5; it must be a whole number."],
    [{ ...spec, options: { k: 2, speed: 9 } }, "speed is 9; it must be left out: the method has no such option."],
    [{ ...spec, options: {} }, "k is undefined; it must be a number."],
    [{ algorithm: "ward", options: { cut: "height" }, seed: 0 }, 'height is undefined; it must be given with the cut "height".'],
    [{ algorithm: "ward", options: { k: 2, height: 3 }, seed: 0 }, "height is 3; it must be left out when k is given."],
    [
      { algorithm: "ward", options: { k: 2, distance: "cosine" }, seed: 0 },
      'distance is "cosine"; it must be "euclidean" with ward linkage.',
    ],
  ])("%o", async (request, sentence) => {
    await expect(run(points, known, request, { kernels: plainKernels, pause })).rejects.toThrow(sentence);
  });
});

describe("values that no method can work with are named, whatever the method", () => {
  test.each([
    [
      [
        [0, 1],
        [2, Number.NaN],
      ],
      'Column "b" holds NaN in row 1. Every value must be a finite number.',
    ],
    [
      [
        [0, 1],
        [Infinity, 2],
      ],
      'Column "a" holds Infinity in row 1.',
    ],
    [
      [
        [0, 1],
        [2, -1e155],
      ],
      'Column "b" holds numbers too large to square.',
    ],
    [
      [
        [0, 1],
        [1e-160, 2],
      ],
      'Column "a" holds numbers too close to each other to square their differences.',
    ],
  ])("%j", (rows, sentence) => {
    const extreme = pointsFromRows(rows, ["a", "b"]);
    for (const algorithm of ["kmeans", "ccl", "mpck-means", "ward", "clusilc"]) {
      const request = { algorithm, options: { k: 1 }, seed: 0 };
      expect(() => runAtOnce(extreme, constraints(extreme, {}), request, plainKernels)).toThrow(sentence);
    }
  });
});

test("rows in single precision go to the workers so, and nobody makes doubles of them", async () => {
  const rows = Float32Array.from({ length: 90 }, (_, p) => ((p * 37) % 23) + (p % 3) * 20);
  const wide = { n: 30, d: 3, x: Float64Array.from(rows) };
  const sealed = Object.defineProperty(pointsOfSingles({ n: 30, d: 3 }, rows), "x", {
    get: () => {
      throw new Error("Doubles were made.");
    },
  });
  const request = { algorithm: "kmeans", options: { k: 4, restarts: 5 }, seed: 3 };
  const host = { kernels: plainKernels, pause, pool: createPool(2, localPort) };
  const { result } = await run(sealed, emptyConstraints(30), request, host);
  expect(result).toEqual((await run(wide, emptyConstraints(30), request, { kernels: plainKernels, pause })).result);
});

test("a problem in a worker comes back as the same error", async () => {
  const tooMany = { ...spec, options: { k: 7, restarts: 4 } };
  const pool = createPool(2, localPort);
  await expect(run(points, known, tooMany, { kernels: plainKernels, pause, pool })).rejects.toThrow(CoterieError);
  await expect(run(points, known, tooMany, { kernels: plainKernels, pause, pool })).rejects.toThrow(
    "k is 7, but there are only 6 rows",
  );
});

test("a worker that dies ends the run with its error, and all lines are closed", async () => {
  let closed = 0;
  const dying = (): Port => ({
    post: () => {},
    onMessage: () => {},
    onError: (listener) => void setTimeout(() => listener(new Error("the worker died")), 1),
    close: () => closed++,
  });
  await expect(run(points, known, spec, { kernels: plainKernels, pause, pool: createPool(3, dying) })).rejects.toThrow(
    "the worker died",
  );
  expect(closed).toBe(3);
});

test("workers of a run that ended well serve the next one, with its rows, until the pool is closed", async () => {
  let [spawned, closed] = [0, 0];
  const counted = (): Port => {
    const port = localPort();
    spawned++;
    const close = () => {
      closed++;
      port.close();
    };
    return { ...port, close };
  };
  const pool = createPool(2, counted);
  const host = { kernels: plainKernels, pause };
  const doubled = { ...points, x: points.x.map((value) => value * 2 + 1) };
  for (const rows of [points, points, doubled]) {
    const pooled = await run(rows, known, spec, { ...host, pool });
    expect(pooled.result).toEqual((await run(rows, known, spec, host)).result);
  }
  expect([spawned, closed]).toEqual([2, 0]);
  pool.close();
  expect(closed).toBe(2);
});

test("an abort ends a pooled run at once and closes its workers", async () => {
  let closed = 0;
  const controller = new AbortController();
  // Nobody answers; the abort comes once both have been asked.
  let asked = 0;
  const post = () => void (++asked === 2 && queueMicrotask(() => controller.abort()));
  const silent = (): Port => ({ post, onMessage: () => {}, onError: () => {}, close: () => closed++ });
  const running = run(points, known, spec, {
    kernels: plainKernels,
    pause,
    pool: createPool(2, silent),
    signal: controller.signal,
  });
  await expect(running).rejects.toHaveProperty("name", "AbortError");
  expect(closed).toBe(2);
});

test("starts come back in any order; the first of equals wins", async () => {
  const outcome = (name: number, objective: number) => ({ labels: Int32Array.of(name), notices: [], objective });
  const answers = [outcome(0, 3), outcome(1, 2), outcome(2, 2)];
  const backwards = (): Port => {
    let listen: (message: unknown) => void = () => {};
    return {
      post: (message) => {
        const { call, input } = message as { call: number; input: { type: string; index: number } };
        if (input.type === "load") return listen({ call });
        setTimeout(() => listen({ call, value: answers[input.index]! }), 10 - 4 * input.index);
      },
      onMessage: (listener) => {
        listen = listener;
      },
      onError: () => {},
      close: () => {},
    };
  };
  const best = await createPool(3, backwards).bestStart({ points, constraints: known }, spec, 3, {});
  expect(best.labels[0]).toBe(1);
});

test("a method that chooses among its starts does so in a pool too", async () => {
  const answers = [1, 4, 3].map((objective, s) => ({
    labels: Int32Array.from(s === 0 ? [0, 1, 1, 1, 1, 1] : [0, 0, 0, 1, 1, 1]),
    notices: [],
    objective,
  }));
  const port = (): Port => {
    let listen: (message: unknown) => void = () => {};
    return {
      post: (message) => {
        const { call, input } = message as { call: number; input: { type: string; index: number } };
        setTimeout(() => listen({ call, value: input.type === "load" ? undefined : answers[input.index]! }), 0);
      },
      onMessage: (listener) => {
        listen = listener;
      },
      onError: () => {},
      close: () => {},
    };
  };
  const kept = async (keep: string) => {
    const asked = { algorithm: "mpck-means", options: { k: 2, restarts: 3, keep }, seed: 0 };
    return (await createPool(2, port).bestStart({ points, constraints: known }, asked, 3, {})).objective;
  };
  expect(await kept("typical")).toBe(3);
  expect(await kept("lowest")).toBe(1);
});

test("the report speaks in ids, in file rows, and never of infinity", () => {
  const named = { ...points, ids: ["a", "b", "c", "d", "e", "f"], scaling: { offset: [100], factor: [2] } };
  const done = runAtOnce(named, known, spec, plainKernels);
  const forbidden = { ...done, result: { ...done.result, merges: [[0, 1, Number.POSITIVE_INFINITY, 2] as const] } };
  const report = reportOf(forbidden, {
    version: "9.9.9",
    points: named,
    constraints: known,
    rows: Int32Array.of(0, 1, 2, 4, 5, 6),
    total: 8,
    timings: {},
  });
  expect(report.labels).toEqual([0, 0, 1, null, 1, 2, 2, null]);
  expect(report.violations.mustLink).toEqual([["a", "f"]]);
  expect(report.merges).toEqual([[0, 1, null, 2]]);
  expect(report.centres).toEqual([[101], [121], [141]]);
  expect(report.features).toEqual(["length"]);
  expect(violationCount(report.violations)).toBe(2);
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
});

test("the probability of each row in its own cluster, from all probabilities or from those of the own clusters", () => {
  const labels = Int32Array.of(1, -1, 0);
  const rows = Int32Array.of(0, 2, 3);
  const own = (probabilities: Parameters<typeof ownProbabilities>[0]["probabilities"]) =>
    ownProbabilities(probabilities ? { probabilities } : {}, labels, rows).ownProbabilities;
  expect(own([[0.1, 0.9], null, null, [0.7, 0.3]])).toEqual(Float64Array.of(0.9, Number.NaN, 0.7));
  expect(own([0.9, null, null, 0.7])).toEqual(Float64Array.of(0.9, Number.NaN, 0.7));
  expect(own(undefined)).toBeUndefined();
});

test("words of clusters come with the report if a column has free text", async () => {
  const host = { kernels: plainKernels, pause };
  const done = await run(points, known, spec, host);
  expect(await clusterWords(done, host)).toEqual({});
  const levels = [
    "a red car stops",
    "the red car",
    "the blue sky is",
    "blue sky and sun",
    "green tea with milk",
    "a green tea leaf",
  ];
  const texts = { n: 6, d: 2, x: Float64Array.from([0, 1, 10, 11, 20, 21].flatMap((x, row) => [x, row])) };
  const table = { ...texts, nominal: Uint8Array.of(0, 1), levels: [null, levels] };
  const { words } = await clusterWords({ ...done, points: table }, host);
  expect(words?.map(([first]) => first)).toEqual(["red car", "blue sky", "green tea"]);
  const facts = { version: "0", points: table, constraints: emptyConstraints(6), timings: {} };
  expect(reportOf(done, { ...facts, words: words! }).words).toEqual(words);
  expect(reportOf(done, facts)).not.toHaveProperty("words");
});
