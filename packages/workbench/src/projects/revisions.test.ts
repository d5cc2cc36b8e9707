/** Questions with options of their strategy, with answers that can be wrong, with votes, and with answers that are revised. */
import { CoterieError } from "@coterie/core/internal";
import { parseLog } from "@coterie/data/browser";
import { expect, test } from "vitest";
import type { Compute } from "../compute/compute.js";
import { createMemoryStore } from "../store/memory-store.js";
import { finished, localCompute, localWorkbench } from "../testing/local-workbench.js";
import { replyTo } from "./problems.js";

let made = 0;
const entryId = () => `answer-${String(made++).padStart(6, "0")}`;

async function sitting(store = createMemoryStore()) {
  const workbench = localWorkbench(store);
  const known = (await workbench.call("listProjects", {}))[0];
  const { id } = known ?? (await workbench.call("createProject", { sample: "clouds", reading: { scale: "none" } }));
  return { ...workbench, id, store };
}

const truth = ([a, b]: readonly number[]) => (a! % 2 === b! % 2 ? "same" : "different") as "same" | "different";
const opposite = { same: "different", different: "same" } as const;
type Workbench = Awaited<ReturnType<typeof sitting>>;

/** Answers questions of a plan until it ends; `wrong`: the numbers of the answers that are wrong. */
async function answerAll({ call, id: project }: Workbench, plan: object, wrong: readonly number[] = []) {
  const { errorRate = 0 } = plan as { errorRate?: number | "learn" };
  const evidence = errorRate === 0 ? {} : { evidence: errorRate };
  const asked: (readonly number[])[] = [];
  let state = await call("ask", { project, by: "ann", ...plan });
  while (state.question) {
    const { question, rows, number } = state.question;
    asked.push(rows);
    const answer = wrong.includes(number) ? opposite[truth(rows)] : truth(rows);
    state = (await call("answer", { project, question, answer, by: "ann", id: entryId(), ...evidence })).next;
  }
  return { asked, state };
}

test("options go to the strategy by its schema, and the list of strategies has the schemas", async () => {
  const workbench = await sitting();
  const { call, id: project } = workbench;
  const { strategies } = await call("info", {});
  expect(strategies.find(({ name }) => name === "spreading")).toMatchObject({
    weighs: true,
    options: { properties: { neighbours: { type: "integer" } } },
  });
  expect(strategies.filter(({ weighs }) => weighs)).toHaveLength(1);
  const few = await answerAll(workbench, { budget: 8, options: { neighbours: 2 } });
  const other = await answerAll(await sitting(), { budget: 8, options: { neighbours: 30 } });
  expect(few.asked).not.toEqual(other.asked);
  for (const options of [{ neighbours: "many" }, { share: 0.5 }]) {
    const refused = call("ask", { project, by: "ann", options }).catch((error) => Promise.reject(replyTo(error)));
    await expect(refused).rejects.toMatchObject({ status: 400 });
  }
});

test("a strategy that plans by its budget asks other questions with another budget; a budget of 0 asks nothing", async () => {
  const first = async (budget: number) => {
    const { call, id: project } = await sitting();
    return await call("ask", { project, by: "ann", strategy: "active-ccl", budget });
  };
  const [none, few, many] = [await first(0), await first(4), await first(38)];
  expect(none).toMatchObject({ question: null, taken: null });
  expect(few.question!.rows).not.toEqual(many.question!.rows);
});

