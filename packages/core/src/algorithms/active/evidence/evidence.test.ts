import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyConstraints } from "../../../constraints/index.js";
import { randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { trueAnswer } from "../../../steps/index.js";
import { startAsking } from "../strategies/index.js";
import { agreement, believed, groupsOf, LAW, type SignedEdge, weightOf } from "./beliefs.js";
import { mostAgreement, partitions } from "./ties.reference.js";

/** Four groups of rows on a line. */
const TRUTH = Int32Array.from({ length: 40 }, (_, i) => i % 4);
const POINTS = pointsFromRows(Array.from(TRUTH, (c, i) => [12 * c + ((i * 7) % 11) / 2]));

function talk(wrong: number, seed: number, options: object = {}, budget = 120) {
  const session = startAsking({ points: POINTS, k: 4, budget, errorRate: 0.1, ...options });
  const random = randomFrom(seed);
  const lies: number[] = [];
  for (let question = session.next(); question; question = session.next()) {
    const right = trueAnswer(question, TRUTH);
    const lie = random.unit() < wrong;
    if (lie) lies.push(session.asked);
    session.answer(lie ? (right === "same" ? "different" : "same") : right);
  }
  return { session, lies };
}

const sameGroups = (labels: Int32Array) => {
  const seen = new Map<number, number>();
  return labels.every((label, i) => {
    if (!seen.has(TRUTH[i]!)) seen.set(TRUTH[i]!, label);
    return seen.get(TRUTH[i]!) === label;
  });
};

describe("edges", () => {
  test("worked by hand: three answers join two groups, one contradicts", () => {
    // 0 = 1, 2 = 3, 1 = 2, 0 = 3 against 0 ≠ 2, all of weight 1.
    const tie = (a: number, b: number, weight: number): SignedEdge => ({ a, b, weight });
    const edges = [tie(0, 1, 1), tie(2, 3, 1), tie(1, 2, 1), tie(0, 3, 1), tie(0, 2, -1)];
    expect([...groupsOf(4, edges)]).toEqual([0, 0, 0, 0]);
    expect(believed(4, edges)).toEqual([true, true, true, true, false]);
    expect([...groupsOf(4, [...edges, tie(0, 2, -LAW)])]).not.toEqual([0, 0, 0, 0]);
  });

  test("the weight of an answer: ln 9 at one wrong in ten, nothing for a guess", () => {
    expect(weightOf(0.1)).toBeCloseTo(Math.log(9), 12);
    expect(weightOf(0.1, 0.5)).toBe(0);
    expect(weightOf(0.1, 0.2)).toBe(0);
    expect(weightOf(0.1, 0.8)).toBeLessThan(weightOf(0.1, 0.9));
    expect(weightOf(0.1, 0.75)).toBeCloseTo(Math.log(0.7 / 0.3), 12);
  });

  test("the reference enumerates as many partitions as the Bell numbers", () => {
    expect([1, 2, 3, 4, 5].map((n) => [...partitions(n)].length)).toEqual([1, 2, 5, 15, 52]);
  });

  test("believes all consistent edges; otherwise agrees nearly as much as the best partition, and never breaks a hard constraint", () => {
    const setting = fc.record({
      n: fc.integer({ min: 2, max: 7 }),
      said: fc.array(fc.tuple(fc.nat(6), fc.nat(6), fc.boolean(), fc.integer({ min: 1, max: 5 })), { maxLength: 16 }),
    });
    fc.assert(
      fc.property(setting, ({ n, said }) => {
        const edges = said
          .map(([a, b, same, w]) => ({ a: a % n, b: b % n, weight: same ? w : -w }))
          .filter(({ a, b }) => a !== b);
        const groups = groupsOf(n, edges);
        const total = edges.reduce((sum, { weight }) => sum + Math.abs(weight), 0);
        const [got, best] = [agreement(edges, groups), mostAgreement(n, edges)];
        expect(got).toBeLessThanOrEqual(best + 1e-9);
        expect(got).toBeGreaterThanOrEqual(best - 0.5 * total - 1e-9);
        if (best === total) expect(got).toBe(total);
        const laws = edges.map((tie) => (tie.weight === 5 ? { ...tie, weight: -LAW } : tie));
        const kept = groupsOf(n, laws);
        for (const { a, b, weight } of laws) if (weight === -LAW) expect(kept[a]).not.toBe(kept[b]);
      }),
      { numRuns: 300 },
    );
  });
});

describe("a session of evidence", () => {
  test("finds the classes although one answer in ten is wrong, and does not believe the wrong ones", () => {
    for (const seed of [1, 2, 3]) {
      const { session, lies } = talk(0.1, seed);
      expect(lies.length).toBeGreaterThan(4);
      expect(sameGroups(session.result().outcome.labels)).toBe(true);
      expect(session.overruled!().map(({ place }) => place)).toEqual(lies);
      expect(session.overruled!().every(({ why }) => why.length > 10)).toBe(true);
    }
  });

  test("with the same answers as hard constraints it misses the classes", () => {
    const lost = [1, 2, 3].filter((seed) => !sameGroups(talk(0.1, seed, { errorRate: 0 }).session.result().outcome.labels));
    expect(lost).toHaveLength(3);
  });

  test("with right answers, all are believed, and the constraints contain each answer once", () => {
    const { session } = talk(0, 0);
    const { constraints, outcome } = session.result();
    expect([session.overruled!(), sameGroups(outcome.labels)]).toEqual([[], true]);
    expect(constraints.mustLinks.a.length + constraints.cannotLinks.a.length).toBeLessThanOrEqual(session.asked);
  });

  test("an answer that is not believed is asked once more, with the rows swapped", () => {
    const { session } = talk(0.1, 1);
    const again: boolean[] = [];
    const seen = new Map<string, string>();
    for (let question = session.undo(); question; question = session.undo()) {
      const [i, j] = session.next()!.ask as [number, number];
      const key = i < j ? `${i} ${j}` : `${j} ${i}`;
      const before = seen.get(key);
      if (before !== undefined) again.push(before === `${j} ${i}`);
      seen.set(key, `${i} ${j}`);
    }
    expect(again.length).toBeGreaterThan(0);
    expect(again.filter((turned) => turned).length).toBeGreaterThan(again.length / 2);
  });

  test("never breaks given constraints or certain answers", () => {
    const constraints = emptyConstraints(40);
    const given = { ...constraints, cannotLinks: { a: Int32Array.of(0), b: Int32Array.of(4), weight: Float64Array.of(1) } };
    const { session } = talk(0.1, 2, { constraints: given, k: 5 });
    const { labels } = session.result().outcome;
    expect(labels[0]).not.toBe(labels[4]);
    const sure = startAsking({ points: POINTS, k: 4, budget: 30, errorRate: 0.2 });
    const [i, j] = sure.next()!.ask as [number, number];
    sure.answer("different", "law");
    while (sure.next()) sure.answer(trueAnswer(sure.next()!, TRUTH));
    const result = sure.result().outcome.labels;
    expect(result[i]).not.toBe(result[j]);
  });

  test('undo returns to the same question; "unsure" pairs are not asked again; the budget holds', () => {
    const session = startAsking({ points: POINTS, k: 4, budget: 3, errorRate: "learn" });
    const first = session.next();
    session.answer("unsure");
    expect(session.next()).not.toEqual(first);
    session.answer("same", 0.6);
    session.undo();
    session.undo();
    expect([session.next(), session.asked, session.undo()]).toEqual([first, 0, false]);
    for (let i = 0; i < 3; i++) session.answer("different");
    expect(session.next()).toBeNull();
  });

  test("a learned rate is near the true one", () => {
    const { session, lies } = talk(0.15, 4, { errorRate: "learn" });
    expect(Math.abs(session.errorRate! - lies.length / session.asked)).toBeLessThan(0.06);
  });

  test("answers from before are evidence too: the same answers are overruled, and what nobody knew is not asked again", () => {
    const { session } = talk(0.1, 1, {}, 60);
    const overruled = session.overruled!();
    const answered = [];
    while (session.undo()) answered.unshift(session.next()!.ask as [number, number]);
    const { lies } = talk(0.1, 1, {}, 60);
    const evidence = answered.map((rows, place) => {
      const right = trueAnswer({ kind: "pair", ask: rows }, TRUTH) as "same" | "different";
      return { rows, answer: lies.includes(place) ? (right === "same" ? ("different" as const) : ("same" as const)) : right };
    });
    const [first, ...rest] = evidence;
    const again = startAsking({ points: POINTS, k: 4, errorRate: 0.1, evidence });
    expect(overruled.length).toBeGreaterThan(0);
    expect(again.overruled!()).toEqual(overruled);
    expect([again.asked, sameGroups(again.result().outcome.labels), again.undo()]).toEqual([0, true, false]);
    const open = startAsking({ points: POINTS, k: 4, errorRate: 0.1, evidence: [{ ...first!, answer: "unsure" }, ...rest] });
    for (let question = open.next(); question; question = open.next()) {
      expect([...question.ask].sort()).not.toEqual([...first!.rows].sort());
      open.answer(trueAnswer(question, TRUTH));
    }
    expect(() => startAsking({ points: POINTS, k: 4, evidence })).toThrow(/left out when errorRate is 0/);
  });

  test("only the strategy that weighs answers takes a rate, and a rate is less than a half", () => {
    expect(() => startAsking({ points: POINTS, k: 4, strategy: "min-max", errorRate: 0.1 })).toThrow(/weighs/);
    expect(() => startAsking({ points: POINTS, k: 4, errorRate: 0.5 })).toThrow(/less than 0.5/);
  });

  test("golden: the first questions and labels under a seed", () => {
    const { session } = talk(0.1, 7, {}, 40);
    expect({
      labels: [...session.result().outcome.labels].join(""),
      overruled: session.overruled!().map(({ place }) => place),
    }).toMatchInlineSnapshot(`
      {
        "labels": "3012301230123012301230123012301230123012",
        "overruled": [
          23,
          37,
          39,
        ],
      }
    `);
  });
});

test("with many classes, at most three questions are about one row", () => {
  const draw = randomFrom(3);
  const truth = Int32Array.from({ length: 120 }, (_, i) => i % 40);
  const points = pointsFromRows(Array.from(truth, (c) => [c + 0.01 * draw.normal(), (7 * c) % 40]));
  const session = startAsking({ points, k: 40, budget: 80, errorRate: 0.1 });
  const times = new Map<number, number>();
  for (let question = session.next(); question; question = session.next()) {
    times.set(question.ask[0]!, (times.get(question.ask[0]!) ?? 0) + 1);
    session.answer(trueAnswer(question, truth));
  }
  expect(session.asked).toBe(80);
  expect(times.size).toBeGreaterThan(20);
  expect(Math.max(...times.values())).toBeLessThanOrEqual(3);
});
