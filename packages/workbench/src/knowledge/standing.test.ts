import fc from "fast-check";
import { expect, test } from "vitest";
import type { Constraint, Entry, Policy } from "../protocol/knowledge.js";
import { constraintSetOf, countingOf } from "./constraint-set.js";
import { sentenceOf, spokenOf, standingAfter, standingOf } from "./standing.js";

let seq = 0;
function entry(change: Entry["change"], by = "ann"): Entry {
  seq++;
  return { seq, id: `entry-${seq}`, at: "2026-01-01T00:00:00Z", by, from: { kind: "drawn" }, change };
}
const same = (a: number, b: number, weight?: number): Constraint => ({ type: "must-link", a, b, ...(weight ? { weight } : {}) });
const apart = (a: number, b: number, weight?: number): Constraint => ({
  type: "cannot-link",
  a,
  b,
  ...(weight ? { weight } : {}),
});
const add = (constraint: Constraint, by?: string) => entry({ type: "add", constraint }, by);

const everything = { hasRow: () => true, hasColumn: () => true };
const stands = (entries: readonly Entry[], policy: Policy = "latest", by = "ann") =>
  standingOf(entries, { ...everything, policy, by });
const counting = (entries: readonly Entry[], policy?: Policy) =>
  stands(entries, policy)
    .constraints.filter(({ counts }) => counts)
    .map(({ constraint }) => sentenceOf(constraint));

test("dropping, undoing a drop and weighing", () => {
  const first = add(same(1, 2));
  const second = add(apart(3, 4));
  const drop = entry({ type: "drop", entry: first.id });
  expect(counting([first, second, drop])).toEqual(["3 ≠ 4"]);
  expect(counting([first, second, drop, entry({ type: "undo", entry: drop.id })])).toEqual(["1 = 2", "3 ≠ 4"]);
  const weighed = stands([second, entry({ type: "weigh", entry: second.id, weight: "inf" })]).constraints[0]!.constraint;
  expect(weighed).toMatchObject({ weight: "inf" });
});

test("undo takes back one's own last step, redo brings it back until something new is said", () => {
  const mine = add(same(1, 2));
  const theirs = add(same(5, 6), "bob");
  const later = add(same(3, 4));
  expect(stands([mine, theirs, later]).undo).toBe(later.id);
  const undo = entry({ type: "undo", entry: later.id });
  expect(stands([mine, theirs, later, undo])).toMatchObject({ undo: mine.id, redo: later.id });
  const again = entry({ type: "undo", entry: mine.id });
  expect(stands([mine, theirs, later, undo, again])).toMatchObject({ undo: null, redo: mine.id });
  const redo = entry({ type: "redo", entry: mine.id });
  expect(stands([mine, theirs, later, undo, again, redo])).toMatchObject({ undo: mine.id, redo: later.id });
  expect(stands([mine, theirs, later, undo, add(same(7, 8))]).redo).toBe(null);
  expect(stands([mine, theirs, later], "latest", "bob").undo).toBe(theirs.id);
});

test("one's newer word replaces the older one, and is no disagreement", () => {
  const log = [add(same(1, 2)), add(apart(2, 1))];
  expect(counting(log)).toEqual(["2 ≠ 1"]);
  expect(stands(log).disagreements).toEqual([]);
  expect(stands(log).constraints[0]!.because).toBe("ann said otherwise later");
});

test("what one person says twice stands once, a new weight counts, and two people's words both stand", () => {
  const [first, again] = [add(same(1, 2)), add(same(2, 1))];
  expect(stands([first, again]).constraints.map(({ entry: id }) => id)).toEqual([first.id]);
  expect(counting([first, again, entry({ type: "undo", entry: first.id })])).toEqual(["2 = 1"]);
  const heavier = add(same(1, 2, 5));
  expect(stands([first, heavier]).constraints.map(({ entry: id }) => id)).toEqual([heavier.id]);
  expect(stands([first, add(same(1, 2), "bob")]).constraints).toHaveLength(2);
});

test("two people who disagree: both are kept, and the policy says which counts", () => {
  const ann = add(same(1, 2, 3), "ann");
  const bob = add(apart(1, 2), "bob");
  expect(counting([ann, bob], "latest")).toEqual(["1 ≠ 2"]);
  expect(counting([ann, bob], "heavier")).toEqual(["1 = 2"]);
  expect(counting([ann, bob], "neither")).toEqual([]);
  expect(stands([ann, bob], "latest").constraints).toHaveLength(2);
  expect(stands([ann, bob], "latest").disagreements).toEqual([
    { entries: [ann.id, bob.id], sentence: "ann says 1 = 2 and bob says 1 ≠ 2: bob's word counts.", counts: bob.id },
  ]);
  expect(stands([ann, bob], "neither").disagreements[0]!.sentence).toMatch(/neither counts\.$/);
  const carl = add(apart(2, 1, 2), "carl");
  expect(counting([ann, bob, carl], "heavier")).toEqual([]);
});

