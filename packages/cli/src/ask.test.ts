import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Answer,
  dialogueOf,
  emptyConstraints,
  findStrategy,
  plainKernels,
  startAsking,
  trueAnswer,
} from "@coterie/core/internal";
import { nodeFiles, openAnswers, readTable } from "@coterie/data";
import { describe, expect, test } from "vitest";
import { openDialogue } from "./ask/dialogue.js";
import { featureColumns } from "./ask/shown-columns.js";
import { talk } from "./ask/talk.js";
import type { Io } from "./command.js";
import { linesOver } from "./terminal.js";
import { coterie, coterieWith, folderWith, type Printed, typed } from "./testing/console.js";

/** Twelve rows on a line, in three groups of four. */
const TABLE = `id,x,note,class\n${Array.from({ length: 12 }, (_, i) => `r${i},${10 * (i % 3) + (i * 7) / 12},n${i},${"abc"[i % 3]}`).join("\n")}\n`;
const LINE = ["-k", "3", "--id", "id", "--features", "x", "--budget", "8"];

function setting() {
  const folder = folderWith({ "t.csv": TABLE });
  const data = join(folder, "t.csv");
  const answers = `${data}.answers.jsonl`;
  const say = async (text: string, ...more: string[]): Promise<Printed> =>
    await coterieWith({ input: typed(text), columns: 400 }, "ask", data, ...more);
  return { data, answers, say, at: (name: string) => join(folder, name), records: () => recordsIn(answers) };
}

