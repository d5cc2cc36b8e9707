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
    expect(() => host.parallel("distances64", [0, 0, far, far, far, far, 1000, 4], 1000, 4)).toThrow();
  }
  const x = host.allocator.take(8_000, true);
  const out = host.allocator.take(8_000_000, true);
  host.parallel("distances64", [0, 0, x, x, x, out, 1000, 1], 1000, 4);
  host.dispose();
});

test("disposed kernels say so", async () => {
  const host = await createThreadedHost(2 ** 24, 2);
  host.dispose();
  expect(() => host.parallel("distances64", [0, 0, 0, 0, 0, 0, 0, 0], 1000, 4)).toThrow("disposed");
});

test("a thread that died in the middle of a job is found out", async () => {
  const host = await createThreadedHost(2 ** 24, 2, 50);
  Atomics.add(new Int32Array(host.memory.buffer), ACTIVE, 1);
  const out = host.allocator.take(8_000, true);
  expect(() => host.parallel("distances64", [0, 0, out, out, out, out, 100, 1], 10, 1)).toThrow("stopped answering");
  expect(() => host.parallel("distances64", [0, 0, out, out, out, out, 100, 1], 10, 1)).toThrow("stopped answering");
  host.dispose();
});

test("too many arguments are refused, and unknown routines", async () => {
  const host = await createThreadedHost(2 ** 24, 2);
  expect(() => host.parallel("distances64", new Array(99).fill(0), 10, 1)).toThrow("at most");
  expect(() => host.parallel("nothing", [], 10, 1)).toThrow("no routine nothing");
  host.dispose();
});
