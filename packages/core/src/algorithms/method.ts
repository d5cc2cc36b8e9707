/**
 * The interface of a method: facts about it, options described by one schema, and a generator that does the work. The catalogue lists the
 * methods. The command line, the studio and the docs use a method only through this interface.
 */
import type * as z from "zod/mini";
import type { Kernels } from "../kernels/kernels.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { Instances, Rows } from "../model/points.js";
import type { HierarchyResult, Merge, Outcome, PairsResult, PartitionResult, Result, TreeResult } from "../model/result.js";
import type { Random } from "../random/index.js";
import type { Steps } from "../steps/index.js";
import type { Cost } from "./cost.js";
import type { OptionsByMethod } from "./method-options.js";

export interface Input {
  readonly points: Instances;
  readonly constraints: ConstraintSet;
}

export interface Context {
  readonly random: Random;
  readonly kernels: Kernels;
  /**
   * Cache that several runs over the same points share. A run stores results here that depend on the points alone, under a name, so that
   * later runs do not compute them again.
   */
  readonly shared?: Map<string, unknown>;
}

/** The raw result of a method. Clusters still have the method's own numbers; `finish` renumbers them. */
export type { Outcome };

/**
 * How a method treats a kind of constraint. `hard`: always satisfies it. `soft`: pays a penalty for violating it. `ignored`: does not
 * read it. `hard-only`: satisfies constraints of infinite weight and ignores all others.
 */
export type Treatment = "hard" | "soft" | "hard-only" | "ignored";

export interface Treatments {
  readonly mustLink: Treatment;
  readonly cannotLink: Treatment;
  readonly relative: Treatment;
  readonly labels: Treatment;
  readonly exclusive: Treatment;
}

export const IGNORES_ALL: Treatments = {
  mustLink: "ignored",
  cannotLink: "ignored",
  relative: "ignored",
  labels: "ignored",
  exclusive: "ignored",
};

/** For methods that pay a penalty for every violated must-link, cannot-link, label and exclusive group, and ignore relative constraints. */
export const SOFT: Treatments = { mustLink: "soft", cannotLink: "soft", relative: "ignored", labels: "soft", exclusive: "soft" };

/** For the best cut of a hierarchy, which pays a penalty for violated constraints of every kind. */
export const CUT_BY_ALL: Treatments = { ...SOFT, relative: "soft" };

/**
 * For methods that learn only from must-links and labels. Cannot-links are only read if they have infinite weight; then they are satisfied.
 */
export const SOFT_TOGETHER: Treatments = { ...SOFT, cannotLink: "hard-only", exclusive: "ignored" };

export const LEARNED_METRICS = ["rca", "svm"] as const;

export type MetricName = (typeof LEARNED_METRICS)[number];

/**
 * How a method treats constraints under the given options. If a metric is learned first, the kinds of constraints that the metric is
 * learned from count as soft instead of ignored: must-links and labels for RCA, relative constraints for the SVM.
 */
export function treatmentsOf(
  { treats, treatsWith }: Pick<Method, "treats" | "treatsWith">,
  options: { readonly learnedMetric?: MetricName | undefined },
): Treatments {
  const { learnedMetric } = options;
  const seen = (treatment: Treatment): Treatment => (treatment === "ignored" ? "soft" : treatment);
  const special = treatsWith?.(options as Readonly<Record<string, unknown>>);
  if (special) return special;
  if (learnedMetric === "rca") return { ...treats, mustLink: seen(treats.mustLink), labels: seen(treats.labels) };
  return learnedMetric === "svm" ? { ...treats, relative: seen(treats.relative) } : treats;
}

/**
 * The kind of a method. partition: clusters around centres. hierarchy: merges from single rows up to one cluster. tree: a tree of tests on
 * columns. pairs: clusters from scored pairs of rows.
 */
export type Family = "partition" | "hierarchy" | "tree" | "pairs";

/** Whether the method must be given the number of clusters. */
export function needsK({ family }: Pick<Method, "family">): boolean {
  return family === "partition" || family === "tree";
}

/** Whether the method can be given the number of clusters. */
export function takesK({ family }: Pick<Method, "family">): boolean {
  return family !== "pairs";
}

/** For each family, the type of result that its methods return. */
export interface FamilyResults {
  readonly partition: PartitionResult;
  readonly hierarchy: HierarchyResult;
  readonly tree: TreeResult;
  readonly pairs: PairsResult;
}

/** Independent starts of a method. The caller can run them in parallel; one result is kept. */
export interface Starts<Checked> {
  readonly count: (options: Checked) => number;
  readonly steps: (input: Input, options: Checked, index: number, context: Context) => Steps<Outcome>;
  /** Picks the outcome to keep from the outcomes of all starts, which are in order. Default: the outcome with the lowest objective. */
  readonly choose?: (outcomes: readonly Outcome[], options: Checked) => Outcome;
}

/** The work of a method: its options and its computation. */
export interface Work<Options, Checked> {
  /** The only description of the options. Checks, command-line flags, forms and docs are derived from it. */
  readonly options: z.ZodMiniType<Checked, Options>;
  readonly steps: (input: Input, options: Checked, context: Context) => Steps<Outcome>;
  readonly starts?: Starts<Checked>;
}

