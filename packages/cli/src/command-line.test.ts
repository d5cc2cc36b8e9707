/** The built command line as people run it: a process, pipes, signals. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { folderWith } from "./testing/console.js";
import { worked } from "./testing/work.js";

const BIN = fileURLToPath(new URL("../bin/coterie.js", import.meta.url));

function start(args: readonly string[], cwd?: string): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [BIN, ...args], cwd === undefined ? {} : { cwd });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function coterie(args: readonly string[], { input = "", cwd }: { input?: string; cwd?: string } = {}) {
  const child = start(args, cwd);
  let out = "";
  let err = "";
  child.stdout.on("data", (data) => {
    out += data;
  });
  child.stderr.on("data", (data) => {
    err += data;
  });
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, out, err };
}

/** A report without the part that may differ between two runs. */
function withoutTimings(json: string): unknown {
  const { timings, ...rest } = JSON.parse(json);
  expect(timings.clustering).toBeGreaterThan(0);
  return rest;
}

const TABLE = `id,x,y,kind\n${Array.from({ length: 60 }, (_, i) => `r${i},${(i * 37) % 11},${(i * 53) % 7},${"abc"[i % 3]}`).join("\n")}\n`;

describe("cluster", () => {
  test("writes labels, report, page and side files; prints the report", async () => {
    const folder = folderWith({ "data.csv": TABLE, "known.csv": "type,a,b\nmust-link,r0,r1\ncannot-link,r0,r2\n" });
    const args =
      "cluster data.csv -k 3 --id id --truth kind --constraints known.csv --out l.csv --report r.json --html p.html --json --seed 4";
    const { code, out, err } = await coterie(args.split(" "), { cwd: folder });
    expect(code).toBe(0);
    expect(err).toContain("Gaussian mixture put 60 rows with 2 columns into 3 clusters.");
    expect(err).toContain("mixture was chosen (experience with other tables, as there are few constraints).");
    const report = JSON.parse(out);
    expect(JSON.parse(readFileSync(join(folder, "r.json"), "utf8"))).toEqual(report);
    expect(Object.keys(report)).toEqual(
      "algorithm version options seed instances features columns k labels sizes noise chosen violations objective history iterations stopped centres scores internal probabilities notices timings".split(
        " ",
      ),
    );
    const lines = readFileSync(join(folder, "l.csv"), "utf8").trim().split("\n");
    expect(lines[0]).toBe("id,cluster");
    expect(lines.slice(1)).toEqual(report.labels.map((label: number, i: number) => `r${i},${label}`));
    expect(readFileSync(join(folder, "p.html"), "utf8")).toContain("</html>");
    expect(JSON.parse(readFileSync(join(folder, "l.csv.source.json"), "utf8")).data).toBe("data.csv");
    expect(readdirSync(folder).sort()).toEqual(
      ["data.csv", "known.csv", "l.csv", "l.csv.source.json", "p.html", "r.json", "r.json.source.json"].sort(),
    );
  });

  test("1, 2 and 4 workers give the same bytes, for starts and for threads", async () => {
    const rows = Array.from({ length: 2_500 }, (_, i) => `r${i},${(i * 7919) % 1009},${(i * 104729) % 997},a`);
    const folder = folderWith({ "data.csv": `id,x,y,kind\n${rows.join("\n")}\n` });
    for (const algorithm of ["kmeans", "average-link"]) {
      const runs = await Promise.all(
        ["1", "2", "4"].map((workers) =>
          coterie(
            [
              "cluster",
              "data.csv",
              "-k",
              "4",
              "--id",
              "id",
              "--ignore",
              "kind",
              "--algorithm",
              algorithm,
              "--workers",
              workers,
              "--json",
              "-q",
            ],
            { cwd: folder },
          ),
        ),
      );
      const [first, ...others] = runs.map(({ out }) => withoutTimings(out));
      for (const other of others) expect(other).toEqual(first);
    }
  });

  test("reads CSV from standard input and writes labels to standard output", async () => {
    const { code, out } = await coterie(["cluster", "-", "-k", "2", "--features", "x,y", "--out", "-", "--quiet"], {
      input: TABLE,
    });
    expect(code).toBe(0);
    expect(out.split("\n").slice(0, 2)).toEqual(["id,cluster", "r0,0"]);
    expect(out.trim().split("\n")).toHaveLength(61);
  });

  test("a sample set is found by its name", async () => {
    const { code, err } = await coterie(["cluster", "iris-fisher", "-k", "3", "--truth", "class"]);
    expect(err).toContain("adjusted Rand 0.620");
    expect(code).toBe(0);
  });

  test("Ctrl-C in the middle: exit 130, one sentence, nothing half-written", async () => {
    const rows = Array.from(
      { length: 60_000 },
      (_, i) => `${(i * 7919) % 10007},${(i * 104729) % 10009},${(i * 1299709) % 9973}`,
    );
    const folder = folderWith({ "big.csv": `a,b,c\n${rows.join("\n")}\n` });
    const child = start(
      ["cluster", "big.csv", "-k", "60", "--restarts", "400", "--out", "labels.csv", "--html", "p.html"],
      folder,
    );
    let err = "";
    child.stderr.on("data", (data) => {
      err += data;
    });
    await worked(child, 2);
    expect(child.exitCode).toBeNull();
    child.kill("SIGINT");
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect(err).toContain("Interrupted: nothing was written.");
    expect(code).toBe(130);
    expect(readdirSync(folder)).toEqual(["big.csv"]);
  });

  test("Ctrl-C ends a diagnosis that is deep in a search", async () => {
    const pairs = Array.from(
      { length: 14_000 },
      (_, i) => `cannot-link,${(i * 7919) % 4001},${(i * i * 31 + 17 * i + 5) % 4003}`,
    );
    const folder = folderWith({ "many.csv": `type,a,b\n${pairs.filter((line) => !/,(\d+),\1$/.test(line)).join("\n")}\n` });
    const child = start(["diagnose", "--constraints", "many.csv", "-k", "3", "--effort", "100000000"], folder);
    await worked(child, 2);
    expect(child.exitCode).toBeNull();
    child.kill("SIGINT");
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
      child.on("close", (...end) => resolve(end)),
    );
    // By the signal or by the exit code: a shell sees 130 either way.
    expect(["SIGINT", 130]).toContain(signal ?? code);
  });

  test.each([[["stdout"]], [["stdout", "stderr"]]] as const)("a reader of %j that goes away is no error", async (streams) => {
    const folder = folderWith({ "data.csv": TABLE });
    const child = start(["cluster", "data.csv", "-k", "4", "--ignore", "kind,id", "--algorithm", "ward", "--json"], folder);
    for (const stream of streams) child[stream].destroy();
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect(code).toBe(0);
  });
});

