/** Comments, messages and documents use the field's words; decisions are numbered without holes. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readable, wordsIn } from "./words.mjs";

test("decisions are numbered from 1 without twins or holes, and the index lists each", () => {
  const pages = readdirSync("docs/decisions").filter((name) => /^\d/.test(name));
  expect(pages.map((name) => Number(name.slice(0, 4)))).toEqual(pages.map((_, i) => i + 1));
  const index = readFileSync("docs/decisions/README.md", "utf8");
  expect([...index.matchAll(/\| (\d+) \| \[(.*?)\]\((.*?)\)/g)].map(([, , , file]) => file)).toEqual(pages);
  for (const [, number, title, file] of index.matchAll(/\| (\d+) \| \[(.*?)\]\((.*?)\)/g))
    expect(readFileSync(`docs/decisions/${file}`, "utf8").split("\n")[0]).toBe(`# ${number}. ${title}`);
});
