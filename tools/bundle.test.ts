import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";

const path = (place: string) => fileURLToPath(new URL(`../${place}`, import.meta.url));

/** Prints the address of every module that Node loads. */
const REPORT_LOADS = `import { register } from "node:module";
register("data:text/javascript," + encodeURIComponent(
  'export async function load(url, context, next) { process._rawDebug("module " + url); return await next(url, context); }'));`;

test("one command loads fewer than 60 modules", () => {
  const line = ["cluster", "iris-fisher", "-k", "3", "--truth", "class", "--quiet", "--json"];
  const hook = `data:text/javascript,${encodeURIComponent(REPORT_LOADS)}`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--import", hook, path("packages/cli/bin/coterie.js"), ...line], {
    encoding: "utf8",
  });
  expect(JSON.parse(stdout).sizes).toHaveLength(3);
  const loaded = stderr.split("\n").filter((each) => each.startsWith("module file:"));
  expect(loaded.length).toBeGreaterThan(5);
  expect(loaded.length).toBeLessThan(60);
});

test("k-means of 150 rows takes at most five times the processor time of Node's own start", () => {
  const line = ["cluster", "iris-fisher", "-k", "3", "--truth", "class", "--quiet", "--json"];
  const script = (work: string) =>
    `${work}; const { user, system } = process.cpuUsage(); process.stderr.write("cpu " + (user + system));`;
  const command = `const { main } = await import(${JSON.stringify(path("packages/cli/dist/bundle/main.js"))}); await main(${JSON.stringify(line)})`;
  const measured = (work: string) => {
    const times = Array.from({ length: 3 }, () => {
      const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script(work)], { encoding: "utf8" });
      return Number(/cpu (\d+)/.exec(stderr)![1]);
    });
    return Math.min(...times);
  };
  expect(measured(command) / measured("")).toBeLessThan(5);
});

/** The minified size of a page's module that imports one name of the library, and the files of core that are in it. */
async function browserModule(name: string): Promise<{ bytes: number; files: string[] }> {
  const entry = "\0entry";
  const bundle = await rolldown({
    input: entry,
    cwd: path("packages/cli"),
    platform: "browser",
    resolve: { conditionNames: ["browser", "module", "import", "default"] },
    logLevel: "silent",
    plugins: [
      {
        name: "entry",
        resolveId: (id: string) => (id === entry ? path("packages/cli/entry.js") : null),
        load: (id: string) => (id.endsWith("packages/cli/entry.js") ? `export { ${name} } from "coterie";` : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  await bundle.close();
  const chunks = output.filter((each) => each.type === "chunk");
  const files = chunks.flatMap(({ modules }) =>
    Object.entries(modules).flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : [])),
  );
  return { bytes: chunks.reduce((sum, { code }) => sum + code.length, 0), files };
}

test("a page that imports kmeans gets no other method, no linkages, no solver of linear programs and one copy of each file", async () => {
  const { bytes, files } = await browserModule("kmeans");
  expect(files.some((file) => file.endsWith("partition/kmeans.js"))).toBe(true);
  const others =
    /highs|\/(recon|ccl|mpck|cop|tree|density)\/|kernels\/.*(linkage|rest|min-plus|detours)|zod\/v4\/(classic|locales)/;
  expect(files.filter((file) => others.test(file))).toEqual([]);
  expect(new Set(files).size).toBe(files.length);
  expect(bytes).toBeLessThan(145_000);
});

test("the bundle imports only what the package coterie depends on", () => {
  const { dependencies, peerDependencies, optionalDependencies } = JSON.parse(
    readFileSync(path("packages/cli/package.json"), "utf8"),
  );
  const folder = path("packages/cli/dist/bundle/");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".js"))
    .flatMap((file) => [
      ...readFileSync(folder + file, "utf8").matchAll(/^import .* from "([^".][^"]*)";$|\bimport\("([^".][^"]*)"\)/gm),
    ])
    .map(([, from, lazily]) => (from ?? lazily)!)
    .filter((name) => !isBuiltin(name))
    .map((name) =>
      name
        .split("/")
        .slice(0, name.startsWith("@") ? 2 : 1)
        .join("/"),
    );
  expect(new Set(names)).toContain("@duckdb/node-api");
  expect(
    [...new Set(names)].filter((name) => !(name in { ...dependencies, ...peerDependencies, ...optionalDependencies })),
  ).toEqual([]);
});
