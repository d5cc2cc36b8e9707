/** Tables in single precision at the command line: the same answers as from doubles, in half the memory. */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { coterie, folderWith } from "./testing/console.js";

const LONG = process.env.COTERIE_LONG === "1";
const BIN = fileURLToPath(new URL("../bin/coterie.js", import.meta.url));

/** Some clouds as a .npy file, row after row. */
function clouds(path: string, n: number, d: number, type: "<f4" | "<f8"): string {
  const header = `${`{'descr': '${type}', 'fortran_order': False, 'shape': (${n}, ${d}), }`.padEnd(117)}\n`;
  const file = openSync(path, "w");
  writeSync(
    file,
    Uint8Array.from([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, 118, 0, ...new TextEncoder().encode(header)]),
  );
  const row = new Float32Array(d);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < d; j++) row[j] = ((i % 5) * (j % 7) + ((i * 31 + j * 17) % 101) / 20) / 40;
    writeSync(file, new Uint8Array((type === "<f4" ? row : Float64Array.from(row)).buffer));
  }
  closeSync(file);
  return path;
}

test("a .npy of singles is clustered as the same numbers in doubles", async () => {
  const folder = folderWith({});
  const [single, double] = (["<f4", "<f8"] as const).map((type) => clouds(join(folder, `${type[2]}.npy`), 2_000, 530, type));
  const reports = [];
  for (const path of [single!, double!]) {
    const { code, out } = await coterie("cluster", path, "-k", "5", "--restarts", "2", "--json", "--quiet");
    expect(code).toBe(0);
    const { timings: _, ...report } = JSON.parse(out);
    reports.push(report);
  }
  expect(reports[0].k).toBe(5);
  expect(reports[0]).toEqual(reports[1]);
});

test.skipIf(!LONG)("50,000 × 768 singles are clustered in less than twice their size and 150 MB", () => {
  const folder = folderWith({});
  const path = clouds(join(folder, "large.npy"), 50_000, 768, "<f4");
  const program = `process.on("exit", () => console.error("peak", process.resourceUsage().maxRSS));
    process.argv = [process.execPath, ${JSON.stringify(BIN)}, "cluster", ${JSON.stringify(path)}, "-k", "20", "--out", "${join(folder, "labels.csv")}"];
    await import(${JSON.stringify(pathToFileURL(BIN).href)});`;
  const { stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect(status).toBe(0);
  const peak = Number(/peak (\d+)/.exec(stderr)?.[1]);
  expect(peak).toBeGreaterThan((4 * 50_000 * 768) / 1024);
  expect(peak).toBeLessThan((2 * 4 * 50_000 * 768) / 1024 + 150_000);
});
