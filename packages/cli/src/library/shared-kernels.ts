/** The fast kernels, made once, when the first call needs them. */
import type { Kernels } from "@coterie/core/internal";
import { createSimdKernels } from "@coterie/kernels";

let shared: Kernels | undefined;

export function sharedKernels(): Kernels {
  shared ??= createSimdKernels();
  return shared;
}
