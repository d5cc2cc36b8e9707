/**
 * The types of experiments. A paper has pages: one for each of its figures and tables, and further pages with our additions. A page reads
 * tables of trials, which hold the raw numbers, and judges claims with them. Trials run separately from judging and drawing.
 */
import { type Line, nameOf, type Trial, type TrialColumns, type TrialKey, type Values } from "@coterie/workbench/trials";

/** `full` runs all trials. `quick` runs only a part of them, for a first impression. */
export type Size = "quick" | "full";

/** A table of trials. The table's name is also the name of its file, without extension. */
export interface TrialTable extends TrialColumns {
  readonly timed?: readonly string[];
  readonly trials: (size: Size, seed: number) => readonly Trial[];
  readonly measure: (trial: Trial) => Promise<Values>;
}

export interface PageData {
  readonly size: Size;
  readonly seed: number;
  /**
   * The lines of a table, one per trial of this size, in the order of the trials. Trials whose data sets are not available are left out.
   */
  lines(table: TrialTable): readonly Line[];
  readonly missing: readonly string[];
}

export type Verdict = "holds" | "holds in part" | "does not hold" | "not judged";

export type Extent = "every" | "most" | "some";

/**
 * One comparison within a claim. There are four kinds: a difference is positive, two values are equal, a number is near the published
 * number, or a fact is true.
 */
export type Cell = { readonly row: string; readonly column: string; readonly said: string } & (
  | {
      readonly kind: "difference";
      readonly difference: number;
      readonly p: number;
      readonly least?: number;
    }
  | {
      readonly kind: "even";
      readonly difference: number;
      readonly error: number;
      readonly p: number;
      readonly most: number;
    }
  | {
      readonly kind: "number";
      readonly ours: number;
      readonly error: number;
      readonly published: number;
      readonly within: number;
    }
  | {
      readonly kind: "fact";
      readonly holds: boolean;
      /** Number of trials that tested the fact, if the claim is about every trial. With too few trials, the claim stays undecided. */
      readonly trials?: number;
    }
);

export interface Evidence {
  readonly cells: readonly Cell[];
  /** Our number with its error, if the claim is about one number. If absent, the page shows how many cells have each mark. */
  readonly ours?: string;
  readonly because?: string;
}

export interface Claim {
  readonly id: string;
  readonly quote?: string;
  readonly section: string;
  /** The tested hypothesis, if the quote from the paper is not precise enough. For our own claims: the claim itself. */
  readonly tested?: string;
  /** What the paper published for this claim: a number or a result. Default: a dash, for claims of our own. */
  readonly published?: string;
  /** How many cells must support the claim. Default: every cell. */
  readonly about?: Extent;
  /** Data sets that must be available before the claim is judged. Default: all data sets of the page. */
  readonly needs?: readonly string[];
  readonly judge: (seen: PageData) => Evidence;
}

export interface Picture {
  /** The picture's part of the file name: letters, digits, hyphens. */
  readonly name: string;
  readonly caption: string;
  /** Draws the picture. This can run clusterings; a long run stops when the signal is aborted. */
  readonly svg: (signal?: AbortSignal) => string | Promise<string>;
}

export interface ResultTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

export type Kind = "figure" | "table" | "extra";

export interface Page {
  readonly name: string;
  readonly title: string;
  readonly kind: Kind;
  /** Names of the paper's figures that this page also contains. They select the page too. */
  readonly covers?: readonly string[];
  readonly tables: readonly TrialTable[];
  /** How the trials were made, as Markdown. Includes our choices for details that the paper does not state. */
  readonly protocol: (seen: PageData) => string;
  readonly claims: readonly Claim[];
  readonly pictures?: (seen: PageData) => readonly Picture[];
  readonly results?: (seen: PageData) => readonly ResultTable[];
}

export interface Paper {
  readonly name: string;
  readonly title: string;
  readonly pages: readonly Page[];
}

export function needsOf({ tables }: Page): string[] {
  return [...new Set(tables.flatMap((table) => table.trials("full", 0).flatMap(({ needs }) => needs)))];
}

export function secondsOf({ tables }: Page, size: Size): number {
  const all = tables.flatMap((table) => table.trials(size, 0));
  return Math.ceil(all.reduce((sum, { cost }) => sum + cost, 0) / 1000);
}

export function joined(seen: PageData, first: TrialTable, second: TrialTable): readonly Line[] {
  const others = new Map(seen.lines(second).map((line) => [nameOf(first, line as TrialKey), line]));
  return seen.lines(first).flatMap((line) => {
    const other = others.get(nameOf(first, line as TrialKey));
    return other ? [{ ...other, ...line }] : [];
  });
}
