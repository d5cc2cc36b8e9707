/** `coterie diagnose`: reports contradictions, feasibility and difficulty of a constraint set, and what to drop. */

import { basename } from "node:path";
import {
  type ConstraintSet,
  CoterieError,
  closeConstraints,
  countConstraints,
  DIAGNOSIS_EFFORT,
  type Diagnosis,
  diagnoseFully,
  emptyConstraints,
  encodedColumns,
  groupBeyond,
  groupNeeds,
  type InstanceId,
  type Instances,
  nothingToScore,
  type Scores,
  type Step,
  scoresOf,
} from "@coterie/core/internal";
import { openBytes, readConstraintsAlone } from "@coterie/data";
import { counted } from "@coterie/figures/layout";
import { createLpSolver, createSimdKernels } from "@coterie/kernels";
import { advise, everyTurn, type RunHost, run } from "@coterie/workbench";
import { CONSTRAINT_FLAG, type Command, DATA_FLAGS, type Io } from "../command.js";
import { flagList, listOf, numberOf, type Parsed, seedOf, textOf, UsageError, type Values } from "../flags.js";
import { pause } from "../host.js";
import { loadInputs } from "../inputs.js";
import { type Output, openOutputs } from "../outputs/outputs.js";
import { targetsOf } from "../outputs/report-files.js";
import { createProgress } from "../progress.js";
import { commandLine } from "../terminal.js";
import { constraintKinds } from "../text/sizes.js";
import { suspectLines } from "../text/suspects.js";
import { wrap } from "../text/width.js";
import { VERSION } from "../version.js";

export const diagnoseCommand: Command = {
  name: "diagnose",
  summary: "Checks a constraint set: contradictions, whether k clusters can satisfy it, how hard it is, what to drop.",
  usage: ["diagnose [DATA] --constraints FILE… [-k K] [--truth COL] [--json] [--html page.html]"],
  flags: [
    ...flagList({
      "--k, -k K": "number of clusters that the constraints are checked against",
    }),
    CONSTRAINT_FLAG,
    ...flagList({
      "--json": "print the diagnosis as JSON",
      "--html FILE": "write an HTML page with the conflict graph to FILE",
    }),
    ...DATA_FLAGS,
  ],
  notes: [
    "Without DATA, the constraint files alone name the rows. With DATA, the report also says how informative and coherent the constraints are for these rows. With --truth COL, the table is clustered twice from the same seed, with and without the constraints, and both results are scored.",
    "In the JSON, the number of clusterings is a log10. `exact` has all its digits if it could be counted; otherwise `interval` is a 95% interval, also as log10.",
    "--effort N limits the whole diagnosis, in nodes (default: 400,000, a few seconds). Questions that the limit leaves open are reported as not decided.",
    "The exit code is 0 for every answer, also if no clustering can satisfy the constraints.",
  ],
  examples: {
    "can three clusters satisfy these constraints?": "coterie diagnose --constraints known.csv -k 3",
    "do they help?": "coterie diagnose iris-fisher --truth class --constraints known.csv -k 3",
  },
  run: diagnoseSet,
};

interface Known {
  readonly constraints: ConstraintSet;
  readonly points?: Instances;
  readonly ids?: Instances["ids"];
  readonly notices: readonly string[];
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
    throw new UsageError("--truth compares clusterings with and without the constraints: give the number of clusters with -k K.");
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
    const suspects =
      points && k !== undefined && k <= points.n
        ? await suspectsIn(points, constraints, k, { ...driving, kernels: createSimdKernels() })
        : undefined;
    return { diagnosis, compared, suspects };
  };
  const { diagnosis, compared, suspects } = await work().finally(progress.clear);
  if (page !== undefined)
    await outputs.write([await pageOutput(page, diagnosis, compared, k, known, namedFiles(data, values), io)]);
  await print(diagnosis, { compared, suspects }, k, known, values, io);
  return 0;
}

/**
 * With more constraints than this, `diagnose` does not search for suspects, because the search takes too long. `advise` always searches.
 */
const MOST_JUDGED = 5_000;

/** Returns the suspects: constraints that other constraints contradict. */
async function suspectsIn(points: Instances, constraints: ConstraintSet, k: number, host: RunHost): Promise<Suspects> {
  if (countConstraints(constraints) > MOST_JUDGED) return [];
  return (await advise(points, constraints, { k, seed: 0 }, host)).suspects;
}

type Suspects = Awaited<ReturnType<typeof advise>>["suspects"];

