/** What a command is: words for its help, flags as data, and a function of arguments and an injected terminal. */
import { COLUMN_TYPES } from "@coterie/data/column-types";
import type { Flag, Parsed } from "./flags.js";
import type { Line } from "./text/visible.js";

/** The terminal, handed in: standard output is data, standard error is for people. What people see is said in lines. */
export interface Io {
  /** Data, to the byte; on a screen its control characters are shown. */
  out(text: string): Promise<void>;
  /** Lines for people on standard output: help, a table, a diagnosis. */
  print(lines: readonly Line[]): Promise<void>;
  /** Lines for people on standard error. */
  say(...lines: readonly Line[]): void;
  /** Where standard error is a terminal: a line that gives way to the next one, sketched or said; an empty one takes it away. */
  sketch(line: string): void;
  /** Where standard error is a terminal: takes back the last lines that were said. */
  takeBack(lines: number): void;
  readonly signal: AbortSignal;
  /** The files that are in their places by now, as they were named: an interruption or a failure tells what it leaves behind. */
  readonly written: string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether standard error is a terminal, how wide it is, and whether it shows colours. */
  readonly terminal: boolean;
  readonly columns: number;
  readonly colours: boolean;
  /** How many lines the terminal shows. */
  readonly lines: number;
  readonly input: Input;
}

/** Standard input: a keyboard whose keys come one by one, or text from a file or a pipe. */
export interface Input {
  readonly keyboard: boolean;
  open(): Typing;
}

export interface Typing {
  /** The text that has come since the last call, at least one character; null at the end. Rejects when the signal is raised. */
  read(signal: AbortSignal): Promise<string | null>;
  /** Forgets what was typed and not read. */
  forget(): void;
  close(): void;
}

export interface Example {
  readonly text: string;
  readonly command: string;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly usage: readonly string[];
  readonly examples: readonly Example[];
  readonly flags: readonly Flag[];
  /** More flags that depend on the line so far, such as a method's options. */
  readonly moreFlags?: (parsed: Parsed) => Promise<readonly Flag[]>;
  /** What to say of a flag that is none here, but would be one with other words on the line. */
  readonly elsewhere?: (name: string, parsed: Parsed) => string | undefined;
  /** What these flags are options of; a method unless told. */
  readonly moreOf?: string;
  /** Paragraphs after the flags. */
  readonly notes?: readonly string[];
  readonly run: (parsed: Parsed, io: Io) => Promise<number>;
}

/** Flags that every command takes, whether it has a use for them or not. */
export const GLOBAL_FLAGS: readonly Flag[] = [
  { name: "seed", value: "N", kind: "integer", description: "seed of everything random (default: 0)" },
  { name: "workers", value: "N", kind: "integer", description: "cores to use (default: all); the answer does not depend on it" },
  { name: "effort", value: "N", kind: "integer", description: "work budget of exact searches, in nodes" },
  { name: "strict", description: "any broken constraint makes the exit code 4" },
  { name: "quiet", short: "q", description: "no progress, no summary" },
  { name: "help", short: "h", description: "show this help" },
  { name: "version", description: "show the version" },
];

export const DATA_FLAGS: readonly Flag[] = [
  {
    name: "id",
    value: "COL",
    kind: "column",
    description:
      "column with the names of the rows; none: row numbers from 0 (default: a column that is recognised, else row numbers)",
  },
  {
    name: "truth",
    value: "COL",
    kind: "column",
    description: "column with known classes, for scores and simulated answers; never a feature",
  },
  {
    name: "exclusive",
    value: "COL",
    kind: "column",
    list: true,
    description: "no cluster holds two rows with the same value in COL",
  },
  { name: "features", value: "A,B", kind: "column", list: true, description: "use these columns only" },
  { name: "ignore", value: "A,B", kind: "column", list: true, description: "leave these columns out" },
  { name: "nominal", value: "A,B", kind: "column", list: true, description: "treat these columns as text, whatever they hold" },
  {
    name: "type",
    value: "COL=TYPE",
    list: true,
    description: `what a column holds: ${COLUMN_TYPES.join(", ")}; may be repeated (default: what its cells look like)`,
  },
  {
    name: "cyclic",
    value: "COL=TURN",
    list: true,
    description:
      "treat COL as cyclic: day|week|month|year for dates, or the period for numbers (hour=24); its values lie on a circle of diameter 1",
  },
  { name: "weight", value: "COL=W", list: true, description: "how much a column counts in distances (default: 1)" },
  {
    name: "reduce",
    value: "D",
    kind: "integer",
    description: "principal components that vectors, or else all columns of numbers, become; the share of variance kept is told",
  },
  {
    name: "text-dimensions",
    value: "D",
    kind: "integer",
    description: "numbers that a column of text becomes where a method needs means (default: 64)",
  },
  {
    name: "row-weight",
    value: "COL",
    kind: "column",
    description: "column that says how much each row counts, where the method can weigh rows; never a feature",
  },
  { name: "sample", value: "N", kind: "integer", description: "draw N rows at random, by the seed; the others get no label" },
  {
    name: "columns-from",
    value: "FILE",
    kind: "file",
    description: "another table of the same rows, for ids, classes, groups and weights; features only if --features names them",
  },
  { name: "scale", value: "HOW", choices: ["none", "zscore", "minmax"], description: "scale number columns (default: none)" },
  {
    name: "missing",
    value: "HOW",
    choices: ["error", "drop", "impute", "skip"],
    description: "what to do with missing cells; skip: compare rows by the cells that both have (default: error)",
  },
  { name: "delimiter", value: "CHAR", description: "field separator of a CSV file (default: recognised)" },
  { name: "decimal", value: "CHAR", choices: [".", ","], description: "decimal mark of a CSV file (default: recognised)" },
];

export const CONSTRAINT_FLAG: Flag = {
  name: "constraints",
  short: "c",
  value: "FILE",
  kind: "file",
  list: true,
  description: "file of constraints (type,a,b,c,weight); may be repeated",
};
