/** `coterie diagnose`: reports contradictions, feasibility and difficulty of a constraint set, and what to drop. */
import { basename } from "node:path";
import {
  type ConstraintSet,
  CoterieError,
  type Diagnosis,
  diagnoseFully,
  type Instances,
  nothingToScore,
} from "@coterie/core/internal";
import { openBytes, readConstraintsAlone } from "@coterie/data";
import { createLpSolver, createSimdKernels } from "@coterie/kernels";
import { everyTurn } from "@coterie/workbench";
import { CONSTRAINT_FLAG, type Command, DATA_FLAGS, type Io } from "../command.js";
import { diagnosisPage, givenLine, type PageFacts, proofLines, verdict } from "../diagnosis-page.js";
import { listOf, numberOf, type Parsed, seedOf, textOf, UsageError, type Values } from "../flags.js";
import { pause } from "../host.js";
import { loadInputs } from "../inputs.js";
import { type Output, openOutputs } from "../outputs/outputs.js";
import { targetsOf } from "../outputs/report-files.js";
import { createProgress } from "../progress.js";
import { commandLine } from "../terminal.js";
import { VERSION } from "../version.js";
import { compareWithout, type WithAndWithout } from "../with-and-without.js";

export const diagnoseCommand: Command = {
  name: "diagnose",
  summary: "Checks a constraint set: contradictions, whether k clusters can satisfy it, how hard it is, what to drop.",
  usage: ["diagnose [DATA] --constraints FILE… [-k K] [--truth COL] [--json] [--html page.html]"],
  flags: [
    {
      name: "k",
      short: "k",
      value: "K",
      kind: "integer",
      description: "number of clusters that the constraints are checked against",
    },
    CONSTRAINT_FLAG,
    { name: "json", description: "print the diagnosis as JSON" },
    { name: "html", value: "FILE", kind: "file", description: "write an HTML page with the conflict graph to FILE" },
    ...DATA_FLAGS,
  ],
  notes: [
    "Without DATA, the constraint files alone name the rows. With DATA, the report also says how informative and coherent the constraints are for these rows. With --truth COL, the table is clustered twice from the same seed, with and without the constraints, and both results are scored.",
    "In the JSON, the number of clusterings is a log10. `exact` has all its digits if it could be counted; otherwise `interval` is a 95% interval, also as log10.",
    "--effort N limits the whole diagnosis, in nodes (default: 400,000, a few seconds). Questions that the limit leaves open are reported as not decided.",
    "The exit code is 0 for every answer, also if no clustering can satisfy the constraints.",
  ],
  examples: [
    { text: "can three clusters satisfy these constraints?", command: "coterie diagnose --constraints known.csv -k 3" },
    {
      text: "do they help?",
      command: "coterie diagnose iris-fisher --truth class --constraints known.csv -k 3",
    },
  ],
  run: diagnoseSet,
};

interface Known {
  readonly constraints: ConstraintSet;
  /** The data, or only the ids of the rows. */
  readonly points?: Instances;
  readonly ids?: Instances["ids"];
  readonly notices: readonly string[];
  /** The notices that were printed while the table was read. */
  readonly printed: readonly string[];
}

