import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type LogFiles, nodeFiles, openAnswers } from "./log-file.js";
import { type AnswerRecord, constraintListsOf, parseLog, recordLine, type StartRecord } from "./records.js";

const START: StartRecord = {
  record: "start",
  format: 1,
  version: "0.1.0",
  data: "t.csv",
  sha256: "ab",
  rows: 9,
  features: ["x"],
  strategy: "active-ccl",
  options: {},
  k: 3,
  budget: 40,
  seed: 0,
  reading: {},
  constraints: [],
  known: "cd",
};
const answer = (number: number): AnswerRecord => ({
  record: "answer",
  number,
  kind: "pair",
  ask: [`ä${number}`, number],
  answer: "same",
});

function freshPath(): string {
  return join(mkdtempSync(join(tmpdir(), "coterie-log-")), "t.answers.jsonl");
}

/** A log with a start record and this many answers, closed. */
function writtenLog(count: number): string {
  const path = freshPath();
  const log = openAnswers(path, { resume: false });
  log.append(START);
  for (let i = 1; i <= count; i++) log.append(answer(i));
  log.close();
  return path;
}

test("what is appended is read back, undos taken back, stretches apart", () => {
  const path = writtenLog(2);
  const log = openAnswers(path, { resume: true });
  expect(log.stretches).toEqual([{ start: START, answers: [answer(1), answer(2)] }]);
  log.append({ record: "undo", number: 2 });
  log.append({ ...START, seed: 1 });
  log.append(answer(2));
  log.close();
  const again = openAnswers(path, { resume: true });
  expect(again.stretches.map(({ answers }) => answers.length)).toEqual([1, 1]);
  expect(again.cut).toBe(false);
  again.close();
});

test("a log that exists is not touched without resume; one that never began is not left behind", () => {
  const path = writtenLog(3);
  const before = readFileSync(path, "utf8");
  expect(() => openAnswers(path, { resume: false })).toThrow("The file already holds 3 answers. Continue it (--resume)");
  expect(readFileSync(path, "utf8")).toBe(before);
  writeFileSync(path, "id,x\n1,2\n");
  expect(() => openAnswers(path, { resume: false })).toThrow("exists and is not a log of answers");
  const fresh = freshPath();
  openAnswers(fresh, { resume: false }).close();
  expect([existsSync(fresh), existsSync(`${fresh}.lock`)]).toEqual([false, false]);
});

test("wherever the last write was torn, every whole line is kept and the log goes on", () => {
  const text = Buffer.from([START, answer(1), answer(2), answer(3)].map(recordLine).join(""));
  const ends = [...text.keys()].filter((i) => text[i] === 10);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: text.length }), (length) => {
      const path = freshPath();
      writeFileSync(path, text.subarray(0, length));
      // A line that lost only its end is whole.
      const whole = ends.filter((end) => end <= length).length;
      const log = openAnswers(path, { resume: true });
      const answers = log.stretches.flatMap((stretch) => stretch.answers);
      expect(answers.length).toBe(Math.max(0, whole - 1));
      if (whole === 0) log.append(START);
      log.append(answer(answers.length + 1));
      log.close();
      const again = parseLog(readFileSync(path), path);
      expect([again.stretches[0]!.answers.length, again.whole]).toEqual([answers.length + 1, readFileSync(path).length]);
    }),
    { numRuns: 150 },
  );
});

