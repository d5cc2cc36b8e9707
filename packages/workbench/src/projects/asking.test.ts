import { pointsFromRows } from "@coterie/core/internal";
import { parseLog } from "@coterie/data/browser";
import { expect, test } from "vitest";
import { worthAsking } from "../compute/ask.js";
import type { Compute } from "../compute/compute.js";
import { closeCalls, marginsOf } from "../compute/margins.js";
import { evenSample } from "../compute/part.js";
import { routes } from "../protocol/routes.js";
import { finished, localCompute, localWorkbench } from "../testing/local-workbench.js";
import { replyTo } from "./problems.js";

let made = 0;
const entryId = () => `answer-${String(made++).padStart(6, "0")}`;

async function sitting() {
  const workbench = localWorkbench();
  const { id } = await workbench.call("createProject", { sample: "clouds" });
  return { ...workbench, id };
}

const truth = ([a, b]: readonly number[]) => (a! % 2 === b! % 2 ? "same" : "different");

test("a sitting of 20 answers: no question comes twice or is implied, and answers change what is shown", async () => {
  const { call, id } = await sitting();
  let state = await call("ask", { project: id, by: "ann", budget: 20 });
  expect(routes.ask.reply.parse(state)).toEqual(state);
  const asked: string[] = [];
  let implied = 0;
  for (let number = 1; state.question && number <= 20; number++) {
    const { question, rows, settles } = state.question;
    expect(state.question.number).toBe(number);
    expect(state.worth!.questions).toBeGreaterThanOrEqual(0);
    expect(state.worth!.questions).toBeLessThanOrEqual(40);
    expect(state.worth!.why).not.toBe("");
    // Before the first run there are no clusters with letters, and the sentence says whose clusters it means.
    expect(state.question.letters).toEqual([-1, -1]);
    expect(state.question.why).toMatch(/the clusters that these questions go by/i);
    const answer = truth(rows);
    const promised = settles[answer];
    asked.push([...rows].sort((a, b) => a - b).join(" "));
    const reply = await call("answer", { project: id, question, answer, by: "ann", id: entryId() });
    expect(routes.answer.reply.parse(reply)).toEqual(reply);
    expect(reply.implied).toBe(promised);
    expect(reply.broken.after).toBe(0);
    expect(reply.clusterings.after!).toBeLessThanOrEqual(reply.clusterings.before!);
    implied += reply.implied;
    state = reply.next;
  }
  expect(new Set(asked).size).toBe(asked.length);
  expect(implied).toBeGreaterThan(0);
  expect(state.answered).toBe(asked.length);
  const { constraints } = await call("knowledge", { project: id });
  expect(constraints.map(({ from }) => (from.kind === "asked" ? from.number : 0))).toEqual(asked.map((_, i) => i + 1));
});

test("a question names the clusters of the run on the screen, whichever run is the newest", async () => {
  const { call, id } = await sitting();
  for (const [number, k] of [
    [1, 2],
    [2, 5],
  ] as const) {
    await call("startRun", { project: id, algorithm: "kmeans", options: { k } });
    await finished({ call } as never, id, number);
  }
  for (const run of [1, 2, null, undefined]) {
    const { question } = await call("ask", { project: id, by: "ann", ...(run === undefined ? {} : { run }) });
    const { why, letters, rows } = question!;
    if (run === null) {
      expect([why, letters]).toEqual([expect.stringMatching(/clusters that these questions go by/i), [-1, -1]]);
      continue;
    }
    const shown = run ?? 2;
    const reply = await call("run", { project: id, run: shown });
    const { labels } = reply.report as { labels: number[] };
    expect(letters).toEqual(rows.map((row) => reply.run.letters![labels[row]!]));
    expect(why).toContain(`Run ${shown}`);
    for (const letter of letters) if (/ has /.test(why)) expect(why).toContain(` in ${"ABCDE"[letter]}`);
  }
});

test("a question outlives the server that asked it; an answer that is sent twice counts once", async () => {
  const { createMemoryStore } = await import("../store/memory-store.js");
  const store = createMemoryStore();
  const first = localWorkbench(store);
  const { id } = await first.call("createProject", { sample: "clouds" });
  const { question } = await first.call("ask", { project: id, by: "ann" });
  const second = localWorkbench(store);
  const input = { project: id, question: question!.question, answer: "unsure" as const, by: "ann", id: entryId() };
  await second.call("answer", input);
  const again = await second.call("answer", input);
  expect(await second.call("entries", { project: id })).toHaveLength(1);
  expect(again.next.history).toEqual(["unsure"]);
  expect(again.next.question!.rows).not.toEqual(question!.rows);
});

test("undo brings the question back; the budget ends the sitting and can be raised", async () => {
  const { call, id } = await sitting();
  const plan = { project: id, by: "ann", budget: 1 };
  const { question } = await call("ask", plan);
  const { entry, next } = await call("answer", {
    project: id,
    question: question!.question,
    answer: "same",
    by: "ann",
    id: entryId(),
  });
  expect(next).toMatchObject({ question: null, why: "The question is answered.", history: ["same"] });
  expect((await call("ask", { ...plan, budget: 2 })).question!.number).toBe(2);
  const undo = { id: entryId(), by: "ann", from: { kind: "drawn" as const }, change: { type: "undo" as const, entry: entry.id } };
  await call("append", { project: id, entries: [undo] });
  expect((await call("ask", plan)).question!.rows).toEqual(question!.rows);
});

