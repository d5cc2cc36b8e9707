import { formatOf, type LogRecord, readStream, type StartRecord, type Stretch } from "@coterie/data/browser";
import { createSimdKernels } from "@coterie/kernels";
import { expect, test } from "vitest";
import { createLocalCompute } from "../compute/local-compute.js";
import { createWorkbench } from "../projects/workbench.js";
import { reading } from "../protocol/projects.js";
import { loadsWith } from "../tables/loaded-table.js";
import { cloudsCsv } from "../testing/local-workbench.js";
import { continuationOf, createAnswersStore } from "./answers-store.js";

const BY = "terminal";
const START: StartRecord = {
  record: "start",
  format: 1,
  version: "0.1.0",
  data: "clouds.csv",
  sha256: "ab",
  rows: 40,
  features: ["x", "y"],
  strategy: "spreading",
  options: { x: 1, y: 2 },
  k: 2,
  budget: 9,
  seed: 0,
  reading: {},
  constraints: [],
  known: "cd",
};

async function* bytesOf(text: string): AsyncGenerator<Uint8Array, void, void> {
  yield new TextEncoder().encode(text);
}

const TABLE = loadsWith((_, options) => readStream(formatOf("clouds.csv", new Uint8Array()), bytesOf(cloudsCsv()), options))({
  file: "clouds.csv",
  reading: reading.parse({ features: ["x", "y"] }),
  load: async () => new Uint8Array(),
});

/** A workbench over a log; `works`: whether the log can be written. */
async function opened(stretches: readonly Stretch[] = [], last: Stretch = { start: START, answers: [] }, works = () => true) {
  const records: LogRecord[] = [];
  const at = "2026-01-01T00:00:00Z";
  const about = { name: "ask", created: at, changed: at, data: { file: "clouds.csv", sha256: "", bytes: 0 }, k: 2 };
  const log = {
    append(record: LogRecord) {
      if (!works()) throw new Error("full");
      records.push(record);
    },
  };
  const project = { id: "ask", ...about, reading: reading.parse({}), policy: "latest" as const };
  const { store, answers, entryAt } = await createAnswersStore(project, { earlier: stretches, last }, log, BY);
  const kernels = createSimdKernels();
  const trips: string[] = [];
  const local = createLocalCompute({
    kernels: () => kernels,
    load: () => TABLE,
    pause: () => new Promise((resume) => setTimeout(resume, 0)),
    version: "0",
  });
  const compute: typeof local = {
    ...local,
    run(source, name, input, watch) {
      trips.push(`${name} after ${records.length}`);
      return local.run(source, name, input, watch);
    },
  };
  const samples = { list: async () => [], open: async () => null };
  const { call } = createWorkbench({ store, compute, samples, version: "0", now: () => at, keeps: "memory" });
  let made = 0;
  const plan = { project: "ask", by: BY, budget: 9, run: null };
  return {
    records,
    answers,
    trips,
    ask: () => call("ask", plan),
    answer: async (answer: "same" | "different" | "unsure") => {
      const { question } = (await call("ask", plan)).question!;
      return await call("answer", { project: "ask", question, answer, by: BY, id: `answer-${made++}-${answers.length}` });
    },
    change: (change: { type: "undo" | "revise"; number: number; constraint?: object }) => {
      const { number, ...rest } = change;
      const entry = { id: `change-${made++}-${answers.length}`, by: BY, from: { kind: "drawn" } };
      return call("append", { project: "ask", entries: [{ ...entry, change: { ...rest, entry: entryAt(number)! } }] as never });
    },
  };
}

const kept = (records: readonly LogRecord[]) =>
  records.map((each) => ("answer" in each ? `${each.number} ${each.answer}` : each));

