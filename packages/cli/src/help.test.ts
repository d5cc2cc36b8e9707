/** Help texts keep to the width of the terminal, whatever is listed. */
import { catalogue, strategies } from "@coterie/core/internal";
import { expect, test } from "vitest";
import { flagsOf } from "./method-flags.js";
import { coterie, coterieWith } from "./testing/console.js";

test.each([60, 80, 100])("lists and choices are broken at %i columns, in their own column", async (columns) => {
  const { code, out } = await coterieWith({ columns }, "ask", "--help");
  expect(code).toBe(0);
  const [, listed] = out.split("Strategies\n");
  const strategies = listed!.split("\n\n")[0]!.split("\n");
  for (const line of strategies) {
    expect(line.length).toBeLessThanOrEqual(Math.max(columns, 63));
    expect(line).toMatch(/^ {2}(\S+ +| {21})\S/);
  }
  expect(strategies.join(" ").replaceAll(/\s+/g, " ")).toContain(
    "spreading asks about rows whose class is uncertain, in regions of",
  );
  const flags = out.split("Options\n")[1]!.split("\n\n")[0]!.split("\n");
  for (const line of flags) expect(line.length).toBeLessThanOrEqual(columns === 60 ? 68 : columns);
});

test("choices stand close where they fit, else with room to break", async () => {
  const { out } = await coterieWith({ columns: 100 }, "cluster", "--help");
  expect(out).toContain("[auto|none|zscore|minmax|robust|log|rank]");
  expect(out).toContain("[auto | kmeans |");
});

test("usage keeps to the width too", async () => {
  for (const name of ["cluster", "ask", "diagnose", "constraints", "data", "predict", "explain", "evaluate"]) {
    const { out } = await coterieWith({ columns: 60 }, name, "--help");
    const usage = out.split("Usage\n")[1]!.split("\n\n")[0]!.split("\n");
    for (const line of usage) expect(line.length, line).toBeLessThanOrEqual(60);
  }
});

test("help TOPIC is the help of a command, a method or a strategy", async () => {
  for (const [topic, same] of [
    [["cluster"], ["cluster", "--help"]],
    [
      ["cluster", "--algorithm", "recon"],
      ["cluster", "--algorithm", "recon", "--help"],
    ],
    [
      ["constraints", "generate"],
      ["constraints", "--help"],
    ],
    [["ccl"], ["cluster", "--algorithm", "ccl", "--help"]],
    [["min-max"], ["ask", "--strategy", "min-max", "--help"]],
    [[], ["--help"]],
    [["help"], ["--help"]],
    [["--help"], ["--help"]],
  ] as const) {
    const asked = await coterie("help", ...topic);
    expect(asked.code).toBe(0);
    expect(asked.out).toBe((await coterie(...same)).out);
    expect(asked.out).toContain("Usage");
  }
  expect((await coterie("help", "ccl")).out).toContain("--stop-before-violation");
});

test("a topic that there is not: the nearest one, or the commands", async () => {
  const near = await coterie("help", "clutser");
  expect([near.code, near.err]).toEqual([
    2,
    'coterie: There is no command, method or strategy "clutser". Did you mean "cluster"? See `coterie --help`.\n',
  ]);
  expect((await coterie("help", "qqqqqqq")).err).toContain("Commands are cluster, predict,");
});

test("without -k a hierarchy finds its best cut, and other methods say that they need one", async () => {
  const run = (algorithm: string) => coterie("cluster", "iris-fisher", "--algorithm", algorithm);
  for (const algorithm of ["ccl", "ward", "recon"]) {
    const { code, err } = await run(algorithm);
    expect([code, err]).toEqual([0, expect.stringContaining("The number of clusters was chosen (best cut: stability)")]);
  }
  const { code, err } = await run("kmeans");
  expect([code, err]).toEqual([
    2,
    expect.stringContaining("Say how many clusters: -k K. Without -k, these methods find the number:"),
  ]);
});

test("switches that are on by default read as sentences: what is not done comes first", () => {
  for (const described of [...catalogue, ...strategies]) {
    for (const { description = "" } of flagsOf(described).filter(({ name }) => name.startsWith("no-")))
      expect(description, described.name).not.toMatch(/^do not (where|when|while|if|for|with|in|at|the|a)\b/);
  }
});
