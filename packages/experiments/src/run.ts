/**
 * `npm run experiment -- PAPER [FIGURE] [--quick] [--seed N] [--write]`: runs and prints a verdict for each claim. With
 * `--write` the page, its pictures and the index go to docs/experiments.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Seen } from "./experiment.js";
import { papers } from "./index.js";
import { indexOf, pageOf, pictureFile, type Record, recordOf } from "./page.js";

const home = fileURLToPath(new URL("../../../docs/experiments/", import.meta.url));
const USAGE = "Usage: npm run experiment -- PAPER [FIGURE] [--quick] [--seed N] [--write]\n";

const { values, positionals, mistake } = readLine();
const [paperName, figureName] = positionals;
const paper = papers.find(({ name }) => name === paperName);
const figures = paper?.figures.filter(({ name }) => figureName === undefined || name === figureName) ?? [];

if (mistake !== null || !paper || figures.length === 0) {
  const list = papers.map(
    ({ name, title, figures: all }) => `  ${name}: ${title} (${all.map((figure) => figure.name).join(", ")})`,
  );
  process.stderr.write(`${mistake ? `${mistake}\n` : ""}${USAGE}${list.join("\n")}\n`);
  process.exitCode = mistake === "" ? 0 : 2;
} else {
  const setting = {
    quick: values.quick ?? false,
    seed: Number(values.seed ?? 0),
    log: (line: string) => void process.stderr.write(`${line}\n`),
  };
  for (const figure of figures) {
    const seen = await figure.run(setting);
    const record = recordOf(paper, figure, setting, seen);
    process.stdout.write(`${pageOf(record, seen)}\n`);
    if (values.write) writePage(record, seen);
  }
  if (values.write) writeIndex();
}

function readLine() {
  const options = { quick: { type: "boolean" }, seed: { type: "string" }, write: { type: "boolean" } } as const;
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    const mistake = /^\d+$/.test(values.seed ?? "0") ? null : `--seed is "${values.seed}": give a whole number.`;
    return { values, positionals, mistake };
  } catch (error) {
    return { values: {}, positionals: [], mistake: process.argv.includes("--help") ? "" : (error as Error).message };
  }
}

function writePage(record: Record, seen: Seen): void {
  const folder = `${home}${record.paper}/`;
  mkdirSync(folder, { recursive: true });
  for (const { name, svg } of seen.pictures ?? []) writeFileSync(`${folder}${pictureFile(record.figure, name)}`, svg);
  writeFileSync(`${folder}${record.figure}.md`, pageOf(record, seen));
  writeFileSync(`${folder}${record.figure}.json`, `${JSON.stringify(record, null, 2)}\n`);
}

/** The index lists what lies on disk, in the order of the papers and their figures. */
function writeIndex(): void {
  const records = papers.flatMap(({ name, figures: all }) => {
    const files = new Set(readIfThere(`${home}${name}`));
    return all
      .filter((figure) => files.has(`${figure.name}.json`))
      .map((figure) => JSON.parse(readFileSync(`${home}${name}/${figure.name}.json`, "utf8")) as Record);
  });
  writeFileSync(`${home}README.md`, indexOf(records));
}

function readIfThere(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