test.each([
  ["a torn line in the middle", `${recordLine(START)}{"record":"answ\n${recordLine(answer(1))}`, 2],
  ["a record of another kind", `${recordLine(START)}{"record":"hello"}\n`, 2],
  ["an answer that is none", `${recordLine(START)}${recordLine({ ...answer(1), answer: "maybe" } as never)}`, 2],
  ["no start", recordLine(answer(1)), 1],
  ["an undo too many", `${recordLine(START)}{"record":"undo","number":1}\n`, 2],
  ["an empty line", `${recordLine(START)}\n${recordLine(answer(1))}`, 2],
  ["a gap in the numbers", [START, answer(1), answer(3)].map(recordLine).join(""), 3],
  ["a gap at the first answer", [START, answer(2)].map(recordLine).join(""), 2],
  ["a gap where the last line lost its end", [START, answer(2)].map(recordLine).join("").trimEnd(), 2],
  ["a gap across two stretches", [START, answer(1), START, answer(3)].map(recordLine).join(""), 4],
  ["numbers that begin anew", [START, answer(1), START, answer(1)].map(recordLine).join(""), 4],
  ["a doubled answer", [START, answer(1), answer(1)].map(recordLine).join(""), 3],
  ["a doubled question", [START, answer(1), { ...answer(2), ask: [1, "ä1"] } as AnswerRecord].map(recordLine).join(""), 3],
  ["a question about a row and itself", [START, { ...answer(1), ask: ["a", "a"] } as AnswerRecord].map(recordLine).join(""), 2],
  [
    "an undo of another answer",
    [START, answer(1), answer(2), { record: "undo", number: 1 } as const].map(recordLine).join(""),
    4,
  ],
  ["bytes that are no text", Buffer.concat([Buffer.from(recordLine(START)), Buffer.from([0x7b, 0xff, 0x0a])]), 2],
  ["text of somebody else, without an end", "remember the milk", 1],
])("%s is bad input with its line, and nothing is cut", (_, content, line) => {
  const path = freshPath();
  writeFileSync(path, content);
  expect(() => openAnswers(path, { resume: true })).toThrow(`${path}, line ${line}: `);
  expect(readFileSync(path)).toEqual(Buffer.from(content));
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test("where answers can be wrong, a question comes again, and a certain answer to it is read", () => {
  const path = freshPath();
  const again = { ...answer(2), ask: [1, "ä1"], answer: "different" } as AnswerRecord;
  writeFileSync(path, [{ ...START, errorRate: 0.1 }, { ...answer(1), evidence: true as const }, again].map(recordLine).join(""));
  const log = openAnswers(path, { resume: true });
  expect(log.stretches[0]!.answers).toHaveLength(2);
  log.close();
});

test.each([
  [{ ...answer(1), answer: "maybe" }, 'The field "answer" of this record does not fit'],
  [{ ...answer(1), number: "1" }, 'The field "number" of this record'],
  [{ ...answer(1), ask: ["a"] }, 'The field "ask" of this record'],
  [{ ...answer(1), kind: "quartet" }, "This is not a record of a log of answers"],
  [{ record: "budget", budget: -1 }, 'The field "budget" of this record'],
  [{ ...START, reading: { id: 5 } }, 'The field "reading.id" of this record'],
  [[], "This is not a record of a log of answers"],
  [null, "This is not a record of a log of answers"],
])("%j: the field that is wrong is named", (record, words) => {
  const path = freshPath();
  writeFileSync(path, `${recordLine(START)}${JSON.stringify(record)}\n`);
  expect(() => openAnswers(path, { resume: true })).toThrow(`${path}, line 2: ${words}`);
});

test("a taken-back question may be asked again, and its number is used again", () => {
  const path = freshPath();
  const again = [START, answer(1), { record: "undo", number: 1 } as const, answer(1), answer(2)];
  writeFileSync(path, again.map(recordLine).join(""));
  const log = openAnswers(path, { resume: true });
  expect([log.stretches[0]!.answers.length, log.startLine]).toEqual([2, 1]);
  log.close();
});

test("a log without answers can be begun anew; nothing of it is lost", () => {
  const path = writtenLog(0);
  const log = openAnswers(path, { resume: false });
  expect([log.stretches, log.startLine]).toEqual([[], 0]);
  log.append({ ...START, seed: 9 });
  log.append(answer(1));
  log.close();
  expect(readFileSync(path, "utf8")).toBe([START, { ...START, seed: 9 }, answer(1)].map(recordLine).join(""));
});

describe("a log behind a link", () => {
  test("is one log with one lock, by whichever name it is opened", () => {
    const path = writtenLog(1);
    const link = join(mkdtempSync(join(tmpdir(), "coterie-log-")), "link.jsonl");
    symlinkSync(path, link);
    const first = openAnswers(path, { resume: true });
    expect(() => openAnswers(link, { resume: true })).toThrow(`${link}: Process ${process.pid} on`);
    first.close();
    openAnswers(link, { resume: true }).close();
    expect(readdirSync(dirname(link))).toEqual(["link.jsonl"]);
  });

  test("that is not there yet is made where the link leads", () => {
    const path = freshPath();
    const link = `${path}.link`;
    symlinkSync(path, link);
    const log = openAnswers(link, { resume: false });
    log.append(START);
    log.close();
    expect(readFileSync(path, "utf8")).toBe(recordLine(START));
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  test.skipIf(!existsSync("/dev/full"))("a device is no log", () => {
    expect(() => openAnswers("/dev/full", { resume: false })).toThrow("must be a file on a disk");
    expect(existsSync("/dev/full.lock")).toBe(false);
  });
});

describe("the disk", () => {
  function watched(changes: Partial<LogFiles> = {}) {
    const events: string[] = [];
    const files: LogFiles = {
      ...nodeFiles,
      write(file, bytes, from, at) {
        events.push("write");
        return nodeFiles.write(file, bytes, from, at);
      },
      sync(file) {
        events.push("sync");
        nodeFiles.sync(file);
      },
      syncFolder(path) {
        events.push("sync folder");
        nodeFiles.syncFolder(path);
      },
      ...changes,
    };
    return { events, files };
  }

  test("append returns after the flush, and a new file's name is flushed too", () => {
    const { events, files } = watched();
    const log = openAnswers(freshPath(), { resume: false, files });
    log.append(START);
    events.push("returned");
    log.close();
    expect(events).toEqual(["sync folder", "write", "sync", "returned"]);
  });

  test("a write that the disk takes in pieces is completed before the flush", () => {
    const { events, files } = watched();
    const piecewise: LogFiles = {
      ...files,
      write: (file, bytes, from, at) => files.write(file, bytes.subarray(0, from + 7), from, at),
    };
    const path = freshPath();
    const log = openAnswers(path, { resume: false, files: piecewise });
    log.append(START);
    expect(events.lastIndexOf("write")).toBeLessThan(events.indexOf("sync"));
    expect(readFileSync(path, "utf8")).toBe(recordLine(START));
    log.close();
  });

  test("an answer that cannot be written is not taken, and leaves no trace", () => {
    const path = writtenLog(1);
    const before = readFileSync(path, "utf8");
    const full = Object.assign(new Error("no space"), { code: "ENOSPC" });
    for (const failing of [
      {
        write(file: number, bytes: Uint8Array, from: number, at: number) {
          if (from === 0) return nodeFiles.write(file, bytes.subarray(0, 10), 0, at);
          throw full;
        },
      },
      {
        sync() {
          throw full;
        },
      },
    ]) {
      const log = openAnswers(path, { resume: true, files: { ...nodeFiles, ...failing } });
      expect(() => log.append(answer(2))).toThrow("could not be written (ENOSPC), so it was not accepted");
      log.close();
      expect(readFileSync(path, "utf8")).toBe(before);
    }
  });

  test("a log that something else has written to is not written over", () => {
    const path = writtenLog(1);
    const log = openAnswers(path, { resume: true });
    writeFileSync(path, recordLine(answer(9)), { flag: "a" });
    const before = readFileSync(path, "utf8");
    expect(() => log.append(answer(2))).toThrow("Another program has changed the log");
    log.close();
    expect(readFileSync(path, "utf8")).toBe(before);
  });
});

describe("the lock", () => {
  test("a second program is refused while the first lives, and let in afterwards", () => {
    const path = freshPath();
    const first = openAnswers(path, { resume: false });
    expect(() => openAnswers(path, { resume: true })).toThrow(`Process ${process.pid} on ${hostname()} is asking`);
    first.append(START);
    first.close();
    openAnswers(path, { resume: true }).close();
  });

  test.each([
    ["a process that is gone", { pid: 2 ** 22 - 1, host: hostname(), began: null }],
    ["a process whose number was used again", { pid: process.pid, host: hostname(), began: "1" }],
  ])("the lock of %s is stale", (_, holder) => {
    const path = writtenLog(1);
    writeFileSync(`${path}.lock`, JSON.stringify(holder));
    openAnswers(path, { resume: true }).close();
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test("a lock of another machine, or one just being made, stands", () => {
    const path = writtenLog(1);
    for (const text of [JSON.stringify({ pid: 1, host: "elsewhere", began: null }), ""]) {
      writeFileSync(`${path}.lock`, text);
      expect(() => openAnswers(path, { resume: true })).toThrow(`If it is not running any more, delete ${path}.lock`);
    }
  });
});

test("answers as constraints: the odd one stands last", () => {
  const odd = (letter: "a" | "b" | "c" | "unsure"): AnswerRecord => ({
    record: "answer",
    number: 1,
    kind: "triplet",
    ask: ["x", "y", "z"],
    answer: letter,
  });
  const pair = (said: "same" | "different" | "unsure"): AnswerRecord => ({
    ...answer(1),
    kind: "pair",
    ask: ["x", "y"],
    answer: said,
  });
  expect(
    constraintListsOf([odd("a"), odd("b"), odd("c"), odd("unsure"), pair("same"), pair("different"), pair("unsure")]),
  ).toEqual({
    mustLink: [["x", "y"]],
    cannotLink: [["x", "y"]],
    relative: [
      ["y", "z", "x"],
      ["x", "z", "y"],
      ["x", "y", "z"],
    ],
  });
});
