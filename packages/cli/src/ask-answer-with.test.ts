/** Programs that answer: good ones, several, and those that hang, die, print rubbish, answer late or close what they should read. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { lineReader } from "./ask/answering/converse.js";
import { contentOf, fromKeyOrder, shortened, toKeyOrder } from "./ask/answering/question-line.js";
import { readReply } from "./ask/answering/reply.js";

import { coterieWith, folderWith, type Printed } from "./testing/console.js";

/** Twelve rows on a line, in three groups of four; the name shows the group. */
const TABLE = `id,x,name,class\n${Array.from({ length: 12 }, (_, i) => `r${i},${10 * (i % 3) + (i * 7) / 12},${"abc"[i % 3]}${i},${"abc"[i % 3]}`).join("\n")}\n`;
const LINE = ["-k", "3", "--id", "id", "--features", "x", "--show", "name", "--budget", "8"];

/** Answers from the names; keeps each line it read in asked.txt. */
const JUDGE = `import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
const [mode = "right", file] = process.argv.slice(2);
let count = 0;
const held = [];
const say = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
for await (const line of createInterface({ input: process.stdin })) {
  const { id, kind, rows, vote } = JSON.parse(line);
  if (file) appendFileSync(file, line + "\\n");
  count++;
  const groups = rows.map(({ columns }) => columns.name[0]);
  const odd = "abc"[groups.findIndex((group) => groups.filter((each) => each === group).length === 1)];
  const right = kind === "pair" ? (groups[0] === groups[1] ? "same" : "different") : (odd ?? "unknown");
  const wrong = right === "same" ? "different" : "same";
  if (mode === "right") say({ id, answer: right, confidence: 0.9, why: "the names say so \\u001b[31m" });
  else if (mode === "seventh is wrong") say({ id, answer: id % 7 === 0 ? wrong : right, confidence: 0.9 });
  else if (mode === "second is wrong") say({ id, answer: vote === 2 ? wrong : right });
  else if (mode === "held back") {
    held.push({ id, answer: right });
    if (held.length === 3) for (const each of held.splice(0).reverse()) say(each);
  } else if (mode === "noise first") {
    if (count === 1) console.log("Loading the model …");
    say({ id, answer: right });
  } else if (mode === "dies" && count === 3) {
    console.error("out of memory \\u001b[31m");
    process.exit(7);
  } else if (mode === "late" && count === 1) setTimeout(() => say({ id, answer: right }), 600);
  else if (mode === "late") say({ id, answer: right });
  else if (mode === "dies") say({ id, answer: right });
  else if (mode === "unknown") say({ id, answer: "unknown" });
}
if (mode === "right" && file) appendFileSync(file, "closed\\n");
`;

function setting() {
  const folder = folderWith({ "t.csv": TABLE, "judge.mjs": JUDGE });
  const data = join(folder, "t.csv");
  const at = (name: string) => join(folder, name);
  const judge = (mode: string) => `"${process.execPath}" "${at("judge.mjs")}" "${mode}" "${at("asked.txt")}"`;
  const ask = async (command: string | readonly string[], ...more: string[]): Promise<Printed> =>
    await coterieWith({ columns: 400 }, "ask", data, ...[command].flat().flatMap((each) => ["--answer-with", each]), ...more);
  return { data, at, judge, ask, records: () => recordsIn(`${data}.answers.jsonl`), asked: () => recordsIn(at("asked.txt")) };
}

function recordsIn(file: string) {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => (line.startsWith("{") ? JSON.parse(line) : line));
}

const answersIn = (records: readonly { record?: string }[]) => records.filter(({ record }) => record === "answer");

test("a program reads rows with their columns, and the log says who answered, how surely and why", async () => {
  const { ask, judge, records, asked, at } = setting();
  const { code, err, out } = await ask(judge("right"), ...LINE, "--json", "--out", at("l.csv"));
  expect([code, err]).toEqual([0, expect.stringContaining("All 8 questions answered.")]);
  expect(JSON.parse(out)).toMatchObject({ questions: { asked: 8, unsure: 0 } });
  const [first] = asked();
  expect(first).toEqual({
    id: 1,
    kind: "pair",
    rows: [0, 1].map(() => ({
      id: expect.stringMatching(/^r\d+$/),
      columns: { name: expect.stringMatching(/^[abc]\d+$/), x: expect.any(Number) },
    })),
  });
  expect(asked().map((line) => line.id ?? line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, "closed"]);
  const answers = answersIn(records());
  expect(answers).toHaveLength(8);
  expect(answers[0]).toMatchObject({ by: expect.stringContaining("command: "), confidence: 0.9 });
  expect(`${err}${out}`).not.toContain("\u001b");
});

