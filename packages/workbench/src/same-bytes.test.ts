import { plainKernels } from "@coterie/core/internal";
import { createKernels, createSimdKernels } from "@coterie/kernels";
import { expect, test } from "vitest";
import { createPool } from "./pool.js";
import { localPort } from "./testing/local-port.js";
import { digestOfMaps, digestOfRuns, EXPECTED_DIGEST, EXPECTED_MAPS } from "./testing/same-bytes.js";

test("plain and fast kernels give the same bytes", async () => {
  expect(await digestOfRuns({ kernels: plainKernels })).toBe(EXPECTED_DIGEST);
  expect(await digestOfRuns({ kernels: createSimdKernels() })).toBe(EXPECTED_DIGEST);
});

test("maps have the same bytes with plain and fast kernels, and on threads", async () => {
  expect(await digestOfMaps(plainKernels)).toBe(EXPECTED_MAPS);
  expect(await digestOfMaps(createSimdKernels())).toBe(EXPECTED_MAPS);
  const kernels = await createKernels({ threads: 3 });
  expect(await digestOfMaps(kernels)).toBe(EXPECTED_MAPS);
  kernels.dispose();
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