async function print(
  diagnosis: Diagnosis,
  { compared, suspects }: { compared: WithAndWithout | undefined; suspects: Suspects | undefined },
  k: number | undefined,
  { constraints, notices, printed }: Known,
  values: Values,
  io: Io,
): Promise<void> {
  const all = { ...diagnosis, notices: [...notices, ...diagnosis.notices] };
  if (values.json)
    await io.out(
      `${JSON.stringify({ ...all, ...(compared ? { withAndWithout: compared } : {}), ...(suspects ? { suspects } : {}) })}\n`,
    );
  else if (values.html !== "-")
    await io.print(
      diagnosisPage(diagnosis, { k, constraints, columns: io.columns, suspects, ...(compared ? { compared } : {}) }),
    );
  if (values.quiet) return;
  for (const notice of values.json ? notices : all.notices) if (!printed.includes(notice)) io.say(`Note: ${notice}`);
}

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

/* Writes a diagnosis as text: the verdict, its proof, what to do, and the rows that are hardest to place. */

interface PageFacts {
  readonly k: number | undefined;
  readonly constraints: ConstraintSet;
  readonly columns: number;
  readonly compared?: WithAndWithout;
  readonly suspects?: Suspects | undefined;
}

const MOST_LINES = 8;
const MOST_ROWS = 4;

function diagnosisPage(diagnosis: Diagnosis, facts: PageFacts): string[] {
  const said = verdict(diagnosis, facts);
  const sections = [
    [said, ...proofLines(diagnosis, facts)],
    contradictionLines(diagnosis),
    relativeLines(diagnosis),
    [givenLine(diagnosis, facts), ...hardnessLines(diagnosis, facts)],
    comparedLines(facts),
    titled(
      "Advice",
      diagnosis.advice.filter((sentence) => !said.includes(sentence)).map((sentence) => `- ${sentence}`),
    ),
    pointLines(diagnosis),
    suspectLines(facts.suspects ?? [], facts.columns).slice(1),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.flatMap((line) => wrapped(line, facts.columns)))
    .flatMap((lines, i) => (i > 0 ? ["", ...lines] : lines));
}

function wrapped(line: string, columns: number): string[] {
  if (line.startsWith("  ")) return [line];
  const lines = wrap(line, Math.max(40, Math.min(columns, 110)) - 2);
  return line.startsWith("- ") ? lines.map((part, i) => (i === 0 ? part : `  ${part}`)) : lines;
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}

function verdict({ contradictions, feasible, chromaticNumber }: Diagnosis, { k, constraints }: PageFacts): string {
  if (contradictions.length > 0) {
    const count = contradictions.length;
    return `No clustering can hold these constraints: ${count === 1 ? "one of them contradicts" : `${count} of them contradict`} the must-links.`;
  }
  const { lower, upper } = chromaticNumber!;
  if (k === undefined) {
    if (upper <= 1) return "The constraints do not contradict each other, and any number of clusters can hold them.";
    return `The constraints do not contradict each other. They need ${lower === upper ? `at least ${upper}` : `between ${lower} and ${upper}`} clusters.`;
  }
  if (feasible === true) return `Yes: ${clusters(k)} can hold all of these constraints.`;
  if (feasible === false) {
    const group = groupBeyond(constraints, k);
    return `No: ${clusters(k)} cannot hold these constraints${group ? `: ${groupNeeds(group)}` : "."}`;
  }
  return `Not decided: whether ${clusters(k)} can hold these constraints took more effort than was allowed (--effort). ${upper} can.`;
}

function clusters(k: number): string {
  return `${k} cluster${k === 1 ? "" : "s"}`;
}

function group(ids: readonly InstanceId[]): string {
  return `{${ids.slice(0, MOST_ROWS).join(", ")}${ids.length > MOST_ROWS ? `, … ${ids.length} rows` : ""}}`;
}

function proofLines({ proof, chromaticNumber }: Diagnosis, { k }: PageFacts): string[] {
  if (proof === null) return [];
  if (!("core" in proof)) {
    const { lower, upper } = chromaticNumber!;
    if (upper === 0) return [];
    const fewer = upper < k! ? `Even ${clusters(upper)} can hold them.` : lower === k ? "Fewer clusters cannot." : "";
    return [`The JSON has such a clustering (--json: proof). ${fewer}`.trimEnd()];
  }
  const { core } = proof;
  const shown = core.slice(0, MOST_LINES).map((ids) => `  ${group(ids)}`);
  const more = core.length > MOST_LINES ? [`  … and ${core.length - MOST_LINES} more`] : [];
  // These groups cannot be coloured with k colours. If there are only k + 1 groups, each pair of them must be apart.
  const head =
    core.length === k! + 1
      ? `These ${core.length} groups of rows must all be apart from each other:`
      : `These ${core.length} groups of rows alone, with the cannot-links between them, already need more than ${k}:`;
  return [head, ...shown, ...more];
}

