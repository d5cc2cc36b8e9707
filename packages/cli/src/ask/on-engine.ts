/**
 * `coterie ask` for rows that an engine holds. Questions are about a few thousand candidate rows; the answers constrain all rows.
 *
 * Candidates are the sample rows nearest to the centres of micro-clusters, some further sample rows, and all rows that constraints name.
 * They form a table in memory, so the time for a question does not depend on the size of the full table. At the end, the engine clusters
 * all rows under the answers.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  emptyConstraints,
  type InstanceId,
  methodNamed,
  type QuestionCounts,
  type Report,
  titleOf,
} from "@coterie/core/internal";
import { type CoreGround, coreGround } from "@coterie/core/scale";
import { csvCell } from "@coterie/data";
import { run } from "@coterie/workbench";
import type { Io } from "../command.js";
import { chosenEngine, ENGINE_FLAGS, refuseUnable } from "../engine/engine-flags.js";
import { engineReport } from "../engine/engine-report.js";
import { openEngine } from "../engine/open-engine.js";
import { constraintsOf } from "../engine/read-constraints.js";
import { engineSummary, outputsOf } from "../engine/run-on-engine.js";
import { runPlan } from "../engine/run-plan.js";
import { textOf, UsageError, type Values, workersOf } from "../flags.js";
import { createHost } from "../host.js";
import type { Inputs } from "../inputs.js";
import type { Output, Target } from "../outputs/outputs.js";
import { createProgress, type Progress } from "../progress.js";
import type { AskRequest } from "./request.js";

const OWN = ["engine", "connect", "table", "memory"];
export const ASK_ENGINE_FLAGS = ENGINE_FLAGS.filter(({ name }) => OWN.includes(name));

/**
 * Numbers of rows.
 * - SAMPLE: rows drawn from the engine.
 * - NEAREST: candidates nearest to the centres of micro-clusters.
 * - PLAIN: further candidates, taken from the start of the sample.
 */
const SAMPLE = 10_000;
const NEAREST = 600;
const PLAIN = 400;
const TURNS = 5;

/** A table whose rows are in an engine, not in memory. */
export interface Rows {
  candidates(request: AskRequest, io: Io, progress: Progress): Promise<{ readonly file: string; readonly values: Values }>;
  readonly engine: Awaited<ReturnType<typeof openEngine>>;
  readonly name: "duckdb" | "spark";
  close(): Promise<void>;
}

/** Opens the engine that the command line names; null if the table is read into memory instead. */
export async function openRows(values: Values, data: string | undefined, io: Io): Promise<Rows | null> {
  const chosen = await chosenEngine({ ...values, resume: undefined }, data, values.distances === undefined);
  if (!chosen || chosen.name === "memory") return null;
  const { name, why } = chosen;
  refuseUnable(values, ["budget", "strategy"]);
  if (values.show !== undefined)
    throw new UsageError("--show does not work on an engine: make the columns features, or ask without --engine.");
  if (why && !values.quiet) io.say(`Note: ${why}`);
  const progress = createProgress(io, values.quiet === true);
  const engine = await openEngine({ name, data, values }, io, progress);
  const folder = mkdtempSync(join(tmpdir(), "coterie-candidates-"));
  return {
    name,
    engine,
    async candidates(request, io, progress) {
      if (request.strategy.asks === "triplet")
        throw new UsageError(
          "On an engine, questions are about pairs of rows: leave out --relative, and strategies that ask about three rows.",
        );
      if (request.k === undefined) throw new UsageError("On an engine, the number of clusters is needed: -k K.");
      const file = join(folder, "candidates.csv");
      const id = await writeCandidates(file, engine, request, io, progress);
      const { features: _, ignore: __, missing: ___, delimiter: ____, decimal: _____, ...rest } = request.values;
      return { file, values: { ...rest, id } };
    },
    async close() {
      progress.clear();
      rmSync(folder, { recursive: true, force: true });
      await engine.engine.close();
    },
  };
}

