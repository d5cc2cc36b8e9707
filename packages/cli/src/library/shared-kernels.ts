/** The WebAssembly kernels, created by the first call that needs them. */
import type { Kernels } from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";

let shared: Kernels | undefined;

export function sharedKernels(): Kernels {
  shared ??= createSimdKernels();
  return shared;
}