test("answers that can be wrong are weighed: the wrong ones are named, do not count, and leave the clusters right", async () => {
  const workbench = await sitting();
  const { call, id: project } = workbench;
  const plan = { budget: 40, errorRate: 0.1 };
  const { asked } = await answerAll(workbench, plan, [5, 11]);
  expect(asked.length).toBeGreaterThan(12);
  const { report, constraints } = await call("asked", { project, by: "ann", ...plan });
  const { labels, questions, scores } = report as never as {
    labels: number[];
    questions: { errorRate: number; asked: number; overruled: { number: number }[] };
    scores: { adjustedRand: number };
  };
  expect(questions).toMatchObject({ asked: asked.length, errorRate: 0.1 });
  expect(questions.overruled.map(({ number }) => number)).toEqual([5, 11]);
  expect(JSON.stringify(questions.overruled[0])).toContain(String(asked[4]![0]));
  expect([scores.adjustedRand, new Set(labels.map((label, row) => `${label} ${row % 2}`)).size]).toEqual([1, 2]);
  expect(constraints.length).toBeLessThanOrEqual(asked.length - 2);
  const standing = (await call("knowledge", { project })).constraints;
  expect(standing).toHaveLength(asked.length);
  const doubted = standing.filter(({ counts }) => !counts);
  expect(doubted.length).toBeGreaterThan(0);
  for (const { because, from } of doubted) {
    expect(because).toBe("other answers outweigh it");
    expect([5, 11]).toContain(from.kind === "asked" ? from.number : 0);
  }
  // A run uses what counts.
  await call("startRun", { project, algorithm: "ccl", options: { k: 2 } });
  expect((await finished({ call } as never, project, 1)).run.given).toBe(standing.length - doubted.length);
});

test("evidence stays evidence: after a link is drawn, after the server was killed, and through the log of answers", async () => {
  const workbench = await sitting();
  const { call, id: project, store } = workbench;
  const plan = { budget: 14, errorRate: "learn" as const };
  await answerAll(workbench, plan, [4]);
  const next = await call("ask", { project, by: "ann", ...plan, budget: 20 });
  expect(next.taken).toBe(14);
  const again = await sitting(store);
  expect((await again.call("ask", { project, by: "ann", ...plan, budget: 20 })).question).toEqual(next.question);
  const drawn = { id: entryId(), by: "ann", from: { kind: "drawn" as const } };
  await call("append", {
    project,
    entries: [{ ...drawn, change: { type: "add", constraint: { type: "must-link", a: 0, b: 2 } } }],
  });
  const { report, taken } = await call("asked", { project, by: "ann", ...plan });
  expect([taken, (report as never as { questions: { overruled: { number: number }[] } }).questions.overruled]).toEqual([
    0,
    [expect.objectContaining({ number: 4 })],
  ]);
  const { text } = await call("export", { project, kind: "answers" });
  const [stretch] = parseLog(new TextEncoder().encode(text), "a.jsonl").stretches;
  expect(stretch!.start.errorRate).toBe("learn");
  expect(stretch!.answers.map(({ evidence }) => evidence)).toEqual(Array(14).fill(true));
  const copy = await sitting();
  const bytes = new TextEncoder().encode(text);
  const file = { project: copy.id, name: "a.jsonl", by: "bob", kind: "answers" as const, bytes };
  await copy.call("importConstraints", file);
  const { constraints } = await copy.call("knowledge", { project: copy.id });
  expect(constraints.every(({ from }) => from.kind === "asked" && from.evidence === "learn")).toBe(true);
});

test("only the strategy that weighs answers takes an error rate", async () => {
  const { call, id: project } = await sitting();
  const plan = { project, by: "ann", strategy: "min-max", errorRate: 0.1 };
  await expect(call("ask", plan)).rejects.toThrow("takes answers as certain");
  await expect(call("ask", { ...plan, errorRate: 0.5 })).rejects.toThrow();
});

