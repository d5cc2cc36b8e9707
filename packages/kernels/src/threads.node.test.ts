import { expect, test } from "vitest";
import { createThreadedHost } from "./create-host.js";
import { createKernels } from "./index.js";
import { ACTIVE } from "./threads.js";

test("threads are there, and are counted", async () => {
  const kernels = await createKernels({ threads: 3 });
  expect(kernels.threads).toBe(3);
  kernels.dispose();
  const one = await createKernels({ threads: 1 });
  expect(one.threads).toBe(1);
  one.dispose();
});

test("a routine that fails on any thread makes the call fail, and the threads live on", async () => {
  const host = await createThreadedHost(2 ** 24, 3);
  const far = 2 ** 30;
  for (let round = 0; round < 20; round++) {
    expect(() => host.parallel("minPlus64", [far, far, far, far, 1000, 1], 1000, 4)).toThrow();
  }
  const [matrix, left, right] = [8_000_000, 8_000, 8_000].map((bytes) => host.allocator.take(bytes, true));
  const entries = new Float64Array(host.memory.buffer, matrix, 1_000_000).fill(1);
  host.parallel("minPlus64", [matrix!, left!, right!, right!, 1000, 1], 1000, 4);
  expect(entries.every((entry) => entry === 0)).toBe(true);
  host.dispose();
});

test("disposed kernels say so", async () => {
  const host = await createThreadedHost(2 ** 24, 2);
  host.dispose();
  expect(() => host.parallel("minPlus64", [0, 0, 0, 0, 0, 0], 1000, 4)).toThrow("disposed");
});

test("a thread that died in the middle of a job is found out", async () => {
  const host = await createThreadedHost(2 ** 24, 2, { stall: 50 });
  Atomics.add(new Int32Array(host.memory.buffer), ACTIVE, 1);
  const matrix = host.allocator.take(8_000, true);
  for (let round = 0; round < 2; round++) {
    expect(() => host.parallel("minPlus64", [matrix, matrix, matrix, matrix, 10, 1], 10, 1)).toThrow("stopped answering");
  }
  host.dispose();
});

test("too many arguments are refused, and unknown routines", async () => {
  const host = await createThreadedHost(2 ** 24, 2);
  expect(() => host.parallel("minPlus64", new Array(99).fill(0), 10, 1)).toThrow("at most");
  expect(() => host.parallel("nothing", [], 10, 1)).toThrow("no routine nothing");
  host.dispose();
});