test("of three rows the odd one is named, and texts are shortened", async () => {
  const { ask, judge, asked, data, records } = setting();
  writeFileSync(data, TABLE.replace("a0,", `a0${"x".repeat(5000)},`));
  const { code } = await ask(judge("right"), ...LINE, "--budget", "3", "--relative");
  expect(code).toBe(0);
  expect(asked()[0]).toMatchObject({ kind: "triple", rows: [{}, {}, {}] });
  expect(Math.max(...asked().map((line) => JSON.stringify(line).length))).toBeLessThan(1_500);
  expect(answersIn(records()).every((record) => "abcunsure".includes((record as { answer?: string }).answer ?? "?"))).toBe(true);
});

test("what was answered is remembered by content: another log asks nobody", async () => {
  const { ask, judge, asked, records, data, at } = setting();
  await ask(judge("right"), ...LINE);
  const before = asked().length;
  const old = records();
  rmSync(`${data}.answers.jsonl`);
  const { code } = await ask(judge("right"), ...LINE);
  expect([code, asked().length]).toEqual([0, before]);
  const given = (list: readonly object[]) =>
    answersIn(list).map((record) => [(record as { ask?: unknown }).ask, (record as { answer?: unknown }).answer]);
  expect(given(records())).toEqual(given(old));
  expect(answersIn(records())[0]).toMatchObject({ remembered: true, why: expect.any(String) });
  // Torn lines and other people's lines in the cache are as good as none.
  writeFileSync(`${data}.answers.jsonl.cache`, '{"key":"x"}\nrubbish\n{"key"');
  expect((await ask(judge("right"), ...LINE, "--answers", at("third.jsonl"))).code).toBe(0);
});

test("three votes, one of them always wrong: the majority counts and the tally is kept", async () => {
  const { ask, judge, records, asked } = setting();
  const { code } = await ask(judge("second is wrong"), ...LINE, "--votes", "3");
  expect(code).toBe(0);
  expect(asked()).toHaveLength(24);
  expect(
    asked()
      .slice(0, 3)
      .map(({ vote }) => vote),
  ).toEqual([1, 2, 3]);
  for (const { answer, votes } of answersIn(records()) as { answer?: string; votes?: Record<string, number> }[])
    expect(votes).toEqual({ [answer!]: 2, [answer === "same" ? "different" : "same"]: 1 });
});

test("answers come in any order, from several programs too", async () => {
  const { ask, judge, records } = setting();
  expect((await ask(judge("held back"), ...LINE, "--votes", "3", "--timeout", "30")).code).toBe(0);
  const both = setting();
  const { code } = await both.ask([both.judge("right"), both.judge("unknown")], ...LINE);
  expect(code).toBe(0);
  const [first] = answersIn(both.records()) as { by?: string; votes?: object }[];
  expect(first).toMatchObject({ votes: { unsure: 1 }, by: expect.stringMatching(/"right".* · command: .*"unknown"/) });
  expect(answersIn(records())).toHaveLength(8);
});

test("with an error rate answers are evidence: what others outweigh is listed, kept, left out of constraints and goes on", async () => {
  const { ask, judge, records, at } = setting();
  const more = ["--error-rate", "0.15", "--budget", "40", "--json", "--constraints-out", at("k.csv")];
  const { code, err, out } = await ask(judge("seventh is wrong"), ...LINE, ...more);
  expect([code, err]).toEqual([0, expect.stringMatching(/Overruled: \d+ answers?; 15% are taken to be wrong\./)]);
  const { questions, labels } = JSON.parse(out);
  expect(questions).toMatchObject({
    errorRate: 0.15,
    overruled: expect.arrayContaining([{ number: 7, statement: expect.any(String), why: expect.any(String) }]),
  });
  expect(new Set(labels.map((label: number, row: number) => `${label} ${row % 3}`)).size).toBe(3);
  const answers = answersIn(records()) as { evidence?: boolean }[];
  expect(answers.every(({ evidence }) => evidence)).toBe(true);
  const noted = records().filter(({ record }) => record === "overruled");
  expect(noted.map(({ number }) => number)).toEqual(questions.overruled.map(({ number }: { number: number }) => number));
  expect(readFileSync(at("k.csv"), "utf8").trimEnd().split("\n").length - 1).toBeLessThanOrEqual(answers.length - noted.length);
  const goesOn = await ask(judge("right"), "--resume", "--show", "name", "--budget", "44");
  expect(goesOn.code).toBe(0);
  // A person's answers are law: those of the program stay as far as they are believed.
  const { code: lawful, err: printed } = await coterieWith(
    { columns: 400 },
    "ask",
    at("t.csv"),
    "--resume",
    "--error-rate",
    "0",
    "--budget",
    "60",
  );
  expect([lawful, printed]).toEqual([0, expect.stringContaining("the error rate")]);
});

