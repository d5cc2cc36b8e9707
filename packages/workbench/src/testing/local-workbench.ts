/** A workbench in memory with tasks in the same thread, for tests. */

import { formatOf, readStream } from "@coterie/data/browser";
import { createSimdKernels } from "@coterie/kernels";
import type { Compute } from "../compute/compute.js";
import { createLocalCompute } from "../compute/local-compute.js";
import type { SampleSource } from "../projects/context.js";
import { createWorkbench, type Workbench } from "../projects/workbench.js";
import { createMemoryStore } from "../store/memory-store.js";
import type { Store } from "../store/store.js";
import { loadsWith, type ReadColumns } from "../tables/loaded-table.js";

const readBytes: ReadColumns = (bytes, options) =>
  readStream(formatOf(options.file, bytes.subarray(0, 512)), once(bytes), options);

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}

/** Two clouds and a row between them: enough to be asked about. */
export function cloudsCsv(n = 40): string {
  const lines = Array.from({ length: n }, (_, i) => {
    const [cloud, turn] = [i % 2, i * 2.399963];
    const far = Math.sqrt(i / n);
    return `${cloud * 6 + far * Math.cos(turn)},${cloud * 2 + far * Math.sin(turn)},${["left", "right"][cloud]},${i % 5 === 0 ? "" : `note ${i}`}`;
  });
  return `x,y,side,note\n${lines.join("\n")}\n`;
}

const samples: SampleSource = {
  list: async () => [{ name: "clouds", about: "two clouds", rows: 40, columns: 4, goodFor: "tests" }],
  open: async (name) =>
    name === "clouds"
      ? { file: "clouds.csv", bytes: new TextEncoder().encode(cloudsCsv()), reading: { truth: "side", ignore: ["note"] }, k: 2 }
      : null,
};

export function localCompute(): Compute {
  return createLocalCompute({
    kernels: createSimdKernels,
    load: loadsWith(readBytes),
    pause: () => new Promise((resume) => setTimeout(resume, 0)),
    version: "0.0.0-test",
    page: async ({ title, command }) => `<html><title>${title}</title>${command}</html>`,
  });
}

export function localWorkbench(store: Store = createMemoryStore(), compute: Compute = localCompute()): Workbench {
  let tick = 0;
  const now = () => new Date(Date.UTC(2026, 0, 1) + 1000 * tick++).toISOString();
  return createWorkbench({ store, compute, samples, version: "0.0.0-test", now, keeps: "memory" });
}

/** Waits for a run to end. */
export async function finished({ call }: Workbench, project: string, number: number) {
  for (;;) {
    const found = await call("run", { project, run: number });
    if (found.run.state !== "waiting" && found.run.state !== "running") return found;
    await new Promise((resume) => setTimeout(resume, 5));
  }
}
