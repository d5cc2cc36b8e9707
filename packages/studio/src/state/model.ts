/** What the page knows and shows. */

import type { RunSpec } from "@coterie/workbench";
import type {
  AdviceReply,
  Answered,
  AskState,
  ColumnReply,
  DiagnosisReply,
  Info,
  KnowledgeReply,
  MapReply,
  ProblemReply,
  Project,
  RunReply,
} from "@coterie/workbench/protocol";

export type RowId = string | number;
export type Problem = ProblemReply["error"];

/** A note about something that was done, shown for a moment, with a button if there is a next step. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "plain" | "bad";
  readonly button?: { readonly label: string; readonly act: () => void };
  /** A newer toast about the same thing takes its place. */
  readonly about?: "answer";
}

/** Which row an id names. */
export interface RowIndex {
  get(id: string): number | undefined;
}

export interface AppState {
  readonly info: Info | null;
  readonly projects: readonly Project[] | null;
  /** Why the first page could not be filled. */
  readonly problem: Problem | null;
  readonly toasts: readonly Toast[];
  readonly overlay: "palette" | "keys" | "export" | null;
  /** Who is saying things. */
  readonly me: string;
  /** Whether single letters are keys. */
  readonly letters: boolean;
}

export type Tool = "select" | "lasso" | "link" | "pan";

export type Colouring =
  | { readonly by: "run"; readonly run: number }
  | { readonly by: "column"; readonly column: string }
  | { readonly by: "nothing" };

export type Axes =
  | { readonly space: "features" }
  | { readonly space: "run"; readonly run: number }
  | { readonly space: "columns"; readonly x: string; readonly y: string };

/** Where every row lies. */
export interface Layout extends Omit<MapReply, "xy"> {
  readonly xy: Float32Array;
}

/** What a run found, as far as the page draws it. */
export interface RunResult {
  readonly run: number;
  /** The cluster of each row. */
  readonly labels: Int32Array;
  readonly report: Readonly<Record<string, unknown>>;
  /** Whether it is about the rows that the table has now; if not, there are no labels to show. */
  readonly current: boolean;
}

/** Rows and pairs that a button lit up. */
export interface Lit {
  readonly title: string;
  readonly rows: readonly number[];
  readonly links: readonly { readonly a: number; readonly b: number; readonly kind: "must" | "cannot" | "broken" }[];
}

export interface Link {
  /** Whether the line to the server is open. */
  readonly state: "open" | "lost";
  readonly retryAt: number;
}

export type Filter = "all" | "must-link" | "cannot-link" | "relative" | "label" | "other";

export interface MethodChoice extends RunSpec {
  /** A factor on the weights of answers. */
  readonly price?: number | undefined;
}

export interface ProjectState {
  readonly project: Project;
  readonly columns: readonly ColumnReply[];
  readonly ids: readonly RowId[] | null;
  readonly rowOf: RowIndex;
  readonly axes: Axes;
  readonly layout: Layout | null;
  readonly knowledge: KnowledgeReply;
  readonly diagnosis: DiagnosisReply | null;
  /** Methods as they were tried on held-out answers, when somebody last asked. */
  readonly advice: AdviceReply | null;
  readonly checking: boolean;
  readonly runs: readonly RunReply[];
  readonly results: ReadonlyMap<number, RunResult>;
  /** Columns by which marks were coloured: values or codes of levels. */
  readonly values: ReadonlyMap<string, { readonly values: Float32Array; readonly levels: readonly string[] | null }>;
  readonly colouring: Colouring;
  readonly tool: Tool;
  readonly picks: readonly number[];
  /** The next pick is a third row beside the two. */
  readonly third: boolean;
  /** The bubble asks for a class instead of same or different. */
  readonly labelling: boolean;
  readonly cursor: number | null;
  readonly hovered: number | null;
  /** The entry that is chosen in the list. */
  readonly chosen: string | null;
  readonly lit: Lit | null;
  readonly only: number | null;
  readonly marks: boolean;
  readonly table: boolean;
  /** The kind of answers that the list shows. */
  readonly filter: Filter;
  readonly method: MethodChoice | null;
  readonly waiting: number;
  readonly link: Link;
  readonly gone: boolean;
  readonly problem: Problem | null;
  readonly ask: AskState | null;
  readonly answered: Answered | null;
  readonly moves: ReadonlyMap<string, number>;
}
