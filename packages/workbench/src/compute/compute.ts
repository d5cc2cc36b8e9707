/** The heavy part of the workbench: tasks over a project's rows. A host runs them in workers, a test in the same thread. */
import type { Kernels, LpSolver } from "@coterie/core/internal";
import type { Watch } from "../pool.js";
import type { Reading } from "../protocol/projects.js";
import type { LoadedTable } from "../tables/loaded-table.js";
import type { PageInput } from "./page.js";
import type { TaskInput, TaskName, TaskOutput } from "./tasks.js";

/** A table, identified by its content and by how it is read. `load` is called only if the table is not in memory yet. */
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

/** What the surroundings pass to tasks. */
export interface ComputeHost {
  readonly kernels: () => Kernels;
  /** For the fractional chromatic number; without one the diagnosis leaves it out. */
  readonly solver?: () => Promise<LpSolver>;
  readonly load: (source: TableSource) => Promise<LoadedTable>;
  readonly pause: () => Promise<void>;
  readonly version: string;
  /** One HTML file of a run, where the host has figures. */
  readonly page?: (input: PageInput) => Promise<string>;
}

/** A table in memory that tasks work on. */
export interface TaskTable extends LoadedTable {
  readonly host: ComputeHost;
  /** What tasks keep between calls, by keys of their own. */
  readonly kept: Map<string, unknown>;
}