test("simulated answers are wrong at the stated rate; a rate without meaning, or a strategy without rates, is an error", async () => {
  const { data } = setting();
  const line = ["ask", data, "-k", "3", "--id", "id", "--features", "x", "--truth", "class", "--simulate", "--json", "--quiet"];
  const { code, out } = await coterieWith({}, ...line, "--budget", "60", "--error-rate", "0.1");
  expect([code, JSON.parse(out).scores.adjustedRand]).toEqual([0, 1]);
  const half = await coterieWith({}, ...line, "--error-rate", "0.5");
  expect([half.code, half.err]).toEqual([2, expect.stringContaining("less than 0.5")]);
  const other = await coterieWith({}, ...line, "--error-rate", "learn", "--strategy", "min-max");
  expect([other.code, other.err]).toEqual([2, expect.stringContaining("takes them as law")]);
});

describe("a program that fails", () => {
  test("one that dies: a sentence with its last words, the answers are kept, the line that goes on works", async () => {
    const { ask, judge, records } = setting();
    const { code, err } = await ask(judge("dies"), ...LINE);
    expect(code).toBe(3);
    expect(err).toContain("ended with exit code 7");
    expect(err).toContain("out of memory");
    expect(err).not.toContain("\u001b");
    expect(err).toMatch(/2 answers are kept in .*Go on with: coterie ask .* --resume --answer-with /s);
    expect(answersIn(records())).toHaveLength(2);
    expect((await ask(judge("right"), "--resume", "--show", "name")).code).toBe(0);
    expect(answersIn(records())).toHaveLength(8);
  });

  test("one that hangs is asked again, then given up", async () => {
    const { ask, judge, records, asked } = setting();
    const { code, err } = await ask(judge("hangs"), ...LINE, "--timeout", "0.4", "--retries", "1");
    expect([code, err]).toEqual([3, expect.stringContaining("did not answer within 0.4 seconds (question 1, asked 2 times)")]);
    expect(answersIn(records())).toHaveLength(0);
    expect(asked().every(({ id }) => id === 1)).toBe(true);
  });

  test("one whose first answer is late: the answer counts once, whichever asking it is to", async () => {
    const { ask, judge, records } = setting();
    const { code } = await ask(judge("late"), ...LINE, "--timeout", "0.3", "--retries", "200");
    expect(code).toBe(0);
    expect(answersIn(records())).toHaveLength(8);
  });

  test("rubbish is borne as often as questions may be asked again, no longer", async () => {
    const { ask, judge, records } = setting();
    expect((await ask(judge("noise first"), ...LINE)).code).toBe(0);
    expect(answersIn(records())).toHaveLength(8);
    const other = setting();
    const { code, err } = await other.ask("yes rubbish", ...LINE);
    expect([code, err]).toEqual([3, expect.stringMatching(/keeps answering rubbish: "rubbish", and that is no line of JSON/)]);
    expect(err).toContain("0 answers are kept");
    const flood = await other.ask(`yes '{"id":1,"answer":"same"}'`, ...LINE, "--timeout", "0.5", "--retries", "0");
    expect([flood.code, flood.err]).toEqual([3, expect.stringContaining("(question 2)")]);
  });

  test("megabytes without a line end are rubbish, and are not kept", async () => {
    const { ask } = setting();
    const flood = `"${process.execPath}" -e "const s='x'.repeat(1<<20);for(let i=0;i<5;i++)process.stdout.write(s);setInterval(()=>0,1000)"`;
    const { code, err } = await ask(flood, ...LINE, "--retries", "0");
    expect([code, err]).toEqual([3, expect.stringContaining("a line of more than a megabyte")]);
    expect(err.length).toBeLessThan(4_000);
  });

  test.skipIf(process.platform === "win32")("one that cannot be started, closes its input or ends at once", async () => {
    const { ask } = setting();
    const missing = await ask("no-such-command-here", ...LINE);
    expect([missing.code, missing.err]).toEqual([3, expect.stringContaining("could not be started (exit code 127)")]);
    const closed = await ask("exec <&-; sleep 100", ...LINE, "--timeout", "1", "--retries", "0");
    expect([closed.code, closed.err]).toEqual([3, expect.stringMatching(/closed its standard input|did not answer/)]);
    const ended = await ask("true", ...LINE);
    expect([ended.code, ended.err]).toEqual([3, expect.stringContaining("ended with exit code 0")]);
  });

  test.skipIf(process.platform === "win32")("Ctrl-C ends the program and all that it started", async () => {
    const { at, data, records } = setting();
    const controller = new AbortController();
    const run = coterieWith(
      { signal: controller.signal, columns: 400 },
      ...["ask", data, ...LINE, "--answer-with", `sleep 1000 & echo $! > "${at("pid")}"; wait`],
    );
    while (!existsSync(at("pid")) || readFileSync(at("pid"), "utf8") === "") await pause(20);
    controller.abort();
    const { code, err } = await run;
    expect([code, err]).toEqual([130, expect.stringContaining("Interrupted: 0 answers are kept")]);
    const pid = Number(readFileSync(at("pid"), "utf8"));
    const isGone = () => {
      try {
        process.kill(pid, 0);
        // A process that nobody has waited for yet has ended all the same.
        return /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
      } catch {
        return true;
      }
    };
    for (let tries = 0; tries < 200 && !isGone(); tries++) await pause(50);
    expect(isGone()).toBe(true);
    expect(answersIn(records())).toHaveLength(0);
  });
});