function contradictionLines({ contradictions }: Diagnosis): string[] {
  const lines = contradictions.slice(0, MOST_LINES).map(({ cannotLink: [a, b], path }) => {
    const chain = path.length > 12 ? [...path.slice(0, 6), "…", ...path.slice(-5)] : path;
    return `- ${a} and ${b} are kept apart, yet must-links join them${chain.length > 0 ? `: ${chain.join(" – ")}` : ""}.`;
  });
  if (contradictions.length > MOST_LINES) lines.push(`- … and ${contradictions.length - MOST_LINES} more (--json lists them).`);
  return titled("What contradicts what", lines);
}

function relativeLines({ relative }: Diagnosis): string[] {
  if (relative?.conflict == null) return [];
  const lines = relative.conflict.constraints.map(([a, b, c]) => `  ${a}, ${b} | ${c}`);
  return [`These ${lines.length} relative constraints cannot all hold:`, ...lines.slice(0, MOST_LINES)];
}

function givenLine({ components, graph }: Diagnosis, { constraints }: PageFacts): string {
  const parts = countConstraints(constraints) === 0 ? "The set is empty" : `Given: ${constraintKinds(constraints).join(", ")}`;
  const joined = components.length > 0 ? `; must-links join rows into ${counted(components.length, "group")}` : "";
  const apart =
    graph && graph.vertices > 0
      ? `; ${counted(graph.vertices, "group or row", "groups or rows")} in ${counted(graph.edges, "pair")} are kept apart, each from at most ${graph.maxDegree.toLocaleString("en")}`
      : "";
  return `${parts}${joined}${apart}.`;
}

function hardnessLines(
  { graph, chromaticNumber, fractionalChromaticNumber, feasibleClusterings, ...more }: Diagnosis,
  { k }: PageFacts,
): string[] {
  const lines: string[] = [];
  if (graph && graph.vertices > 0 && chromaticNumber) {
    const { lower, upper } = chromaticNumber;
    const whole = lower === upper ? upper.toLocaleString("en") : `between ${lower} and ${upper}`;
    const number = fractionalChromaticNumber;
    const spread =
      number === null
        ? ""
        : number.value === null
          ? ` (fractional chromatic number between ${number.lower!.toFixed(3)} and ${number.upper!.toFixed(3)})`
          : ` (fractional chromatic number ${short(number.value, number.fraction)})`;
    lines.push(`Clusters needed: ${whole}${spread}.`);
  }
  if (feasibleClusterings) lines.push(countLine(feasibleClusterings, k!));
  const { informativeness, coherence } = more;
  if (informativeness !== null)
    lines.push(
      `Informativeness ${informativeness.toFixed(2)}: the share of the constraints that k-means breaks when it does not know them.`,
    );
  if (coherence !== null)
    lines.push(
      `Coherence ${coherence.toFixed(2)}: the share of pairs of a must-link and a cannot-link that do not pull against each other.`,
    );
  return lines;
}

function short(value: number, fraction: string | null): string {
  if (fraction === null) return value.toFixed(4);
  return fraction.includes("/") ? `${fraction} = ${Number(value.toFixed(4))}` : value.toLocaleString("en");
}

function countLine({ atMostK }: NonNullable<Diagnosis["feasibleClusterings"]>, k: number): string {
  const { log10, exact, interval } = atMostK;
  const what = `clusterings of the rows kept apart into at most ${clusters(k)} remain`;
  if (exact === "1") return `One clustering of the rows kept apart into at most ${clusters(k)} remains.`;
  if (exact !== null && exact.length <= 12) return `${Number(exact).toLocaleString("en")} ${what}.`;
  if (log10 === null) return "The number of clusterings that remain possible could not be counted.";
  const about =
    exact === null
      ? interval
        ? ` (95% interval: 10^${interval[0].toFixed(2)} to 10^${interval[1].toFixed(2)})`
        : " (a rough estimate)"
      : "";
  return `About 10^${log10.toFixed(1)} ${what}${about}.`;
}

function comparedLines({ compared }: PageFacts): string[] {
  if (!compared) return [];
  const row = (name: string, key: "adjustedRand" | "rand" | "constrainedRand"): string =>
    `  ${name.padEnd(18)} ${compared.without[key].toFixed(4).padStart(8)} ${compared.with[key].toFixed(4).padStart(8)}`;
  const said = Math.abs(compared.gain) < 0.0005 ? "They make no difference" : compared.gain > 0 ? "They help" : "They hurt";
  return [
    `${said} with ${compared.algorithm} (seed ${compared.seed}), against the known classes:`,
    `  ${"".padEnd(18)} ${"without".padStart(8)} ${"with".padStart(8)}`,
    row("adjusted Rand", "adjustedRand"),
    row("Rand", "rand"),
    row("constrained Rand", "constrainedRand"),
  ];
}