async function diagnoseSet({ values, positionals }: Parsed, io: Io): Promise<number> {
  const [data, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(`One table at a time: what is "${rest[0]}"?`);
  if (values.constraints === undefined && (data === undefined || values.exclusive === undefined)) {
    throw new UsageError("Say which constraints: --constraints FILE.");
  }
  if (data === undefined) refuseDataFlags(values);
  const k = numberOf(values, "k", { integer: true, least: 1 });
  const effort = numberOf(values, "effort", { integer: true, least: 1 });
  if (values.truth !== undefined && k === undefined)
    throw new UsageError("To compare with and without them say how many clusters: -k K.");
  const page = textOf(values, "html");
  const reads = [data, ...(listOf(values, "constraints") ?? [])];
  const outputs = openOutputs({ writes: targetsOf(values, ["html"]), reads }, io, values.quiet === true);
  const seed = seedOf(values);
  const known = data === undefined ? await namedAlone(values, io) : await withData(data, values, io);
  const { constraints, points, ids } = known;
  if (points && k !== undefined && k > constraints.n) throw new CoterieError({ code: "k-too-large", k, n: constraints.n });
  const progress = createProgress(io, values.quiet === true);
  const driving = { pause, due: everyTurn(), signal: io.signal, onStep: progress.show };
  const asked = { seed, ...(k === undefined ? {} : { k }), ...(effort === undefined ? {} : { effort }) };
  const about = { ...(points ? { points, kernels: createSimdKernels() } : {}), ...(ids ? { ids } : {}) };
  const work = async () => {
    const solver = await createLpSolver();
    const diagnosis = await diagnoseFully(constraints, { solver, ...asked, ...about }, driving);
    const compared =
      points?.truth && k !== undefined ? await compareWithout(points, constraints, { ...asked, k }, driving) : undefined;
    return { diagnosis, compared };
  };
  const { diagnosis, compared } = await work().finally(progress.clear);
  if (page !== undefined)
    await outputs.write([await pageOutput(page, diagnosis, compared, k, known, namedFiles(data, values), io)]);
  await print(diagnosis, compared, k, known, values, io);
  return 0;
}

async function print(
  diagnosis: Diagnosis,
  compared: WithAndWithout | undefined,
  k: number | undefined,
  { constraints, notices, printed }: Known,
  values: Values,
  io: Io,
): Promise<void> {
  const all = { ...diagnosis, notices: [...notices, ...diagnosis.notices] };
  if (values.json) await io.out(`${JSON.stringify(compared ? { ...all, withAndWithout: compared } : all)}\n`);
  else if (values.html !== "-")
    await io.print(diagnosisPage(diagnosis, { k, constraints, columns: io.columns, ...(compared ? { compared } : {}) }));
  if (values.quiet) return;
  for (const notice of values.json ? notices : all.notices) if (!printed.includes(notice)) io.say(`Note: ${notice}`);
}

/** The files to read: the table, if the line names one, and the constraints. */
function namedFiles(data: string | undefined, values: Values): string[] {
  return [...(data === undefined ? [] : [data]), ...(listOf(values, "constraints") ?? [])];
}

async function pageOutput(
  file: string,
  diagnosis: Diagnosis,
  compared: WithAndWithout | undefined,
  k: number | undefined,
  { constraints, ids, notices }: Known,
  files: readonly string[],
  io: Io,
): Promise<Output> {
  const facts = { k, constraints, columns: io.columns };
  const all = { ...diagnosis, notices: [...notices, ...diagnosis.notices] };
  const { diagnosisHtml } = await import("@coterie/figures");
  const page = diagnosisHtml({
    diagnosis: all,
    constraints,
    title: basename(files[0]!),
    files,
    version: VERSION,
    verdict: verdict(diagnosis, facts),
    proof: proofSentence(diagnosis, facts),
    given: givenLine(diagnosis, facts),
    command: commandLine(),
    ...(k === undefined ? {} : { k }),
    ...(ids ? { ids } : {}),
    ...(compared ? { compared } : {}),
  });
  return { path: file, pieces: [page] };
}

/** One sentence with the groups of rows that prove the constraints infeasible. The page draws a colouring instead of naming it. */
function proofSentence(diagnosis: Diagnosis, facts: PageFacts): string {
  if (diagnosis.proof === null || "colouring" in diagnosis.proof) return "";
  const [head, ...groups] = proofLines(diagnosis, facts);
  return `${head} ${groups.map((line) => line.trim()).join(", ")}.`;
}

function refuseDataFlags(values: Values): void {
  for (const { name } of DATA_FLAGS) {
    if (values[name] !== undefined) throw new UsageError(`--${name} needs a table: coterie diagnose DATA --${name} ….`);
  }
}

async function namedAlone(values: Values, io: Io): Promise<Known> {
  const files = listOf(values, "constraints") ?? [];
  if (files.filter((file) => file === "-").length > 1) throw new UsageError("Standard input can be read only once.");
  const sources = [];
  for (const file of files) sources.push({ file, chunks: (await openBytes(file)).chunks });
  const { set, ids, notices } = await readConstraintsAlone(sources, { signal: io.signal });
  return { constraints: set, ids, notices, printed: [] };
}

async function withData(data: string, values: Values, io: Io): Promise<Known> {
  const progress = createProgress(io, values.quiet === true);
  const { instances, constraints, notices } = await loadInputs(data, values, io, progress).finally(progress.clear);
  const named = { constraints, ...(instances.ids ? { ids: instances.ids } : {}), printed: instances.early };
  const unscored = instances.truth && nothingToScore(instances.truth.codes);
  if (unscored === undefined) return { ...named, points: instances, notices };
  const { truth: _, ...points } = instances;
  return { ...named, points, notices: [...notices, unscored] };
}
