/** What Node provides to tasks: WebAssembly kernels, the solver of linear programs, readers of all formats, figures for pages. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { badInput, CoterieError, type Kernels } from "@coterie/core/internal";
import { formatOf, HEAD, nodeHasher, readColumns, readStream } from "@coterie/data";
import { createLpSolver, createSimdKernels } from "@coterie/kernels";
import { type ComputeHost, loadsWith, type ReadColumns } from "@coterie/workbench";

const readBytes: ReadColumns = async (bytes, options) => {
  const format = formatOf(options.file, bytes.subarray(0, HEAD));
  if (format !== "parquet" && format !== "arrow")
    return await readStream(format, once(bytes), { hasher: nodeHasher(), ...options });
  const folder = await mkdtemp(join(tmpdir(), "coterie-table-"));
  const path = join(folder, `table.${format}`);
  try {
    await writeFile(path, bytes);
    const { file, ...reading } = options;
    return { ...(await readColumns(path, reading)), file };
  } catch (error) {
    // Error messages must contain the name of the file that the user knows, not the name of the temporary file.
    if (error instanceof CoterieError && error.problem.code === "bad-input")
      throw badInput(error.problem.message, { ...error.problem, file: options.file });
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

export function nodeHost(version: string): ComputeHost {
  let kernels: Kernels | undefined;
  return {
    kernels: () => {
      kernels ??= createSimdKernels();
      return kernels;
    },
    solver: createLpSolver,
    load: loadsWith(readBytes),
    pause: () => new Promise((resume) => setImmediate(resume)),
    version,
    page: async (input) => (await import("@coterie/figures")).htmlReport(input),
  };
}

/* Reads tables from bytes. Text formats are read in memory. Parquet and Arrow need a temporary file, because their readers open files. */

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}
