/**
 * `node tools/docs-examples.mjs [PAGE …] [--write] [--long] [--times]` runs the code blocks of the site (docs/examples.mjs says which) and compares
 * the output on the pages with what they print; `--write` puts it there, with the pictures that they draw.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { docs, pages, runPage } from "./docs/examples.mjs";

const args = process.argv.slice(2);
const writes = args.includes("--write");
const long = args.includes("--long");
const named = args.filter((arg) => !arg.startsWith("--")).map((arg) => arg.replace(/^docs\//, ""));
const scratch = writes ? undefined : mkdtempSync(join(tmpdir(), "coterie-pictures-"));

for (const page of named.length > 0 ? named : pages()) {
  const start = performance.now();
  const { text, written, problems, times } = await runPage(page, { long, ...(scratch ? { pictureFolder: scratch } : {}) });
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  if (text !== written && writes) writeFileSync(join(docs, page), written);
  else if (text !== written) {
    process.exitCode = 1;
    console.error(`docs/${page} does not show what its blocks print: run with --write and look at the difference.`);
  }
  if (args.includes("--times")) for (const [line, ms] of times) console.log(`  ${page}:${line} ${ms} ms`);
  console.log(
    `${page}: ${Math.round(performance.now() - start)} ms${text === written ? "" : writes ? ", written" : ", differs"}`,
  );
}
if (scratch) rmSync(scratch, { recursive: true, force: true });
