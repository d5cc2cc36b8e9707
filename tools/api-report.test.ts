import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { derivedSources, publicNames, report } from "./api-report.mjs";
import { methodOptions } from "./method-options.mjs";
import { errorsIn, hoverAt, offeredAt } from "./public-types.mjs";

const listed = publicNames();

test("docs/api.md is what the build exports", () => {
  expect(report()).toBe(readFileSync(new URL("../docs/api.md", import.meta.url), "utf8"));
}, 120_000);

test("there are at most 86 public names, all of them documented, those to call with an example", () => {
  const names = listed.flatMap(({ names }) => names);
  expect(names.length).toBeLessThanOrEqual(86);
  expect(names.filter(({ summary }) => summary === "").map(({ name }) => name)).toEqual([]);
  const called = names.filter(({ kind }) => kind === "function" || kind === "const" || kind === "class");
  expect(called.filter(({ example }) => !example).map(({ name }) => name)).toEqual([]);
});

test.each(derivedSources)("%s follows from the catalogue", (file, textOf) => {
  expect(textOf()).toBe(readFileSync(new URL(`../${file}`, import.meta.url), "utf8"));
});

const call = (options: string): string =>
  `import { ccl, cluster, clusterAsync, pointsFromRows } from "./dist/index.js";
   const points = pointsFromRows([[0], [1]]);
   ${options}`;

test("an editor shows what an option is for, through every entry point", () => {
  const { options } = methodOptions().find(({ methods }) => methods.includes("ccl"))!;
  const effort = options.find(({ name }) => name === "effort")!;
  const shown = `${effort.description[0]!.toUpperCase()}${effort.description.slice(1)}. Default: \`${effort.fallback}\`.`;
  for (const written of [
    'cluster(points, undefined, { algorithm: "ccl", k: 2, ef¦fort: 5 });',
    'clusterAsync(points, undefined, { algorithm: "ccl", k: 2, ef¦fort: 5 });',
    "ccl(points, undefined, { k: 2, ef¦fort: 5 });",
  ])
    expect(hoverAt(call(written)), written).toEqual({ type: expect.stringContaining("effort?: number"), text: shown });
  expect(hoverAt(call("ccl(points, undefined, { k: 2, se¦ed: 5 });")).text).toContain("Seed of all random choices");
}, 120_000);

test("an editor offers the names of methods and of their options, and no others", () => {
  const names = offeredAt(call('cluster(points, undefined, { algorithm: "¦" });'));
  expect(names.toSorted()).toEqual(
    methodOptions()
      .flatMap(({ methods }) => methods)
      .toSorted(),
  );
  const offered = offeredAt(call('cluster(points, undefined, { algorithm: "ccl", ¦ });'));
  const { options } = methodOptions().find(({ methods }) => methods.includes("ccl"))!;
  expect(offered.toSorted()).toEqual([...options.map(({ name }) => name), "kernels", "seed"].toSorted());
}, 120_000);

test("in the package that people install, slips do not compile", () => {
  expect(errorsIn(call('cluster(points, undefined, { algorithm: "ccl", k: 2 }).merges;'))).toEqual([]);
  for (const [written, named] of [
    ['cluster(points, undefined, { algorithm: "cll", k: 2 });', "cll"],
    ['cluster(points, undefined, { algorithm: "ccl", k: "three" });', "string"],
    ['cluster(points, undefined, { algorithm: "ccl", k: 2, lookahaed: true });', "lookahaed"],
    ['cluster(points, undefined, { algorithm: "ccl", k: 2, gamma: 0.5 });', "gamma"],
    ['clusterAsync(points, undefined, { algorithm: "ccl", k: 2, gamma: 0.5 });', "gamma"],
    ["ccl(points, undefined, { k: 2, gamma: 0.5 });", "gamma"],
    ['cluster(points, undefined, { algorithm: "kmeans", k: 2 }).merges;', "merges"],
    ['cluster(points, undefined, { algorithm: "clusilc", k: 2 }).merges;', "merges"],
    ['cluster(points, undefined, { algorithm: "kmeans" });', "k"],
  ])
    expect(errorsIn(call(written!)).join("\n"), written).toContain(named);
}, 120_000);
