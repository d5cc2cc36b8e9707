/** What holds for every paper: names, sizes, needs. */

import { sampleCatalogue } from "@coterie/data";
import { nameOf } from "@coterie/workbench/trials";
import { describe, expect, test } from "vitest";
import { itemsOf } from "./frame/list.js";

import { papers } from "./papers.js";

const tables = papers.flatMap((paper) =>
  [...new Set(paper.pages.flatMap((page) => page.tables))].map((table) => ({ paper: paper.name, table, name: table.name })),
);

describe.each(tables)("the trials $name of $paper", ({ table }) => {
  const full = table.trials("full", 0);
  const quick = table.trials("quick", 0);

  test("quick trials are some of the full ones, with the same seeds", () => {
    const seeds = new Map(full.map(({ key, seed }) => [nameOf(table, key), seed]));
    expect(seeds.size).toBe(full.length);
    expect(quick.length).toBeGreaterThan(0);
    expect(quick.filter(({ key, seed }) => seeds.get(nameOf(table, key)) !== seed)).toEqual([]);
  });

  test("keys are whole, and nothing in them could break a line of CSV", () => {
    const line = new RegExp(`^[^",\\n]+(,[^",\\n]+){${table.keys.length - 1}}$`);
    const columns = [...table.keys].sort().join();
    const isWhole = ({ key, cost }: (typeof full)[number]): boolean =>
      Object.keys(key).sort().join() === columns && line.test(nameOf(table, key)) && cost > 0;
    expect(full.filter((trial) => !isWhole(trial))).toEqual([]);
    for (const column of table.timed ?? []) expect(table.values).toContain(column);
  });
});

test("all data sets are in the catalogue, and a claim needs only what its page reads", () => {
  const known = sampleCatalogue().map(({ name }) => name);
  for (const { pages } of papers) {
    for (const page of pages) {
      const needs = new Set(page.tables.flatMap((table) => table.trials("full", 0).flatMap((trial) => trial.needs)));
      for (const set of needs) expect(known).toContain(set);
      for (const claim of page.claims) for (const set of claim.needs ?? []) expect([...needs], claim.id).toContain(set);
    }
  }
});

test("names are of one kind and claims unique; one iris for all", () => {
  const items = itemsOf(papers);
  const names = items.map(({ paper, item }) => `${paper} ${item}`);
  expect(new Set(names).size).toBe(names.length);
  for (const { item, title } of items) {
    expect(item).toMatch(/^[a-z0-9]+([.-][a-z0-9]+)*$/);
    expect(title).not.toBe("");
  }
  expect(items.flatMap(({ needs }) => needs)).not.toContain("iris");
});

test("a claim has the paper's words or is ours, with what was tested", () => {
  for (const { pages } of papers) {
    for (const { claims } of pages) {
      for (const { id, quote, tested, section } of claims) {
        expect(quote ?? tested, id).toBeTruthy();
        expect(section, id).not.toBe("");
      }
    }
  }
});

test("a quick run of everything is meant to take at most fifteen minutes on two cores", () => {
  const cost = tables.flatMap(({ table }) => table.trials("quick", 0)).reduce((sum, trial) => sum + trial.cost, 0);
  expect(cost / 1000 / 60).toBeLessThan(15);
});
