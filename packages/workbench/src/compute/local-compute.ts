/** Tasks in the same thread, over the few tables that were used last: what a worker does inside, and tests and small hosts as they are. */
import type { Watch } from "../pool.js";
import { loadTable } from "../tables/loaded-table.js";
import type { Compute, ComputeHost, Seat, TableSource } from "./compute.js";
import { type TaskInput, type TaskName, type TaskOutput, tasks } from "./tasks.js";

/** Tables that stay in memory. */
const MOST_TABLES = 4;

export function createLocalCompute(host: ComputeHost): Compute {
  const seats = new Map<string, Promise<Seat>>();
  const seatOf = (source: TableSource): Promise<Seat> => {
    const known = seats.get(source.key);
    const seat = known ?? openSeat(source, host);
    // The table used last is the last to go.
    seats.delete(source.key);
    seats.set(source.key, seat);
    if (!known) seat.catch(() => seats.delete(source.key));
    for (const [key] of seats) if (seats.size > MOST_TABLES) seats.delete(key);
    return seat;
  };
  return {
    async run<N extends TaskName>(source: TableSource, name: N, input: TaskInput<N>, watch: Watch = {}): Promise<TaskOutput<N>> {
      const seat = await seatOf(source);
      watch.signal?.throwIfAborted();
      const task = tasks[name] as (seat: Seat, input: TaskInput<N>, watch: Watch) => Promise<TaskOutput<N>>;
      return await task(seat, input, watch);
    },
    close: async () => seats.clear(),
  };
}

async function openSeat(source: TableSource, host: ComputeHost): Promise<Seat> {
  const loaded = await loadTable(await source.load(), source.file, source.reading, host.read);
  return { loaded, host, kept: new Map() };
}
