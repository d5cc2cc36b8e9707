/** Every page, judged and drawn from numbers that are made up: what is written has no holes, and says what it shows. */

import { randomFrom } from "@coterie/core/internal";
import { type Line, lineOf, nameOf, seedFor } from "@coterie/workbench/trials";
import { describe, expect, test } from "vitest";
import { needsOf, type Page, type PageData, type TrialTable } from "./frame/paper.js";
import { pageText, pageRecord as recordOf } from "./frame/reproduce.js";

import { papers } from "./papers.js";

/** Columns whose numbers are not shares. */
const LEAST: readonly (readonly [RegExp, number])[] = [
  [/^FCN$/, 2],
  [/ms$|^seconds$|leaves|^sets|^vertices$|^edges$|degree|^planted$|^dropped$|^exact$|^printed$|^corrected$/, 10],
];

function madeUp(table: TrialTable, gaps: boolean): Line[] {
  return table.trials("quick", 0).map((trial, at) => {
    const random = randomFrom(seedFor(trial.seed, nameOf(table, trial.key)));
    const values = table.values.map((column) => {
      const least = LEAST.find(([pattern]) => pattern.test(column))?.[1] ?? 0;
      const none = gaps && /^(CKM|COP-k-means)/.test(column) && at % 3 === 0;
      return [column, none ? null : least + random.unit()];
    });
    return lineOf(table, trial, { values: Object.fromEntries(values) });
  });
}

function seenOf({ tables }: Page, gaps: boolean): PageData {
  const lines = new Map(tables.map((table) => [table, madeUp(table, gaps)]));
  return { size: "quick", seed: 0, lines: (table) => lines.get(table) ?? [], missing: [] };
}

/** Pictures that are made of clusterings anew take too long here. */
const ANEW = ["figure-7", "figure-12"];

const pages = papers.flatMap((paper) => paper.pages.map((page) => ({ paper, page, name: page.name, of: paper.name })));

describe.each(pages)("the page $name of $of", ({ paper, page }) => {
  test.each([false, true])("has no holes (runs without a clustering: %s)", (gaps) => {
    const seen = seenOf(page, gaps);
    const record = recordOf(paper, page, seen, {});
    const text = pageText(paper, page, seen, record);
    expect(text).not.toMatch(/NaN|undefined|Infinity|\[object/);
    expect(record.findings).toHaveLength(page.claims.length);
    for (const { verdict, id } of record.findings) expect(verdict, id).not.toBe("not judged");
  });

  test("causes name no data set that the page does not read", () => {
    const wordsOf = (all: readonly Page[]) => all.flatMap(needsOf).map((set) => set.split("-")[0]!);
    const own = new Set(wordsOf([page]));
    const foreign = wordsOf(paper.pages).filter((word) => !own.has(word));
    for (const { id, because } of recordOf(paper, page, seenOf(page, false), {}).findings) {
      for (const word of foreign) expect(because ?? "", id).not.toMatch(new RegExp(`\\b${word}\\b`));
    }
  });

  test("captions say what is seen, and how many runs there are", async () => {
    const seen = seenOf(page, true);
    for (const { name, caption, svg } of page.pictures?.(seen) ?? []) {
      expect(caption, name).toMatch(/\.$/);
      if (ANEW.includes(page.name)) continue;
      expect(caption, name).toMatch(/\d+ (or \d+ )?(runs|sets|pairs of sets|trials)|one point a set/);
      const drawn = await svg();
      expect(drawn).toContain("<svg");
      expect(drawn).not.toMatch(/NaN|undefined/);
      if (drawn.includes("(ours)")) expect(`${caption} ${page.protocol(seen)}`, name).toContain("ours");
    }
  });
});
