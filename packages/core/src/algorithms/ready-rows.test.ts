import { expect, test } from "vitest";
import { type Arena, type Kernels, plainKernels } from "../kernels/index.js";
import { placedSteps, screenSteps } from "./ready-rows.js";

function counted<R>(steps: Generator<unknown, R, void>): { readonly pauses: number; readonly value: R } {
  for (let pauses = 0; ; pauses++) {
    const turn = steps.next();
    if (turn.done) return { pauses, value: turn.value };
  }
}

const [n, d] = [40_000, 160];
const x = Float64Array.from({ length: n * d }, (_, p) => p % 1009);

test("copies many rows completely, with pauses", () => {
  const plain = plainKernels.arena();
  const copying: Arena = { ...plain, place: (rows) => plain.f64(rows.length) };
  const { pauses, value } = counted(placedSteps({ n, d, x }, copying));
  expect(pauses).toBe(3);
  expect(value.view().buffer === x.buffer).toBe(false);
  expect(value.view().every((number, p) => number === x[p])).toBe(true);
  plain.release();
});

test("rows already in kernel memory are not copied", () => {
  const { pauses, value } = counted(placedSteps({ n, d, x }, plainKernels.arena()));
  expect([pauses, value.view().buffer === x.buffer]).toEqual([0, true]);
});

test("screened ranges cover all rows and start at multiples of the grain", () => {
  const filled: [number, number][] = [];
  const screen = { n, d };
  const kernels: Kernels = { ...plainKernels, screening: () => ({ screen, fill: (from, to) => void filled.push([from, to]) }) };
  const arena = plainKernels.arena();
  const { pauses, value } = counted(screenSteps(arena.rows(x), n, d, kernels, arena));
  expect(value).toBe(screen);
  expect(pauses).toBe(filled.length - 1);
  expect(filled.every(([from], i) => from % 1024 === 0 && from === (filled[i - 1]?.[1] ?? 0))).toBe(true);
  expect(filled.at(-1)![1]).toBe(n);
  expect(counted(screenSteps(arena.rows(x), n, d, plainKernels, arena))).toEqual({ pauses: 0, value: null });
});
