/** The types of the page's state. */

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

/** A message about a finished action. It is shown for a short time, with a button if there is a next step. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "plain" | "bad";
  readonly button?: { readonly label: string; readonly act: () => void };
  /** The subject of the message. A newer message about the same subject replaces this message. */
  readonly about?: "answer";
}

export interface RowIndex {
  get(id: string): number | undefined;
}

export interface AppState {
  readonly info: Info | null;
  readonly projects: readonly Project[] | null;
  /** The error that prevented the first page from loading; null if there was no error. */
  readonly problem: Problem | null;
  readonly toasts: readonly Toast[];
  readonly overlay: "palette" | "keys" | "export" | null;
  readonly me: string;
  /** Whether keys without Ctrl, such as S for "same", work as shortcuts. */
  readonly letters: boolean;
}

export type Tool = "select" | "lasso" | "link" | "pan";

export type Colouring =
  | { readonly by: "run"; readonly run: number }
  | { readonly by: "column"; readonly column: string }
  | { readonly by: "nothing" };

export type Axes =
  /** The studio's choice: neighbourhoods for many columns, else components. */
  | { readonly space: "auto" }
  | { readonly space: "features" }
  | { readonly space: "neighbourhoods"; readonly by: "rows" | "knowledge" }
  | { readonly space: "run"; readonly run: number }
  | { readonly space: "columns"; readonly x: string; readonly y: string };

export interface Layout extends Omit<MapReply, "xy"> {
  readonly xy: Float32Array;
}

export interface RunResult {
  readonly run: number;
  readonly labels: Int32Array;
  readonly report: Readonly<Record<string, unknown>>;
  /** Whether the run is about the rows that the table has now. If not, its labels cannot be shown. */
  readonly current: boolean;
}

export interface Lit {
  readonly title: string;
  readonly rows: readonly number[];
  readonly links: readonly { readonly a: number; readonly b: number; readonly kind: "must" | "cannot" | "broken" }[];
}

export interface Link {
  readonly state: "open" | "lost";
  readonly retryAt: number;
}

export type Filter = "all" | "must-link" | "cannot-link" | "relative" | "label" | "other";

export interface MethodChoice extends RunSpec {
  readonly price?: number | undefined;
}

export interface ProjectState {
  readonly project: Project;
  readonly columns: readonly ColumnReply[];
  readonly ids: readonly RowId[] | null;
  readonly rowOf: RowIndex;
  readonly axes: Axes;
  readonly layout: Layout | null;
  /** How far the map of neighbourhoods is; null if none is being drawn, or if it takes less than a second. */
  readonly drawing: RunReply["progress"];
  readonly knowledge: KnowledgeReply;
  readonly diagnosis: DiagnosisReply | null;
  /** The newest comparison of methods on held-out answers; null if nobody asked for it. */
  readonly advice: AdviceReply | null;
  readonly checking: boolean;
  readonly runs: readonly RunReply[];
  readonly results: ReadonlyMap<number, RunResult>;
  /** The values of columns that have coloured the marks, by column name. `values` are numbers, or indices into `levels`. */
  readonly values: ReadonlyMap<string, { readonly values: Float32Array; readonly levels: readonly string[] | null }>;
  readonly colouring: Colouring;
  readonly tool: Tool;
  readonly picks: readonly number[];
  /** Whether the next picked row joins the two picked rows, to ask which of three rows is the odd one. */
  readonly third: boolean;
  /** Whether the bubble asks for the class of the picked rows, instead of "same" or "different". */
  readonly labelling: boolean;
  readonly cursor: number | null;
  readonly hovered: number | null;
  readonly chosen: string | null;
  readonly lit: Lit | null;
  readonly only: number | null;
  readonly marks: boolean;
  readonly table: boolean;
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
