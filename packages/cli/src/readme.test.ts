/** The example of the README is run, and prints what stands there. */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { constraints, type InstanceId, randomFrom } from "@coterie/core/internal";
import { readTable } from "@coterie/data";
import { expect, test } from "vitest";
import { cluster } from "./index.js";
import { folderWith } from "./testing/console.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));

test("the first example prints what stands under it", () => {
  const readme = readFileSync(`${root}README.md`, "utf8");
  const [, code, output] = /```ts\n(.*?)```\s+```\n(.*?)```/s.exec(readme)!;
  expect(
    code!
      .trim()
      .split("\n")
      .filter((line) => line !== ""),
  ).toHaveLength(8);
  const file = `${root}packages/cli/dist/readme-example.mjs`;
  writeFileSync(file, code!);
  try {
    expect(execFileSync(process.execPath, [file], { encoding: "utf8" })).toBe(output);
  } finally {
    rmSync(file);
  }
  const [without, taught] = [...output!.matchAll(/adjusted Rand ([\d.]+)/g)].map(([, score]) => Number(score));
  expect(taught! - without!).toBeGreaterThan(0.1);
});

test("the picture of the README is what its script draws, of the README's own constraints", () => {
  const script = readFileSync(`${root}tools/readme-picture.mjs`, "utf8");
  const readme = readFileSync(`${root}README.md`, "utf8");
  const tight = (text: string) => text.replace(/\s/g, "");
  expect(tight(readme)).toContain(`mustLink:${/PAIRS=(.*?);/.exec(tight(script))![1]!.replace(",]", "]")}`);
  const drawn = join(folderWith(), "penguins.svg");
  execFileSync(process.execPath, [`${root}tools/readme-picture.mjs`, drawn]);
  expect(readFileSync(drawn, "utf8")).toBe(readFileSync(`${root}docs/images/penguins.svg`, "utf8"));
});

test("any three pairs within species help, as the README says", async () => {
  const columns = { truth: "class", missing: "drop", scale: "zscore" } as const;
  const [all, penguins] = [
    await readTable("penguins", columns),
    await readTable("penguins", { ...columns, ignore: ["island", "sex"] }),
  ];
  const sex = all.names!.indexOf("sex");
  const random = randomFrom(20).split("pairs");
  const pick = (species: number, code: number): InstanceId => {
    const rows = Array.from({ length: all.n }, (_, i) => i).filter(
      (i) => all.truth!.codes[i] === species && all.x[i * all.d + sex] === code,
    );
    return all.ids![rows[random.int(rows.length)]!]!;
  };
  const score = (known: ReturnType<typeof constraints>, algorithm: "kmeans" | "rca-kmeans") =>
    cluster(penguins, known, { algorithm, k: 3, restarts: 3 }).scores!.adjustedRand;
  const plain = score(constraints(penguins, {}), "kmeans");
  const scores = Array.from({ length: 100 }, () => {
    const mustLink = [0, 1, 2].map((species) => [pick(species, 0), pick(species, 1)] as const);
    return score(constraints(penguins, { mustLink, ids: "ids" }), "rca-kmeans");
  }).sort((a, b) => a - b);
  expect(scores.filter((each) => each > plain).length).toBeGreaterThanOrEqual(95);
  expect(scores[50]).toBeGreaterThanOrEqual(0.94);
});
