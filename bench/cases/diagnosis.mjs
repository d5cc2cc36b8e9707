/** Whole diagnoses of constraint sets, fractional colouring compared with SciPy, and colouring of large sparse graphs. */
import { basename } from "node:path";
import { colour, diagnoseFully, fractionalColouring, generateConstraints, graphOf, randomFrom } from "@coterie/core/internal";
import { readTable } from "@coterie/data";
import { createLpSolver, createSimdKernels } from "@coterie/kernels";
import { benchCase } from "../context.mjs";
import { side } from "../measure.mjs";

const TABLES = ["glass", "iris-fisher", "wine", "ionosphere", "balance", "digits", "penguins", "zoo", "votes", "letter"];
const CONSTRAINTS = 200;
const SECOND = 1000;

export default benchCase("diagnosis of constraint sets", async function* ({ quick, random, peer }) {
  const solver = await createLpSolver();
  yield* wholeDiagnoses(quick, solver);
  yield* fractional({ quick, random, peer }, solver);
  yield* colourings(quick, random);
});

/**
 * Measures the slowest of many constraint sets.
 * @param {boolean} quick @param {import("@coterie/core/internal").LpSolver} solver
 * @returns {AsyncGenerator<import("../measure.mjs").Row, void, void>}
 */
async function* wholeDiagnoses(quick, solver) {
  const kernels = createSimdKernels();
  const tables = await Promise.all(
    (quick ? TABLES.slice(0, 3) : TABLES).map((name) => readTable(name, { truth: "class", missing: "impute" })),
  );
  const kinds = /** @type {const} */ ([
    { name: "feasible", title: "true of the classes, at as many clusters", noise: 0, fewer: 0 },
    { name: "too-few", title: "true of the classes, at one cluster fewer", noise: 0, fewer: 1 },
    { name: "noisy", title: "a tenth of them wrong", noise: 0.1, fewer: 0 },
  ]);
  for (const { name, title, noise, fewer } of kinds) {
    yield {
      name,
      title: `the slowest full diagnosis of ${CONSTRAINTS} random constraints on ${tables.length} tables, 3 sets each; ${title}`,
      bar: SECOND,
      rounds: 3,
      ours: {
        name: "coterie",
        async once() {
          let slowest = { value: 0, answer: "" };
          for (const points of tables) {
            const truth = /** @type {import("@coterie/core/internal").Labelling} */ (points.truth);
            const k = Math.max(2, truth.names.length - fewer);
            for (let seed = 0; seed < 3; seed++) {
              const set = generateConstraints(truth, { count: CONSTRAINTS, mix: "random", noise, random: randomFrom(seed) });
              const start = performance.now();
              await diagnoseFully(set, { k, seed, solver, points, kernels });
              const value = performance.now() - start;
              if (value > slowest.value) slowest = { value, answer: `${basename(points.file)}, k = ${k}, seed ${seed}` };
            }
          }
          return slowest;
        },
      },
      note: (answer) => answer,
    };
  }
}

/**
 * @param {Pick<import("../context.mjs").Bench, "quick" | "random" | "peer">} bench @param {import("@coterie/core/internal").LpSolver} solver
 * @returns {AsyncGenerator<import("../measure.mjs").Row, void, void>}
 */
async function* fractional({ quick, random, peer }, solver) {
  const cases = /** @type {const} */ ([
    { n: 30, m: 75, graphs: 5, bar: undefined, listed: true },
    { n: 60, m: 150, graphs: 10, bar: 300, listed: false },
    { n: 300, m: 600, graphs: 5, bar: 10_000, listed: false },
  ]);
  for (const { n, m, graphs, bar, listed } of quick ? cases.slice(0, 1) : cases) {
    const all = Array.from({ length: graphs }, (_, g) => randomPairs(random(`graph ${n} ${m} ${g}`), n, m));
    yield {
      name: `fractional-${n}-${m}`,
      title: `fractional chromatic numbers of ${graphs} random graphs of ${n} vertices and ${m} edges`,
      ...(bar === undefined ? {} : { bar: bar * graphs, held: /** @type {const} */ ("value") }),
      ...(listed
        ? { peer: peer("SciPy's HiGHS over all maximal independent sets", "fractional_colouring", { n, graphs: all }) }
        : {}),
      ours: side("coterie", function* () {
        yield;
        const found = all.map((pairs) => fractionalColouring(graphOf(n, pairs), { solver }));
        yield;
        return {
          values: found.map(({ upper }) => upper),
          rounds: found.reduce((sum, { rounds }) => sum + rounds, 0),
          nodes: found.reduce((sum, { nodes }) => sum + nodes, 0),
        };
      }),
      check: (ours, theirs) => {
        const values = /** @type {readonly number[] | undefined} */ (theirs && [...theirs.values]);
        return values?.some((value, g) => Math.abs(value - ours.values[g]) > 1e-6) ? "the numbers differ" : undefined;
      },
      note: (ours, theirs) =>
        `${ours.rounds} programs, ${ours.nodes} pricing nodes${theirs ? `; the peer lists ${theirs.sets} sets` : ""}`,
    };
  }
}

/** @param {boolean} quick @param {import("../context.mjs").Bench["random"]} random */
async function* colourings(quick, random) {
  const n = quick ? 200 : 2000;
  const cases = /** @type {const} */ ([
    { k: 3, mean: 3, status: "feasible" },
    { k: 3, mean: 4.3, status: "feasible" },
    { k: 3, mean: 9, status: "infeasible" },
    { k: 3, mean: 10, status: "infeasible" },
    { k: 3, mean: 14, status: "infeasible" },
    { k: 4, mean: 8, status: "feasible" },
    { k: 4, mean: 40, status: "infeasible" },
    { k: 5, mean: 12, status: "feasible" },
    { k: 8, mean: 25, status: "feasible" },
  ]);
  for (const { k, mean, status } of cases) {
    const graph = graphOf(n, randomPairs(random(`sparse ${n} ${mean}`), n, (n * mean) / 2));
    yield {
      name: `colour-${k}-${mean}`,
      title: `can ${k} clusters hold ${n} components, each kept apart from ${mean} on average`,
      bar: 2 * SECOND,
      rounds: 3,
      ours: side("coterie", function* () {
        yield;
        const answer = colour(graph, k);
        yield;
        return answer.status;
      }),
      check: (/** @type {string} */ answer) => (answer === status || quick ? undefined : `${answer}, not ${status}`),
      note: (/** @type {string} */ answer) => answer,
    };
  }
}

/** Different pairs of vertices. @param {import("@coterie/core/internal").Random} random @param {number} n @param {number} m */
function randomPairs(random, n, m) {
  const pairs = /** @type {Map<number, [number, number]>} */ (new Map());
  while (pairs.size < m) {
    const [u, v] = [random.int(n), random.int(n)];
    if (u !== v) pairs.set(Math.min(u, v) * n + Math.max(u, v), [u, v]);
  }
  return [...pairs.values()];
}
