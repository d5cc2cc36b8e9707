/** The whole on a small paper: resumed, in any order of workers, with data missing, on a disk that does not take it. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomFrom } from "@coterie/core/internal";
import { numbersOf, repeated, seedFor, where } from "@coterie/workbench/trials";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Paper, TrialTable } from "./paper.js";
import { type ReproduceOptions, reproduce } from "./reproduce.js";
import { inlinePool } from "./testing/inline-pool.js";

const RUNS = { quick: 2, full: 6 } as const;
let measured = 0;

const table: TrialTable = {
  name: "numbers",
  keys: ["set", "run"],
  values: ["x", "ms"],
  timed: ["ms"],
  trials: (size, seed) =>
    ["wine", "protein"].flatMap((set) => repeated(RUNS[size], seed, set, { key: { set }, needs: [set], cost: 1 })),
  async measure({ key, seed }) {
    measured++;
    await new Promise((resume) => setTimeout(resume, (key.run as number) % 2));
    return { x: key.run === 5 ? null : randomFrom(seed).unit(), ms: 1 };
  },
};

const claim = (id: string, needs: readonly string[]) => ({
  id,
  section: "1",
  tested: id,
  published: "–",
  about: "every" as const,
  needs,
  judge: (seen: Parameters<Paper["pages"][number]["protocol"]>[0]) => ({
    cells: needs.map((set) => ({
      row: set,
      column: "runs",
      kind: "fact" as const,
      holds: true,
      said: String(numbersOf(where(seen.lines(table), { set }), "x").length),
    })),
  }),
});

const paper: Paper = {
  name: "toy2000",
  title: "Toy (2000)",
  pages: [
    {
      name: "figure-1",
      title: "A toy",
      kind: "figure",
      tables: [table],
      protocol: ({ size }) => `A ${size} run.`,
      claims: [claim("one", ["wine"]), claim("both", ["wine", "protein"])],
      pictures: () => [{ name: "dot", caption: "A dot", svg: async () => "<svg/>\n" }],
    },
  ],
};

beforeAll(() => {
  vi.stubEnv("COTERIE_DATA", "");
  vi.stubEnv("XDG_CACHE_HOME", mkdtempSync(join(tmpdir(), "coterie-cache-")));
});
afterAll(() => void vi.unstubAllEnvs());

function folder(): string {
  return mkdtempSync(join(tmpdir(), "coterie-reproduce-"));
}

async function run(out: string, more: Partial<ReproduceOptions> = {}, workers = 1) {
  return await reproduce([paper], {
    words: [],
    quick: false,
    seed: 0,
    folder: out,
    pool: inlinePool([paper], workers),
    ...more,
  });
}

/** All files but who made them. */
function filesIn(out: string): Record<string, string> {
  const paths = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((path) => /\.\w+$/.test(path));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(out, path), "utf8")]));
}

test("pages, raw numbers, claims and front page are written; missing data are named, and judge nothing", async () => {
  const out = folder();
  const { claims, missing, claimsPage } = await run(out);
  expect(claims.map(({ claim: id, verdict, ours }) => [id, verdict, ours])).toEqual([
    ["one", "holds", "5"],
    ["both", "not judged", "needs protein"],
  ]);
  expect(missing).toEqual([{ name: "protein", remedy: expect.stringContaining("put protein.csv into the directory") }]);
  expect(Object.keys(filesIn(out)).sort()).toEqual(
    ["README.md", "claims.md", "figure-1-dot.svg", "figure-1.json", "figure-1.md", "numbers.csv", "numbers.csv.json"]
      .map((name) => (/^[Rc]/.test(name) ? name : join("toy2000", name)))
      .sort(),
  );
  expect(claimsPage).toBe(join(out, "claims.md"));
  const csv = readFileSync(join(out, "toy2000", "numbers.csv"), "utf8").split("\n");
  expect(csv[0]).toBe("set,run,seed,x,ms");
  expect(csv[1]).toMatch(new RegExp(`^wine,0,${seedFor(0, "wine", 0)},0\\.\\d+,1$`));
  expect(csv[6]).toBe(`wine,5,${seedFor(0, "wine", 5)},,1`);
  expect(JSON.parse(readFileSync(join(out, "toy2000", "numbers.csv.json"), "utf8"))).toMatchObject({
    seed: 0,
    made: [{ trials: 6 }],
  });
  expect(readFileSync(join(out, "README.md"), "utf8")).toContain("- `protein`: ");
});

test("an interrupted run goes on from there, a full one from a quick one, and the files are the same", async () => {
  const [whole, pieces] = [folder(), folder()];
  await run(whole, {}, 3);
  await run(pieces, { quick: true });
  const stop = new AbortController();
  await expect(
    run(pieces, {
      signal: stop.signal,
      onProgress: ({ done }) => {
        if (done === 2) stop.abort();
      },
    }),
  ).rejects.toThrow();
  // A line that was not finished when the power went.
  const csv = join(pieces, "toy2000", "numbers.csv");
  writeFileSync(csv, `${readFileSync(csv, "utf8")}wine,5,12`);
  measured = 0;
  await run(pieces);
  expect(measured).toBeGreaterThan(0);
  expect(measured).toBeLessThan(4);
  expect(filesIn(pieces)).toEqual(filesIn(whole));
  measured = 0;
  await run(pieces);
  expect(measured).toBe(0);
});

