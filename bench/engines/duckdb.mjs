/**
 * The DuckDB engine: a pass compared with a read of every column, in turns, and the peak memory of a whole PCK-means run.
 *
 *     node bench/engines/duckdb.mjs FILE.parquet [turns]              seconds per pass and per read, processor and wall
 *     node bench/engines/duckdb.mjs FILE.parquet run KNOWN.csv        a whole command: processor seconds, peak resident set
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { passModelOf } from "@coterie/core/scale";
import { createDuckdbEngine } from "@coterie/engines";
import { createPassKernel } from "@coterie/kernels";

const [file, what = "3", known] = process.argv.slice(2);
const K = 16;

/** Processor time and wall time of some work, in seconds. */
async function timed(work) {
  const [cpu, wall] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: (user + system) / 1e6, wall: (performance.now() - wall) / 1000 };
}

function reader(model) {
  const columns = Array.from({ length: model.d }, () => new Float64Array(2048));
  const labels = new Int32Array(2048);
  const nothing = () => {};
  return { column: (j) => columns[j], labels: () => labels, assign: nothing, add: nothing, totals: () => null, close: nothing };
}

function modelFor({ ranges, rows }) {
  const d = ranges.length;
  const centres = Float64Array.from(
    { length: K * d },
    (_, p) => 6 * Math.sin(Math.floor(p / d) * ((p % d) + 1) * 1.37 + (p % d)),
  );
  const plain = { metric: "plain", maps: new Float64Array(0), several: false, bias: new Float64Array(K) };
  return passModelOf({ d, k: K, centres, ...plain, moments: "none", scaling: null }, ranges, rows);
}

async function passes() {
  const [pass, read] = await Promise.all(
    [createPassKernel(), reader].map((kernel) => createDuckdbEngine(file, { ignore: ["id"], kernel })),
  );
  const model = modelFor(await pass.statistics());
  await read.statistics();
  const turns = { pass: [], read: [] };
  for (let turn = 0; turn < Number(what); turn++) {
    turns.read.push(await timed(() => read.pass(model)));
    turns.pass.push(await timed(() => pass.pass(model)));
  }
  const least = (of, key) => Math.min(...of.map((each) => each[key]));
  for (const [name, of] of Object.entries(turns)) {
    console.log(`${name}: ${of.map(({ cpu, wall }) => `${wall.toFixed(2)} s (cpu ${cpu.toFixed(2)})`).join(", ")}`);
  }
  for (const key of ["wall", "cpu"])
    console.log(`pass / read, ${key}, least of each: ${(least(turns.pass, key) / least(turns.read, key)).toFixed(2)}`);
  console.log(`resident set now ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`);
  await pass.close();
  await read.close();
}

async function whole() {
  const coterie = fileURLToPath(new URL("../../packages/cli/bin/coterie.js", import.meta.url));
  const line = ["cluster", file, "-k", String(K), "--algorithm", "pck-means", "--ignore", "id", "--constraints", known];
  const child = spawn(
    process.execPath,
    [coterie, ...line, "--engine", "duckdb", "--max-iterations", "2", "-q", "--out", `${file}.labels.parquet`],
    {
      stdio: "inherit",
    },
  );
  let peak = 0;
  const look = setInterval(() => {
    try {
      const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
      peak = Math.max(peak, Number(kilobytes ?? 0));
    } catch {}
  }, 50);
  const started = performance.now();
  const code = await new Promise((done) => child.on("close", done));
  clearInterval(look);
  console.log(
    `exit ${code}, ${((performance.now() - started) / 1000).toFixed(1)} s, peak resident set ${Math.round(peak / 1024)} MB`,
  );
}

await (what === "run" ? whole() : passes());