function pointLines({ points, components }: Diagnosis): string[] {
  if (points.length === 0) return [];
  const groupOf = new Map(components.flatMap(({ members }, c) => members.map((id) => [id, c] as const)));
  const seen = new Set<number>();
  const first = points.filter(({ id }) => {
    const c = groupOf.get(id);
    if (c === undefined) return true;
    if (seen.has(c)) return false;
    seen.add(c);
    return true;
  });
  const shown = first.slice(0, MOST_LINES);
  const names = shown.map(({ id }) => (groupOf.has(id) ? group(components[groupOf.get(id)!]!.members) : String(id)));
  const width = Math.max(3, ...names.map((name) => name.length));
  const rows = shown.map(
    ({ degree, independentSets, dualPrice }, i) =>
      `  ${names[i]!.padEnd(width)}  ${String(degree).padStart(10)}  ${String(independentSets ?? "").padStart(4)}  ${(dualPrice === null ? "" : dualPrice.toFixed(3)).padStart(6)}`,
  );
  const more = first.length > shown.length ? [`  … and ${first.length - shown.length} more`] : [];
  return [
    "Hardest to place: rows in few independent sets, or with a high dual price, fit into few clusters",
    `  ${"".padEnd(width)}  ${"kept apart".padStart(10)}  ${"sets".padStart(4)}  ${"price".padStart(6)}`,
    ...rows,
    ...more,
  ];
}

/* Measures whether constraints help: runs a method with and without them, with the same seed (Davidson 2012, table 1). */

interface WithAndWithout {
  readonly algorithm: string;
  readonly seed: number;
  readonly without: Scores;
  readonly with: Scores;
  /** Adjusted Rand index with the constraints minus the index without them. */
  readonly gain: number;
}

/** The method that runs with and without the constraints. It accepts any constraint set, even a contradictory one. */
const ALGORITHM = "pck-means";

interface CompareOptions {
  readonly k: number;
  readonly seed: number;
  readonly effort?: number;
}

/** PRODUCTS_PER_NODE converts the effort limit from search nodes to products. One iteration takes rows × columns × clusters products. */
const PRODUCTS_PER_NODE = 8_000;
const PRODUCTS_PER_CONSTRAINT = 2_000;
const MOST_RESTARTS = 10;
const MOST_ITERATIONS = 100;
const ITERATIONS_PER_START = 20;

/** The options of both runs. The numbers of starts and iterations use the effort limit, and are at least 1. */
function settings(
  points: Instances,
  { mustLinks, cannotLinks, labels }: ConstraintSet,
  { k, effort = DIAGNOSIS_EFFORT }: CompareOptions,
): Record<string, number> {
  const count = mustLinks.a.length + cannotLinks.a.length + labels.row.length;
  const products = points.n * encodedColumns(points).length * k + PRODUCTS_PER_CONSTRAINT * count;
  const iterations = (PRODUCTS_PER_NODE * effort) / (2 * Math.max(1, products));
  const restarts = Math.min(MOST_RESTARTS, Math.max(1, Math.floor(iterations / ITERATIONS_PER_START)));
  return { k, restarts, maxIterations: Math.min(MOST_ITERATIONS, Math.max(1, Math.floor(iterations / restarts))) };
}

async function compareWithout(
  points: Instances,
  constraints: ConstraintSet,
  options: CompareOptions,
  driving: Pick<RunHost, "pause" | "signal" | "onStep">,
): Promise<WithAndWithout> {
  // The closure gives the pairs of rows that the constraints decide. The scores of both runs leave out these pairs.
  const closure = closeConstraints(constraints);
  const kernels = createSimdKernels();
  const { seed } = options;
  const spec = { algorithm: ALGORITHM, seed, options: settings(points, constraints, options) };
  const scored = async (set: ConstraintSet, which: string): Promise<Scores> => {
    const onStep = (step: Step): void => driving.onStep?.({ ...step, phase: `${ALGORITHM} ${which} them: ${step.phase}` });
    const { result } = await run(points, set, spec, { ...driving, kernels, onStep });
    return scoresOf(result.labels, points.truth!.codes, closure);
  };
  const without = await scored(emptyConstraints(points.n), "without");
  const given = await scored(constraints, "with");
  return { algorithm: ALGORITHM, seed, without, with: given, gain: given.adjustedRand - without.adjustedRand };
}
