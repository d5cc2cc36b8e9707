/**
 * How many clusters: the method runs with each number of a range, and what it was not told decides.
 *
 * Where there are enough must-links and cannot-links, a third of them is held out three times, and a number is as good as its clusters agree
 * with the held-out ones, beyond chance. Numbers within one standard error of the best are equally good (the rule of Breiman, Friedman, Olshen,
 * Stone 1984); among them, and where there are too few constraints, the silhouette decides.
 */
import {
  type ConstraintSet,
  CoterieError,
  type Instances,
  methodNamed,
  type Result,
  randomFrom,
  treatmentsOf,
} from "@coterie/core/internal";
import { type RunHost, run } from "../run.js";
import type { RunSpec } from "../run-spec.js";
import { silhouette } from "./compare.js";

export interface KRange {
  readonly from: number;
  readonly to: number;
}

export type Chosen = NonNullable<Result["chosen"]>;

/** Links of each kind below which shares of them say too little. */
const ENOUGH = 8;
const FOLDS = 3;

export async function chooseK(
  points: Instances,
  constraints: ConstraintSet,
  spec: RunSpec,
  { from, to }: KRange,
  host: RunHost,
): Promise<Chosen> {
  if (to > points.n) throw new CoterieError({ code: "k-too-large", k: to, n: points.n });
  const pairs = knownPairs(constraints);
  const enough = pairs.must.length >= ENOUGH && pairs.cannot.length >= ENOUGH;
  const parts = enough ? partsOf(constraints, pairs, spec) : [{ known: constraints, held: { must: [], cannot: [] } }];
  const tried: Tried[] = [];
  let failure: unknown;
  for (let k = from; k <= to; k++) {
    try {
      tried.push(await tryK(points, parts, { ...spec, options: { ...spec.options, k } }, k, host));
    } catch (error) {
      if (!(error instanceof CoterieError) || !PASSED_OVER.has(error.problem.code)) throw error;
      failure = error;
    }
  }
  if (tried.length === 0) throw failure;
  return decide(tried, enough);
}

/** What a hard method says where so many clusters cannot keep the constraints: another number may. */
const PASSED_OVER = new Set(["infeasible", "gave-up"]);

interface Pairs {
  readonly must: readonly (readonly [number, number])[];
  readonly cannot: readonly (readonly [number, number])[];
}

/** The links as given; labels as links between rows that follow each other in the list. */
function knownPairs({ mustLinks, cannotLinks, labels }: ConstraintSet): Pairs {
  const must = Array.from(mustLinks.a, (a, s) => [a, mustLinks.b[s]!] as const);
  const cannot = Array.from(cannotLinks.a, (a, s) => [a, cannotLinks.b[s]!] as const);
  for (let s = 0; s < labels.row.length; s++) {
    for (const t of [s + 1, s + 2]) {
      if (t >= labels.row.length) continue;
      (labels.code[s] === labels.code[t] ? must : cannot).push([labels.row[s]!, labels.row[t]!]);
    }
  }
  return { must, cannot };
}

interface Part {
  readonly known: ConstraintSet;
  readonly held: Pairs;
}

/** What the method is told, and what is held out. A method that looks at no links is told all the same, once. */
function partsOf(constraints: ConstraintSet, pairs: Pairs, spec: RunSpec): readonly Part[] {
  const { mustLink, cannotLink, labels } = treatmentsOf(methodNamed(spec.algorithm), spec.options);
  if ([mustLink, cannotLink, labels].every((treatment) => treatment === "ignored")) return [{ known: constraints, held: pairs }];
  const random = randomFrom(spec.seed).split("choose k");
  const foldOf = (count: number, purpose: string): Int32Array => {
    const folds = Int32Array.from({ length: count }, (_, i) => i % FOLDS);
    random.split(purpose).shuffle(folds);
    return folds;
  };
  const { mustLinks, cannotLinks, labels: said } = constraints;
  const [mustFold, cannotFold] = [foldOf(mustLinks.a.length, "must"), foldOf(cannotLinks.a.length, "cannot")];
  const labelFold = foldOf(said.row.length, "labels");
  return Array.from({ length: FOLDS }, (_, fold) => {
    const told = <L extends { a: Int32Array; b: Int32Array; weight: Float64Array }>(links: L, folds: Int32Array) => ({
      a: links.a.filter((_, s) => folds[s] !== fold),
      b: links.b.filter((_, s) => folds[s] !== fold),
      weight: links.weight.filter((_, s) => folds[s] !== fold),
    });
    const isTold = (_: unknown, s: number): boolean => labelFold[s] !== fold;
    const isHeld = (_: unknown, s: number): boolean => labelFold[s] === fold;
    const held = {
      ...constraints,
      mustLinks: heldOf(mustLinks, mustFold, fold),
      cannotLinks: heldOf(cannotLinks, cannotFold, fold),
      labels: { ...said, row: said.row.filter(isHeld), code: said.code.filter(isHeld), weight: said.weight.filter(isHeld) },
    };
    return {
      known: {
        ...constraints,
        mustLinks: told(mustLinks, mustFold),
        cannotLinks: told(cannotLinks, cannotFold),
        labels: { ...said, row: said.row.filter(isTold), code: said.code.filter(isTold), weight: said.weight.filter(isTold) },
      },
      held: knownPairs(held),
    };
  });
}

