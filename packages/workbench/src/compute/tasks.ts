/** The tasks by name: the only list of them. Inputs and outputs are plain data, so that they can go to a worker and back. */
import type { RowNames } from "../knowledge/present-names.js";
import type { Watch } from "../pool.js";
import type { ColumnReply, Reading, RowReply } from "../protocol/projects.js";
import { columnsOf, findRows, type LoadedTable, rowReply, valuesOf } from "../tables/loaded-table.js";
import { adviseTask } from "./advise.js";
import { answerTask, askTask } from "./ask.js";
import { clusterTask } from "./cluster.js";
import { compareTask } from "./compare.js";
import type { Seat } from "./compute.js";
import { diagnoseTask } from "./diagnose.js";
import { importTask } from "./import.js";
import { mapTask } from "./map.js";
import { pageTask } from "./page.js";
import { understandTask } from "./understand.js";

/** What others must know of a table without holding it. */
export interface TableFacts extends RowNames {
  readonly n: number;
  readonly columns: readonly string[];
  readonly features: readonly string[];
  readonly notices: readonly string[];
  /** How it was read, with the roles that were recognised. */
  readonly reading: Reading;
}

function factsOf({ table, instances, rows, total, dropped, notices, reading }: LoadedTable): TableFacts {
  return {
    n: instances.n,
    total,
    columns: table.columns.map(({ name }) => name),
    features: instances.names ?? [],
    ids: instances.ids ?? null,
    rows: instances.n === total ? null : rows,
    dropped,
    notices,
    reading,
  };
}

export const tasks = {
  facts: async ({ loaded }: Seat, _: object): Promise<TableFacts> => factsOf(loaded),
  columns: async ({ loaded }: Seat, _: object): Promise<ColumnReply[]> => columnsOf(loaded),
  rows: async ({ loaded }: Seat, { rows }: { readonly rows: readonly number[] }): Promise<RowReply[]> =>
    rows.map((row) => rowReply(loaded, row)),
  find: async ({ loaded }: Seat, { text, most }: { readonly text: string; readonly most: number }): Promise<RowReply[]> =>
    findRows(loaded, text, most).map((row) => rowReply(loaded, row)),
  values: async ({ loaded }: Seat, { column }: { readonly column: string }) => valuesOf(loaded, column),
  map: mapTask,
  cluster: clusterTask,
  diagnose: diagnoseTask,
  advise: adviseTask,
  ask: askTask,
  answer: answerTask,
  understand: understandTask,
  compare: compareTask,
  import: importTask,
  page: pageTask,
} as const satisfies Record<string, (seat: Seat, input: never, watch: Watch) => Promise<unknown>>;

export type TaskName = keyof typeof tasks;
export type TaskInput<N extends TaskName> = Parameters<(typeof tasks)[N]>[1];
export type TaskOutput<N extends TaskName> = Awaited<ReturnType<(typeof tasks)[N]>>;
