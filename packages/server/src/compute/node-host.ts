/** What Node lends to tasks: WebAssembly kernels, the linear program's solver, readers of every format, figures for pages. */

import type { Kernels } from "@coterie/core/internal";
import { createLpSolver, createSimdKernels } from "@coterie/kernels";
import type { ComputeHost } from "@coterie/workbench";
import { readBytes } from "./read-bytes.js";

export function nodeHost(version: string): ComputeHost {
  let kernels: Kernels | undefined;
  return {
    kernels: () => {
      kernels ??= createSimdKernels();
      return kernels;
    },
    solver: createLpSolver,
    read: readBytes,
    pause: () => new Promise((resume) => setImmediate(resume)),
    version,
    page: async (input) => (await import("@coterie/figures")).htmlReport(input),
  };
}
