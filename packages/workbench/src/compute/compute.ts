/** The computations of the workbench: tasks over the rows of a project. Servers run them in workers; tests run them in the same thread. */
import type { Kernels, LpSolver } from "@coterie/core/internal";
import type { Watch } from "../pool.js";
import type { Reading } from "../protocol/projects.js";
import type { LoadedTable } from "../tables/loaded-table.js";
import type { PageInput } from "./page.js";
import type { TaskInput, TaskName, TaskOutput } from "./tasks.js";

/** A table, named by a key of its content and its reading options. `load` is called only if the table is not in memory yet. */
export interface TableSource {
  readonly key: string;
  readonly file: string;
  readonly reading: Reading;
  load(): Promise<Uint8Array>;
}

export interface Compute {
  run<N extends TaskName>(table: TableSource, name: N, input: TaskInput<N>, watch?: Watch): Promise<TaskOutput<N>>;
  close(): Promise<void>;
}

export interface ComputeHost {
  readonly kernels: () => Kernels;
  /** Loads the solver that computes the fractional chromatic number. Without it, the diagnosis leaves this number out. */
  readonly solver?: () => Promise<LpSolver>;
  readonly load: (source: TableSource) => Promise<LoadedTable>;
  readonly pause: () => Promise<void>;
  readonly version: string;
  readonly page?: (input: PageInput) => Promise<string>;
}

export interface TaskTable extends LoadedTable {
  readonly host: ComputeHost;
  /** Values that tasks keep from one call to the next, by keys that the tasks choose. */
  readonly kept: Map<string, unknown>;
}
