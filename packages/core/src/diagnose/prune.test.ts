import { expect, test } from "vitest";
import { fractionalColouring } from "../colouring/fractional/fractional.js";
import { textbookSolver as solver } from "../colouring/fractional/fractional.reference.js";
import { constraintGraph } from "../colouring/graphs/graph.js";
import { constraints } from "../constraints/build.js";
import { closeConstraints } from "../constraints/closure.js";
import { generateConstraints } from "../constraints/generate.js";
import { randomFrom } from "../random/random.js";
import { pointsFromRows } from "../rows.js";
import { tuples } from "../testing/tuples.js";
import { pruneConstraints, pruneSteps } from "./prune.js";

const random = randomFrom(5);
const points = pointsFromRows(Array.from({ length: 30 }, (_, i) => [(i % 3) * 4 + random.normal(), random.normal()]));
const known = generateConstraints(
  { codes: Int32Array.from({ length: 30 }, (_, i) => i % 3), names: ["a", "b", "c"] },
  { count: 40, random },
);

test("drops the requested number of constraints and changes no other constraint", () => {
  for (const count of [0, 1, 7]) {
    const { set, dropped } = pruneConstraints(known, points, { count, solver });
    expect(dropped).toBe(count);
    expect(set.mustLinks.a.length + set.cannotLinks.a.length).toBe(40 - count);
    const before = new Set(Array.from(known.cannotLinks.a, (a, s) => `${a} ${known.cannotLinks.b[s]}`));
    expect(Array.from(set.cannotLinks.a, (a, s) => `${a} ${set.cannotLinks.b[s]}`).every((pair) => before.has(pair))).toBe(true);
  }
});

test("until k clusters would do, and not before", () => {
  const value = (set: typeof known) => fractionalColouring(constraintGraph(closeConstraints(set)), { solver }).upper;
  expect(value(known)).toBeGreaterThan(2);
  const { set, dropped } = pruneConstraints(known, points, { untilK: 2, solver });
  expect(value({ ...set, notices: [] })).toBeLessThanOrEqual(2 + 1e-9);
  expect(dropped).toBeGreaterThan(0);
  expect(pruneConstraints(known, points, { untilK: 3, solver }).dropped).toBe(0);
});

test("the point without choice goes first", () => {
  const set = constraints(points, { cannotLink: tuples("0 1, 0 2, 1 2, 2 4, 4 5") });
  const { set: left } = pruneConstraints(set, points, { untilK: 2, furthest: 0, solver });
  expect(left.cannotLinks.a.length).toBeLessThanOrEqual(3);
  expect(Array.from(left.cannotLinks.a, (a, s) => [a, left.cannotLinks.b[s]])).toContainEqual([4, 5]);
});

test("one rule to stop must be given", () => {
  expect(() => pruneConstraints(known, points, { solver })).toThrow("count");
  expect(() => pruneConstraints(known, points, { solver, count: 1, untilK: 2 })).toThrow("count");
});

test("it pauses after each row, reports its progress, and returns the same result as without pauses", () => {
  const steps = pruneSteps(known, points, { count: 7, solver });
  const done: number[] = [];
  let next = steps.next();
  for (; !next.done; next = steps.next()) {
    expect(next.value).toMatchObject({ phase: "pruning", total: 7 });
    done.push(next.value.done);
  }
  expect(done.length).toBeGreaterThan(1);
  expect(done).toEqual([...done].sort((a, b) => a - b));
  expect(done.at(-1)).toBe(7);
  expect(next.value).toEqual(pruneConstraints(known, points, { count: 7, solver }));
});