/** A hierarchy that several k can share, so that a range of k builds it once. */
export interface SharedTree {
  /** Options under which the hierarchy is the same for every k. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Whether cutting the hierarchy into k clusters gives the same result as a run with this k and these options. */
  readonly serves: (merges: readonly Merge[], n: number, k: number, options: Readonly<Record<string, unknown>>) => boolean;
}

/** How an engine runs a method of the k-means family, as a plan of passes over the rows. */
export interface PlanTraits {
  /** How the first centres are found if the run specifies none. */
  readonly init: "k-means++" | "neighbourhoods";
  /** Default maximum number of iterations; 0: rows are assigned only once. */
  readonly iterations: number;
  /** The quantity that decides when a run ends: the run ends when this quantity changes by less than the tolerance. */
  readonly settles: "centres" | "objective";
  /**
   * How constrained rows are assigned: to the nearest centre; to clusters where they violate no hard constraint; or to the cluster where
   * distance plus penalties is least.
   */
  readonly places: "nearest" | "legally" | "by penalties";
  readonly learnsMetric: boolean;
}

/**
 * How a method runs on rows that stay in an engine: exactly, by a plan; or approximately, on micro-clusters (means of near rows) or on a
 * sample of the rows. Methods that need the density of rows or the largest distances use a sample, because means of near rows change both.
 */
export type OnEngine = PlanTraits | "micro-clusters" | "sample";

/** The complete definition of a method. */
export interface Definition<Name extends string, F extends Family, Options, Checked> extends Work<Options, Checked> {
  readonly name: Name;
  readonly title: string;
  /** The title under the given options, for methods that options turn into another method. */
  readonly titleWith?: (options: Readonly<Record<string, unknown>>) => string;
  /** One sentence for lists and help. */
  readonly summary: string;
  readonly paper: string;
  readonly family: F;
  readonly treats: Treatments;
  /** One call as code, for the documentation of the library. */
  readonly example: string;
  /** The title for menus, where the user has not chosen options yet. Needed only if `title` mentions options. */
  readonly menuTitle?: string;
  /** Estimated seconds of a run on one core, without the time to learn a metric first; `secondsOf` adds this time. */
  readonly seconds: Cost;
  /**
   * Whether the method measures distances between cluster means, not between rows. Default: true for partitions and trees, false for
   * hierarchies.
   */
  readonly comparesMeans?: (options: Readonly<Record<string, unknown>>) => boolean;
  /** How the method runs on rows that stay in an engine; absent if it cannot. */
  readonly onEngine?: OnEngine;
  /** Set if the method supports row weights; all other methods refuse weighted rows. */
  readonly weighsRows?: true;
  /** Options for the trial runs that choose the number of clusters, if trial runs with the default options would take too long. */
  readonly whileChoosing?: Readonly<Record<string, unknown>>;
  /** Set if the method builds a hierarchy that several k can share. */
  readonly sharedTree?: SharedTree;
  /**
   * How the method treats constraints under the given options, if this depends on options other than a learned metric. Undefined: as
   * `treats`.
   */
  readonly treatsWith?: (options: Readonly<Record<string, unknown>>) => Treatments | undefined;
}

/** Options that every call takes, in addition to the options of the method. */
export interface CallOptions {
  /** Seed of all random choices; the same seed gives the same result, to the byte. Default 0. */
  readonly seed?: number | undefined;
  /** The implementation of the hot loops (plain TypeScript or WebAssembly); it does not change results. */
  readonly kernels?: Kernels | undefined;
}

/** The options of a method, with documentation for editors if the method is in the catalogue. */
export type Described<Name extends string, Options> = Name extends keyof OptionsByMethod ? OptionsByMethod[Name] : Options;

/** Range of cluster numbers to choose from: first and last. */
export type KRange = readonly [from: number, to: number];

/** The options of a method, except that `k` can also be a range; one number of the range is then chosen. */
export type Choosable<Options> = { [Key in keyof Options]: Key extends "k" ? Options[Key] | KRange : Options[Key] };

/** A method whose name, options and result type are known at compile time. */
export interface NamedMethod<Name extends string, F extends Family, Options, Checked>
  extends Definition<Name, F, Options, Checked> {
  (
    points: Instances | Rows,
    known: ConstraintSet | undefined,
    options: Choosable<Described<Name, Options>> & CallOptions,
  ): FamilyResults[F];
}

/** Any method: a function that clusters, with its definition as properties. */
// biome-ignore lint/suspicious/noExplicitAny: the catalogue holds methods of every option type side by side.
export interface Method extends Definition<string, Family, any, any> {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  (points: Instances | Rows, known: ConstraintSet | undefined, options: any): Result;
}

export function titleOf(
  { title, titleWith }: Pick<Method, "title" | "titleWith">,
  options: Readonly<Record<string, unknown>>,
): string {
  return titleWith?.(options) ?? title;
}

/** Runs all starts one after the other. Keeps the outcome with the lowest objective, the earliest on ties. */
export function* bestStart(count: number, start: (index: number) => Steps<Outcome>): Steps<Outcome> {
  let best: Outcome | undefined;
  for (let index = 0; index < count; index++) {
    const outcome = yield* start(index);
    best = betterOutcome(best, outcome);
  }
  return best!;
}

export function lowestOutcome(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce((best, outcome) => betterOutcome(best, outcome));
}

export function betterOutcome(first: Outcome | undefined, second: Outcome): Outcome {
  return first === undefined || second.objective! < first.objective! ? second : first;
}
