import { plainKernels } from "@coterie/core/internal";
import { createKernels, createSimdKernels } from "@coterie/kernels";
import { expect, test } from "vitest";
import { webPort } from "./calls.js";
import { createPool } from "./pool.js";
import { digestOfMaps, digestOfRuns, EXPECTED_DIGEST, EXPECTED_MAPS } from "./testing/same-bytes.js";

const spawn = () => webPort(new Worker(new URL("./testing/browser-worker.ts", import.meta.url), { type: "module" }));

test("plain and fast kernels give Node's bytes in Chromium", async () => {
  expect(await digestOfRuns({ kernels: plainKernels })).toBe(EXPECTED_DIGEST);
  expect(await digestOfRuns({ kernels: createSimdKernels() })).toBe(EXPECTED_DIGEST);
});

test("maps have Node's bytes in Chromium", async () => {
  expect(await digestOfMaps(plainKernels)).toBe(EXPECTED_MAPS);
  expect(await digestOfMaps(createSimdKernels())).toBe(EXPECTED_MAPS);
});

test.each([2])("%i real workers give the same bytes", async (size) => {
  const kernels = createSimdKernels();
  expect(await digestOfRuns({ kernels, pool: createPool(size, spawn) })).toBe(EXPECTED_DIGEST);
});

test("a page's main thread has one thread, with the same bytes", async () => {
  const kernels = await createKernels({ threads: 4 });
  expect(kernels.threads).toBe(1);
  expect(await digestOfRuns({ kernels })).toBe(EXPECTED_DIGEST);
  kernels.dispose();
});
