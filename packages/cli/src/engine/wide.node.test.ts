import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { folderWith } from "../testing/console.js";

const COMMAND = fileURLToPath(new URL("../../bin/coterie.js", import.meta.url));

/** The most memory that a command held, in MB, as Linux counts it; and its exit code. */
async function peakOf(args: readonly string[]): Promise<{ readonly peak: number; readonly code: number | null }> {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: "ignore" });
  let peak = 0;
  const look = setInterval(() => {
    try {
      const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"));
      if (found) peak = Number(found[1]) / 1024;
    } catch {
      // The command has ended.
    }
  }, 25);
  const code = await new Promise<number | null>((done) => child.on("exit", done));
  clearInterval(look);
  return { peak, code };
}

test.skipIf(process.platform !== "linux")(
  "DuckDB's memory for a wide table grows with its columns, not with their square",
  async () => {
    const d = 240;
    const folder = folderWith({});
    const table = join(folder, "wide.csv");
    const row = (i: number) => Array.from({ length: d }, (_, j) => ((i * 7919 + j * 104_729) % 1000) / 100).join();
    const head = Array.from({ length: d }, (_, j) => `x${j}`).join();
    writeFileSync(table, `${head}\n${Array.from({ length: 2000 }, (_, i) => row(i)).join("\n")}\n`);
    const line = ["cluster", table, "-k", "3", "--engine", "duckdb", "--memory", "600MB", "--max-iterations", "1", "-q"];
    const { peak, code } = await peakOf([...line, "--out", join(folder, "labels.csv")]);
    expect(code).toBe(0);
    expect(peak).toBeLessThan(800);
  },
  120_000,
);
