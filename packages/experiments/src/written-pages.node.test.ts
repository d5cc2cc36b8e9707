/**
 * The pages under docs/experiments are what this code makes of their raw numbers, and the raw numbers are what it measures: one
 * cheap trial of every table is run again. A page that is stale fails here.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nameOf, parseTrials, rounded } from "@coterie/workbench/trials";
import { describe, expect, test } from "vitest";
import type { Size, TrialTable } from "./frame/paper.js";
import {
  claimsPage,
  frontPage,
  missingOf,
  type PageRecord,
  pageText,
  pictureFile,
  pageRecord as recordOf,
  seenAt,
} from "./frame/reproduce.js";

import { openStore } from "./frame/store.js";

import { papers } from "./papers.js";

const docs = fileURLToPath(new URL("../../../docs/experiments/", import.meta.url));
const store = openStore(docs);

const tables = papers.flatMap((paper) =>
  [...new Set(paper.pages.flatMap((page) => page.tables))].map((table) => ({ paper: paper.name, name: table.name, table })),
);

/** The cheapest trials first, those whose data come with the package before others. */
async function cheapest(table: TrialTable, kept: ReadonlySet<string>) {
  const trials = table.trials("full", 0).filter(({ key }) => kept.has(nameOf(table, key)));
  const missing = new Set((await missingOf(trials.flatMap(({ needs }) => needs))).map(({ name }) => name));
  return trials.filter(({ needs }) => !needs.some((set) => missing.has(set))).sort((a, b) => a.cost - b.cost)[0];
}

describe.each(tables)("the raw numbers $name of $paper", ({ paper, name, table }) => {
  test("one trial, run again, gives the same digits", async (context) => {
    const file = join(docs, paper, `${name}.csv`);
    const kept = parseTrials(table, readFileSync(file, "utf8"), file);
    const trial = await cheapest(table, new Set(kept.keys()));
    if (!trial) return context.skip("its data are not on this machine");
    const written = kept.get(nameOf(table, trial.key))!;
    expect(written.seed).toBe(trial.seed);
    const again = await table.measure(trial);
    for (const column of table.values) {
      if (table.timed?.includes(column)) continue;
      expect(rounded(again[column]), `${nameOf(table, trial.key)}: ${column}`).toBe(written.values[column]);
    }
  });
});

const pages = papers.flatMap((paper) => paper.pages.map((page) => ({ paper, page, name: page.name, of: paper.name })));

/** Their pictures are made of clusterings anew, which takes long: that they are there has to do. */
const ANEW = ["figure-7", "figure-12"];

function recordFor(paper: string, page: string): PageRecord {
  return JSON.parse(readFileSync(join(docs, paper, `${page}.json`), "utf8")) as PageRecord;
}

describe.each(pages)("the page $name of $of", ({ paper, page }) => {
  test("is what its raw numbers say, with its pictures beside it", async () => {
    const written = recordFor(paper.name, page.name);
    const options = { seed: written.seed };
    // Data that were missing when the page was made are missing here too.
    const missing = written.missing.map((name) => ({ name, remedy: "" }));
    const sizes: readonly Size[] = ["full", "quick"];
    const all = await Promise.all(sizes.map((size) => seenAt(size, paper, page, { store, options, missing })));
    const seen = all.find((one) => one !== null);
    expect(seen, "its raw numbers are complete").toBeTruthy();
    const record = recordOf(paper, page, seen!, written.made);
    expect(record.findings).toEqual(written.findings);
    expect(pageText(paper, page, seen!, record)).toBe(readFileSync(join(docs, paper.name, `${page.name}.md`), "utf8"));
    for (const { name, svg } of page.pictures?.(seen!) ?? []) {
      const drawn = readFileSync(join(docs, paper.name, pictureFile(page.name, name)), "utf8");
      if (!ANEW.includes(page.name)) expect(drawn === (await svg()), `${name} is drawn as it is now`).toBe(true);
    }
  });
});

test("front page and claims page are what the pages say, and no file is left of pages that are no more", () => {
  const find = (paper: string, page: string): PageRecord => recordFor(paper, page);
  expect(readFileSync(join(docs, "claims.md"), "utf8")).toBe(claimsPage(papers, find));
  const front = frontPage(papers, find, []);
  expect(readFileSync(join(docs, "README.md"), "utf8").startsWith(front)).toBe(true);
  for (const { name, pages: own } of papers) {
    const stems = own.flatMap((page) => [page.name, ...page.tables.map((table) => table.name)]);
    const strays = readdirSync(join(docs, name)).filter((file) => !stems.some((stem) => file.startsWith(stem)));
    expect(strays).toEqual([]);
  }
});
