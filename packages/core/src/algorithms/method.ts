/**
 * What a method is: options described by one schema, and a generator that does the work. The catalogue lists the methods;
 * the command line, the workbench and the docs know a method only through this shape.
 */
import type { z } from "zod";
import type { Kernels } from "../kernels/kernels.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { Instances } from "../model/points.js";
import type { Found } from "../model/result.js";
import type { Random } from "../random/index.js";
import type { Steps } from "../steps/index.js";

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
 * How a method treats a kind of statement: keeps it always, at a price, or does not look at it; `hard-only`: looks at none but those of
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

// biome-ignore lint/suspicious/noExplicitAny: the catalogue holds methods of every option type side by side.
export interface Method<Options = any> {
  readonly name: string;
  readonly title: string;
  /** Its title with some options, where they make it another method. */
  readonly titleWith?: (options: Readonly<Record<string, unknown>>) => string;
  /** One sentence for lists and help. */
  readonly summary: string;
  readonly paper: string;
  readonly family: "partition" | "hierarchy" | "tree";
  readonly treats: Treatments;
  /** The only description of the options: checks, flags, forms and docs derive from it. */
  readonly options: z.ZodType<Options>;
  readonly steps: (input: Input, options: Options, context: Context) => Steps<Outcome>;
  /** Independent starts of which one is kept; a host may run them side by side. */
  readonly starts?: {
    readonly count: (options: Options) => number;
    readonly steps: (input: Input, options: Options, index: number, context: Context) => Steps<Outcome>;
    /** The one to keep, from all in their order; the lowest objective if left out. */
    readonly choose?: (outcomes: readonly Outcome[], options: Options) => Outcome;
  };
}

/** What people read of a method that ran with these options. */
export function titleOf({ title, titleWith }: Method, options: Readonly<Record<string, unknown>>): string {
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
