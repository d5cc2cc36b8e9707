/** How much of the machine others use: times taken beside them say little. */
import { cpus } from "node:os";
import { setTimeout } from "node:timers/promises";

const LOOK_MILLISECONDS = 200;

/** A machine on which others use less than this share is quiet. */
export const QUIET = 0.1;

/** The share of the machine's time that goes to other programs while this one waits. */
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
