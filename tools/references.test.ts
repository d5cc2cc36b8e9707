/** What the code cites stands in the bibliography. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const bibliography = readFileSync("docs/references.md", "utf8");
const keys = new Set([...bibliography.matchAll(/^- \*\*(\S+)\*\*/gm)].map(([, key]) => key));

/** "Klein, Kamvar, Manning: From … ICML 2002" and "Hertz and de Werra 1987", by the key of the bibliography. */
function citations(text: string): string[] {
  const name = "\\p{Lu}\\p{Ll}[\\p{L}-]*";
  const names = `(${name})(?:, ${name})*(?: and (?:de )?${name})?`;
  const form = new RegExp(`${names}(?:: [^:]{10,160}?)?,? ((?:19|20)\\d\\d)\\b`, "gu");
  const comments = text.match(/\/\*\*[\s\S]*?\*\//g) ?? [];
  return comments
    .map((comment) => comment.replaceAll(/\s*\n \*\s*/g, " ").replaceAll(/\b[A-Z]{3,} (?=\d{4})/g, ""))
    .flatMap((comment) => [...comment.matchAll(form)].map(([, first, year]) => `${first!.toLowerCase()}${year}`));
}

const files = execFileSync("git", ["ls-files", "packages/*/src/**/*.ts"], { encoding: "utf8" }).trim().split("\n");

test("every paper that a file names is in docs/references.md", () => {
  const cited = new Map<string, string>();
  for (const file of files.filter((path) => !path.endsWith(".test.ts")))
    for (const key of citations(readFileSync(file, "utf8"))) cited.set(key, file);
  expect([...cited].filter(([key]) => !keys.has(key))).toEqual([]);
  expect(cited.size).toBeGreaterThan(12);
});

test("keys are unique and in order", () => {
  const listed = [...bibliography.split("Methods and measures")[1]!.matchAll(/^- \*\*(\S+)\*\*/gm)].map(([, key]) => key!);
  expect(listed).toEqual([...new Set(listed)].sort((a, b) => a.localeCompare(b, "en")));
});
