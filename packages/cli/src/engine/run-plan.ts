/** Runs a method of the k-means family on an engine, exactly, as a plan of passes over the rows. */
import { badInput, USUAL_STARTS } from "@coterie/core/internal";
import { type PlanOptions, planSteps, scaleNotice } from "@coterie/core/scale";
import { readTable } from "@coterie/data";
import type { Io } from "../command.js";
import { textOf } from "../flags.js";
import { tableOptions } from "../inputs.js";
import type { Progress } from "../progress.js";
import { scaleOf } from "./engine-flags.js";
import type { EngineLine } from "./engine-line.js";
import { type EngineRun, numbering, planFound } from "./engine-report.js";
import type { OpenEngine } from "./open-engine.js";
import { constraintsOf, type Given } from "./read-constraints.js";

export const PLAN_OPTIONS = ["k", "init", "restarts", "maxIterations", "tolerance", "costs", "metrics", "matrix", "effort"];

export async function runPlan(line: EngineLine, open: OpenEngine, io: Io, progress: Progress, asked?: Given): Promise<EngineRun> {
  const { values, method, options, seed } = line;
  const { drivePlan, fingerprintOf, openCheckpoint } = await import("@coterie/engines");
  const { engine } = open;
  const given = asked ?? (await constraintsOf(values, open, io));
  const folder = textOf(values, "checkpoint");
  const checkpoint = folder === undefined ? undefined : openCheckpoint(folder);
  const kept = values.resume ? checkpoint!.read() : undefined;
  const planned = {
    ...options,
    ...(line.centres === undefined ? {} : { init: await centresFrom(line, io) }),
  } as unknown as PlanOptions;
  const scale = scaleOf(values);
  const notices: string[] = [];
  const input = { method: method.name, options: planned, constraints: given.set, ids: given.ids, seed, scale };
  const started = performance.now();
  let fingerprint = "";
  const { outcome, facts } = await drivePlan(planSteps({ ...input, from: kept?.state }), engine, {
    signal: io.signal,
    onStep: progress.show,
    onStatistics(statistics) {
      if (scale === "auto") notices.push(scaleNotice(statistics.ranges));
      fingerprint = fingerprintOf(input, statistics);
      if (kept && kept.fingerprint !== fingerprint) {
        throw badInput("This state belongs to another run.", {
          file: checkpoint!.folder,
          remedy: "Give the same data, constraints, options and seed, or leave --resume out.",
        });
      }
    },
    keep:
      checkpoint &&
      (async (state) => {
        await checkpoint.keep(state, fingerprint);
        if (!io.written.includes(checkpoint.file)) io.written.push(checkpoint.file);
      }),
  });
  progress.clear();
  const labelled = await engine.labelled();
  const truth = await open.classes();
  const resumed = kept ? [`The run continued after iteration ${kept.state.iteration}.`] : [];
  const { order } = labelled;
  const numbers = numbering(order, outcome.centres.length);
  return {
    ...input,
    options,
    rows: outcome.rows,
    names: outcome.names,
    idColumn: open.idColumn,
    ...(open.notations ? { notations: open.notations } : {}),
    numbers,
    sizes: order.map((c) => outcome.sizes[c]!),
    noise: 0,
    placed: outcome.placed.map((label) => numbers[label]!),
    found: planFound(outcome, order),
    labelled,
    facts,
    notices: [...open.notices, ...given.notices, ...notices, ...oneStart(line), ...resumed, ...outcome.notices],
    truth,
    timings: { clustering: performance.now() - started },
    out: textOf(values, "out"),
  };
}

/** A notice that the engine made only one start. Runs without an engine make several starts. */
function oneStart({ method, options: { restarts, init } }: EngineLine): string[] {
  if (restarts !== undefined || init !== undefined || method.starts === undefined) return [];
  return [`The engine made one start; a run without --engine makes ${USUAL_STARTS} (--restarts N sets the number).`];
}

async function centresFrom({ centres, values }: EngineLine, io: Io): Promise<number[][]> {
  const { features } = tableOptions(values);
  const table = await readTable(centres!, { scale: "none", ...(features ? { features } : {}), signal: io.signal });
  const { n, d, x } = table;
  return Array.from({ length: n }, (_, c) => [...x.subarray(c * d, (c + 1) * d)]);
}
