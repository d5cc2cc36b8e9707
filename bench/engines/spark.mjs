/** Compares our pass on Spark with MLlib's k-means: see USAGE. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { passModelOf, passSums } from "@coterie/core/scale";
import { createSparkEngine } from "@coterie/engines";
import { CONNECT_PORT, folder, isOpen } from "../../tools/spark.mjs";

const USAGE = `Executor seconds of an iteration on Spark after the first one: our pass compared with MLlib's k-means.

  COTERIE_SPARK_MEMORY=6 npm run spark:up
  node bench/engines/make.mjs 10000000 rows.parquet
  node bench/engines/spark.mjs rows.parquet
  npm run spark:down

Both start from the centres that MLlib draws, and make the same iterations in turns, on the same executors. Both keep their rows in
memory: Spark's storage and the executed scan are printed. The server must keep no other tables.
MLlib needs pyspark's packages for Connect: pip install 'pyspark[connect]==4.3.0' in the virtual environment of the cluster.

  --turns N        fits of MLlib, each followed by the same number of our iterations (2)
  --iterations N   iterations of each fit; the first does not count (6)
  --sql N          passes in plain SQL at the end; the first does not count (3; 0: none)
  --alone          without MLlib, starting from the centres of the synthetic table
  --k N            clusters (16)
  --help           this page`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    turns: { type: "string", default: "2" },
    iterations: { type: "string", default: "6" },
    sql: { type: "string", default: "3" },
    alone: { type: "boolean", default: false },
    k: { type: "string", default: "16" },
    help: { type: "boolean", default: false },
  },
});
const [turns, iterations, sqlPasses, k] = [values.turns, values.iterations, values.sql, values.k].map(Number);
const SEED = 7;
const CONNECT = `sc://127.0.0.1:${CONNECT_PORT}`;
const UI = "http://127.0.0.1:4040/api/v1/applications";

const json = async (address) => (await fetch(address)).json();
let application = "";
const fetchFacts = (what) => json(`${UI}/${application}/${what}`);
const megabytes = (bytes) => Math.round(bytes / 1e6);
const seconds = (of) => of.map((each) => each.toFixed(2)).join(" ");
const median = (of) => of.toSorted((a, b) => a - b)[of.length >> 1];

/** The tables that Spark keeps: their number, and bytes in memory and on disk. */
async function storage() {
  const kept = await fetchFacts("storage/rdd");
  const sum = (key) => kept.reduce((total, each) => total + each[key], 0);
  return { count: kept.length, memory: sum("memoryUsed"), disk: sum("diskUsed") };
}

async function lastJob() {
  return Math.max(-1, ...(await fetchFacts("jobs")).map(({ jobId }) => jobId));
}

/** Executor seconds of each job after `job`, and how many of its stages ran. Spark reports a job shortly after it has ended. */
async function jobsSince(job) {
  await wait(800);
  const [jobs, stages] = await Promise.all([fetchFacts("jobs"), fetchFacts("stages?status=complete")]);
  const cpu = new Map(stages.map(({ stageId, executorCpuTime }) => [stageId, executorCpuTime / 1e9]));
  return jobs
    .filter(({ jobId }) => jobId > job)
    .sort((a, b) => a.jobId - b.jobId)
    .map(({ stageIds }) => stageIds.filter((id) => cpu.has(id)))
    .map((ran) => ({ stages: ran.length, cpu: ran.reduce((total, id) => total + cpu.get(id), 0) }));
}

async function scanNodes() {
  const queries = await fetchFacts("sql?details=true&planDescription=false&offset=0&length=10000");
  const scans = queries
    .sort((a, b) => b.id - a.id)
    .map(({ nodes }) => nodes.filter(({ nodeName }) => /^scan/i.test(nodeName)))
    .find((nodes) => nodes.length > 0);
  const rowsOf = ({ metrics }) => metrics.find(({ name }) => name === "number of output rows")?.value ?? "?";
  return scans.map((node) => `${node.nodeName}: ${rowsOf(node)} rows`).join("; ");
}

/** MLlib, in a separate process that waits for requests. */
function startPeer() {
  const script = fileURLToPath(new URL("mllib_peer.py", import.meta.url));
  const child = spawn(join(folder, "venv/bin/python"), ["-W", "ignore", script, CONNECT], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async fit(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error("MLlib gave no answer; its message is above.");
      return JSON.parse(value);
    },
    async close() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "close");
    },
  };
}

