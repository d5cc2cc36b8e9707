/** From a file to the printed rules of its clusters and back: rules, read as text, put each row of the file where its label says. */
import { constraints, holds, parseRule, plainKernels, type Random, randomFrom } from "@coterie/core/internal";
import { csvCell, instancesOf, readCsv } from "@coterie/data/browser";
import { expect, test } from "vitest";
import { reportOf } from "./report.js";
import { runAtOnce } from "./testing/run-at-once.js";

const NAMES = ["length (cm)", "weight, dry", "kind", "colour or none"] as const;
const KINDS = ["oak", "ash, old", "and", "7b"];
const COLOURS = ["red", "blue"];

type Row = readonly (number | string | null)[];

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** Two groups that columns separate with exceptions; some cells are missing. */
function rowsOf(random: Random): Row[] {
  return Array.from({ length: 60 }, (_, i) => {
    const group = i % 2;
    const cells = [
      Number((5 + 3 * group + random.normal()).toFixed(2)),
      Number((0.001 * (i + 30 * group) + 0.01 * random.unit()).toPrecision(3)),
      KINDS[random.int(2) + 2 * (random.int(5) === 0 ? 1 - group : group)]!,
      COLOURS[random.int(2)]!,
    ];
    return cells.map((cell) => (random.int(25) === 0 ? null : cell));
  });
}

/** What `--missing impute` fills in: the mean of a number column, the most frequent level of another, the first of equals. */
function filled(rows: readonly Row[]): Row[] {
  const standIns = NAMES.map((_, j) => {
    const seen = rows.map((row) => row[j]!).filter((cell) => cell !== null);
    if (j < 2) return seen.reduce((sum: number, cell) => sum + Number(cell), 0) / seen.length;
    const counts = new Map<number | string, number>();
    for (const cell of seen) counts.set(cell, (counts.get(cell) ?? 0) + 1);
    return [...counts].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
  });
  return rows.map((row) => row.map((cell, j) => cell ?? standIns[j]!));
}

test.each(["drop", "impute"] as const)(
  "missing cells, --missing %s: rules and labels of the report agree on every row",
  async (missing) => {
    let dropped = 0;
    for (let seed = 0; seed < 12; seed++) {
      const random = randomFrom(seed);
      const rows = rowsOf(random);
      const lines = [NAMES, ...rows].map((row) => row.map((cell) => csvCell(String(cell ?? ""))).join(","));
      const table = await readCsv(bytesOf(`${lines.join("\n")}\n`), { file: "trees.csv" });
      const { instances, ...loaded } = instancesOf(table, { missing, scale: seed % 2 === 0 ? "zscore" : "none" });
      const even = (): number => 2 * random.int(instances.n >> 1);
      const known = constraints(instances, {
        mustLink: Array.from({ length: 4 }, (): [number, number] => [even(), even()]).filter(([a, b]) => a !== b),
        cannotLink: Array.from({ length: 6 }, (): [number, number] => [even(), even() + 1]),
      });
      const spec = { algorithm: "clusilc", options: { k: 3 }, seed };
      const made = runAtOnce(instances, known, spec, plainKernels);
      const report = reportOf(made, { version: "0", points: instances, constraints: known, ...loaded, timings: {} });
      const rules = report.rules!.map((rule) => parseRule(rule, report.tree!.notations));
      expect(rules.length).toBe(report.k);
      (missing === "impute" ? filled(rows) : rows).forEach((row, i) => {
        if (row.includes(null)) {
          expect(report.labels[i]).toBeNull();
          dropped++;
          return;
        }
        const value = (name: string): number | string => row[NAMES.indexOf(name as "kind")]!;
        expect(
          rules.flatMap((rule, c) => (holds(rule, value) ? [c] : [])),
          `seed ${seed}, row ${i}`,
        ).toEqual([report.labels[i]]);
      });
    }
    expect(dropped > 0).toBe(missing === "drop");
  },
);
