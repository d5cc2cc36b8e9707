import { plainKernels } from "@coterie/core/internal";
import { createKernels, createSimdKernels } from "@coterie/kernels";
import { expect, test } from "vitest";
import { createPool } from "./pool.js";
import { localPort } from "./testing/local-port.js";
import { digestOfRuns, EXPECTED_DIGEST } from "./testing/same-bytes.js";

test("plain and fast kernels give the same bytes", async () => {
  expect(await digestOfRuns({ kernels: plainKernels })).toBe(EXPECTED_DIGEST);
  expect(await digestOfRuns({ kernels: createSimdKernels() })).toBe(EXPECTED_DIGEST);
});

test.each([1, 2, 4])("%i threads inside the kernels give the same bytes", async (threads) => {
  const kernels = await createKernels({ threads });
  expect(kernels.threads).toBe(threads);
  expect(await digestOfRuns({ kernels })).toBe(EXPECTED_DIGEST);
  kernels.dispose();
});

test.each([1, 2, 4])("a pool of %i gives the same bytes", async (size) => {
  const kernels = createSimdKernels();
  expect(await digestOfRuns({ kernels, pool: createPool(size, localPort) })).toBe(EXPECTED_DIGEST);
});
