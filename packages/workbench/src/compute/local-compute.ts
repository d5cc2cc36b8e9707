/** Runs tasks in the same thread, and keeps the most recently used tables in memory. Workers, tests and small hosts use it. */
import type { Watch } from "../pool.js";
import type { Compute, ComputeHost, TableSource, TaskTable } from "./compute.js";
import { type TaskInput, type TaskName, type TaskOutput, tasks } from "./tasks.js";

const MOST_TABLES = 4;

export function createLocalCompute(host: ComputeHost): Compute {
  const tables = new Map<string, Promise<TaskTable>>();
  const tableOf = (source: TableSource): Promise<TaskTable> => {
    const known = tables.get(source.key);
    const table = known ?? host.load(source).then((loaded): TaskTable => ({ ...loaded, host, kept: new Map() }));
    // A map keeps the order of insertion, and its first table is dropped next. So move the table in use to the end.
    tables.delete(source.key);
    tables.set(source.key, table);
    if (!known) table.catch(() => tables.delete(source.key));
    for (const [key] of tables) if (tables.size > MOST_TABLES) tables.delete(key);
    return table;
  };
  return {
    async run<N extends TaskName>(source: TableSource, name: N, input: TaskInput<N>, watch: Watch = {}): Promise<TaskOutput<N>> {
      const table = await tableOf(source);
      watch.signal?.throwIfAborted();
      const task = tasks[name] as (table: TaskTable, input: TaskInput<N>, watch: Watch) => Promise<TaskOutput<N>>;
      return await task(table, input, watch);
    },
    close: async () => tables.clear(),
  };
}
