import { expect, test } from "vitest";
import { constraints } from "../../../constraints/index.js";
import { randomFrom } from "../../../random/index.js";
import { holdOuts } from "./prune.js";

/** Each pair has its own rows, so that no constraint entails another. */
const ROWS = Array.from({ length: 60 }, (_, i) => i);
const set = constraints(
  { n: 60 },
  {
    mustLink: ROWS.slice(0, 10).map((i) => [2 * i, 2 * i + 1] as const),
    cannotLink: ROWS.slice(10, 20).map((i) => [2 * i, 2 * i + 1] as const),
    labels: ROWS.slice(40, 50).map((row) => [row, row % 2 === 0 ? "even" : "odd"] as const),
  },
);

test("what is held out and what is kept are all constraints, each once; over the rounds nearly each is held out once", () => {
  const rounds = holdOuts(set, 0.2, randomFrom(1));
  expect(rounds).toHaveLength(5);
  const everHeld: string[] = [];
  for (const { kept, held } of rounds) {
    const pairs = (links: { readonly a: Int32Array; readonly b: Int32Array }) =>
      Array.from(links.a, (row, s) => [row, links.b[s]!]);
    const musts = [...pairs(kept.mustLinks), ...held.mustLinks].map(String).sort();
    const cannots = [...pairs(kept.cannotLinks), ...held.cannotLinks].map(String).sort();
    const labels = [...kept.labels.row, ...held.labels.map(([row]) => row)].sort((a, b) => a - b);
    expect(musts).toEqual(pairs(set.mustLinks).map(String).sort());
    expect(cannots).toEqual(pairs(set.cannotLinks).map(String).sort());
    expect(labels).toEqual([...set.labels.row].sort((a, b) => a - b));
    expect(held.count).toBe(6);
    everHeld.push(...held.mustLinks.map(String), ...held.cannotLinks.map(String), ...held.labels.map(([row]) => `label ${row}`));
  }
  expect(new Set(everHeld).size).toBe(30);
});

test("what the rest entails is no test", () => {
  const chain = constraints({ n: 3 }, { mustLink: [[0, 1], [1, 2], [0, 2]] }); // biome-ignore format: one line
  for (const { held } of holdOuts(chain, 0.34, randomFrom(2))) expect(held.count).toBe(0);
});