test("while pictures are drawn a raised signal stops the run too", async () => {
  const out = folder();
  await run(out);
  const stop = new AbortController();
  const drawn: string[] = [];
  const slow: Paper = {
    ...paper,
    pages: [
      {
        ...paper.pages[0]!,
        pictures: () =>
          ["first", "second"].map((name) => ({
            name,
            caption: name,
            svg: async (signal) => {
              expect(signal).toBe(stop.signal);
              drawn.push(name);
              stop.abort();
              return "<svg/>\n";
            },
          })),
      },
    ],
  };
  const options = { words: [], quick: false, draw: true, seed: 0, folder: out, signal: stop.signal };
  await expect(reproduce([slow], options)).rejects.toThrow("abort");
  expect(drawn).toEqual(["first"]);
});

test("a quick run says so; in a folder with a full one it draws that", async () => {
  const out = folder();
  await run(out, { quick: true });
  expect(readFileSync(join(out, "toy2000", "figure-1.md"), "utf8")).toContain("A quick run.");
  await run(out);
  await run(out, { quick: true });
  expect(readFileSync(join(out, "toy2000", "figure-1.md"), "utf8")).toContain("A full run.");
});

test("--draw judges again what is there, and runs nothing", async () => {
  const out = folder();
  const notices: string[] = [];
  const onNotice = (sentence: string) => void notices.push(sentence);
  measured = 0;
  expect((await run(out, { draw: true, onNotice })).pages).toEqual([]);
  expect(notices).toEqual(["toy2000 figure-1 was not run: nothing to draw."]);
  await run(out, { quick: true });
  measured = 0;
  expect((await run(out, { draw: true })).pages).toHaveLength(1);
  expect(measured).toBe(0);
});

test("trials that were run where the data are count where they are not", async () => {
  const out = folder();
  const data = folder();
  writeFileSync(join(data, "protein.csv"), "a,class\n1,x\n");
  vi.stubEnv("COTERIE_DATA", data);
  const { claims } = await run(out);
  vi.stubEnv("COTERIE_DATA", "");
  expect(claims.map(({ verdict }) => verdict)).toEqual(["holds", "holds"]);
  const again = await run(out);
  expect(again.claims).toEqual(claims);
  expect(again.missing).toEqual([]);
});

test("another seed, other columns and a folder that is a file give an error sentence; nothing is lost", async () => {
  const out = folder();
  await run(out, { quick: true });
  await expect(run(out, { seed: 1 })).rejects.toThrow(
    "These trials were made with seed 0, not 1. Choose another folder with --out.",
  );
  writeFileSync(join(out, "file"), "");
  await expect(run(join(out, "file"))).rejects.toThrow(/Nothing can be written in this folder \(E\w+\)/);
  const other = folder();
  mkdirSync(join(other, "toy2000"));
  writeFileSync(join(other, "toy2000", "numbers.csv"), "something,else\n1,2\n");
  await expect(run(other)).rejects.toThrow("line 1: The columns differ from the trials of this version.");
  expect(readFileSync(join(other, "toy2000", "numbers.csv"), "utf8")).toBe("something,else\n1,2\n");
});

test("a bug in a trial ends the run, and what was measured stays", async () => {
  const out = folder();
  const broken: Paper = {
    ...paper,
    pages: [
      {
        ...paper.pages[0]!,
        tables: [
          {
            ...table,
            measure: async (trial) => {
              if (trial.key.run === 3) throw new TypeError("oops");
              return await table.measure(trial);
            },
          },
        ],
      },
    ],
  };
  await expect(
    reproduce([broken], { words: [], quick: false, seed: 0, folder: out, pool: inlinePool([broken]) }),
  ).rejects.toThrow("oops");
  expect(
    readFileSync(join(out, "toy2000", "numbers.csv"), "utf8")
      .trim()
      .split("\n"),
  ).toHaveLength(4);
});

test("papers, figures and claims are named as people write them", async () => {
  const out = folder();
  for (const words of [["toy2000"], ["toy2000", "figure1"], ["toy2000", "Figure-1"], ["toy2000", "both"]]) {
    expect((await run(out, { words, quick: true })).pages.map(({ page }) => page)).toEqual(["figure-1"]);
  }
  await expect(run(out, { words: ["toy2001"] })).rejects.toThrow(
    'The paper is "toy2001"; it must be one of toy2000 (did you mean toy2000?).',
  );
  await expect(run(out, { words: ["toy2000", "figure-9"] })).rejects.toThrow(
    'The figure of toy2000 is "figure-9"; it must be one of figure-1',
  );
});