/** A fit of MLlib: executor seconds of its iterations, and the most bytes it kept meanwhile, without `others` bytes. */
async function fit(peer, request, others) {
  const from = await lastJob();
  const kept = { memory: 0, disk: 0 };
  const looking = new AbortController();
  const look = (async () => {
    while (!looking.signal.aborted) {
      const { memory, disk } = await storage();
      kept.memory = Math.max(kept.memory, memory - others);
      kept.disk = Math.max(kept.disk, disk);
      await wait(500, undefined, { signal: looking.signal }).catch(() => {});
    }
  })();
  const found = await peer.fit(request);
  looking.abort();
  await look;
  const jobs = await jobsSince(from);
  // Only jobs of iterations run two stages: sums of each part, then sums of all parts.
  const own = jobs.filter(({ stages }) => stages === 2).map(({ cpu }) => cpu);
  if (own.length !== found.iterations) throw new Error(`${own.length} jobs look like MLlib's ${found.iterations} iterations.`);
  const rest = jobs.reduce((total, { cpu }) => total + cpu, 0) - own.reduce((total, cpu) => total + cpu, 0);
  return { ...found, kept, own, rest };
}

async function passes(engine, facts, start, count) {
  const d = facts.ranges.length;
  const cpu = [];
  let centres = start;
  for (let turn = 0; turn < count; turn++) {
    const plain = { metric: "plain", maps: new Float64Array(0), several: false, bias: new Float64Array(k) };
    const model = passModelOf({ d, k, centres, ...plain, moments: "none", scaling: null }, facts.ranges, facts.rows);
    const from = await lastJob();
    const { counts, sums } = passSums(model, await engine.pass(model));
    cpu.push((await jobsSince(from)).reduce((total, job) => total + job.cpu, 0));
    centres = centres.map((value, at) => (counts[Math.floor(at / d)] > 0 ? sums[at] / counts[Math.floor(at / d)] : value));
  }
  return { cpu, centres };
}

const made = (d) =>
  Float64Array.from({ length: k * d }, (_, at) => 6 * Math.sin(Math.floor(at / d) * ((at % d) + 1) * 1.37 + (at % d)));
const farthest = (a, b) => a.reduce((most, value, at) => Math.max(most, Math.abs(value - b[at])), 0);

async function main(path) {
  application = (await json(UI))[0].id;
  const before = await storage();
  if (before.count > 0)
    throw new Error(`The server keeps ${before.count} other tables in memory: npm run spark:down, then spark:up.`);
  const peer = values.alone ? null : startPeer();
  const engine = await createSparkEngine({ connect: CONNECT, path, id: "id" });
  let sql = null;
  try {
    const facts = await engine.statistics();
    const cache = await storage();
    console.log(
      `${facts.rows} x ${facts.ranges.length} rows, k = ${k}; ours keeps ${megabytes(cache.memory)} MB, on disk ${megabytes(cache.disk)}`,
    );
    const request = { path, columns: facts.names, k, seed: SEED };
    const start = peer
      ? Float64Array.from((await peer.fit({ ...request, iterations: 0 })).centres.flat())
      : made(facts.ranges.length);
    const [ours, theirs, plain] = [[], [], []];
    for (let turn = 0; turn < turns; turn++) {
      let reached = null;
      if (peer) {
        const found = await fit(peer, { ...request, iterations }, cache.memory);
        theirs.push(...found.own.slice(1));
        reached = found.centres.flat();
        console.log(
          `MLlib: ${seconds(found.own)} s (and ${found.rest.toFixed(1)} s around them); keeps ${megabytes(found.kept.memory)} MB, on disk ${megabytes(found.kept.disk)}`,
        );
      }
      const own = await passes(engine, facts, start, iterations);
      ours.push(...own.cpu.slice(1));
      const apart = reached ? `; centres at most ${farthest(own.centres, reached).toExponential(1)} from MLlib's` : "";
      console.log(`ours (${engine.path}): ${seconds(own.cpu)} s from [${await scanNodes()}]${apart}`);
    }
    if (sqlPasses > 0) {
      sql = await createSparkEngine({ connect: CONNECT, path, id: "id", jar: false });
      const found = await passes(sql, await sql.statistics(), start, sqlPasses);
      plain.push(...found.cpu.slice(1));
      console.log(`ours (${sql.path}): ${seconds(found.cpu)} s from [${await scanNodes()}]`);
    }
    const after = await storage();
    console.log(`kept at the end: ${megabytes(after.memory)} MB, on disk ${megabytes(after.disk)}`);
    const ratio = (of) =>
      `${(median(of) / median(theirs)).toFixed(2)} (least ${(Math.min(...of) / Math.min(...theirs)).toFixed(2)})`;
    console.log(
      `a steady iteration, median: ours ${median(ours).toFixed(2)} s${peer ? `, MLlib ${median(theirs).toFixed(2)} s, ratio ${ratio(ours)}` : ""}`,
    );
    if (plain.length > 0) console.log(`plain SQL: ${median(plain).toFixed(2)} s${peer ? `, ratio ${ratio(plain)}` : ""}`);
  } finally {
    await sql?.close();
    await engine.close();
    await peer?.close();
  }
}

if (values.help || positionals.length !== 1) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else if (!(await isOpen(CONNECT_PORT))) {
  console.error("No Spark Connect server is up: npm run spark:up.");
  process.exitCode = 2;
} else {
  await main(resolve(positionals[0]));
}