test("an answer is in the log before the session gets it, and a log that fails leaves the questions where they were", async () => {
  let works = true;
  const { ask, answer, change, records, answers, trips } = await opened([], undefined, () => works);
  const first = (await ask()).question!;
  await answer("different");
  expect(trips).toEqual(["facts after 0", "ask after 0", "ask after 1"]);
  const second = (await ask()).question!;
  works = false;
  await expect(answer("same")).rejects.toThrow("full");
  await expect(change({ type: "undo", number: 1 })).rejects.toThrow("full");
  expect([answers.length, records.length, (await ask()).question]).toEqual([1, 1, second]);
  works = true;
  await change({ type: "undo", number: 1 });
  expect((await ask()).question!.rows).toEqual(first.rows);
  expect(kept(records)).toEqual(["1 different", { record: "undo", number: 1 }]);
  await answer("unsure");
  expect([kept(records).at(-1), answers.length]).toEqual(["1 unsure", 1]);
});

test("the answers of the last stretch bring a workbench to the same question, and undo goes back through them", async () => {
  const before = await opened();
  const asked: unknown[] = [];
  for (const word of ["different", "different", "unsure", "same"] as const) {
    asked.push((await before.ask()).question!.rows);
    await before.answer(word);
  }
  const next = await before.ask();
  expect(next.taken).toBe(4);
  const after = await opened([], { start: START, answers: before.answers });
  expect(await after.ask()).toEqual(next);
  for (let number = 4; number > 0; number--) {
    await after.change({ type: "undo", number });
    expect((await after.ask()).question!.rows).toEqual(asked[number - 1]);
  }
  // Answers to questions that are not asked now are constraints that the session begins with.
  const [one, ...rest] = before.answers;
  const other = await opened([], { start: START, answers: [...rest, one!].map((each, i) => ({ ...each, number: i + 1 })) });
  expect(await other.ask()).toMatchObject({ taken: 0, answered: 4 });
});

test("what nobody knew in an earlier stretch is not asked again, and undo passes over it", async () => {
  const { ask, answer, answers } = await opened();
  await answer("different");
  await answer("unsure");
  const later = (await ask()).question!;
  const unsure = { ...answers[1]!, number: 1, ask: [...answers[1]!.ask].reverse() } as (typeof answers)[number];
  const again = await opened([{ start: START, answers: [unsure] }]);
  const begin = (await again.ask()).question!;
  await again.answer("different");
  expect((await again.ask()).question!.rows).toEqual(later.rows);
  await again.change({ type: "undo", number: 2 });
  expect((await again.ask()).question!.rows).toEqual(begin.rows);
  await expect(again.change({ type: "undo", number: 1 })).rejects.toThrow("cannot keep");
});

test("earlier answers are known constraints; those that others outweigh are not, and any of them can be revised", async () => {
  const pair = (number: number, a: number, b: number, answer: "same" | "different") => ({
    record: "answer" as const,
    kind: "pair" as const,
    number,
    ask: [a, b] as [number, number],
    answer,
    evidence: true as const,
  });
  const said = [pair(1, 0, 2, "same"), pair(2, 2, 4, "same"), pair(3, 0, 4, "different"), pair(4, 0, 6, "same")];
  const { change, answers, records, answer } = await opened([
    { start: { ...START, errorRate: 0.1 }, answers: [...said, pair(5, 6, 4, "same")] },
  ]);
  await expect(change({ type: "revise", number: 1, constraint: { type: "must-link", a: 0, b: 9 } })).rejects.toThrow("same rows");
  await change({ type: "revise", number: 3, constraint: { type: "must-link", a: 0, b: 4 } });
  await expect(change({ type: "revise", number: 3, constraint: { type: "cannot-link", a: 0, b: 4 } })).rejects.toThrow();
  await answer("different");
  expect(kept(records)).toEqual(["3 same", "6 different"]);
  expect(answers[2]).toEqual({ record: "answer", number: 3, kind: "pair", ask: [0, 4], answer: "same" });
});

test("what changed since a log was begun is named; the order of keys is no change", () => {
  const stretches = [
    { start: { ...START, seed: 7 }, answers: [] },
    { start: START, answers: [] },
  ];
  expect(continuationOf([], START)).toEqual({ kind: "begin" });
  const same = { ...START, options: { y: 2, x: 1 }, version: "9", data: "elsewhere/t.csv" };
  expect(continuationOf(stretches, same)).toEqual({ kind: "continue" });
  const other = continuationOf(stretches, { ...START, sha256: "ef", k: 4 });
  expect(other).toEqual({ kind: "anew", changed: ["the data", "k"] });
});
