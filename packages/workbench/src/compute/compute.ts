/** The computations of the workbench, as tasks over a project's rows. The host runs them in workers; tests run them in the same thread. */
import type { Kernels, LpSolver } from "@coterie/core/internal";
import type { Watch } from "../pool.js";
import type { Reading } from "../protocol/projects.js";
import type { LoadedTable } from "../tables/loaded-table.js";
import type { PageInput } from "./page.js";
import type { TaskInput, TaskName, TaskOutput } from "./tasks.js";

/** A table, identified by its content and its reading options. `load` is called only if the table is not in memory yet. */
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
  /** A solver for the fractional chromatic number. Without a solver, the diagnosis leaves this number out. */
  readonly solver?: () => Promise<LpSolver>;
  readonly load: (source: TableSource) => Promise<LoadedTable>;
  readonly pause: () => Promise<void>;
  readonly version: string;
  readonly page?: (input: PageInput) => Promise<string>;
}

export interface TaskTable extends LoadedTable {
  readonly host: ComputeHost;
  /** Results that tasks keep between calls; each task chooses its own keys. */
  readonly kept: Map<string, unknown>;
}
