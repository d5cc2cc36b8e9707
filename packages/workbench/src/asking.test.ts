import { CoterieError, constraints, drain, pointsFromRows, type Session, type Steps, startAsking } from "@coterie/core/internal";
import type { AnswerRecord, LogRecord, StartRecord } from "@coterie/data/browser";
import { expect, test } from "vitest";
import { Asking, continuationOf, knownFrom } from "./asking.js";

const POINTS = { ...pointsFromRows([[0], [1], [5], [6], [10], [11]]), ids: ["a", "b", "c", "d", "e", "f"] };
const START: StartRecord = {
  record: "start",
  format: 1,
  version: "0.1.0",
  data: "t.csv",
  sha256: "ab",
  rows: 6,
  features: ["x"],
  strategy: "explore-consolidate",
  options: { x: 1, y: 2 },
  k: 3,
  budget: 9,
  seed: 0,
  reading: {},
  constraints: [],
  known: "cd",
};
const said = (ask: [string, string], answer: "same" | "different" | "unsure" = "same"): AnswerRecord => ({
  record: "answer",
  number: 1,
  kind: "pair",
  ask,
  answer,
});
const open = () => startAsking({ points: POINTS, strategy: "explore-consolidate", k: 3, budget: 9 });

function kept(session: Session = open()) {
  const records: LogRecord[] = [];
  const asking = new Asking(session, POINTS, { append: (record) => void records.push(record) }, { earlier: [], budget: 9 });
  return { asking, records };
}

test("an answer is kept before the session gets it, and a store that fails leaves the session where it was", async () => {
  const session = open();
  const order: string[] = [];
  const watching: Session = {
    get asked() {
      return session.asked;
    },
    next: () => session.next(),
    answer: (answer) => session.answer(answer),
    answerSteps: (answer) => {
      order.push("taken");
      return session.answerSteps(answer);
    },
    undo: () => session.undo(),
    result: () => session.result(),
    resultSteps: () => session.resultSteps(),
  };
  let works = true;
  const store = {
    async append() {
      await Promise.resolve();
      if (!works) throw new Error("full");
      order.push("kept");
    },
  };
  const asking = new Asking(watching, POINTS, store, { earlier: [said(["x", "y"]), said(["x", "z"])], budget: 9 });
  expect(await asking.answer("different")).toMatchObject({ number: 3, kind: "pair", answer: "different" });
  expect(order).toEqual(["kept", "taken"]);
  works = false;
  await expect(asking.answer("same")).rejects.toThrow("full");
  await expect(asking.undo()).rejects.toThrow("full");
  expect([session.asked, asking.answered, order.length]).toEqual([1, 3, 2]);
  await expect(asking.answer("a")).rejects.toThrow("same, different, unsure");
});

test("an answer that the session cannot live with is taken back in the store", async () => {
  const session = open();
  const refuse = (): never => {
    throw new CoterieError({ code: "gave-up", message: "no way to k clusters" });
  };
  const refusing: Session = {
    asked: 0,
    next: () => session.next(),
    answer: refuse,
    answerSteps: refuse,
    undo: () => false,
    result: () => session.result(),
    resultSteps: () => session.resultSteps(),
  };
  const { asking, records } = kept(refusing);
  await expect(asking.answer("same")).rejects.toThrow("no way");
  expect(records.map(({ record }) => record)).toEqual(["answer", "undo"]);
  expect(asking.answered).toBe(0);
});

test("an answer that was interrupted is kept, and taken when the log is replayed", async () => {
  const records: LogRecord[] = [];
  let works = true;
  const drive = async (steps: Steps<void>) => {
    if (!works) throw new Error("interrupted");
    drain(steps);
  };
  const asking = new Asking(open(), POINTS, { append: (record) => void records.push(record) }, { earlier: [], budget: 9, drive });
  await asking.answer("different");
  works = false;
  await expect(asking.answer("same")).rejects.toThrow("interrupted");
  expect(records.map(({ record }) => record)).toEqual(["answer", "answer"]);
  expect([asking.answered, asking.session.asked]).toEqual([2, 1]);
  const again = new Asking(open(), POINTS, null, { earlier: [], budget: 9 });
  expect(await again.replay(records as AnswerRecord[])).toBe(true);
  expect(again.session.asked).toBe(2);
});

test("replaying the answers that count brings a fresh session to the same question and result", async () => {
  const { asking, records } = kept();
  for (const word of ["different", "different", "unsure", "undo", "same", "different"] as const) {
    if (word === "undo") await asking.undo();
    else await asking.answer(word);
  }
  expect(records.map(({ record }) => record)).toEqual(["answer", "answer", "answer", "undo", "answer", "answer"]);
  const again = new Asking(open(), POINTS, null, { earlier: [], budget: 9 });
  expect(await again.replay(asking.answers)).toBe(true);
  expect(again.next()).toEqual(asking.next());
  expect(again.session.result().outcome.labels).toEqual(asking.session.result().outcome.labels);
  const known = constraints(POINTS, { mustLink: [["a", "b"]] });
  const other = startAsking({ points: POINTS, strategy: "explore-consolidate", k: 3, budget: 9, seed: 4, constraints: known });
  expect(await new Asking(other, POINTS, null, { earlier: [], budget: 9 }).replay(asking.answers)).toBe(false);
});

test("what nobody knew in an earlier stretch is not asked again, and undo passes over it", async () => {
  const first = kept().asking;
  await first.answer("different");
  const [next, later] = [await first.answer("unsure"), first.next()!];
  const records: LogRecord[] = [];
  const plan = { earlier: [{ ...next, ask: [...next.ask].reverse() as [string, string] } as AnswerRecord], budget: 9 };
  const asking = new Asking(open(), POINTS, { append: (record) => void records.push(record) }, plan);
  const begin = asking.next();
  await asking.answer("different");
  expect(asking.next()).toEqual(later);
  expect((await asking.undo())?.number).toBe(2);
  expect(asking.next()).toEqual(begin);
  expect([asking.answered, asking.session.asked, await asking.undo()]).toEqual([1, 0, null]);
  expect(new Asking(open(), POINTS, null, { ...plan, budget: 1 }).next()).toBeNull();
});

test("what changed since a log was begun is named; the order of keys is no change", () => {
  const answer = said(["a", "b"]);
  const stretches = [
    { start: { ...START, seed: 7 }, answers: [answer] },
    { start: START, answers: [said(["c", "d"])] },
  ];
  expect(continuationOf([], START)).toEqual({ kind: "begin" });
  const same = continuationOf(stretches, { ...START, options: { y: 2, x: 1 }, version: "9", data: "elsewhere/t.csv" });
  expect(same).toMatchObject({ kind: "continue", earlier: [answer], replay: [{ ask: ["c", "d"] }] });
  const other = continuationOf(stretches, { ...START, sha256: "ef", k: 4 });
  expect(other).toMatchObject({ kind: "anew", changed: ["the data", "k"] });
  expect(other.kind === "anew" && other.earlier.length).toBe(2);
});

test("answers become constraints in rows; those about rows that are gone are listed", () => {
  const { set, lost } = knownFrom([said(["a", "c"]), said(["e", "b"], "different"), said(["a", "gone"])], POINTS);
  expect([[...set.mustLinks.a], [...set.mustLinks.b], set.cannotLinks.a.length, lost.length]).toEqual([[0], [2], 1, 1]);
});
