import fc from "fast-check";
import { expect, test } from "vitest";
import type { Constraint, Entry, KnowledgeReply, Policy } from "../protocol/knowledge.js";
import { rowsOf, sentenceOf } from "../protocol/sentences.js";
import { ConstraintLog, type LogOptions } from "./constraint-log.js";
import { constraintSetOf } from "./constraint-set.js";

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
function logOf(entries: readonly Entry[], options: Partial<LogOptions> = {}): ConstraintLog {
  const log = new ConstraintLog({ ...everything, policy: "latest", ...options });
  log.append(entries);
  return log;
}
const stands = (entries: readonly Entry[], policy: Policy = "latest", by = "ann") => logOf(entries, { policy }).reply(by);
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

test("undo takes back one's own last step, redo brings it back until there is something new", () => {
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

test("a constraint about a missing row or column does not count, and says why", () => {
  const log = [add(same(1, 99)), add({ type: "exclusive", column: "shop" })];
  const options = { hasRow: (id: string | number) => id !== 99, hasColumn: () => false };
  expect(
    logOf(log, options)
      .reply()
      .constraints.map(({ because }) => because),
  ).toEqual(["row 99 is not in the table", "there is no column shop"]);
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
  const { set, sizes } = constraintSetOf(logOf(log).active, { n: 3, ids: ["x", "y", "z"] }, () => grouping);
  expect([...set.mustLinks.a, ...set.mustLinks.b, ...set.mustLinks.weight]).toEqual([0, 1, Infinity]);
  expect([...set.cannotLinks.a, ...set.cannotLinks.b]).toEqual([0, 2]);
  expect([...set.relative.c]).toEqual([2]);
  expect(set.labels.names).toEqual(["red"]);
  expect(set.exclusive).toEqual([grouping]);
  expect(sizes).toEqual({ min: 1, max: 2 });
});

test("evidence replaces nothing: it counts unless other answers outweigh it, and what is certain always counts", () => {
  const asked = (constraint: Constraint, confidence?: number, rate: number | "learn" = 0.1): Entry => ({
    ...add(constraint),
    from: { kind: "asked", strategy: "spreading", number: 1, evidence: rate, ...(confidence ? { confidence } : {}) },
  });
  const triangle = [asked(same(1, 2)), asked(same(2, 3)), asked(apart(1, 3))];
  const more = [asked(same(1, 4)), asked(same(4, 3))];
  expect(counting([...triangle, ...more])).toEqual(["1 = 2", "2 = 3", "1 = 4", "4 = 3"]);
  const log = logOf([...triangle, ...more]);
  const doubted = log.reply().constraints.find(({ counts }) => !counts)!;
  expect([doubted.entry, doubted.because]).toEqual([triangle[2]!.id, "other answers outweigh it"]);
  expect(log.weighed.map(({ entry: id, sureness }) => [id, sureness])).toEqual([...triangle, ...more].map(({ id }) => [id, 1]));
  // Answers to the same question are weighed against each other, by how sure they are.
  expect(counting([asked(same(1, 2), 0.7), asked(apart(2, 1), 0.9)])).toEqual(["2 ≠ 1"]);
  expect(counting([asked(same(1, 2), 0.9, "learn"), asked(apart(2, 1), 0.7, "learn")])).toEqual(["1 = 2"]);
  // Certain constraints, also those that follow from them, outweigh all evidence.
  const certain = [add(same(1, 5)), add(apart(5, 6)), add(same(6, 3))];
  expect(counting([...triangle, ...more, ...certain])).toEqual(expect.arrayContaining(["1 ≠ 3", "1 = 5", "5 ≠ 6", "6 = 3"]));
  // An answer that is revised is certain.
  const revise = entry({ type: "revise", entry: triangle[2]!.id, constraint: apart(1, 3) });
  expect(counting([...triangle, ...more, revise])).toContain("1 ≠ 3");
  expect(counting([...triangle, ...more, revise, entry({ type: "undo", entry: revise.id })])).not.toContain("1 ≠ 3");
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

test("entries that come one by one, undos and weights included, give what a replay of the whole log gives", () => {
  const people = fc.constantFrom("ann", "bob");
  const step = fc.tuple(fc.nat(11), fc.nat(3), fc.nat(3), people, fc.nat(30)).filter(([, a, b]) => a !== b);
  const policies = fc.constantFrom<Policy>("latest", "heavier", "neither");
  let disputes = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 30 }), policies, (steps, policy) => {
      const options = { policy, hasRow: (id: string | number) => id !== 3, hasColumn: () => true };
      const log = new ConstraintLog(options);
      const entries: Entry[] = [];
      for (const [kind, a, b, by, at] of steps) {
        const target = entries[at % Math.max(1, entries.length)];
        if (kind === 0) entries.push(add(apart(a, b), by));
        else if (kind === 1) entries.push(add({ type: "label", a, class: String(b) }, by));
        else if (kind === 2) entries.push(add({ type: "exclusive", column: "shop" }, by));
        else if (kind === 3) entries.push(add({ type: "unsure", rows: [a, b] }, by));
        else if (kind <= 5 || !target) entries.push(add(same(a, b, kind === 5 ? 2 : undefined), by));
        else if (kind === 6) entries.push(entry({ type: "drop", entry: target.id }, by));
        else if (kind === 7) entries.push(entry({ type: "weigh", entry: target.id, weight: 1 + (at % 3) }, by));
        else if (kind >= 10) {
          const rows = "constraint" in target.change ? rowsOf(target.change.constraint) : [];
          if (rows.length !== 2) continue;
          const [one, other] = rows as [number, number];
          const constraint = [same(one, other), apart(one, other), { type: "unsure" as const, rows: [one, other] }][at % 3]!;
          entries.push(entry({ type: "revise", entry: target.id, constraint }, by));
        } else entries.push(entry({ type: kind === 8 ? "undo" : "redo", entry: target.id }, by));
        log.append(entries.slice(-1));
        // Reading the lists in between must not change them.
        if (at % 2 === 0) log.reply(by);
        expect(log.active).toBe(log.active);
      }
      for (const by of ["ann", "bob", undefined]) expect(log.reply(by)).toEqual(replayed(entries, options, by));
      const counting = log.reply().constraints.filter(({ counts }) => counts);
      expect(log.active).toEqual(counting.map(({ entry: id, constraint }) => ({ entry: id, constraint })));
      disputes += log.reply().disagreements.length;
    }),
    { numRuns: 400 },
  );
  expect(disputes).toBeGreaterThan(50);
});

