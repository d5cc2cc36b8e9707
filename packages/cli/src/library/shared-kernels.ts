/** The WebAssembly kernels, created by the first call that needs them. */
import type { Kernels } from "@coterie/core/internal";
import { createRowKernels, createSimdKernels } from "@coterie/kernels";

let shared: Kernels | undefined;
let sharedRows: Kernels | undefined;

export function sharedKernels(): Kernels {
  shared ??= createSimdKernels();
  return shared;
}

/**
 * Kernels for methods that do not compare all pairs of rows. A page that imports only such methods loads a third of the code of all
 * kernels.
 */
export function sharedRowKernels(): Kernels {
  sharedRows ??= createRowKernels();
  return sharedRows;
}