test.each([
  [["--timeout", "5"], "--timeout goes with --answer-with"],
  [["--votes", "3"], "--votes goes with --answer-with"],
  [["--answer-with", "cat", "--simulate", "--truth", "class"], "use only one of them"],
  [["--answer-with", " "], "needs a command"],
  [["--answer-with", "cat", "--answer-with", "cat", "--votes", "1"], "unasked"],
  [["--answer-with", "cat", "--timeout", "0"], "more than 0"],
  [["--answer-with", "cat", "--retries", "-1"], "at least 0"],
])("%j is a usage error", async (more, words) => {
  const { data } = setting();
  const { code, err } = await coterieWith({}, "ask", data, ...LINE, ...more);
  expect([code, err]).toEqual([2, expect.stringContaining(words)]);
});

test("replies: every word that counts, and why others do not", () => {
  const kindOf = (id: number) => ({ 1: "pair", 2: "triplet" })[id] as "pair" | "triplet" | undefined;
  const read = (line: string) => {
    const { reply, wrong } = readReply(line, kindOf);
    return reply ?? wrong;
  };
  expect(read('{"id":1,"answer":"same"}')).toEqual({ answer: "same" });
  expect(read('{"id":1,"answer":"unknown","confidence":0,"why":" "}')).toEqual({ answer: "unsure", confidence: 0 });
  expect(read('{"id":2,"answer":"b","confidence":null,"why":7}')).toEqual({ answer: "b" });
  expect(read('{"id":2,"answer":"same"}')).toContain("a, b, c or unknown");
  expect(read('{"id":1,"answer":"constructor"}')).toContain("same, different");
  expect(read('{"id":1,"answer":"same","confidence":1.5}')).toContain("from 0 to 1");
  expect(read('{"id":9,"answer":"same"}')).toContain("no question");
  expect(read('{"id":"1","answer":"same"}')).toContain("no question");
  expect(read("[1]")).toContain("no JSON object");
  expect(read("same")).toContain("no line of JSON");
});

test("content knows neither names nor order, and answers find their rows again", () => {
  const row = (id: string, x: number) => ({ id, columns: { x } });
  const [one, two] = [
    contentOf("triplet", [row("p", 3), row("q", 1), row("r", 2)]),
    contentOf("triplet", [row("s", 1), row("t", 2), row("u", 3)]),
  ];
  expect(one.key).toBe(two.key);
  for (const answer of ["a", "b", "c", "unsure"] as const) expect(fromKeyOrder(toKeyOrder(answer, one), one)).toBe(answer);
  // The first of one question, 3, is the third of the other.
  expect(fromKeyOrder(toKeyOrder("a", one), two)).toBe("c");
  const bare = (id: string) => ({ id, columns: {} });
  expect(contentOf("pair", [bare("p"), bare("q")]).key).not.toBe(contentOf("pair", [bare("p"), bare("r")]).key);
  expect(shortened("😀".repeat(400), 500).endsWith("\ud83d…")).toBe(false);
});

test("lines come whole, whatever pieces they arrive in", () => {
  const received: string[] = [];
  const reader = lineReader(10, { line: (text) => received.push(text), tooLong: () => received.push("too long") });
  const bytes = new TextEncoder().encode("äö\n\nabcdefghijklmnop\nend");
  for (const byte of bytes) reader.take(Uint8Array.of(byte));
  reader.end();
  expect(received).toEqual(["äö", "", "too long", "end"]);
});
