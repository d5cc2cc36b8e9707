/** What an experiment is: claims that a run can confirm or not, with the numbers, tables and pictures that decided. */

export type Verdict = "holds" | "holds in part" | "does not hold" | "not run";

export interface Finding {
  /** The claim, in a sentence, with where it was made. */
  readonly claim: string;
  /** The number or pattern that was published. */
  readonly published: string;
  /** What we saw. */
  readonly ours: string;
  readonly verdict: Verdict;
  /** For a claim that does not hold as made: the likely cause. */
  readonly because?: string;
}

export interface Picture {
  /** Part of the file name: letters, digits, hyphens. */
  readonly name: string;
  readonly caption: string;
  readonly svg: string;
}

export interface ResultTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

export interface Seen {
  /** How it was done, where the paper leaves a choice: sentences of Markdown. */
  readonly protocol?: string;
  readonly findings: readonly Finding[];
  readonly pictures?: readonly Picture[];
  readonly tables?: readonly ResultTable[];
}

export interface Setting {
  /** Fewer repetitions, for a first look. */
  readonly quick: boolean;
  readonly seed: number;
  readonly log: (line: string) => void;
}

export interface Figure {
  readonly name: string;
  readonly title: string;
  readonly run: (setting: Setting) => Promise<Seen>;
}

export interface Paper {
  readonly name: string;
  readonly title: string;
  readonly figures: readonly Figure[];
}