test("of several answers to a question the one of most counts; how many gave each answer is kept", async () => {
  const { call, id: project } = await sitting();
  const { question } = await call("ask", { project, by: "ann" });
  const votes = [
    { answer: "same" as const, confidence: 0.6 },
    { answer: "different" as const, confidence: 1 },
    { answer: "same" as const, confidence: 0.8, why: "both are round" },
  ];
  const sent = { project, by: "ann", program: "command: ./judge" };
  const { entry, next } = await call("answer", { ...sent, id: entryId(), question: question!.question, answer: votes });
  expect(entry.change).toMatchObject({ constraint: { type: "must-link" } });
  expect(entry.from).toMatchObject({ votes: { same: 2, different: 1 }, confidence: 0.7, why: "both are round" });
  const tie = votes.slice(0, 2);
  const open = await call("answer", { ...sent, id: entryId(), question: next.question!.question, answer: tie });
  expect(open.entry).toMatchObject({ change: { constraint: { type: "unsure" } }, from: { program: "command: ./judge" } });
  const { text } = await call("export", { project, kind: "answers" });
  const [first] = parseLog(new TextEncoder().encode(text), "a.jsonl").stretches[0]!.answers;
  expect(first).toMatchObject({ answer: "same", by: "command: ./judge", votes: { same: 2, different: 1 } });
});

/** Revises the answer of a number. */
async function revise({ call, id: project }: Workbench, number: number, constraint: object, by = "ann") {
  const { constraints } = await call("knowledge", { project });
  const { entry } = constraints.find(({ from }) => from.kind === "asked" && from.number === number)!;
  const change = { type: "revise", entry, constraint };
  await call("append", { project, entries: [{ id: entryId(), by, from: { kind: "drawn" }, change }] as never });
}

test("an answer that the session cannot take is taken back, or kept as unsure where whoever answers wants that", async () => {
  let refuses = true;
  const local = localCompute();
  const compute: Compute = {
    ...local,
    run(source, name, input, watch) {
      const { answered } = input as { answered?: { answer: string } | null };
      if (refuses && name === "ask" && answered && answered.answer !== "unsure")
        throw new CoterieError({ code: "gave-up", message: "no way to k clusters" });
      return local.run(source, name, input, watch);
    },
  };
  const { call } = localWorkbench(createMemoryStore(), compute);
  const { id: project } = await call("createProject", { sample: "clouds" });
  const { question } = await call("ask", { project, by: "ann" });
  const sent = { project, by: "ann", question: question!.question, answer: "same" as const };
  await expect(call("answer", { ...sent, id: entryId() })).rejects.toThrow("no way to k clusters");
  const changes = async () => (await call("entries", { project })).map(({ change }) => change.type);
  expect([await changes(), (await call("knowledge", { project })).constraints]).toEqual([["add", "undo"], []]);
  const { entry, next } = await call("answer", { ...sent, id: entryId(), orUnsure: true });
  expect(entry).toMatchObject({ from: { number: 1, said: "same" }, change: { constraint: { type: "unsure" } } });
  expect([await changes(), next.history]).toEqual([["add", "undo", "add", "undo", "add"], ["unsure"]]);
  refuses = false;
  const more = await call("answer", { ...sent, question: next.question!.question, id: entryId() });
  expect(more.next.history).toEqual(["unsure", "same"]);
});

test("a revised answer takes the place of the old one, those after it stay, and undo brings the old one back", async () => {
  const workbench = await sitting();
  const { call, id: project } = workbench;
  const { asked } = await answerAll(workbench, { budget: 6 });
  const [a, b] = asked[1]!;
  const before = (await call("knowledge", { project })).constraints;
  await revise(workbench, 2, { type: "unsure", rows: [a, b] });
  const after = (await call("knowledge", { project, by: "ann" })).constraints;
  expect(after.map(({ entry }) => entry)).toEqual(before.map(({ entry }) => entry));
  expect(after[1]!.constraint).toEqual({ type: "unsure", rows: [a, b] });
  const { state } = await answerAll(workbench, { budget: 9 });
  expect(state.history).toHaveLength(9);
  expect(state.history[1]).toBe("unsure");
  const { undo } = await call("knowledge", { project, by: "ann" });
  expect(undo).not.toBe(null);
  for (let steps = 0; steps < 4; steps++) {
    const { undo: entry } = await call("knowledge", { project, by: "ann" });
    const step = { id: entryId(), by: "ann", from: { kind: "drawn" as const } };
    await call("append", { project, entries: [{ ...step, change: { type: "undo", entry: entry! } }] });
  }
  expect((await call("knowledge", { project })).constraints).toEqual(before);
});

