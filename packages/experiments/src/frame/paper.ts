/**
 * The types of experiments. A paper has pages (its figures and tables, and our additions). A page reads tables of trials, which hold the
 * raw numbers, and judges claims with them. Running trials is separate from judging and drawing.
 */
import { type Line, nameOf, type Trial, type TrialColumns, type TrialKey, type Values } from "@coterie/workbench/trials";

/** `quick` is a first look: a subset of the trials of `full`. */
export type Size = "quick" | "full";

/** A table of trials; its name is the name of the file, without extension. */
export interface TrialTable extends TrialColumns {
  /** Columns that differ in a second run, such as times. */
  readonly timed?: readonly string[];
  readonly trials: (size: Size, seed: number) => readonly Trial[];
  readonly measure: (trial: Trial) => Promise<Values>;
}

/** The data from which a page is judged and drawn. */
export interface PageData {
  readonly size: Size;
  readonly seed: number;
  /** The trials of a table at this size, in order, for the available data sets. */
  lines(table: TrialTable): readonly Line[];
  /** Data sets of the page that are not available. */
  readonly missing: readonly string[];
}

export type Verdict = "holds" | "holds in part" | "does not hold" | "not judged";

/** Whether a claim is about every cell, most cells, or some cells. */
export type Extent = "every" | "most" | "some";

/** One comparison of a claim. Kinds of claims: `difference` is positive, there is no difference, a number has a value, a fact holds. */
export type Cell = { readonly row: string; readonly column: string; readonly said: string } & (
  | {
      readonly kind: "difference";
      readonly difference: number;
      /** Two-sided p-value. */
      readonly p: number;
      /** The smallest difference that counts. */
      readonly least?: number;
    }
  | {
      readonly kind: "even";
      readonly difference: number;
      /** The standard error of the difference. */
      readonly error: number;
      readonly p: number;
      /** The largest difference that counts as no difference. */
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
      /** The number of trials that a claim about every trial was tested on. */
      readonly trials?: number;
    }
);

export interface Evidence {
  readonly cells: readonly Cell[];
  /** Our number with its error, if the claim is about one number; otherwise the cells are counted. */
  readonly ours?: string;
  /** The cause of a difference from the paper, if it was found. */
  readonly because?: string;
}

export interface Claim {
  readonly id: string;
  /** The paper's words; absent for our claims. */
  readonly quote?: string;
  /** The section with these words. */
  readonly section: string;
  /** The tested hypothesis, if the paper's words leave it open; for our claims, the claim. */
  readonly tested?: string;
  /** The published number or result. */
  readonly published: string;
  readonly about: Extent;
  /** Data sets of the claim. It is judged on all of them or not at all. */
  readonly needs: readonly string[];
  readonly judge: (seen: PageData) => Evidence;
}

export interface Picture {
  /** Part of the file name: letters, digits, hyphens. */
  readonly name: string;
  /** What lines, bars, bands and gaps mean, and the number of runs. */
  readonly caption: string;
  /** Draws the picture. It can run clusterings for this; a long run stops when the signal is raised. */
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
  /** Other names of the page: the figures that it covers. */
  readonly covers?: readonly string[];
  readonly tables: readonly TrialTable[];
  /** The protocol, with our choices where the paper leaves them open; Markdown. */
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

/** The data sets that a page reads, without repetitions. */
export function needsOf({ tables }: Page): string[] {
  return [...new Set(tables.flatMap((table) => table.trials("full", 0).flatMap(({ needs }) => needs)))];
}

/** Approximate processor time of a page alone, in seconds. */
export function secondsOf({ tables }: Page, size: Size): number {
  const all = tables.flatMap((table) => table.trials(size, 0));
  return Math.ceil(all.reduce((sum, { cost }) => sum + cost, 0) / 1000);
}

/** Joins the lines of two tables for the same trials. */
export function joined(seen: PageData, first: TrialTable, second: TrialTable): readonly Line[] {
  const others = new Map(seen.lines(second).map((line) => [nameOf(first, line as TrialKey), line]));
  return seen.lines(first).flatMap((line) => {
    const other = others.get(nameOf(first, line as TrialKey));
    return other ? [{ ...other, ...line }] : [];
  });
}
