/** The interface of a command: texts for its help, flags as data, and a function of the arguments and an injected terminal. */
import { COLUMN_TYPES, SCALES, TRANSFORMS } from "@coterie/data/column-types";
import { type Flag, flagList, type Parsed, UsageError, type Values } from "./flags.js";
import type { Line } from "./text/visible.js";

/** The terminal, passed in by the caller. Standard output is for data. Standard error is for people, and gets complete lines. */
export interface Io {
  /** Writes data byte for byte. On a screen, control characters are made visible. */
  out(text: string): Promise<void>;
  /** Writes lines for people to standard output: help, a table, a diagnosis. */
  print(lines: readonly Line[]): Promise<void>;
  say(...lines: readonly Line[]): void;
  /** On a terminal: shows a temporary line on standard error, which the next line replaces. An empty text removes it. */
  sketch(line: string): void;
  /** On a terminal: erases the last lines that `say` wrote. */
  takeBack(lines: number): void;
  readonly signal: AbortSignal;
  /** The names of the finished files, for the message after an interruption or a failure. */
  readonly written: string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** About standard error. terminal: whether it is a terminal. columns: its width. colours: whether it shows colours. */
  readonly terminal: boolean;
  readonly columns: number;
  readonly colours: boolean;
  readonly lines: number;
  readonly input: Input;
}

/** Standard input: single keys from a keyboard, or text from a file or a pipe. */
export interface Input {
  readonly keyboard: boolean;
  open(): Typing;
}

export interface Typing {
  /** Returns the text received since the last call, at least one character, or null at the end. Rejects when the signal is raised. */
  read(signal: AbortSignal): Promise<string | null>;
  forget(): void;
  close(): void;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly usage: readonly string[];
  readonly examples: Readonly<Record<string, string>>;
  readonly flags: readonly Flag[];
  /** More flags, which depend on the command line so far, such as the options of the chosen method. */
  readonly moreFlags?: (parsed: Parsed) => Promise<readonly Flag[]>;
  readonly elsewhere?: (name: string, parsed: Parsed) => string | undefined;
  /** What `moreFlags` configures (default: method). For example, "strategy" gives the help heading "Options of the strategy". */
  readonly moreOf?: string;
  readonly notes?: readonly string[];
  readonly run: (parsed: Parsed, io: Io) => Promise<number>;
}

/** Flags that every command accepts. A command that has no use for them ignores them. */
export const GLOBAL_FLAGS: readonly Flag[] = flagList({
  "--seed N": "seed of the random numbers, 0 or more (default: 0)",
  "--workers N": "processor cores to use (default: all); the result does not depend on N",
  "--effort N": "limit on exact searches, in nodes of the search tree",
  "--strict": "exit with code 4 if the result breaks a constraint",
  "--quiet, -q": "print no progress and no summary",
  "--help, -h": "show this help",
  "--version": "show the version",
});

export const DATA_FLAGS: readonly Flag[] = flagList({
  "--id COL":
    "column with unique row ids; none: number the rows from 0 (default: a column that looks like ids, else row numbers)",
  "--truth COL": "column with known classes, for scores and simulated answers; not used as a feature",
  "--exclusive COL…": "keep rows with the same value in COL in different clusters",
  "--features A,B": "use these columns only",
  "--ignore A,B": "leave these columns out",
  "--nominal A,B": "treat these columns as categories, even if they hold numbers",
  "--type COL=TYPE…": `type of a column: ${COLUMN_TYPES.join(", ")}; can be repeated (default: detected from the cells)`,
  "--cyclic COL=TURN…":
    "treat COL as cyclic: day|week|month|year for dates, or the period for numbers (hour=24); maps the values to a circle of diameter 1",
  "--weight COL=W…": "weight of a column in distances, above 0; 2 counts a column twice (default: 1)",
  "--reduce D": "replace vector columns (or all numeric columns) by D principal components; reports the variance kept",
  "--text-dimensions D": "number of features made from each text column, for methods that compute means (default: 64)",
  "--row-weight COL": "column with row weights, for methods that support them; not used as a feature",
  "--sample N": "use N rows, drawn at random; the other rows get no label",
  "--columns-from FILE":
    "second table with the same rows, for ids, classes, groups and weights; its columns are features only if --features names them",
  "--scale HOW": {
    choices: SCALES,
    description:
      "scale numeric columns: zscore to variance 1, minmax to the range 0 to 1, robust by median and quartiles, log and rank to variance 1 after logarithms or ranks; auto chooses by the columns and reports its choice (default: auto)",
  },
  "--transform COL=HOW…": `transform a column before scaling: ${TRANSFORMS.join(", ")}; can be repeated (default: chosen by --scale auto)`,
  "--missing HOW": {
    choices: ["auto", "error", "drop", "impute", "skip"],
    description:
      "missing cells: stop, drop the rows, fill the cells, or (skip) compare two rows by the columns that both have; auto skips missing cells if the method can, and otherwise fills them (default: auto)",
  },
  "--delimiter CHAR": "field separator of a CSV file (default: detected)",
  "--decimal CHAR": { choices: [".", ","], description: "decimal mark of a CSV file (default: detected)" },
});

/** Refuses flags about the columns of the table DATA, for runs without a table. `more`: flags that only this run refuses. */
export function refuseColumnFlags(values: Values, ...more: readonly string[]): void {
  const names = ["id", "truth", "exclusive", "features", "ignore", "nominal", "scale", "missing", ...more];
  const stray = names.find((name) => values[name] !== undefined);
  if (stray) throw new UsageError(`--${stray} is about the columns of a table: name DATA too.`);
}

export const CONSTRAINT_FLAG: Flag = {
  name: "constraints",
  short: "c",
  value: "FILE",
  kind: "file",
  list: true,
  description: "constraints file with the columns type,a,b,c,weight; can be repeated",
};