test("labels, odd ones out and sizes are weighed too; an unsure answer contradicts nobody", () => {
  const label = (name: string, by: string) => add({ type: "label", a: 7, class: name }, by);
  expect(counting([label("x", "ann"), label("y", "bob")])).toEqual(["7 is y"]);
  const odd = (c: number, by: string) => {
    const [a, b] = [1, 2, 3].filter((each) => each !== c) as [number, number];
    return add({ type: "relative", a, b, c }, by);
  };
  expect(counting([odd(3, "ann"), odd(2, "bob")])).toEqual(["1, 3 | 2"]);
  expect(counting([add({ type: "sizes", min: 2 }), add({ type: "sizes", max: 9 })])).toEqual(["at most 9 rows a cluster"]);
  expect(counting([add(same(1, 2)), add({ type: "unsure", rows: [1, 2] }, "bob")])).toEqual(["1 = 2", "1, 2 not known"]);
});

test("what speaks of rows or columns that are not there does not count, and says so", () => {
  const log = [add(same(1, 99)), add({ type: "exclusive", column: "shop" })];
  const options = { policy: "latest" as const, hasRow: (id: string | number) => id !== 99, hasColumn: () => false };
  expect(standingOf(log, options).constraints.map(({ because }) => because)).toEqual([
    "row 99 is not in the table",
    "there is no column shop",
  ]);
});

test("the constraint set holds what counts, in rows", () => {
  const log = [
    add({ type: "must-link", a: "x", b: "y", weight: "inf" }),
    add({ type: "cannot-link", a: "x", b: "z" }),
    add({ type: "relative", a: "x", b: "y", c: "z" }),
    add({ type: "label", a: "z", class: "red" }),
    add({ type: "sizes", min: 1, max: 2 }),
    add({ type: "exclusive", column: "shop" }),
  ];
  const grouping = { column: "shop", codes: Int32Array.of(0, 0, -1), names: ["a"] };
  const { set, sizes } = constraintSetOf(countingOf(stands(log)), { n: 3, ids: ["x", "y", "z"] }, () => grouping);
  expect([...set.mustLinks.a, ...set.mustLinks.b, ...set.mustLinks.weight]).toEqual([0, 1, Infinity]);
  expect([...set.cannotLinks.a, ...set.cannotLinks.b]).toEqual([0, 2]);
  expect([...set.relative.c]).toEqual([2]);
  expect(set.labels.names).toEqual(["red"]);
  expect(set.exclusive).toEqual([grouping]);
  expect(sizes).toEqual({ min: 1, max: 2 });
});

test("undoing every step in turn leaves nothing, and redoing all brings everything back", () => {
  const step = fc.tuple(fc.nat(3), fc.nat(5), fc.nat(5)).filter(([, a, b]) => a !== b);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const log: Entry[] = steps.map(([kind, a, b]) => {
        if (kind === 0) return add(same(a, b));
        if (kind === 1) return add(apart(a, b));
        return add({ type: "label", a, class: String(b) });
      });
      const before = counting(log);
      for (let undo = stands(log).undo; undo !== null; undo = stands(log).undo) log.push(entry({ type: "undo", entry: undo }));
      expect(stands(log).constraints).toEqual([]);
      for (let redo = stands(log).redo; redo !== null; redo = stands(log).redo) log.push(entry({ type: "redo", entry: redo }));
      expect(counting(log)).toEqual(before);
    }),
  );
});

test("what stands after more entries is what the whole log says, wherever it is told without a replay", () => {
  const step = fc.tuple(fc.nat(4), fc.nat(6), fc.nat(6), fc.constantFrom("ann", "bob")).filter(([, a, b]) => a !== b);
  let quick = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 10 }), fc.array(step, { minLength: 1, maxLength: 3 }), (first, more) => {
      const entriesOf = (steps: typeof first): Entry[] =>
        steps.map(([kind, a, b, by]) => {
          if (kind === 0) return add(apart(a, b), by);
          if (kind === 1) return add({ type: "label", a, class: String(b) }, by);
          return kind === 2 ? add({ type: "exclusive", column: "shop" }, by) : add(same(a, b), by);
        });
      const [log, rest] = [entriesOf(first), entriesOf(more)];
      const options = { hasRow: (id: string | number) => id !== 6, hasColumn: () => true };
      const before = standingOf(log, { ...options, policy: "latest" });
      const after = standingAfter(before, rest, spokenOf(log), options);
      if (after === null) return;
      quick++;
      expect(after).toEqual(standingOf([...log, ...rest], { ...options, policy: "latest" }));
    }),
  );
  expect(quick).toBeGreaterThan(10);
});