/** Answers questions and notes the task of each trip to the worker; where `isLost`, each trip meets a worker that knows nothing. */
async function answeredBy(isLost: boolean) {
  let worker = localCompute();
  const trips: string[] = [];
  const compute: Compute = {
    run(source, name, input, watch) {
      trips.push(name);
      if (isLost) worker = localCompute();
      return worker.run(source, name, structuredClone(input), watch);
    },
    close: async () => {},
  };
  const { call } = localWorkbench(undefined, compute);
  const { id } = await call("createProject", { sample: "clouds" });
  let { question } = await call("ask", { project: id, by: "ann" });
  const asked: unknown[] = [];
  for (let i = 0; i < 6; i++) {
    trips.length = 0;
    const answer = i === 2 ? "unsure" : truth(question!.rows);
    const reply = await call("answer", { project: id, question: question!.question, answer, by: "ann", id: entryId() });
    asked.push([question!.rows, reply.implied, reply.broken, trips.slice()]);
    question = reply.next.question;
  }
  return { call, id, asked, trips };
}

test("an answer is one trip to the worker; a worker that was lost gets everything anew", async () => {
  const kept = await answeredBy(false);
  expect(kept.asked.map((each) => (each as unknown[])[3])).toEqual(Array(6).fill(["ask"]));
  const lost = await answeredBy(true);
  const seen = (all: readonly unknown[]) => all.map((each) => (each as unknown[]).slice(0, 3));
  expect(seen(lost.asked)).toEqual(seen(kept.asked));
  expect(lost.asked.map((each) => (each as unknown[])[3])).toEqual(Array(6).fill(["ask", "ask"]));
});

test("undo of answer after answer brings their questions back, and the same answers lead to the same questions", async () => {
  const { call, id, asked, trips } = await answeredBy(false);
  const rowsAsked = asked.map((each) => (each as unknown[])[0]);
  const plan = { project: id, by: "ann", budget: 30 };
  const { question: seventh } = await call("ask", plan);
  for (let i = 5; i >= 0; i--) {
    const { undo } = await call("knowledge", { project: id, by: "ann" });
    const change = { type: "undo" as const, entry: undo! };
    await call("append", { project: id, entries: [{ id: entryId(), by: "ann", from: { kind: "drawn" as const }, change }] });
    expect((await call("ask", plan)).question!.rows).toEqual(rowsAsked[i]);
  }
  trips.length = 0;
  let { question } = await call("ask", plan);
  for (let i = 0; i < 6; i++) {
    expect(question!.rows).toEqual(rowsAsked[i]);
    const answer = i === 2 ? "unsure" : truth(question!.rows);
    const reply = await call("answer", { project: id, question: question!.question, answer, by: "ann", id: entryId() });
    question = reply.next.question;
  }
  expect(question!.rows).toEqual(seventh!.rows);
});

test("several people get different questions, and all of their answers count", async () => {
  const { call, id } = await sitting();
  const people = ["ann", "bob", "cem", "dee"];
  const states = [];
  for (const by of people) states.push(await call("ask", { project: id, by, budget: 5 }));
  const rows = states.map(({ question }) => [...question!.rows].sort((a, b) => a - b).join(" "));
  expect(new Set(rows).size).toBe(people.length);
  const replies = await Promise.all(
    states.map(({ question }, i) =>
      call("answer", { project: id, question: question!.question, answer: truth(question!.rows), by: people[i]!, id: entryId() }),
    ),
  );
  expect(replies.every(({ next }) => next.answered === 1)).toBe(true);
  expect((await call("knowledge", { project: id })).constraints.map(({ by }) => by).sort()).toEqual(people);
});

test("odd one out of three, other strategies, a cluster to ask about, a contradictory log", async () => {
  const { call, id } = await sitting();
  const odd = await call("ask", { project: id, by: "ann", strategy: "odd-one-out" });
  expect(odd.question!.rows).toHaveLength(3);
  const reply = await call("answer", { project: id, question: odd.question!.question, answer: "b", by: "ann", id: entryId() });
  const [a, b, c] = odd.question!.ids;
  expect(reply.entry.change).toEqual({ type: "add", constraint: { type: "relative", a, b: c, c: b } });
  await call("startRun", { project: id, algorithm: "kmeans", options: {} });
  await finished({ call } as never, id, 1);
  const about = await call("ask", { project: id, by: "bob", about: 1 });
  expect(about.question!.rows.every((row) => row % 2 === 1)).toBe(true);
  const pair = (type: string, x: number, y: number) =>
    ({ id: entryId(), by: "bob", from: { kind: "drawn" }, change: { type: "add", constraint: { type, a: x, b: y } } }) as never;
  await call("append", { project: id, entries: [pair("must-link", 0, 2), pair("must-link", 2, 4), pair("cannot-link", 0, 4)] });
  expect((await call("ask", { project: id, by: "cem" })).question).not.toBe(null);
  await expect(call("ask", { project: id, by: "cem", strategy: "none" })).rejects.toThrow("There is no strategy");
  const wrong = call("answer", {
    project: id,
    question: "pair.spreading.1-2.00000000",
    answer: "same",
    by: "cem",
    id: entryId(),
  });
  await expect(wrong.catch((error) => Promise.reject(replyTo(error)))).rejects.toMatchObject({ status: 409 });
});

