/** Random sets of 25 constraints, each given to the four algorithms and compared with no constraints from the same centres. */
import { closeConstraints, constraintGraph, countClusterings, generateConstraints, randomFrom } from "@coterie/core";
import type { Setting } from "../experiment.js";
import { DATA, type Data, K, load, METHODS, type Method, plainRand, randOf, randomCentres } from "./methods.js";

export interface Trial {
  readonly cannotLinks: number;
  /** The share of all clusterings of the constrained points that the set leaves, at most k clusters. */
  readonly feasibleShare: number;
  readonly without: number;
  /** Null where the algorithm found no clustering. */
  readonly rand: Readonly<Record<Method, number | null>>;
}

export type Trials = Readonly<Record<Data, readonly Trial[]>>;

const COUNT = 25;
const made = new Map<string, Promise<Trials>>();

/** 1,000 sets for each table, 100 in a quick run; made once for all figures of a run. */
export function trialsOf(setting: Setting): Promise<Trials> {
  const key = `${setting.quick} ${setting.seed}`;
  const known = made.get(key);
  if (known) return known;
  const fresh = makeTrials(setting);
  made.set(key, fresh);
  return fresh;
}

export function setsIn({ quick }: Setting): number {
  return quick ? 100 : 1000;
}

async function makeTrials(setting: Setting): Promise<Trials> {
  const all: Partial<Record<Data, readonly Trial[]>> = {};
  for (const data of DATA) {
    const points = await load(data);
    const own = randomFrom(setting.seed).split(`davidson2012 ${data}`);
    const trials: Trial[] = [];
    for (let t = 0; t < setsIn(setting); t++) {
      const random = own.split("trial", t);
      const known = generateConstraints(points.truth!, { count: COUNT, mix: "random", random: random.split("constraints") });
      const centres = randomCentres(points, K[data], random);
      const rand = Object.fromEntries(METHODS.map((method) => [method, randOf(method, points, known, K[data], centres)]));
      trials.push({
        cannotLinks: known.cannotLinks.a.length,
        feasibleShare: feasibleShare(known, K[data]),
        without: plainRand(points, K[data], centres),
        rand: rand as Trial["rand"],
      });
    }
    setting.log(`${data}: ${trials.length} sets of ${COUNT} constraints`);
    all[data] = trials;
  }
  return all as Trials;
}

/** P(G, k) / kⁿ for the constraint graph G of n vertices. */
export function feasibleShare(known: Parameters<typeof closeConstraints>[0], k: number): number {
  const graph = constraintGraph(closeConstraints(known));
  const { log10 } = countClusterings(graph, k).atMostK;
  return log10 === null ? 0 : 10 ** (log10 - graph.vertices * Math.log10(k));
}
