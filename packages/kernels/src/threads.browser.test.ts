import { expect, test } from "vitest";
import { createKernels } from "./index.js";
import { firstDifference } from "./testing/bits.js";

interface Reply {
  readonly isolated: boolean;
  readonly threads: number;
  readonly distances: Float64Array;
  readonly labels: Int32Array;
}

function askWorker(threads: number): Promise<Reply> {
  const worker = new Worker(new URL("./testing/worker.ts", import.meta.url), { type: "module" });
  return new Promise<Reply>((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(threads);
  }).finally(() => worker.terminate());
}

test("a page's main thread has one thread", async () => {
  const kernels = await createKernels({ threads: 4 });
  expect(kernels.threads).toBe(1);
  kernels.dispose();
});

test("an isolated worker has threads, another worker one, with the same bytes", async () => {
  const one = await askWorker(1);
  const three = await askWorker(3);
  expect(one.threads).toBe(1);
  expect(three.threads).toBe(three.isolated ? 3 : 1);
  expect(firstDifference(three.distances, one.distances)).toBe(-1);
  expect(firstDifference(three.labels, one.labels)).toBe(-1);
  expect(three.isolated).toBe(true);
});