function heldOf(links: ConstraintSet["mustLinks"], folds: Int32Array, fold: number): ConstraintSet["mustLinks"] {
  const isHeld = (_: unknown, s: number): boolean => folds[s] === fold;
  return { a: links.a.filter(isHeld), b: links.b.filter(isHeld), weight: links.weight.filter(isHeld) };
}

interface Tried {
  readonly k: number;
  /** Held-out links, of all parts together. */
  readonly heard: Heard;
  readonly silhouette: number;
}

/** How many links there are of each kind, and how many of those have both rows in one cluster. */
interface Heard {
  must: number;
  mustTogether: number;
  cannot: number;
  cannotTogether: number;
}

async function tryK(points: Instances, parts: readonly Part[], spec: RunSpec, k: number, host: RunHost): Promise<Tried> {
  const heard: Heard = { must: 0, mustTogether: 0, cannot: 0, cannotTogether: 0 };
  const widths: number[] = [];
  for (const { known, held } of parts) {
    const watched = host.onStep;
    const onStep: RunHost["onStep"] = watched && ((step) => watched({ ...step, phase: `k = ${k}: ${step.phase}` }));
    const { result } = await run(points, known, spec, { ...host, ...(onStep ? { onStep } : {}) });
    listen(heard, result.labels, held);
    widths.push(silhouette(points, result.labels, result.k) ?? -1);
  }
  return { k, heard, silhouette: mean(widths) };
}

function listen(heard: Heard, labels: Int32Array, { must, cannot }: Pairs): void {
  const together = ([a, b]: readonly [number, number]): boolean => labels[a]! >= 0 && labels[a] === labels[b];
  heard.must += must.length;
  heard.mustTogether += must.filter(together).length;
  heard.cannot += cannot.length;
  heard.cannotTogether += cannot.filter(together).length;
}

/**
 * The adjusted Rand index over the held-out pairs alone: 1 where clusters keep all of them, 0 where they keep as many as by chance. It is
 * Cohen's κ of "one cluster" and "must-link", and has his standard error (Cohen 1960).
 */
export function agreement({ must, mustTogether, cannot, cannotTogether }: Heard): {
  readonly score: number;
  readonly error: number;
} {
  const all = must + cannot;
  const together = mustTogether + cannotTogether;
  const agreed = (mustTogether + cannot - cannotTogether) / all;
  const byChance = (together * must + (all - together) * cannot) / (all * all);
  if (byChance === 1) return { score: 1, error: 0 };
  return { score: (agreed - byChance) / (1 - byChance), error: Math.sqrt((agreed * (1 - agreed)) / all) / (1 - byChance) };
}

function decide(tried: readonly Tried[], enough: boolean): Chosen {
  const widest = (among: readonly Tried[]): Tried =>
    among.reduce((best, each) => (each.silhouette > best.silhouette ? each : best));
  if (!enough) return { k: widest(tried).k, by: "silhouette", evidence: tried.map(({ k, silhouette: score }) => ({ k, score })) };
  const found = tried.map(({ heard }) => agreement(heard));
  const best = found.reduce((most, each) => (each.score > most.score ? each : most));
  const good = tried.filter((_, at) => found[at]!.score >= best.score - best.error);
  return {
    k: widest(good).k,
    by: "held-out constraints, then silhouette",
    evidence: tried.map(({ k }, at) => ({ k, score: found[at]!.score })),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