function recordsIn(file: string) {
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** What somebody who knows the classes says to the first questions, one word a line. */
async function trueWords(data: string, count: number, more: object = {}): Promise<string[]> {
  const table = await readTable(data, { id: "id", truth: "class", features: ["x"] });
  const dialogue = dialogueOf(startAsking({ points: table, k: 3, budget: 8, ...more }));
  const words: string[] = [];
  for (let turn = dialogue.next(); !turn.done && words.length < count; turn = dialogue.next(words.at(-1) as Answer))
    words.push(trueAnswer(turn.value, table.truth!.codes));
  return words;
}

test("answers from a pipe are kept in ids and make labels, constraints, report and page", async () => {
  const { data, say, records, at } = setting();
  const words = await trueWords(data, 8);
  const files = ["--out", at("l.csv"), "--constraints-out", at("k.csv"), "--report", at("r.json"), "--html", at("p.html")];
  const { code, out, err } = await say(words.join("\n"), ...LINE, ...files, "--json");
  expect([code, err]).toEqual([0, expect.stringContaining("All 8 questions answered.")]);
  const [start, ...rest] = records();
  expect(start).toMatchObject({
    record: "start",
    data,
    k: 3,
    budget: 8,
    seed: 0,
    rows: 12,
    reading: { id: "id", features: ["x"] },
  });
  expect(start.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(rest.map(({ answer }) => answer)).toEqual(words);
  expect(rest.every(({ ask }) => ask.every((id: string) => /^r\d+$/.test(id)))).toBe(true);
  const report = JSON.parse(out);
  expect(report).toMatchObject({
    k: 3,
    questions: { budget: 8, asked: 8, unsure: 0 },
    violations: { mustLink: [], cannotLink: [] },
  });
  expect(JSON.parse(readFileSync(at("r.json"), "utf8")).labels).toEqual(report.labels);
  expect(readFileSync(at("p.html"), "utf8")).toContain("t.csv");
  const clustered = await coterie(
    "cluster",
    data,
    "-k",
    "3",
    "--id",
    "id",
    "--features",
    "x",
    "--algorithm",
    "ccl",
    "--constraints",
    at("k.csv"),
    "--json",
  );
  expect(clustered.code).toBe(0);
  expect(JSON.parse(clustered.out).violations).toMatchObject({ mustLink: [], cannotLink: [] });
  const evaluated = await coterie(
    "evaluate",
    at("l.csv"),
    "--data",
    data,
    "--id",
    "id",
    "--truth",
    "class",
    "--constraints",
    at("k.csv"),
    "--json",
  );
  expect(JSON.parse(evaluated.out).violations.mustLink).toEqual([]);
});

test("stopping and resuming at every place ends like an uninterrupted run, byte for byte", async () => {
  const whole = setting();
  const words = await trueWords(whole.data, 8);
  const { code } = await whole.say(words.join("\n"), ...LINE, "--out", whole.at("l.csv"));
  expect(code).toBe(0);
  const pieces = setting();
  await pieces.say("", ...LINE);
  for (const word of words) expect((await pieces.say(`${word}\nstop\n`, "--resume")).code).toBe(0);
  await pieces.say("", "--resume", "--out", pieces.at("l.csv"));
  const log = (file: string, data: string) => readFileSync(file, "utf8").replace(data, "DATA");
  expect(log(pieces.answers, pieces.data)).toBe(log(whole.answers, whole.data));
  expect(readFileSync(pieces.at("l.csv"), "utf8")).toBe(readFileSync(whole.at("l.csv"), "utf8"));
});

test("a column of known classes stays no feature after a resume that does not name it", async () => {
  const { say, records } = setting();
  await say("same\nstop\n", "-k", "3", "--id", "id", "--ignore", "note", "--truth", "class", "--budget", "8");
  const { err } = await say("same\nstop\n", "--resume");
  expect(err).not.toContain("other settings");
  expect(records().filter(({ record }) => record === "start")).toHaveLength(1);
});

test("undo is a record, goes back as far as there are answers, and survives a resume", async () => {
  const { say, records, data } = setting();
  const [first, second] = await trueWords(data, 2);
  const { err } = await say(`undo\n${first}\n${second}\nundo\nundo\n${first}\n`, ...LINE);
  expect(err).toContain("There is no answer to take back.");
  expect(err).toContain("taken back:");
  expect(records().map(({ record }) => record)).toEqual(["start", "answer", "answer", "undo", "undo", "answer"]);
  const again = await say("undo\n", "--resume");
  expect(again.err).toContain("Going on after 1 answer in");
  expect(records().at(-1)).toEqual({ record: "undo", number: 1 });
  const third = await say("", "--resume");
  expect(third.err).toContain("Answers are kept in");
});

test("no question is repeated or follows from others", async () => {
  const { say, records, data } = setting();
  await say((await trueWords(data, 8)).join("\n"), ...LINE);
  const seen = new Set<string>();
  const group = new Map<string, string>();
  const find = (id: string): string => (group.has(id) ? find(group.get(id)!) : id);
  const apart: [string, string][] = [];
  for (const { record, ask, answer } of records()) {
    if (record !== "answer") continue;
    const [a, b] = ask.map(find);
    expect(seen.has([...ask].sort().join())).toBe(false);
    expect(a).not.toBe(b);
    expect(apart.some(([x, y]) => (find(x) === a && find(y) === b) || (find(x) === b && find(y) === a))).toBe(false);
    seen.add([...ask].sort().join());
    if (answer === "same") group.set(a, b);
    else apart.push([a, b]);
  }
});

describe("a log and its data", () => {
  test("an existing log is not written over; a locked one is refused", async () => {
    const { say, answers } = setting();
    await say("same\n", ...LINE);
    const before = readFileSync(answers, "utf8");
    const again = await say("same\n", ...LINE);
    expect([again.code, again.err]).toEqual([
      3,
      expect.stringContaining("The file already holds 1 answer. Continue it (--resume)"),
    ]);
    const holder = openAnswers(answers, { resume: true });
    const locked = await say("same\n", "--resume");
    holder.close();
    expect([locked.code, locked.err]).toEqual([3, expect.stringContaining("is asking with this log of answers")]);
    expect(readFileSync(answers, "utf8")).toBe(before);
  });

  test("changed data are an error; the answers are kept as constraints only with --accept-changes", async () => {
    const { say, data, answers, records } = setting();
    await say("same\ndifferent\n", ...LINE);
    writeFileSync(data, TABLE.replace("r1,", "s1,").replace("r0,0", "r0,0.25"));
    const before = readFileSync(answers, "utf8");
    const refused = await say("same\n", "--resume");
    expect(refused.code).toBe(3);
    expect(refused.err).toContain("The answers were given about other data: since then the data changed");
    expect(refused.err).toContain("--accept-changes");
    expect(readFileSync(answers, "utf8")).toBe(before);
    const taken = await say("", "--resume", "--accept-changes");
    expect([taken.code, taken.err]).toEqual([0, expect.stringContaining("the 2 answers so far are kept as knowledge")]);
    expect(records().map(({ record }) => record)).toEqual(["start", "answer", "answer", "start"]);
    // The new stretch is the log's data now.
    expect((await say("", "--resume")).err).toContain("Going on after 2 answers");
  });

  test("other settings keep the answers as knowledge, with a notice, and never ask them again", async () => {
    const { say, records } = setting();
    await say("same\ndifferent\nunsure\n", ...LINE);
    const asked = records()
      .slice(1)
      .map(({ ask }) => [...ask].sort().join());
    const more = await say("unsure\n".repeat(9), "--resume", "--budget", "9", "--seed", "5");
    expect(more.err).toContain("begun with other settings (the seed): the 3 answers so far are kept as knowledge");
    expect(more.err).toContain("Question 4 of 9");
    const later = records().slice(5);
    expect(later.map(({ number }) => number)).toEqual([4, 5, 6, 7, 8, 9]);
    for (const { ask } of later) expect(asked).not.toContain([...ask].sort().join());
    expect((await say("", "--resume")).err).toContain("Going on after 9 answers");
  });

  test("a larger budget goes on where the log ended, undo included, where the strategy does not mind", async () => {
    const { say, records, data } = setting();
    const words = await trueWords(data, 8);
    await say(words.join("\n"), ...LINE);
    const more = await say("undo\nundo\nunsure\n", "--resume", "--budget", "10");
    expect([more.code, more.err]).toEqual([0, expect.stringContaining("Question 9 of 10 · 2 left")]);
    expect(records().slice(9)).toMatchObject([
      { record: "budget", budget: 10 },
      { record: "undo", number: 8 },
      { record: "undo", number: 7 },
      { record: "answer", number: 7, answer: "unsure" },
    ]);
    expect((await say("", "--resume")).err).toContain("Question 8 of 10");
    // Active complete linkage plans with its budget: its answers are knowledge then.
    const ccl = setting();
    await ccl.say("different\nsame\n", ...LINE, "--strategy", "active-ccl", "--budget", "2");
    const anew = await ccl.say("", "--resume", "--budget", "8");
    expect(anew.err).toMatch(/Going on after 2 answers/);
  });

  test("a torn last line is cut off with a word about it; a broken line elsewhere is bad input", async () => {
    const { say, answers } = setting();
    await say("same\n", ...LINE);
    const whole = readFileSync(answers, "utf8");
    writeFileSync(answers, `${whole}{"record":"answer","number":2,"ki`);
    const mended = await say("", "--resume");
    expect([mended.code, mended.err]).toEqual([0, expect.stringContaining("was killed while it wrote the last line of the log")]);
    expect(readFileSync(answers, "utf8")).toBe(whole);
    writeFileSync(answers, `${whole}{"record":"answ\n${whole.split("\n")[1]}\n`);
    const broken = await say("", "--resume");
    expect([broken.code, broken.err]).toEqual([3, expect.stringContaining(`${answers}, line 3: This is not a record`)]);
  });

  test("what is known already is not asked; a contradiction with it is refused", async () => {
    const { say, at, records, data } = setting();
    const table = await readTable(data, { id: "id", truth: "class", features: ["x"] });
    const labels = Array.from(table.truth!.codes, (code, i) => `label,r${i},${code}`);
    writeFileSync(at("known.csv"), `type,a,b\n${labels.join("\n")}\n`);
    const { code, err } = await say("", ...LINE, "--constraints", at("known.csv"));
    expect([code, err]).toEqual([0, expect.stringContaining("Nothing more is worth asking after 0 questions.")]);
    expect(records()[0].constraints).toEqual([at("known.csv")]);
    writeFileSync(at("clash.csv"), "type,a,b\nmust-link,r0,r1\ncannot-link,r0,r1\n");
    expect((await say("", ...LINE, "--answers", at("other.jsonl"), "--constraints", at("clash.csv"))).code).toBe(4);
    expect(existsSync(at("other.jsonl"))).toBe(false);
  });
});

test("a simulation answers from the classes, writes a log only with --answers, and equals the library's", async () => {
  const { data, answers, at } = setting();
  const line = ["ask", data, ...LINE, "--truth", "class", "--simulate", "--json"];
  const { code, out } = await coterie(...line);
  expect(code).toBe(0);
  expect(existsSync(answers)).toBe(false);
  const logged = await coterie(...line, "--answers", at("sim.jsonl"));
  const words = recordsIn(at("sim.jsonl"))
    .slice(1)
    .map(({ answer }) => answer);
  expect(words).toEqual(await trueWords(data, 8));
  const [{ timings: _, ...first }, { timings: __, ...second }] = [JSON.parse(out), JSON.parse(logged.out)];
  expect(second).toEqual(first);
  expect(first.scores.rand).toBeGreaterThan(0.5);
});

test("three rows: the odd one out, by number, as a relative constraint", async () => {
  const { say, records, at } = setting();
  const { code, err } = await say("c\n1\nk\nb\nstop\n", ...LINE, "--relative", "--constraints-out", at("k.csv"));
  expect([code, err]).toEqual([0, expect.stringContaining("Which of the three is the odd one out")]);
  expect(records()[0].strategy).toBe("odd-one-out");
  expect(
    records()
      .slice(1)
      .map(({ kind, answer }) => `${kind} ${answer}`),
  ).toEqual(["triplet c", "triplet a", "triplet unsure", "triplet b"]);
  const { ask } = records()[1];
  expect(readFileSync(at("k.csv"), "utf8").split("\n")[1]).toBe(`relative,${ask.join(",")},1`);
  expect((await say("same\n", "--resume")).err).toContain('standard input, line 1: "same" is no answer.');
});

test("rows known by a matrix alone", async () => {
  const { at } = setting();
  writeFileSync(at("m.csv"), "p,q,r,s\n0,1,5,6\n1,0,4,5\n5,4,0,1\n6,5,1,0\n");
  const line = ["ask", "--distances", at("m.csv"), "-k", "2", "--strategy", "active-ccl", "--answers", at("m.jsonl"), "--json"];
  const { code, out, err } = await coterieWith({ input: typed("same\nstop\n") }, ...line);
  expect([code, err]).toEqual([0, expect.stringMatching(/Their distance is \d\./)]);
  expect(err).toContain(`Go on with: coterie ask --distances ${at("m.csv")} --resume --answers ${at("m.jsonl")}`);
  expect(JSON.parse(out).labels).toEqual([0, 0, 1, 1]);
  expect(recordsIn(at("m.jsonl"))[0].distances.file).toBe(at("m.csv"));
  writeFileSync(at("m.csv"), "p,q,r,s\n0,2,5,6\n2,0,4,5\n5,4,0,1\n6,5,1,0\n");
  const changed = await coterieWith(
    { input: typed("") },
    "ask",
    "--distances",
    at("m.csv"),
    "--resume",
    "--answers",
    at("m.jsonl"),
  );
  expect([changed.code, changed.err]).toEqual([3, expect.stringContaining("the data and the distances changed")]);
});

test("--show: each column once, features and names of rows too; one that there is not is bad input before a log begins", async () => {
  const { say, answers } = setting();
  const unknown = await say("", ...LINE, "--show", "nota");
  expect([unknown.code, unknown.err]).toEqual([3, expect.stringContaining('no column "nota" (--show). Did you mean "note"?')]);
  expect(existsSync(answers)).toBe(false);
  const shown = await say("", ...LINE, "--show", "note,x,id,note");
  expect(shown.err.match(/^ +note +n\d+ +n\d+$/gm)).toHaveLength(1);
  expect(shown.err.match(/^[ *]+x +[\d.]+ +[\d.]+ +▪*$/gm)).toHaveLength(1);
  expect(shown.err).not.toMatch(/^ +id +r/m);
});

test("a cell that the table does not have is a dash, not what it was filled with", async () => {
  const folder = folderWith({
    "p.csv": `id,email,x,note\n${Array.from({ length: 9 }, (_, i) => `r${i},${i < 4 ? "olga@example.org" : ""},${i % 3 ? i : ""},\n`).join("")}`,
  });
  const line = ["ask", join(folder, "p.csv"), "--id", "id", "--missing", "impute", "--ignore", "note", "--show", "note"];
  const { code, err } = await coterieWith({ input: typed("") }, ...line, "-k", "3", "--budget", "6");
  expect(code).toBe(0);
  expect(err).toContain("–");
  for (const [, a, b, bar] of err.matchAll(/^[ *]+(?:email|x|note) {2,}(\S+) +(\S+)(?: +(▪*))?$/gm)) {
    if (a === "–" || b === "–") expect(bar ?? "").toBe("");
  }
  const { code: again, err: later } = await coterieWith(
    { input: typed("same\nsame\nsame\n") },
    ...line,
    "-k",
    "3",
    "--budget",
    "6",
  );
  expect([again, later]).toEqual([0, expect.stringMatching(/^[ *]+note +– +–$/m)]);
});

test("a key without meaning gives a message below the question, which disappears with the question", async () => {
  const { data, records } = setting();
  const screen = { input: typed("x5s", true), terminal: true, columns: 60 };
  const { err } = await coterieWith(screen, "ask", data, ...LINE);
  expect(err).toContain('"x" is none of these keys.\n\u001b[1A\r\u001b[J"5" is none of these keys.\n');
  const drawn = err.split("\n\nQuestion 1 of 8")[1]!.split('"x"')[0]!.split("\n").length;
  expect(err).toContain(`"5" is none of these keys.\n\u001b[${drawn + 1}A\r\u001b[J  1  `);
  expect(records()).toHaveLength(2);
  const dumb = await coterieWith({ ...screen, input: typed("x", true), env: { TERM: "dumb" } }, "ask", data, "--resume");
  expect(dumb.err).toContain('"x" is none of these keys.\n');
  expect(dumb.err).not.toContain("\u001b[");
});

test("begun and left without an answer, a log is no hindrance to another beginning", async () => {
  const { say, records } = setting();
  expect((await say("stop\n", ...LINE)).code).toBe(0);
  expect((await say("same\nundo\nstop\n", ...LINE, "--seed", "3")).code).toBe(0);
  const fresh = await say("same\nstop\n", ...LINE, "--budget", "5", "--seed", "4");
  expect([fresh.code, fresh.err]).toEqual([0, expect.stringContaining("Question 1 of 5")]);
  expect(records().filter(({ record }) => record === "start")).toHaveLength(3);
  const resumed = await say("stop\n", "--resume");
  expect(resumed.err).toContain("Going on after 1 answer");
  expect(resumed.err).toContain("Question 2 of 5");
});

test("lines that make no sense are refused before anything is asked", async () => {
  const { say, answers } = setting();
  const usage = async (text: string, ...line: string[]) => {
    const { code, err } = await say("", ...line);
    expect([code, err]).toEqual([2, expect.stringContaining(text)]);
  };
  await usage("Say how many clusters: -k K.", "--budget", "3", "--strategy", "active-ccl");
  await usage("name their column with --truth", ...LINE, "--simulate");
  await usage("--accept-changes is for --resume", ...LINE, "--accept-changes");
  await usage("leave one of the two out", ...LINE, "--relative", "--strategy", "active-ccl");
  await usage("--budget", "-k", "3", "--budget", "-1");
  await usage("Questions count every row once", ...LINE, "--row-weight", "x");
  expect((await coterie("ask", "-", "-k", "2")).err).toContain("Standard input is for the answers");
  expect((await coterie("ask")).code).toBe(2);
  expect((await say("", "-k", "40", "--features", "x")).code).toBe(3);
  expect(existsSync(answers)).toBe(false);
  const fresh = await say("", ...LINE, "--resume");
  expect([fresh.code, fresh.err]).toEqual([0, expect.stringContaining("There are no answers in")]);
});

describe("the acknowledgement", () => {
  test("comes after the flush, on a terminal and in a script", async () => {
    const data = join(folderWith({ "t.csv": TABLE }), "t.csv");
    const instances = await readTable(data, { id: "id", features: ["x"] });
    const inputs = { instances, constraints: emptyConstraints(instances.n), notices: [] };
    const strategy = findStrategy("spreading")!;
    const settings = { k: 3, budget: 3, seed: 0, errorRate: 0, values: {}, reading: {} };
    for (const keyboard of [true, false]) {
      const events: string[] = [];
      const files = {
        ...nodeFiles,
        write: (...args: Parameters<typeof nodeFiles.write>) => {
          events.push("write");
          return nodeFiles.write(...args);
        },
        sync: (file: number) => {
          nodeFiles.sync(file);
          events.push("sync");
        },
      };
      const path = join(folderWith(), "a.jsonl");
      const log = openAnswers(path, { resume: false, files });
      const io: Io = {
        signal: new AbortController().signal,
        written: [],
        env: {},
        terminal: keyboard,
        columns: 80,
        lines: 24,
        colours: false,
        input: typed(keyboard ? "sukdd" : "same\nundo\nunsure\ndifferent\nsame\n", keyboard),
        ...linesOver({
          err: (text) => void (/^\s*\d+ {2}/.test(text) && events.push("printed")),
          out: async (text) => void (/"record":"(answer|undo)"/.test(text) && events.push("printed")),
          screen: false,
          colours: false,
        }),
      };
      const progress = { show: () => {}, clear: () => {} };
      const opening = { inputs, log, path, data, kernels: plainKernels, acceptChanges: false, explain: true };
      const request = { ...settings, strategy, options: strategy.options.parse({}) };
      const dialogue = await openDialogue({ ...opening, request }, io, progress);
      events.length = 0;
      await talk({
        dialogue,
        reopen: async () => dialogue,
        instances,
        columns: featureColumns(instances),
        budget: 3,
        io,
        progress,
        quiet: !keyboard,
        script: !keyboard,
      });
      log.close();
      expect(events.join(" ")).toBe(Array.from({ length: 5 }, () => "write sync printed").join(" "));
    }
  });

  test("an interruption keeps what was answered and exits with 130", async () => {
    const { data, records } = setting();
    const { code, err } = await coterieWith({ input: typed("s\u0003d", true), terminal: true }, "ask", data, ...LINE);
    expect(code).toBe(130);
    expect(err).toContain("Interrupted: 1 answer is kept in");
    expect(err).toContain("--resume");
    expect(records().length).toBe(2);
    const controller = new AbortController();
    controller.abort();
    const aborted = await coterieWith({ input: typed("same\n"), signal: controller.signal }, "ask", data, "--resume");
    expect(aborted.code).toBe(130);
    expect(records().length).toBe(2);
  });
});