test("answers leave as the log that the command line reads", async () => {
  const { call, id } = await sitting();
  let { question } = await call("ask", { project: id, by: "ann" });
  for (const answer of ["same", "unsure", "different"] as const) {
    const { next } = await call("answer", { project: id, question: question!.question, answer, by: "ann", id: entryId() });
    question = next.question;
  }
  const { text } = await call("export", { project: id, kind: "answers" });
  const { stretches } = parseLog(new TextEncoder().encode(text), "answers.jsonl");
  expect(stretches[0]!.answers.map(({ answer }) => answer)).toEqual(["same", "unsure", "different"]);
  const bytes = new TextEncoder().encode(text);
  expect(await call("importConstraints", { project: id, name: "a.jsonl", by: "bob", kind: "answers", bytes })).toMatchObject({
    added: 3,
  });
});

test("questions are chosen among rows of every kind, also where kinds come by turns", () => {
  const rows = evenSample(60_000, 2_000, [17]);
  expect(new Set(Array.from(rows, (row) => row % 30)).size).toBe(30);
  expect(rows.includes(17)).toBe(true);
  expect([rows.every((row, i) => i === 0 || row > rows[i - 1]!), rows.length > 1_990]).toEqual([true, true]);
  expect(Array.from(evenSample(5, 9, []))).toEqual([0, 1, 2, 3, 4]);
});

test("of many people at once no two hold one question, and each question is answered by one of them", async () => {
  const { call, id } = await sitting();
  const people = Array.from({ length: 12 }, (_, i) => `person ${i}`);
  const holders = new Map<string, Set<string>>();
  const keyOf = (rows: readonly number[]) => [...rows].sort((a, b) => a - b).join(" ");
  let states = await Promise.all(people.map((by) => call("ask", { project: id, by, budget: 30 })));
  for (let round = 0; round < 10; round++) {
    const held = states.flatMap(({ question }) => (question ? [keyOf(question.rows)] : []));
    expect(new Set(held).size).toBe(held.length);
    states = await Promise.all(
      states.map(async ({ question }, i) => {
        const by = people[i]!;
        if (question === null) return await call("ask", { project: id, by, budget: 30 });
        holders.set(keyOf(question.rows), (holders.get(keyOf(question.rows)) ?? new Set()).add(by));
        const sent = { project: id, question: question.question, by, id: entryId() };
        return (await call("answer", { ...sent, answer: truth(question.rows) })).next;
      }),
    );
  }
  expect(holders.size).toBeGreaterThan(12);
  expect([...holders.values()].filter(({ size }) => size > 1)).toEqual([]);
});

test("a row is a close call if it is nearly as near to another cluster and has no answer", () => {
  // Means at 0 and 10: only rows 2 and 5 are nearly as near to the other one.
  const points = pointsFromRows([[-2.5], [-2.5], [5], [12.4], [12.4], [5.2]]);
  const margins = marginsOf(points, Int32Array.of(0, 0, 0, 1, 1, 1), 2);
  const calls = (...named: string[]) => closeCalls(points, new Set(named), margins);
  expect([calls(), calls("2"), calls("0", "3"), calls("2", "5")]).toEqual([2, 1, 2, 0]);
});

test("questions are worth asking until every cluster has an answered row, then while answers move rows", () => {
  const asking = { k: 3, met: 0, answered: 0, moved: [], doubtful: 700 };
  const questions = (change: Partial<Parameters<typeof worthAsking>[0]>) => worthAsking({ ...asking, ...change }).questions;
  // k(k-1)/2 = 3 comparisons, and 3 ln 3 = 3.3 rows.
  expect([questions({}), questions({ met: 2 }), questions({ k: 5 }), questions({ k: 77 })]).toEqual([7, 4, 19, 3261]);
  const moved = (rows: number) => Array.from({ length: 10 }, () => rows);
  expect([0, 0.4, 0.75, 8].map((rows) => questions({ met: 3, answered: 20, moved: moved(rows) }))).toEqual([0, 0, 10, 20]);
  expect(questions({ k: 6, met: 6, answered: 20, moved: moved(0) })).toBe(6);
  expect(worthAsking({ ...asking, met: 1 }).why).toMatch(/^1 of 3 clusters has an answered row/);
  expect(worthAsking({ ...asking, met: 3, answered: 20, moved: moved(2) }).why).toMatch(
    /^The last 10 answers moved 2.0 rows each/,
  );
  // Without a known number of clusters and without known effects, rows in doubt are counted, with a limit.
  expect([questions({ k: null }), questions({ k: null, doubtful: 3 })]).toEqual([10, 3]);
});
