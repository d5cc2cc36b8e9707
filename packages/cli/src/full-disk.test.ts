/** Disks that are full: devices that say so, and a small disk of our own where the machine lets us make one. */
import { execFileSync, spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { folderWith } from "./testing/console.js";

const BIN = fileURLToPath(new URL("../bin/coterie.js", import.meta.url));
const LONG = process.env.COTERIE_LONG === "1";
const folder = folderWith({
  "wide.csv": `id,x\n${Array.from({ length: 4_000 }, (_, i) => `row ${i},${(i * 7919) % 1009}`).join("\n")}\n`,
  "data.csv": `id,x\n${Array.from({ length: 300 }, (_, i) => `r${i},${(i * 7919) % 1009}`).join("\n")}\n`,
});

interface Ended {
  readonly code: number | null;
  readonly err: string;
  readonly out: string;
}

/** Runs the program with standard output, or standard error, going into a file. */
async function coterie(args: readonly string[], to: { out?: string; err?: string; input?: string } = {}): Promise<Ended> {
  const files = [to.out, to.err].map((path) => (path === undefined ? undefined : openSync(path, "a")));
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: folder,
    stdio: ["pipe", files[0] ?? "pipe", files[1] ?? "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin!.on("error", () => {});
  child.stdin!.end(to.input ?? "");
  let [out, err] = ["", ""];
  child.stdout?.on("data", (text) => (out += text));
  child.stderr?.on("data", (text) => (err += text));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  for (const file of files) if (file !== undefined) closeSync(file);
  return { code, out, err };
}

const CLUSTER = ["cluster", "data.csv", "-k", "2", "--id", "id", "--quiet"];
const FULL = "Standard output could not be written (ENOSPC). The disk is full: free some space, or write to another disk.";

describe.skipIf(!existsSync("/dev/full"))("a device that is full", () => {
  test.each([[...CLUSTER, "--json"], [...CLUSTER, "--out", "-"], ["data", "make", "circles"], ["--help"]])(
    "standard output of coterie %s %s",
    async (...args) => {
      const { code, err } = await coterie(args, { out: "/dev/full" });
      expect([code, err]).toEqual([3, `coterie: ${FULL}\n`]);
    },
  );

  test("the files that were written before are named", async () => {
    const { code, err } = await coterie([...CLUSTER, "--json", "--out", "before.csv"], { out: "/dev/full" });
    expect([code, err]).toEqual([3, `coterie: ${FULL}\nbefore.csv was written before and is complete.\n`]);
    expect(readFileSync(join(folder, "before.csv"), "utf8")).toMatch(/^id,cluster\n/);
  });

  test("a device among the outputs: the files are not written either", async () => {
    const before = readdirSync(folder);
    const { code, err } = await coterie([...CLUSTER, "--out", "l.csv", "--report", "r.json", "--html", "/dev/full"]);
    expect([code, err]).toEqual([
      3,
      "coterie: /dev/full: The file could not be written (ENOSPC). The disk is full: free some space, or write to another disk. Nothing was written.\n",
    ]);
    expect(readdirSync(folder)).toEqual(before);
  });

  test("no standard error: the command does its work anyway", async () => {
    const { code, out } = await coterie(["cluster", "data.csv", "-k", "2", "--id", "id", "--json"], { err: "/dev/full" });
    expect([code, JSON.parse(out).k]).toEqual([0, 2]);
  });

  test("a dialogue whose questions cannot be printed keeps its answers", async () => {
    const log = join(folder, "data.csv.answers.jsonl");
    const line = ["ask", "data.csv", "-k", "2", "--id", "id", "--budget", "3", "--script"];
    const { code, err } = await coterie(line, { out: "/dev/full", input: "same\nsame\n" });
    expect([code, err]).toEqual([3, expect.stringContaining(FULL)]);
    expect(err).toContain("0 answers are kept in data.csv.answers.jsonl.\nGo on with: coterie ask data.csv --resume --script");
    expect([existsSync(log), existsSync(`${log}.lock`)]).toEqual([true, false]);
  });
});

/** A disk of 128 KiB, or why there is none. */
function smallDisk(): { readonly path?: string; readonly why?: string } {
  if (process.platform !== "linux") return { why: "disks in memory are Linux's" };
  const path = folderWith();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=128k", "tmpfs", path], { stdio: "ignore" });
    return { path };
  } catch {
    return { why: "this user may not mount" };
  }
}

const disk = smallDisk();
afterAll(() => {
  if (disk.path !== undefined) execFileSync("umount", [disk.path]);
});

describe.skipIf(disk.path === undefined)(`a disk that is full${disk.why === undefined ? "" : ` (skipped: ${disk.why})`}`, () => {
  const at = (name: string) => join(disk.path!, name);

  /** Fills the disk but for some pages. */
  function fill(pages: number): void {
    rmSync(at("filler"), { force: true });
    const file = openSync(at("filler"), "w");
    for (let free = statfsSync(disk.path!).bavail; free > pages; free = statfsSync(disk.path!).bavail)
      writeSync(file, Buffer.alloc(4096));
    closeSync(file);
  }

  function empty(): void {
    for (const name of readdirSync(disk.path!)) rmSync(at(name));
  }

  test("standard output: what a nearly full disk takes only in part is no success", async () => {
    empty();
    fill(1);
    const { code, err } = await coterie([...CLUSTER, "--html", "-"], { out: at("page.html") });
    expect([code, err]).toEqual([3, `coterie: ${FULL}\n`]);
    // Part of it was taken, which is why this is a case of its own.
    expect(readFileSync(at("page.html")).length).toBe(4096);
  });

  test("several outputs: all of them, or none", async () => {
    const files = ["--out", at("l.csv"), "--report", at("r.json"), "--html", at("p.html"), "--model", at("m.json")];
    const names = ["l.csv", "l.csv.source.json", "m.json", "p.html", "r.json", "r.json.source.json"];
    for (const pages of LONG ? [0, 1, 2, 3, 4, 5, 6, 7, 8, 20] : [0, 2, 4, 20]) {
      empty();
      fill(pages);
      const { code, err } = await coterie([...CLUSTER, ...files]);
      if (code === 0) expect(readdirSync(disk.path!).sort()).toEqual(["filler", ...names]);
      else {
        expect([code, err]).toEqual([
          3,
          expect.stringMatching(
            /could not be written \(ENOSPC\)\. The disk is full.* Nothing was written\.|cannot be written here/,
          ),
        ]);
        expect(readdirSync(disk.path!)).toEqual(["filler"]);
      }
      expect(code === 0).toBe(pages === 20);
    }
  });

  test.each([
    ["l.csv", 1],
    // Room for the lines that the Parquet file is made from, and none for itself.
    ["l.parquet", 13],
  ])(
    "labels of an engine, %s with %i pages left: none of them, and a sentence",
    async (name, pages) => {
      empty();
      fill(pages);
      const line = ["cluster", "wide.csv", "-k", "2", "--id", "id", "--quiet", "--engine", "duckdb", "--out", at(name)];
      const { code, err } = await coterie(line);
      expect([code, err]).toEqual([3, expect.stringMatching(/could not be written/)]);
      expect(err).toMatch(/full|space/);
      expect(readdirSync(disk.path!)).toEqual(["filler"]);
    },
    300_000,
  );

  test("a dialogue: a sentence, no lock, and every acknowledged answer", async () => {
    for (const pages of [0, 1, 2]) {
      empty();
      writeFileSync(at("d.csv"), readFileSync(join(folder, "data.csv")));
      fill(pages);
      const line = ["ask", at("d.csv"), "-k", "2", "--id", "id", "--budget", "2000", "--script", "--quiet"];
      const answers = Array.from({ length: 120 }, () => "unsure\n").join("");
      const { code, err, out } = await coterie(line, { input: answers });
      expect([code, err]).toEqual([3, expect.stringContaining("(ENOSPC)")]);
      expect(err).not.toContain("bug");
      expect(readdirSync(disk.path!).filter((name) => /lock|part|claim/.test(name))).toEqual([]);
      const log = existsSync(at("d.csv.answers.jsonl")) ? readFileSync(at("d.csv.answers.jsonl"), "utf8") : "";
      const printed = out.split("\n").filter((text) => text.includes('"record":"answer"'));
      expect(log.split("\n").filter((text) => text.includes('"record":"answer"'))).toEqual(printed);
      rmSync(at("filler"));
      const resumed = await coterie([...line, "--resume"], { input: "unsure\n" });
      expect([resumed.code, resumed.err]).toEqual([0, ""]);
    }
  });

  test("the folder of downloaded sets", async () => {
    empty();
    fill(0);
    const child = spawn(process.execPath, [BIN, "cluster", "letters-IJL", "-k", "3", "--quiet"], {
      cwd: folder,
      env: { ...process.env, XDG_CACHE_HOME: disk.path! },
    });
    let err = "";
    child.stderr.on("data", (text) => (err += text));
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect([code, err]).toEqual([3, expect.stringContaining("XDG_CACHE_HOME")]);
    expect(err).not.toContain("bug");
  });
});
