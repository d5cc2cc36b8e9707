/** Measures the load from other programs, because times on a busy machine mean little. */
import { cpus } from "node:os";
import { setTimeout } from "node:timers/promises";

const LOOK_MILLISECONDS = 200;

/** The machine is quiet if other programs use less than this share. */
export const QUIET = 0.1;

export async function busyShare() {
  const before = cpuTimes();
  await setTimeout(LOOK_MILLISECONDS);
  const after = cpuTimes();
  return (after.busy - before.busy) / Math.max(1, after.all - before.all);
}

function cpuTimes() {
  let busy = 0;
  let idle = 0;
  for (const { times } of cpus()) {
    busy += times.user + times.nice + times.sys + times.irq;
    idle += times.idle;
  }
  return { busy, all: busy + idle };
}
