/**
 * A method that somebody adds, in a copy of the packages: its own file and one registration. Everything else follows from its definition.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { derivedSources } from "./api-report.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const copy = mkdtempSync(join(tmpdir(), "coterie-method-"));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

function copyPackages(): void {
  for (const name of [
    "packages",
    "tools",
    "docs/api.md",
    "python/coterie",
    "tsconfig.json",
    "tsconfig.base.json",
    "package.json",
  ])
    cpSync(join(root, name), join(copy, name), { recursive: true, filter: (path) => !path.endsWith("node_modules") });
  mkdirSync(join(copy, "node_modules/@coterie"), { recursive: true });
  for (const name of readdirSync(join(root, "node_modules")).filter((each) => each !== "@coterie" && each !== "coterie"))
    symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name));
  for (const name of readdirSync(join(root, "packages")))
    symlinkSync(join(copy, "packages", name), join(copy, "node_modules", name === "cli" ? "coterie" : `@coterie/${name}`));
}

const METHOD = `/** Row i goes to cluster i modulo k. */
import * as z from "zod/mini";
import { option, whole } from "../../options.js";
import { aroundMeans } from "../cost.js";
import { defineMethod } from "../define-method.js";
import { IGNORES_ALL } from "../method.js";

export const roundRobin = /* @__PURE__ */ defineMethod({
  name: "round-robin",
  title: "Round robin",
  summary: "deals the rows to the clusters in turn; ignores constraints",
  paper: "No paper",
  example: "roundRobin(points, undefined, { k: 3 }).sizes;",
  family: "partition",
  treats: IGNORES_ALL,
  seconds: aroundMeans(1 / 250),
  options: z.strictObject({ k: option(whole(1), "number of clusters") }),
  *steps({ points: { n } }, { k }) {
    yield { phase: "dealing", done: 0, total: n };
    return { labels: Int32Array.from({ length: n }, (_, row) => row % k), k, notices: [] };
  },
});
`;

function node(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: "utf8" });
  expect(stderr + (status === 0 ? "" : stdout), args.join(" ")).not.toMatch(/Error|error TS/);
  return stdout;
}

const coterie = (...args: string[]) =>
  node(
    "--input-type=module",
    "-e",
    `await (await import("coterie-main")).main(${JSON.stringify(args)})`.replace(
      "coterie-main",
      `${copy}/packages/cli/dist/main.js`,
    ),
  );

test("a new method is one file and one registration; command line, advice, library and documentation follow", () => {
  copyPackages();
  writeFileSync(join(copy, "packages/core/src/algorithms/partition/round-robin.ts"), METHOD);
  const catalogue = join(copy, "packages/core/src/catalogue.ts");
  const source = readFileSync(catalogue, "utf8")
    .replace("import { svmKmeans }", 'import { roundRobin } from "./algorithms/partition/round-robin.js";\nimport { svmKmeans }')
    .replace("  svmKmeans,\n", "  svmKmeans,\n  roundRobin,\n");
  writeFileSync(catalogue, source);
  node("tools/api-report.mjs");
  for (const [file] of [...derivedSources, ["docs/api.md"]] as const)
    expect(readFileSync(join(copy, file), "utf8"), file).toMatch(/roundRobin|round-robin/);

  expect(coterie("cluster", "--help")).toContain("deals the rows to the clusters in turn");
  expect(coterie("cluster", "--algorithm", "round-robin", "--help")).toContain("-k, --k N");
  const report = JSON.parse(
    coterie("cluster", "iris-fisher", "-k", "3", "--truth", "class", "--algorithm", "round-robin", "--json", "-q"),
  );
  expect(report.sizes).toEqual([50, 50, 50]);
  const known = join(copy, "known.csv");
  coterie("constraints", "generate", "iris-fisher", "--truth", "class", "--count", "80", "--out", known, "-q");
  const names = "kmeans,round-robin";
  const advice = JSON.parse(
    coterie("advise", "iris-fisher", "--truth", "class", "-c", known, "-k", "3", "--algorithms", names, "--json", "-q"),
  );
  expect(advice.tried.map(({ algorithm }: { algorithm: string }) => algorithm)).toContain("round-robin");
  const script = 'const { cluster, roundRobin } = await import("coterie"); const rows = [[0], [1], [2], [3]];';
  const sizes =
    "console.log(roundRobin(rows, undefined, { k: 2 }).sizes, cluster(rows, undefined, { algorithm: 'round-robin', k: 4 }).k)";
  expect(node("--input-type=module", "-e", `${script} ${sizes}`)).toMatch(/\[ 2, 2 \] 4/);
}, 240_000);
