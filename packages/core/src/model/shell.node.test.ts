import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { shellFlag, shellListFlag, shellWord } from "./shell.js";

test("plain words do not change, other words are quoted, hidden characters are escaped", () => {
  expect(["sales.csv", "größe", "a=b", "my data.csv", "$(reboot)", "it's", "", "=ls"].map(shellWord)).toEqual([
    "sales.csv",
    "größe",
    "a=b",
    '"my data.csv"',
    "'$(reboot)'",
    '"it\'s"',
    '""',
    '"=ls"',
  ]);
  expect(shellWord("a\u001b[2J'\\\nb\u202e\u009b")).toBe("$'a\\x1b[2J\\'\\\\\\nb\\u202e\\u009b'");
});

test("a value that begins with a minus stays with its flag; a comma in a name is no end of it", () => {
  expect(shellFlag("--answers", "-log.jsonl")).toBe("--answers=-log.jsonl");
  expect(shellFlag("--answers", "my log")).toBe('--answers "my log"');
  expect(shellListFlag("--ignore", "size, in cm")).toBe("--ignore 'size\\, in cm'");
});

test("bash reads back every word exactly", () => {
  // NUL cannot be passed to a program; a lone surrogate cannot be written as UTF-8.
  const sign = fc.oneof(
    fc.constantFrom(..."'\"\\$`!*?~#&|;<>(){}[] \n\r\t\u001b\u007f\u0085\u009b\u2028\u202e-,"),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  );
  const word = fc.array(sign, { maxLength: 12 }).map((signs) => signs.join("").replaceAll("\0", ""));
  fc.assert(
    fc.property(fc.array(word, { minLength: 100, maxLength: 150 }), (words) => {
      const given = words.map(shellWord).join(" ");
      const read = execFileSync("bash", ["-c", `printf '%s\\0' ${given}`], {
        encoding: "utf8",
        env: { ...process.env, LC_ALL: "C.UTF-8" },
      });
      expect(read.split("\0").slice(0, -1)).toEqual(words);
    }),
    { numRuns: 5 },
  );
});
