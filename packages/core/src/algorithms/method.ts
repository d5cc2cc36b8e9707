/**
 * What a method is: facts about it, options described by one schema, and a generator that does the work. The catalogue lists the
 * methods; the command line, the workbench and the docs know a method only through this shape.
 */
import type * as z from "zod";
import type { Kernels } from "../kernels/kernels.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { Instances, Rows } from "../model/points.js";
import type { Found, HierarchyResult, Merge, PartitionResult, Result, TreeResult } from "../model/result.js";
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
}

/** What a method found, before it is put into the user's words: cluster numbers are the method's own. */
export type Outcome = Found;

/**
 * How a method treats a kind of constraint: keeps it always, at a price, or does not look at it; `hard-only`: looks at none but those of
 * infinite weight, and keeps these.
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

/** A price on every broken constraint that is about pairs. */
export const SOFT: Treatments = { mustLink: "soft", cannotLink: "soft", relative: "ignored", labels: "soft", exclusive: "soft" };

/** The best cut of a hierarchy looks at all of them. */
export const CUT_BY_ALL: Treatments = { ...SOFT, relative: "soft" };

/** Learns from rows that belong together alone. */
export const SOFT_TOGETHER: Treatments = { ...SOFT, cannotLink: "hard-only", exclusive: "ignored" };

export const LEARNED_METRICS = ["rca", "svm"] as const;
export type MetricName = (typeof LEARNED_METRICS)[number];

/**
 * How a method treats constraints under these options: what a metric is learned from first is not ignored. RCA learns from must-links
 * and labels, the SVM from relative constraints.
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

/** Groups around centres, merges from rows up to one group, or a tree of tests. */
export type Family = "partition" | "hierarchy" | "tree";

/** What a method of a family returns. */
export interface FamilyResults {
  readonly partition: PartitionResult;
  readonly hierarchy: HierarchyResult;
  readonly tree: TreeResult;
}

/** Independent starts of which one is kept; a host may run them side by side. */
export interface Starts<Checked> {
  readonly count: (options: Checked) => number;
  readonly steps: (input: Input, options: Checked, index: number, context: Context) => Steps<Outcome>;
  /** The one to keep, from all in their order; the lowest objective if left out. */
  readonly choose?: (outcomes: readonly Outcome[], options: Checked) => Outcome;
}

/** The work of a method: what it can be asked for, and how it answers. */
export interface Work<Options, Checked> {
  /** The only description of the options: checks, flags, forms and docs derive from it. */
  readonly options: z.ZodType<Checked, Options>;
  readonly steps: (input: Input, options: Checked, context: Context) => Steps<Outcome>;
  readonly starts?: Starts<Checked>;
}

/** A hierarchy from which more than one number of clusters may be cut, so that a range of k needs it once. */
export interface SharedTree {
  /** Options that make it the same for every k. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Whether its cut into k clusters is what a run with k and these options gives. */
  readonly serves: (merges: readonly Merge[], n: number, k: number, options: Readonly<Record<string, unknown>>) => boolean;
}

/** All that is to be said about a method. */
export interface Definition<Name extends string, F extends Family, Options, Checked> extends Work<Options, Checked> {
  readonly name: Name;
  readonly title: string;
  /** Its title with some options, where they make it another method. */
  readonly titleWith?: (options: Readonly<Record<string, unknown>>) => string;
  /** One sentence for lists and help. */
  readonly summary: string;
  readonly paper: string;
  readonly family: F;
  readonly treats: Treatments;
  /** Seconds that a run may take on one core, from the size of the problem; `secondsOf` adds a metric that is learned first. */
  readonly seconds: Cost;
  /** Whether rows may count more or less than others; else weights of rows are refused. */
  readonly weighsRows?: true;
  /** Of a hierarchy that some numbers of clusters share. */
  readonly sharedTree?: SharedTree;
  /** How it treats constraints with some options, where they make a difference. */
  readonly treatsWith?: (options: Readonly<Record<string, unknown>>) => Treatments | undefined;
}

/** What any call may say beside the options of its method. */
export interface CallOptions {
  /** Where random choices start from; the same seed gives the same result, to the byte. Default 0. */
  readonly seed?: number | undefined;
  /** The arithmetic to run on; results do not depend on it. */
  readonly kernels?: Kernels | undefined;
}

/** The options of a method, described for editors where the method is the catalogue's. */
export type Described<Name extends string, Options> = Name extends keyof OptionsByMethod ? OptionsByMethod[Name] : Options;

/** Numbers of clusters to choose from: the first and the last. */
export type KRange = readonly [from: number, to: number];

/** Options in which `k` may be a range, of which one number is then chosen. */
export type Choosable<Options> = { [Key in keyof Options]: Key extends "k" ? Options[Key] | KRange : Options[Key] };

/** A method whose name, options and result the compiler knows. */
export interface NamedMethod<Name extends string, F extends Family, Options, Checked>
  extends Definition<Name, F, Options, Checked> {
  (
    points: Instances | Rows,
    known: ConstraintSet | undefined,
    options: Choosable<Described<Name, Options>> & CallOptions,
  ): FamilyResults[F];
}

/** Any method: called, it clusters; its facts say what it is. */
// biome-ignore lint/suspicious/noExplicitAny: the catalogue holds methods of every option type side by side.
export interface Method extends Definition<string, Family, any, any> {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  (points: Instances | Rows, known: ConstraintSet | undefined, options: any): Result;
}

/** What people read of a method that ran with these options. */
export function titleOf(
  { title, titleWith }: Pick<Method, "title" | "titleWith">,
  options: Readonly<Record<string, unknown>>,
): string {
  return titleWith?.(options) ?? title;
}

/** Runs all starts one after the other and keeps the best, the earliest on ties. */
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

/** The one of lower objective; the first when they are equal. */
export function betterOutcome(first: Outcome | undefined, second: Outcome): Outcome {
  return first === undefined || second.objective! < first.objective! ? second : first;
}
