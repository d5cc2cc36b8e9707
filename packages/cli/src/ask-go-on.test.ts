/** The printed command for continuing a dialogue does what the interrupted command would have done. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Io } from "./command.js";
import { coterieWith, folderWith, typed } from "./testing/console.js";

const TABLE = `id,x,note\n${Array.from({ length: 12 }, (_, i) => `r${i},${10 * (i % 3) + (i * 7) / 12},n${i}`).join("\n")}\n`;
const LINE = ["-k", "3", "--id", "id", "--features", "x", "--budget", "8"];

function setting() {
  const folder = folderWith({ "t.csv": TABLE });
  return { data: join(folder, "t.csv"), at: (name: string) => join(folder, name) };
}

/** The words of the printed command, as a shell splits them. */
function toldLine(err: string): string[] {
  const line = /Go on with: coterie (.*)$/m.exec(err)![1]!;
  return execFileSync("sh", ["-c", `printf '%s\\n' ${line}`], { encoding: "utf8" })
    .trimEnd()
    .split("\n");
}

test("the line that goes on writes what this one was to write, whatever the names", async () => {
  const { data, at } = setting();
  const words = ["same", "different", "different"];
  const outputs = {
    "--out": at("my labels.csv"),
    "--report": at("r$HOME.json"),
    "--html": at("it's.html"),
    "--constraints-out": at("k;.csv"),
  };
  const line = [...LINE, ...Object.entries(outputs).flat(), "--show", "note", "--strict"];
  const first = await coterieWith({ input: typed(`${words[0]}\u0003`, true), terminal: true }, "ask", data, ...line);
  expect([first.code, Object.values(outputs).some(existsSync)]).toEqual([130, false]);
  const printed = toldLine(first.err);
  expect(printed.slice(0, 3)).toEqual(["ask", data, "--resume"]);
  const second = await coterieWith({ input: typed(words.slice(1, 3).join("\n")), columns: 400 }, ...printed);
  expect([second.code, second.err]).toEqual([0, expect.stringContaining("Going on after 1 answer")]);
  expect(second.err).toMatch(/^ +note +n\d+/m);
  for (const path of Object.values(outputs)) expect(existsSync(path)).toBe(true);
  expect(toldLine(second.err)).toEqual(printed);
  expect(readFileSync(`${data}.answers.jsonl`, "utf8").trimEnd().split("\n")).toHaveLength(4);
  // Without the options of the first command, a message says how to get the result.
  const bare = await coterieWith({ input: typed(""), columns: 400 }, "ask", data, "--resume");
  expect(bare.err).toContain(`To write the clusters: coterie ask ${data} --resume --out labels.csv`);
});

test("it stands beside every failure: the answers are not lost", async () => {
  const { data, at } = setting();
  const reads = ["same\n", "stop\n"];
  const input: Io["input"] = {
    keyboard: false,
    open: () => ({
      async read() {
        // The name is free when the dialogue begins, and leads to the data when it ends.
        if (reads.length === 1) symlinkSync("t.csv", at("l.csv"));
        return reads.shift() ?? null;
      },
      forget() {},
      close() {},
    }),
  };
  const { code, err } = await coterieWith({ input, columns: 400 }, "ask", data, ...LINE, "--out", at("l.csv"));
  expect([code, err]).toEqual([2, expect.stringContaining("is the same file as")]);
  expect(err).toContain(
    `1 answer is kept in ${data}.answers.jsonl.\nGo on with: coterie ask ${data} --resume --out ${at("l.csv")}`,
  );
  expect(readFileSync(data, "utf8")).toBe(TABLE);
});

test("names of columns with commas go on as they were", async () => {
  const folder = folderWith({ "t.csv": TABLE.replace("id,x,note", 'id,"x, in cm",note') });
  const data = join(folder, "t.csv");
  const line = ["-k", "3", "--id", "id", "--features", "x\\, in cm", "--budget", "8"];
  const first = await coterieWith({ input: typed("same\n") }, "ask", data, ...line);
  expect([first.code, JSON.parse(readFileSync(`${data}.answers.jsonl`, "utf8").split("\n")[0]!).reading]).toEqual([
    0,
    { id: "id", features: ["x, in cm"] },
  ]);
  const second = await coterieWith({ input: typed("different\n") }, "ask", data, "--resume");
  expect([second.code, second.err]).toEqual([0, expect.stringContaining("Going on after 1 answer")]);
});