test("a revision that others contradict, about other rows, or of somebody else's answer is refused", async () => {
  const workbench = await sitting();
  const { call, id: project } = workbench;
  const add = (type: string, x: number, y: number) =>
    ({ id: entryId(), by: "ann", from: { kind: "drawn" }, change: { type: "add", constraint: { type, a: x, b: y } } }) as never;
  const { question } = await call("ask", { project, by: "ann" });
  const [a, b] = question!.rows as [number, number];
  const c = [0, 2, 4, 6].find((row) => row !== a && row !== b)!;
  const answer = { project, question: question!.question, by: "ann", answer: "same" as const, id: entryId() };
  await call("answer", answer);
  await call("append", { project, entries: [add("must-link", a, c), add("must-link", b, c)] });
  const entries = async () => (await call("entries", { project })).length;
  const length = await entries();
  const contradicts = revise(workbench, 1, { type: "cannot-link", a, b });
  await expect(contradicts.catch((error) => Promise.reject(replyTo(error)))).rejects.toMatchObject({ status: 422 });
  await expect(revise(workbench, 1, { type: "cannot-link", a, b: c })).rejects.toThrow("same rows");
  await expect(revise(workbench, 1, { type: "label", a, class: "left" })).rejects.toThrow("same rows");
  await expect(revise(workbench, 1, { type: "unsure", rows: [a, b] }, "bob")).rejects.toThrow("Only ann can revise");
  expect(await entries()).toBe(length);
  await revise(workbench, 1, { type: "unsure", rows: [a, b] });
});

test("an answer is revised in the present names of its rows", async () => {
  const { call } = await sitting();
  const csv = `who,x,y\n${Array.from({ length: 12 }, (_, i) => `r${i},${10 * (i % 3) + i / 12},${i % 5}`).join("\n")}\n`;
  const { upload } = await call("upload", { name: "t.csv", bytes: new TextEncoder().encode(csv) });
  const { id: project } = await call("createProject", { upload, reading: { id: null } });
  const { question } = await call("ask", { project, by: "ann" });
  const [a, b] = question!.rows;
  await call("answer", { project, question: question!.question, by: "ann", answer: "same", id: entryId() });
  await call("changeProject", { project, reading: { id: "who" } });
  await revise({ call, id: project } as Workbench, 1, { type: "cannot-link", a: `r${a}`, b: `r${b}` });
  const { constraints } = await call("knowledge", { project });
  expect(constraints.map(({ constraint }) => constraint)).toEqual([{ type: "cannot-link", a: `r${a}`, b: `r${b}` }]);
  const past = revise({ call, id: project } as Workbench, 1, { type: "must-link", a, b });
  await expect(past).rejects.toThrow("same rows");
});

test("without explanations an answer is one trip that computes no clusters; what follows from it is reported all the same", async () => {
  const { call, id: project } = await sitting();
  const quick = { project, by: "ann", budget: 12, explain: false };
  let state = await call("ask", quick);
  expect(state.question).toMatchObject({ why: "", settles: {} });
  const implied: number[] = [];
  const asked: (readonly number[])[] = [];
  while (state.question) {
    const { question, rows } = state.question;
    asked.push(rows);
    const reply = await call("answer", { project, question, answer: truth(rows), by: "ann", id: entryId() });
    expect(reply).toMatchObject({ unexplained: true, moved: [], milliseconds: 0 });
    implied.push(reply.implied);
    state = reply.next;
  }
  expect(Math.max(...implied)).toBeGreaterThan(0);
  const full = await answerAll(await sitting(), { budget: 12 });
  expect(asked).toEqual(full.asked);
});