test("a labels file made from other data is scored with a warning", async () => {
  const folder = folderWith({ "data.csv": TABLE });
  await coterie("cluster data.csv -k 3 --id id --ignore kind --out l.csv".split(" "), { cwd: folder });
  const evaluate = ["evaluate", "l.csv", "--data", "data.csv", "--id", "id", "--truth", "kind", "--json"];
  const before = await coterie(evaluate, { cwd: folder });
  expect(before.code).toBe(0);
  expect(Object.keys(JSON.parse(before.out).scores)).toEqual([
    "rand",
    "adjustedRand",
    "constrainedRand",
    "pairwiseF",
    "normalizedMutualInformation",
  ]);
  expect(before.err).not.toContain("other content");
  writeFileSync(join(folder, "data.csv"), TABLE.replace("r0,0,0", "r0,1,0"));
  const after = await coterie(evaluate, { cwd: folder });
  expect(after.err).toContain("l.csv was made from data.csv, whose content differs from data.csv now.");
});

describe("constraints", () => {
  test("generated sets are true, of the asked size and mix, and the same for the same seed", async () => {
    const args = (...more: string[]) => ["constraints", "generate", "iris-fisher", "--truth", "class", ...more];
    const { out, code } = await coterie(args("--mix", "12:8", "--seed", "3"));
    expect(code).toBe(0);
    const lines = out.trim().split("\n").slice(1);
    expect(lines.filter((line) => line.startsWith("must-link"))).toHaveLength(12);
    expect(lines.filter((line) => line.startsWith("cannot-link"))).toHaveLength(8);
    for (const line of lines) {
      const [type, a, b] = line.split(",");
      expect(Math.floor(Number(a) / 50) === Math.floor(Number(b) / 50)).toBe(type === "must-link");
    }
    expect((await coterie(args("--mix", "12:8", "--seed", "3"))).out).toBe(out);
    expect((await coterie(args("--mix", "12:8", "--seed", "4"))).out).not.toBe(out);
    const labels = await coterie(args("--from", "labels", "--count", "5"));
    expect(
      labels.out
        .trim()
        .split("\n")
        .filter((line) => line.startsWith("label,")),
    ).toHaveLength(5);
  });

  test("closing says what follows, and twice is once", async () => {
    const folder = folderWith({
      "data.csv": TABLE,
      "known.csv": "type,a,b\nmust-link,r1,r2\nmust-link,r2,r3\ncannot-link,r3,r9\ncannot-link,r9,r1\n",
    });
    const close = (file: string) =>
      coterie(["constraints", "close", "data.csv", "--id", "id", "--constraints", file], { cwd: folder });
    const { out } = await close("known.csv");
    expect(
      out
        .trim()
        .split("\n")
        .slice(1)
        .map((line) => line.split(",").slice(0, 3).join(",")),
    ).toEqual(["must-link,r1,r2", "must-link,r1,r3", "cannot-link,r1,r9"]);
    writeFileSync(join(folder, "closed.csv"), out);
    expect((await close("closed.csv")).out).toBe(out);
  });
});

