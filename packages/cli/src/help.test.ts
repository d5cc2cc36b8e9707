/** Help texts keep to the width of the terminal, whatever is listed. */
import { expect, test } from "vitest";
import { coterieWith } from "./testing/console.js";

test.each([60, 80, 100])("lists and choices are broken at %i columns, in their own column", async (columns) => {
  const { code, out } = await coterieWith({ columns }, "ask", "--help");
  expect(code).toBe(0);
  const [, listed] = out.split("Strategies\n");
  const strategies = listed!.split("\n\n")[0]!.split("\n");
  for (const line of strategies) {
    expect(line.length).toBeLessThanOrEqual(Math.max(columns, 63));
    expect(line).toMatch(/^ {2}(\S+ +| {21})\S/);
  }
  expect(strategies.join(" ").replaceAll(/\s+/g, " ")).toContain("spreading asks about rows that are hard to place and whose");
  const flags = out.split("Options\n")[1]!.split("\n\n")[0]!.split("\n");
  for (const line of flags) expect(line.length).toBeLessThanOrEqual(columns === 60 ? 68 : columns);
});

test("choices stand close where they fit, else with room to break", async () => {
  const { out } = await coterieWith({ columns: 100 }, "cluster", "--help");
  expect(out).toContain("[none|zscore|minmax]");
  expect(out).toContain("[kmeans | cop-kmeans | pck-means |");
});