test("the constraints that do not change stay the same objects", () => {
  const entries = [add(same(1, 2)), add(apart(3, 4))];
  const log = logOf(entries);
  const [first, second] = log.active;
  log.append([add(same(5, 6))]);
  expect([log.active[0], log.active[1]]).toEqual([first, second]);
  expect(log.active[0] === first && log.active[1] === second).toBe(true);
  const before = log.active;
  log.append([entry({ type: "redo", entry: entries[0]!.id })]);
  expect(log.active).toBe(before);
});

/** The log replayed from its start, as plainly as possible. */
function replayed(entries: readonly Entry[], { policy, hasRow }: LogOptions, by: string | undefined): KnowledgeReply {
  const undone = new Set<string>();
  for (const { change } of entries) {
    if (change.type === "undo") undone.add(change.entry);
    if (change.type === "redo") undone.delete(change.entry);
  }
  const added = new Map<string, { readonly entry: Entry; readonly constraint: Constraint }>();
  for (const each of entries) {
    const { change } = each;
    if (undone.has(each.id)) continue;
    if (change.type === "add") added.set(each.id, { entry: each, constraint: change.constraint });
    if (change.type === "drop") added.delete(change.entry);
    const revised = change.type === "revise" && entries.find(({ id }) => id === change.entry && !undone.has(id));
    if (change.type === "revise" && revised && revised.change.type === "add")
      added.set(revised.id, { entry: revised, constraint: change.constraint });
    const weighed = change.type === "weigh" ? added.get(change.entry) : undefined;
    if (change.type === "weigh" && weighed && ["must-link", "cannot-link", "label"].includes(weighed.constraint.type))
      added.set(change.entry, { ...weighed, constraint: { ...weighed.constraint, weight: change.weight } as Constraint });
  }
  type One = typeof added extends Map<string, infer V> ? V : never;
  const aboutOf = ({ constraint }: One) => {
    if (constraint.type === "exclusive" || constraint.type === "unsure") return null;
    return `${constraint.type === "label" ? "label" : "pair"} ${[...rowsOf(constraint)].sort()}`;
  };
  const claimOf = ({ constraint }: One) => (constraint.type === "label" ? constraint.class : constraint.type);
  const weightOf = ({ constraint }: One) => Number(("weight" in constraint ? constraint.weight : undefined) ?? 1);
  const all = [...added.values()].sort((one, other) => one.entry.seq - other.entry.seq);
  const reasons = new Map<One, string>();
  const repeated = new Set<One>();
  const disagreements: KnowledgeReply["disagreements"] = [];
  for (const about of new Set(all.map(aboutOf))) {
    if (about === null) continue;
    const group = all.filter((each) => aboutOf(each) === about);
    for (const person of ["ann", "bob"]) {
      let newest: One | undefined;
      for (const each of group.filter(({ entry: { by: who } }) => who === person)) {
        const isSame = newest !== undefined && claimOf(newest) === claimOf(each);
        if (isSame && weightOf(newest!) === weightOf(each)) {
          repeated.add(each);
          continue;
        }
        if (isSame) repeated.add(newest!);
        else if (newest) reasons.set(newest, `${person} said otherwise later`);
        newest = each;
      }
    }
    const live = group.filter((each) => !reasons.has(each) && !repeated.has(each));
    const [one, other] = live;
    if (live.length < 2 || claimOf(one!) === claimOf(other!)) continue;
    const heavier = weightOf(one!) === weightOf(other!) ? null : weightOf(one!) > weightOf(other!) ? one! : other!;
    const chosen = policy === "neither" ? null : policy === "latest" ? other! : heavier;
    const why = { neither: "", latest: " later", heavier: chosen ? ", with more weight" : ", with as much weight" }[policy];
    for (const each of live) {
      const contrary = (each === one ? other! : one!).entry.by;
      if (each !== chosen) reasons.set(each, `${contrary} ${policy === "latest" ? "said" : "says"} otherwise${why}`);
    }
    const claims = live.map((each) => `${each.entry.by} says ${sentenceOf(each.constraint)}`).join(" and ");
    const end = chosen ? `${chosen.entry.by}'s word counts` : "neither counts";
    const ids = live.map((each) => each.entry.id);
    disagreements.push({ entries: ids, sentence: `${claims}: ${end}.`, counts: chosen?.entry.id ?? null });
  }
  const constraints = all.flatMap((each) => {
    if (repeated.has(each)) return [];
    const { id, seq, at, by: who, from } = each.entry;
    const lost = rowsOf(each.constraint).find((row) => !hasRow(row));
    const because = lost === undefined ? reasons.get(each) : `row ${lost} is not in the table`;
    const standing = { entry: id, seq, constraint: each.constraint, by: who, at, from };
    return [because === undefined ? { ...standing, counts: true } : { ...standing, counts: false, because }];
  });
  const mine = entries.filter((each) => each.by === by);
  const isStep = ({ change }: Entry) => change.type !== "undo" && change.type !== "redo";
  const since = mine.slice(mine.findLastIndex(isStep) + 1);
  const redo = since.findLast(({ change }) => change.type === "undo" && undone.has(change.entry))?.change;
  return {
    upTo: entries.at(-1)?.seq ?? 0,
    constraints,
    disagreements,
    undo: mine.findLast((each) => isStep(each) && !undone.has(each.id))?.id ?? null,
    redo: redo?.type === "undo" ? redo.entry : null,
  };
}