describe("help", () => {
  test("commands have help with usage, options and examples; bare coterie shows the commands", async () => {
    for (const command of ["cluster", "constraints", "completion"]) {
      const { code, out } = await coterie([command, "--help"]);
      expect(code).toBe(0);
      for (const part of ["Usage\n", "Options\n", "Examples\n", "--quiet"]) expect(out).toContain(part);
    }
    expect((await coterie([])).code).toBe(2);
    expect((await coterie(["--help"])).out).toContain("Commands\n");
    expect((await coterie(["help", "cluster"])).out).toContain("--restarts");
    expect((await coterie(["--version"])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test("the options of a method come from its schema", async () => {
    const { out } = await coterie(["cluster", "--algorithm", "ward", "--help"]);
    expect(out).toContain("--height N");
    expect(out).not.toContain("--restarts");
  });

  test.each(["bash", "zsh", "fish"])("completion for %s names commands, flags and choices", async (shell) => {
    const { code, out } = await coterie(["completion", shell]);
    expect(code).toBe(0);
    for (const word of ["cluster", "algorithm", "complete-link", "zscore"]) expect(out).toContain(word);
  });
});

describe("data", () => {
  test("lists the sets, shows one, finds a packaged one without a network", async () => {
    const { out } = await coterie(["data", "list"]);
    expect(out).toMatch(/^name +rows +columns +classes +kind +where\n/);
    expect(out).toContain("iris-fisher");
    expect((await coterie(["data", "show", "wine"])).out).toContain("178");
    const got = await coterie(["data", "get", "wine"]);
    expect(got.code).toBe(0);
    expect(got.out).toMatch(/wine\.csv\n$/);
    const unknown = await coterie(["data", "show", "wien"]);
    expect(unknown.code).toBe(3);
    expect(unknown.err).toMatch(/wine/);
  });
});