async function writeCandidates(
  file: string,
  open: Rows["engine"],
  { values, seed }: AskRequest,
  io: Io,
  progress: Progress,
): Promise<string> {
  const { drivePlan } = await import("@coterie/engines");
  const given = await constraintsOf(values, open, io);
  const input = {
    method: "recon",
    constraints: given.set,
    ids: given.ids,
    seed,
    scale: "none",
    microClusters: SAMPLE / 20,
  } as const;
  const { outcome: ground } = await drivePlan(coreGround(input), open.engine, { signal: io.signal, onStep: progress.show });
  const { sample, constrained, statistics } = ground;
  const near = await nearestRows(ground, seed, workersOf(values), io, progress);
  const rows = [...new Set([...near, ...Array.from({ length: Math.min(PLAIN, sample.n) }, (_, i) => i)])].sort((a, b) => a - b);
  const d = statistics.names.length;
  const truth = textOf(values, "truth");
  const id = open.idColumn ?? freeName("row", statistics.names);
  const cells = (name: InstanceId, x: Float64Array, i: number, known: string | null | undefined): string =>
    [name, ...x.subarray(i * d, (i + 1) * d), ...(truth === undefined ? [] : [known ?? ""])]
      .map((cell) => csvCell(String(cell)))
      .join(",");
  const classes = new Map(sample.ids!.map((name, i) => [String(name), sample.classes?.[i]]));
  const seen = new Set(given.ids.map(String));
  const lines = [
    [id, ...statistics.names, ...(truth === undefined ? [] : [truth])].map(csvCell).join(","),
    ...given.ids.map((name, i) => cells(name, constrained.x, i, classes.get(String(name)))),
    ...rows.filter((i) => !seen.has(String(sample.ids![i]))).map((i) => cells(sample.ids![i]!, sample.x, i, sample.classes?.[i])),
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  return id;
}

function freeName(name: string, taken: readonly string[]): string {
  return taken.includes(name) ? freeName(`${name}_`, taken) : name;
}

/**
 * Clusters the sample into NEAREST micro-clusters by k-means, and returns the row nearest to each centre. Columns are divided by their
 * ranges, so that they have equal influence.
 */
async function nearestRows(
  { sample, statistics }: CoreGround,
  seed: number,
  workers: number | undefined,
  io: Io,
  progress: Progress,
): Promise<number[]> {
  const { n } = sample;
  if (n <= NEAREST) return Array.from({ length: n }, (_, i) => i);
  const { ranges } = statistics;
  const d = ranges.length;
  const x = sample.x.map((value, p) => value / (ranges[p % d]!.most - ranges[p % d]!.least || 1));
  const { host, close } = await createHost(n, workers);
  try {
    const options = { k: NEAREST, restarts: 1, maxIterations: TURNS };
    const watched = { ...host, signal: io.signal, onStep: progress.show };
    const { result } = await run({ n, d, x }, emptyConstraints(n), { algorithm: "kmeans", options, seed }, watched);
    progress.clear();
    const nearest = new Map<number, { readonly row: number; readonly square: number }>();
    result.labels.forEach((c, row) => {
      let square = 0;
      for (let j = 0; j < d; j++) square += (x[row * d + j]! - result.centres![c]![j]!) ** 2;
      if (square < (nearest.get(c)?.square ?? Infinity)) nearest.set(c, { row, square });
    });
    return [...nearest.values()].map(({ row }) => row);
  } finally {
    await close();
  }
}

export interface AskedElsewhere {
  readonly values: Values;
  readonly data: string | undefined;
  readonly targets: readonly Target[];
  readonly request: AskRequest;
  readonly known: Inputs;
  readonly questions: QuestionCounts;
  readonly notices: readonly string[];
  readonly timings: Readonly<Record<string, number>>;
}

export async function reportElsewhere(
  { engine, name }: Rows,
  { values, data, targets, request, known, questions, notices, timings }: AskedElsewhere,
  io: Io,
  progress: Progress,
): Promise<{ report: Report; outputs: Output[]; summary: (given: number) => string[] }> {
  const method = methodNamed("pck-means");
  const options = { k: request.k! };
  const { instances, constraints: set } = known;
  const about = `The questions were about ${instances.n.toLocaleString("en")} of the rows; all rows were clustered by ${titleOf(method, options)} under the answers.`;
  // In `ask`, `--resume` means to continue the dialogue. For the engine, it would mean to continue a run, so it is removed.
  const line = {
    name,
    data,
    values: { ...values, resume: undefined },
    method,
    options,
    seed: request.seed,
    centres: undefined,
    targets,
  };
  const ids = engine.idColumn === undefined ? instances.ids!.map(Number) : instances.ids!;
  const given = { set, ids, notices: [...notices, about] };
  const asked = await runPlan(line, engine, io, progress, given);
  const whole = engineReport({ ...asked, timings: { ...timings, ...asked.timings } });
  const report = { ...whole, questions };
  const summary = (count: number): string[] => engineSummary(report, titleOf(method, options), count, io.columns);
  return { report, outputs: await outputsOf(report, asked, values, io), summary };
}
