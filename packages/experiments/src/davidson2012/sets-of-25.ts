/** Runs the four algorithms with and without random sets of 25 constraints. */

import {
  type ConstraintSet,
  closeConstraints,
  constraintGraph,
  countClusterings,
  generateConstraints,
  randomFrom,
} from "@coterie/core/internal";
import { type Line, repeated } from "@coterie/workbench/trials";
import { load } from "../frame/data.js";
import type { TrialTable } from "../frame/paper.js";

import { aloneRand, DATA, type Data, K, METHODS, type Method, OURS, plainRand, randOf, randomCentres } from "./methods.js";

const COUNT = 25;
const SETS = { quick: 60, full: 1000 } as const;

/**
 * What the paper's words "an unconstrained run with the same centroid initialization" can mean: k-means, or the same algorithm without
 * constraints.
 */
export const READINGS = ["k-means", "itself"] as const;
export type Reading = (typeof READINGS)[number];

const LEARNERS = ["PKM", "MKM", "MPKM"] as const;

export const setsOf25: TrialTable = {
  name: "sets-of-25",
  keys: ["set", "run"],
  values: [
    "k-means",
    ...METHODS,
    ...LEARNERS.map((method) => `${method} alone`),
    ...OURS,
    ...OURS.map((method) => `${method} alone`),
    "cannot-links",
    "feasible share",
  ],
  trials: (size, seed) =>
    DATA.flatMap((set) =>
      repeated(SETS[size], seed, `davidson2012 sets of 25, ${set}`, { key: { set }, needs: [set], cost: 40 }),
    ),
  async measure({ key, seed }) {
    const set = key.set as Data;
    const points = await load(set);
    const random = randomFrom(seed);
    const known = generateConstraints(points.truth, { count: COUNT, mix: "random", random: random.split("constraints") });
    const start = { k: K[set], init: randomCentres(points, K[set], random), seed };
    return {
      "k-means": plainRand(points, start),
      ...Object.fromEntries([...METHODS, ...OURS].map((method) => [method, randOf(method, points, known, start)])),
      ...Object.fromEntries([...LEARNERS, ...OURS].map((method) => [`${method} alone`, aloneRand(method, points, start)])),
      "cannot-links": known.cannotLinks.a.length,
      "feasible share": feasibleShare(known, K[set]),
    };
  },
};

/**
 * The share of all assignments of n vertices to k clusters that are feasible: P(G, k) / kⁿ. G is the constraint graph with n vertices, and
 * P(G, k) the number of its feasible clusterings.
 */
export function feasibleShare(known: ConstraintSet, k: number): number {
  const graph = constraintGraph(closeConstraints(known));
  const { log10 } = countClusterings(graph, k).atMostK;
  return log10 === null ? 0 : 10 ** (log10 - graph.vertices * Math.log10(k));
}

/** The Rand index that a method reaches without constraints, in this reading of the paper. COP-k-means without constraints is k-means. */
export function withoutConstraints(line: Line, method: Method | (typeof OURS)[number], reading: Reading): number {
  return line[reading === "k-means" || method === "CKM" ? "k-means" : `${method} alone`] as number;
}

const EQUAL = 1e-6;

export type Effect = "help" | "hurt" | "same" | "none";

export function effectOf(line: Line, method: Method | (typeof OURS)[number], reading: Reading): Effect {
  const rand = line[method] as number | null;
  if (rand === null) return "none";
  const change = rand - withoutConstraints(line, method, reading);
  return Math.abs(change) <= EQUAL ? "same" : change > 0 ? "help" : "hurt";
}
