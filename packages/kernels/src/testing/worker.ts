/** A browser's worker that makes kernels with threads and sends back distances and labels, for the test of threads there. */
import { pairKernelsOf } from "@coterie/core/internal";
import { createKernels } from "../index.js";
import { noise } from "./tables.js";

self.onmessage = async ({ data: threads }: MessageEvent<number>) => {
  const kernels = await createKernels({ threads });
  const n = 10_000;
  const arena = kernels.arena();
  const x = arena.f64(n * 3);
  x.view().set(noise(n * 3, 9));
  const out = arena.f64(500 * 500);
  pairKernelsOf(kernels).distances("euclidean", x, 500, 3, null, 0, 500, out);
  const state = kernels.kmeans(x, n, 3, 8, arena, { bounds: true });
  state.setCentres(x.view().slice(0, 24));
  state.assign(0, n);
  self.postMessage({
    isolated: crossOriginIsolated,
    threads: kernels.threads,
    distances: out.view().slice(),
    labels: state.labels(),
  });
  kernels.dispose();
};
