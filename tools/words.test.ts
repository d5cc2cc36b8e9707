/** Comments, messages and documents use the field's words; decisions are numbered without holes. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readable, wordsIn } from "./words.mjs";

test("the list finds words in comments, strings and documents, and names of identifiers", () => {
  const source = "/** It is told. */\nconst desk = `lends as pairs fall`; // mended\nimport x from './told.js';\n";
  expect(wordsIn("a.ts", source).map(({ line, word }) => [line, word])).toEqual([
    [2, "desk"],
    [2, "lends"],
    [2, "as pairs fall"],
    [1, "told"],
    [2, "mended"],
  ]);
  expect(wordsIn("a.md", "What is `told`.\n```sh\ncoterie tell\n```\nSo many.\n")).toMatchObject([{ line: 5, word: "So many" }]);
});

test("no comment, message or document has a word that the list replaces", () => {
  const found = readable().flatMap((path) =>
    wordsIn(path, readFileSync(path, "utf8")).map(({ line, word, instead }) => `${path}:${line}: "${word}": ${instead}`),
  );
  expect(found).toEqual([]);
}, 60_000);

test("decisions are numbered from 1 without twins or holes, and the index lists each", () => {
  const pages = readdirSync("docs/decisions").filter((name) => /^\d/.test(name));
  expect(pages.map((name) => Number(name.slice(0, 4)))).toEqual(pages.map((_, i) => i + 1));
  const index = readFileSync("docs/decisions/README.md", "utf8");
  expect([...index.matchAll(/\| (\d+) \| \[(.*?)\]\((.*?)\)/g)].map(([, , , file]) => file)).toEqual(pages);
  for (const [, number, title, file] of index.matchAll(/\| (\d+) \| \[(.*?)\]\((.*?)\)/g))
    expect(readFileSync(`docs/decisions/${file}`, "utf8").split("\n")[0]).toBe(`# ${number}. ${title}`);
});
