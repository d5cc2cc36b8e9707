/** The examples of README and guide are run, and print what stands there. */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { constraints, type InstanceId, randomFrom } from "@coterie/core/internal";
import { readTable } from "@coterie/data";
import { expect, test } from "vitest";
import { cluster } from "./index.js";
import { coterie, coterieWith, folderWith, typed } from "./testing/console.js";

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

const guide = readFileSync(`${root}docs/guide.md`, "utf8");
const lines = (text: string): string[] => text.split("\n").filter((line) => line.trim() !== "");

test("the guide's tree is what its commands print", async () => {
  const [, commands, printed] = /### Clusters as rules.*?```\n(.*?)```\n```\n(.*?)```/s.exec(guide)!;
  const folder = folderWith();
  let last = "";
  for (const command of lines(commands!)) {
    const words = command.split(" ").slice(1);
    const { code, err } = await coterie(...words.map((word) => (word === "known.csv" ? join(folder, word) : word)));
    expect(code, command).toBe(0);
    last = err;
  }
  for (const line of lines(printed!)) expect(lines(last)).toContain(line);
});

test("the guide's questions are those that come", async () => {
  const [, command, printed] = /```\n\$ coterie (ask .*?)\n(.*?)```/s.exec(guide)!;
  const answers = join(folderWith(), "answers.jsonl");
  const { err } = await coterieWith({ input: typed("different\ndifferent\n") }, ...command!.split(" "), "--answers", answers);
  const shown = lines(printed!).map((line) => line.replace("iris-fisher.answers.jsonl", answers));
  for (const line of shown) expect(lines(err)).toContain(line);
});

test("every relative link of the docs leads somewhere", () => {
  const pages = [
    "README.md",
    "CONTRIBUTING.md",
    "docs/architecture.md",
    "docs/status.md",
    "docs/guide.md",
    "docs/evidence.md",
    "docs/synthetic.md",
    "docs/dependencies.md",
  ];
  for (const page of pages) {
    for (const [, target] of readFileSync(root + page, "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)) {
      const url = new URL(target!, `file://${root}${page}`);
      expect(() => readFileSync(url), `${page} → ${target}`).not.toThrow(/ENOENT/);
    }
  }
});
