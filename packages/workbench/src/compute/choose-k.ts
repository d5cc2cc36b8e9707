/**
 * How many clusters: the method runs with each number of a range, and what it was not told decides.
 *
 * Where there are enough must-links and cannot-links, a third of them is held out three times, and a number is as good as the held-out ones
 * that it keeps: the mean of the shares of must-links and of cannot-links. Numbers within one standard error of the best are equally
 * good; among them, and where there are too few constraints, the silhouette decides.
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
  /** Share of held-out links that each part kept. */
  readonly kept: readonly number[];
  readonly silhouette: number;
}

async function tryK(points: Instances, parts: readonly Part[], spec: RunSpec, k: number, host: RunHost): Promise<Tried> {
  const kept: number[] = [];
  const widths: number[] = [];
  for (const { known, held } of parts) {
    const watched = host.onStep;
    const onStep: RunHost["onStep"] = watched && ((step) => watched({ ...step, phase: `k = ${k}: ${step.phase}` }));
    const { result } = await run(points, known, spec, { ...host, ...(onStep ? { onStep } : {}) });
    kept.push(keptShare(result.labels, held));
    widths.push(silhouette(points, result.labels, result.k) ?? -1);
  }
  return { k, kept, silhouette: mean(widths) };
}

function keptShare(labels: Int32Array, { must, cannot }: Pairs): number {
  const together = ([a, b]: readonly [number, number]): boolean => labels[a]! >= 0 && labels[a] === labels[b];
  const share = (pairs: Pairs["must"], isKept: (pair: readonly [number, number]) => boolean): number =>
    pairs.length === 0 ? 1 : pairs.filter(isKept).length / pairs.length;
  return (share(must, together) + share(cannot, (pair) => !together(pair))) / 2;
}

function decide(tried: readonly Tried[], enough: boolean): Chosen {
  const widest = (among: readonly Tried[]): Tried =>
    among.reduce((best, each) => (each.silhouette > best.silhouette ? each : best));
  if (!enough) return { k: widest(tried).k, by: "silhouette", evidence: tried.map(({ k, silhouette: score }) => ({ k, score })) };
  const scores = tried.map(({ kept }) => mean(kept));
  const best = Math.max(...scores);
  const { kept } = tried[scores.indexOf(best)]!;
  const error =
    kept.length < 2
      ? 0.02
      : Math.sqrt(kept.reduce((sum, value) => sum + (value - best) ** 2, 0) / (kept.length - 1) / kept.length);
  const good = tried.filter((_, at) => scores[at]! >= best - Math.min(0.05, Math.max(0.01, error)));
  return {
    k: widest(good).k,
    by: "held-out constraints, then silhouette",
    evidence: tried.map(({ k }, at) => ({ k, score: scores[at]! })),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
