/**
 * What an experiment is. A paper has pages (its figures and tables, and what we add). A page reads tables of trials, which hold
 * the raw numbers, and judges claims by them. Trials are listed, run and kept apart from all judging and drawing.
 */

/** `quick` is a first look: some of the trials of `full`, never others. */
export type Size = "quick" | "full";

/** What names a trial inside its table: the data set, a number of constraints, a run. */
export type TrialKey = Readonly<Record<string, string | number>>;

export interface Trial {
  readonly key: TrialKey;
  /** All that is random in the trial follows from this number. */
  readonly seed: number;
  /** Data sets that it reads, by name. */
  readonly needs: readonly string[];
  /** Processor time that it takes, about, in milliseconds. */
  readonly cost: number;
  /** Trials that share some work: they are run one after the other by one worker. */
  readonly group?: string;
}

/** What a trial measures, by column; null where a method found no clustering. */
export type Values = Readonly<Record<string, number | null>>;

/** One line a trial: its key, its seed, what was measured. */
export interface TrialTable {
  /** The name of its file, without the ending. */
  readonly name: string;
  readonly keys: readonly string[];
  readonly values: readonly string[];
  /** Columns that no second run repeats, such as times. */
  readonly timed?: readonly string[];
  readonly trials: (size: Size, seed: number) => readonly Trial[];
  readonly measure: (trial: Trial) => Promise<Values>;
}

/** A line of a table: key and values together, under their columns' names. */
export type Line = Readonly<Record<string, string | number | null>>;

/** What a page is judged by and drawn from. */
export interface Seen {
  readonly size: Size;
  readonly seed: number;
  /** The trials of a table at this size, in their order, for the data sets that are at hand. */
  lines(table: TrialTable): readonly Line[];
  /** Data sets that the page would read and that are not at hand. */
  readonly missing: readonly string[];
}

export type Verdict = "holds" | "holds in part" | "does not hold" | "not judged";

/** What a claim speaks about: each of its cells, most of them, or some. */
export type Extent = "every" | "most" | "some";

/** One comparison of a claim. The claim says that `difference` is positive, that there is none, or what a number is. */
export type Cell = { readonly row: string; readonly column: string; readonly said: string } & (
  | {
      readonly kind: "difference";
      readonly difference: number;
      /** Two-sided. */
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
      /** The largest difference that counts as none. */
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
  /** Our number with its error, where one number says it; else the cells are counted. */
  readonly ours?: string;
  /** The cause of a difference from the paper, where it was found. */
  readonly because?: string;
}

export interface Claim {
  readonly id: string;
  /** The paper's own words; absent for a claim that is ours. */
  readonly quote?: string;
  /** Where they stand. */
  readonly section: string;
  /** What is tested, where the words leave it open; for a claim of ours, the claim. */
  readonly tested?: string;
  /** The number that was printed, if there is one. */
  readonly published: string;
  readonly about: Extent;
  /** Data sets that it speaks of. It is judged on all of them or not at all. */
  readonly needs: readonly string[];
  readonly judge: (seen: Seen) => Evidence;
}

export interface Picture {
  /** Part of the file name: letters, digits, hyphens. */
  readonly name: string;
  /** What lines, bars, bands and gaps mean, and the number of runs. */
  readonly caption: string;
  /** May be drawn from a clustering made anew; one that takes long heeds the signal. */
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
  /** Other names that it goes by: figures that it covers. */
  readonly covers?: readonly string[];
  readonly tables: readonly TrialTable[];
  /** How it was done, where the paper leaves a choice: sentences of Markdown. */
  readonly protocol: (seen: Seen) => string;
  readonly claims: readonly Claim[];
  readonly pictures?: (seen: Seen) => readonly Picture[];
  readonly results?: (seen: Seen) => readonly ResultTable[];
}

export interface Paper {
  readonly name: string;
  readonly title: string;
  readonly pages: readonly Page[];
}

/** Data sets that a page reads, in order, each once. */
export function needsOf({ tables }: Page): string[] {
  return [...new Set(tables.flatMap((table) => table.trials("full", 0).flatMap(({ needs }) => needs)))];
}

/** Seconds of processor time that a page takes, about, alone. */
export function secondsOf({ tables }: Page, size: Size): number {
  const all = tables.flatMap((table) => table.trials(size, 0));
  return Math.ceil(all.reduce((sum, { cost }) => sum + cost, 0) / 1000);
}
