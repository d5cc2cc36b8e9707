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
  /** Cache for several runs over the same points. A run stores results by name if they depend only on the points. Later runs read them. */
  readonly shared?: Map<string, unknown>;
}

/** The raw result of a method. Clusters have the method's own numbers; `finish` renumbers them. */
export type { Outcome };

/**
 * How a method treats a kind of constraint.
 *
 * - `hard`: always satisfies it
 * - `soft`: pays a penalty for violating it
 * - `ignored`: does not read it
 * - `hard-only`: satisfies constraints of infinite weight and ignores all others
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

/** For methods that pay a penalty for violations. They ignore relative constraints. */
export const SOFT: Treatments = { mustLink: "soft", cannotLink: "soft", relative: "ignored", labels: "soft", exclusive: "soft" };

/** For the best cut of a hierarchy. Violated constraints of every kind cost a penalty. */
export const CUT_BY_ALL: Treatments = { ...SOFT, relative: "soft" };

/**
 * For methods that learn only from must-links and labels. They satisfy cannot-links of infinite weight and ignore all other cannot-links.
 */
export const SOFT_TOGETHER: Treatments = { ...SOFT, cannotLink: "hard-only", exclusive: "ignored" };

export const LEARNED_METRICS = ["rca", "svm"] as const;

export type MetricName = (typeof LEARNED_METRICS)[number];

/**
 * How a method treats constraints under the given options. If a metric is learned first, some ignored constraints become soft: must-links
 * and labels with RCA, relative constraints with the SVM.
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
 * The kind of a method.
 *
 * - partition: clusters around centres
 * - hierarchy: merges from single rows up to one cluster
 * - tree: a tree of tests on columns
 * - pairs: clusters from scored pairs of rows
 */
export type Family = "partition" | "hierarchy" | "tree" | "pairs";

/** Whether the option k is required. */
export function needsK({ family }: Pick<Method, "family">): boolean {
  return family === "partition" || family === "tree";
}

/** Whether the method has an option k. */
export function takesK({ family }: Pick<Method, "family">): boolean {
  return family !== "pairs";
}

/** The result type of each family. */
export interface FamilyResults {
  readonly partition: PartitionResult;
  readonly hierarchy: HierarchyResult;
  readonly tree: TreeResult;
  readonly pairs: PairsResult;
}

/** Independent starts of a method. The caller can run them in parallel, and keeps one result. */
export interface Starts<Checked> {
  readonly count: (options: Checked) => number;
  readonly steps: (input: Input, options: Checked, index: number, context: Context) => Steps<Outcome>;
  /** Picks one of the outcomes, which are in the order of the starts. Default: the lowest objective. */
  readonly choose?: (outcomes: readonly Outcome[], options: Checked) => Outcome;
}

/** The work of a method: its options and its computation. */
export interface Work<Options, Checked> {
  /** The only description of the options. Checks, command-line flags, forms and docs are derived from it. */
  readonly options: z.ZodMiniType<Checked, Options>;
  readonly steps: (input: Input, options: Checked, context: Context) => Steps<Outcome>;
  readonly starts?: Starts<Checked>;
}

/** A hierarchy that is the same for several k, so that a range of k builds it only once. */
export interface SharedTree {
  /** The options that build the shared hierarchy. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Whether a cut of the hierarchy into k clusters equals a run with this k and these options. */
  readonly serves: (merges: readonly Merge[], n: number, k: number, options: Readonly<Record<string, unknown>>) => boolean;
}

/** Describes a method of the k-means family to an engine, which runs it as passes over the rows. */
export interface PlanTraits {
  /** The first centres if the run specifies none. */
  readonly init: "k-means++" | "neighbourhoods";
  /** Default maximum number of iterations. 0: rows are assigned only once. */
  readonly iterations: number;
  /** A run ends when this quantity changes by less than the tolerance. */
  readonly settles: "centres" | "objective";
  /**
   * How constrained rows are assigned.
   *
   * - nearest: to the nearest centre
   * - legally: to a cluster where they violate no hard constraint
   * - by penalties: to the cluster with the least distance plus penalties
   */
  readonly places: "nearest" | "legally" | "by penalties";
  readonly learnsMetric: boolean;
}

/**
 * How a method runs on rows that stay in an engine. A plan is exact. Micro-clusters (means of near rows) and a sample of the rows are
 * approximate. Methods that need densities or largest distances use a sample, because micro-clusters change both.
 */
export type OnEngine = PlanTraits | "micro-clusters" | "sample";

/** The complete definition of a method. */
export interface Definition<Name extends string, F extends Family, Options, Checked> extends Work<Options, Checked> {
  readonly name: Name;
  readonly title: string;
  /** The title under the given options. For methods whose options make another method. */
  readonly titleWith?: (options: Readonly<Record<string, unknown>>) => string;
  /** One sentence for lists and help. */
  readonly summary: string;
  readonly paper: string;
  readonly family: F;
  readonly treats: Treatments;
  /** One call as code, for the documentation of the library. */
  readonly example: string;
  /** The title in menus, where no option is chosen yet. Set only if `title` mentions options. */
  readonly menuTitle?: string;
  /** Estimated seconds of a run on one core. Does not include learning a metric first; `secondsOf` adds that. */
  readonly seconds: Cost;
  /** Whether the method uses distances to cluster means instead of distances between rows. Default: true for partitions and trees. */
  readonly comparesMeans?: (options: Readonly<Record<string, unknown>>) => boolean;
  /** How the method runs on rows that stay in an engine. Absent if the method cannot run there. */
  readonly onEngine?: OnEngine;
  /** Set if the method supports row weights. Other methods refuse weighted rows. */
  readonly weighsRows?: true;
  /** Options for the trial runs that choose the number of clusters. Set if trials with the default options take too long. */
  readonly whileChoosing?: Readonly<Record<string, unknown>>;
  /** Set if several k can share one hierarchy. */
  readonly sharedTree?: SharedTree;
  /** Set if options other than a learned metric change how the method treats constraints. Returns undefined if `treats` applies. */
  readonly treatsWith?: (options: Readonly<Record<string, unknown>>) => Treatments | undefined;
}

/** Options that every call takes, in addition to the options of the method. */
export interface CallOptions {
  /** Seed of all random choices; the same seed gives the same result, to the byte. Default 0. */
  readonly seed?: number | undefined;
  /** The implementation of the hot loops (plain TypeScript or WebAssembly); it does not change results. */
  readonly kernels?: Kernels | undefined;
}

/** The options of a method. If the method is in the catalogue, editors show their documentation. */
export type Described<Name extends string, Options> = Name extends keyof OptionsByMethod ? OptionsByMethod[Name] : Options;

/** Range of cluster numbers: first and last. */
export type KRange = readonly [from: number, to: number];

/** The options of a method, where `k` can also be a range. Then the method chooses one number of the range. */
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

/** Runs all starts one after the other. Keeps the outcome with the lowest objective, and the first of several equal outcomes. */
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
