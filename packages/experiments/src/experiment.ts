/** What an experiment is: claims that a run can confirm or not, with the numbers that decided. */

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

export interface Setting {
  /** Fewer repetitions, for a first look. */
  readonly quick: boolean;
  readonly seed: number;
  readonly log: (line: string) => void;
}

export interface Figure {
  readonly name: string;
  readonly title: string;
  readonly run: (setting: Setting) => Promise<readonly Finding[]>;
}

export interface Paper {
  readonly name: string;
  readonly title: string;
  readonly figures: readonly Figure[];
}
