/** What `coterie serve --stdio` computes for each request: the work of the commands, with tables and labels as arrays. */
import { availableParallelism } from "node:os";
import {
  badInput,
  badOption,
  CoterieError,
  catalogue,
  defaultMethod,
  diagnoseFully,
  drive,
  explainSteps,
  findStrategy,
  type Instances,
  internalScoreSteps,
  loadModel,
  type MissingRule,
  memoryOf,
  methodNamed,
  modelOf,
  needsK,
  predictSteps,
  type Report,
  rangeOf,
  rowValues,
  type Step,
  saveModel,
  scoredBoth,
  strategies,
  takesK,
  violationsOf,
  z,
} from "@coterie/core/internal";
import {
  openBytes,
  type ReadTableOptions,
  readConstraintsAlone,
  readConstraints as readKnown,
  type TableInstances,
} from "@coterie/data";
import { createLpSolver, createSimdKernels } from "@coterie/kernels";
import {
  advise as adviseOn,
  clusterWords,
  everyTurn,
  fewerStarts,
  internalScores,
  type Run,
  type RunHost,
  reportOf,
  run,
  shortRules,
  startsNotice,
  violationsInIds,
} from "@coterie/workbench";
import { createHost, pause } from "../host.js";
import { rowsForModel } from "../model-rows.js";
import { VERSION } from "../version.js";
import { SentArray } from "./frames.js";
import { intsOf, type RequestName, type RequestOf } from "./requests.js";
import { constraintsIn, instancesIn, type Known } from "./tables.js";

/** Cancellation and progress of one request. */
export interface Watched {
  readonly signal: AbortSignal;
  readonly onStep: (step: Step) => void;
}

export type Reply = Readonly<Record<string, unknown>>;
type Answer<Name extends RequestName> = (request: RequestOf<Name>, watched: Watched) => Promise<Reply>;

function driving({ signal, onStep }: Watched) {
  return { pause, due: everyTurn(), signal, onStep };
}

/** Runs work with kernels and threads for a table, as the commands do. */
async function onHost<R>(
  instances: Instances,
  workers: number | undefined,
  watched: Watched,
  work: (host: RunHost) => Promise<R>,
): Promise<R> {
  const { host, close } = await createHost(instances.n, workers ?? availableParallelism(), memoryOf(rowValues(instances)));
  try {
    return await work({ ...host, ...watched });
  } finally {
    await close();
  }
}

const hello: Answer<"hello"> = async () => ({
  version: VERSION,
  protocol: 1,
  methods: catalogue.map((method) => ({
    name: method.name,
    title: method.title,
    summary: method.summary,
    paper: method.paper,
    family: method.family,
    needsK: needsK(method),
    takesK: takesK(method),
    weighsRows: method.weighsRows === true,
    options: z.toJSONSchema(method.options, { io: "input" }),
  })),
  strategies: strategies.map(({ name, title, summary, paper, needsK, findsK, asks, options }) => ({
    ...{ name, title, summary, paper, needsK, findsK: findsK === true, asks },
    options: z.toJSONSchema(options, { io: "input" }),
  })),
});

const cluster: Answer<"cluster"> = async (request, watched) => {
  const started = performance.now();
  const named = request.algorithm === undefined ? undefined : methodNamed(request.algorithm);
  const forCells = named?.family === "pairs" ? { forCells: true as const } : {};
  const instances = await instancesIn(request.table, { ...request.reading, ...forCells, signal: watched.signal });
  const known = await constraintsIn(request.constraints, instances, watched.signal);
  const { report, done, model } = await clusterRows(instances, known, request, performance.now() - started, watched);
  return { ...arraysOf(report, done, instances), ...(model === undefined ? {} : { model }) };
};

export type ClusterWish = Pick<RequestOf<"cluster">, "algorithm" | "options" | "seed" | "internal" | "model" | "workers"> & {
  readonly reading: Pick<RequestOf<"cluster">["reading"], "missing">;
};

/** Clusters rows as `coterie cluster` does. `loading`: milliseconds that reading the table took, for the report. */
export async function clusterRows(
  instances: TableInstances,
  known: Known,
  wish: ClusterWish,
  loading: number,
  watched: Watched,
): Promise<{ readonly report: Report; readonly done: Run; readonly model: string | undefined }> {
  const method = methodNamed(wish.algorithm ?? defaultMethod(known.set));
  const range = rangeOf(wish.options);
  const canStart = !Array.isArray(wish.options.init) && "restarts" in (propertiesOf(method.options) ?? {});
  const starts = range ? undefined : fewerStarts(wish.options, canStart);
  const spec = {
    algorithm: method.name,
    options: starts === undefined ? wish.options : { ...wish.options, restarts: starts },
    seed: wish.seed,
    ...(range ? { choose: { from: range[0], to: range[1] } } : {}),
  };
  const startNotices = starts === undefined ? [] : [startsNotice(starts, Number(wish.options.k))];
  return await onHost(instances, wish.workers, watched, async (host) => {
    const begun = performance.now();
    const done = await run(instances, known.set, spec, host);
    const clustering = performance.now() - begun;
    const report = reportOf(done, {
      version: VERSION,
      points: done.points,
      internal: wish.internal ? await internalScores(done, host) : null,
      ...(await clusterWords(done, host)),
      constraints: known.set,
      rows: instances.rows,
      total: instances.total,
      notices: [...instances.notices, ...known.notices, ...startNotices],
      dominance: instances.dominance,
      timings: { loading, clustering },
    });
    const model = wish.model && needsK(method) ? await modelFrom(done, instances, host, wish.reading.missing) : undefined;
    return { report, done, model };
  });
}

function propertiesOf(schema: z.core.$ZodType): Readonly<Record<string, unknown>> | undefined {
  return (z.toJSONSchema(schema, { io: "input" }) as { properties?: Record<string, unknown> }).properties;
}

async function modelFrom(
  { spec, result, points }: Run,
  instances: TableInstances,
  { kernels }: RunHost,
  missing: MissingRule = "auto",
): Promise<string> {
  const { fills, sources, reduction, file } = instances;
  const facts = { version: VERSION, missing, fills, sources, reduction, file, kernels };
  return saveModel(modelOf(points, result, { ...spec, ...facts, sha256: await instances.contentHash() }));
}

/** Labels, probabilities, centres and merges as arrays; the other parts of the report as JSON. Rows that were left out have label -1. */
export function arraysOf(report: Report, { result }: Pick<Run, "result">, { rows, total }: TableInstances): Reply {
  const { labels, probabilities: _, centres, merges, ...rest } = report;
  const k = result.k;
  return {
    labels: Int32Array.from(labels, (label) => label ?? -1),
    ...(rows.length < total ? { rows } : {}),
    ...(result.probabilities ? { probabilities: spread(result.probabilities, k, rows, total) } : {}),
    ...(centres ? { centres: matrixOf(centres) } : {}),
    ...(merges ? { merges: matrixOf(merges.map((merge) => merge.map((value) => value ?? Number.NaN))) } : {}),
    report: rest,
  };
}

function spread(values: Float64Array, width: number, rows: Int32Array, total: number): SentArray {
  if (rows.length === total) return new SentArray(values, [total, width]);
  const all = new Float64Array(total * width).fill(Number.NaN);
  rows.forEach((row, i) => {
    all.set(values.subarray(i * width, (i + 1) * width), row * width);
  });
  return new SentArray(all, [total, width]);
}

function matrixOf(rows: readonly (readonly number[])[]): SentArray {
  return new SentArray(Float64Array.from(rows.flat()), [rows.length, rows[0]?.length ?? 0]);
}

const predict: Answer<"predict"> = async (request, watched) => {
  const model = loadModel(request.model);
  const { signal } = watched;
  const instances = await rowsForModel(model, request.reading as ReadTableOptions, (options) =>
    instancesIn(request.table, { ...options, signal }),
  );
  const kernels = createSimdKernels();
  const probabilities = "gaussians" in model.rule;
  const options = { kernels, file: instances.file, distances: request.distances, probabilities };
  const found = await drive(predictSteps(model, instances, options), driving(watched));
  const labels = new Int32Array(instances.total).fill(-1);
  found.labels.forEach((label, i) => {
    labels[instances.rows[i]!] = label;
  });
  const { rows, total } = instances;
  return {
    labels,
    sizes: found.sizes,
    unseen: found.unseen,
    notices: [...instances.notices, ...found.notices],
    ...(found.distances ? { distances: spread(found.distances, model.k, rows, total) } : {}),
    ...(found.probabilities ? { probabilities: spread(found.probabilities, model.k, rows, total) } : {}),
  };
};

const diagnose: Answer<"diagnose"> = async (request, watched) => {
  const { table, n, k, effort, seed } = request;
  const instances = table && (await instancesIn(table, { ...request.reading, signal: watched.signal }));
  const rows = instances ?? (n === undefined ? undefined : { n });
  const known = rows ? await constraintsIn(request.constraints, rows, watched.signal) : await alone(request, watched.signal);
  if (instances && k !== undefined && k > instances.n) throw new CoterieError({ code: "k-too-large", k, n: instances.n });
  const asked = { seed, ...(k === undefined ? {} : { k }), ...(effort === undefined ? {} : { effort }) };
  const ids = instances?.ids ?? known.ids;
  const about = { ...(instances ? { points: instances, kernels: createSimdKernels() } : {}), ...(ids ? { ids } : {}) };
  const solver = await createLpSolver();
  const diagnosis = await diagnoseFully(known.set, { solver, ...asked, ...about }, driving(watched));
  return { diagnosis: { ...diagnosis, notices: [...(instances?.notices ?? []), ...known.notices, ...diagnosis.notices] } };
};

/** Constraints from files alone, which name the rows. */
async function alone({ constraints: { files = [] } }: RequestOf<"diagnose">, signal: AbortSignal): Promise<Known> {
  if (files.length === 0) throw badInput("Give the table, or the number of rows (n), or files with constraints.");
  const sources = [];
  for (const file of files) sources.push({ file, chunks: (await openBytes(file)).chunks });
  return await readConstraintsAlone(sources, { signal });
}

const advise: Answer<"advise"> = async (request, watched) => {
  const { k, seed, algorithms } = request;
  const instances = await instancesIn(request.table, { ...request.reading, signal: watched.signal });
  const known = await constraintsIn(request.constraints, instances, watched.signal);
  if (k > instances.n) throw new CoterieError({ code: "k-too-large", k, n: instances.n });
  for (const name of algorithms ?? [])
    if (!takesK(methodNamed(name))) throw badOption("algorithms", name, "methods that take the number of clusters");
  const advice = await onHost(instances, request.workers, watched, (host) =>
    adviseOn(instances, known.set, { k, seed, algorithms }, host),
  );
  return { advice, notices: [...instances.notices, ...known.notices] };
};

const explain: Answer<"explain"> = async (request, watched) => {
  const { names, maxLeaves, minLeaf, leafCost, describe } = request;
  const options = { scale: "none" as const, ...request.reading, forDistances: false, signal: watched.signal };
  const instances = await instancesIn(request.table, options);
  const labels = labelsOf(request.labels, instances);
  const count = labels.reduce((most, label) => Math.max(most, label + 1), 0);
  const limited = maxLeaves !== undefined || leafCost !== undefined;
  const limits = {
    ...(limited ? {} : shortRules(count)),
    ...Object.fromEntries(Object.entries({ maxLeaves, minLeaf, leafCost, describe }).filter(([, value]) => value !== undefined)),
  };
  const { tree, rules, conditions, fidelity, clusters, notices } = await drive(
    explainSteps(instances, labels, limits),
    driving(watched),
  );
  const named = clusters.map((facts, c) => ({
    cluster: names?.[c] ?? String(c),
    rule: conditions[c]?.length ? rules[c] : null,
    ...facts,
  }));
  return { fidelity, clusters: named, tree, notices: [...instances.notices, ...notices] };
};

/** The labels of the kept rows; throws if there is not one label for each row of the table. */
function labelsOf(sent: SentArray, { rows, total }: TableInstances): Int32Array {
  const labels = intsOf(sent);
  if (labels.length === total) return Int32Array.from(rows, (row) => labels[row]!);
  throw badInput(`There are ${labels.length} labels for ${total} rows.`, {
    remedy: "Give one label for each row; -1 for no cluster.",
  });
}

const evaluate: Answer<"evaluate"> = async (request, watched) => {
  const instances = await instancesIn(request.table, { ...request.reading, signal: watched.signal });
  const labels = labelsOf(request.labels, instances);
  const known = await constraintsIn(request.constraints, instances, watched.signal);
  const truth = request.truth ? labelsOf(request.truth, instances) : instances.truth?.codes;
  const scored = truth?.some((code) => code >= 0) ? scoredBoth(labels, truth, known.set) : {};
  const internal =
    instances.d === 0 ? null : await drive(internalScoreSteps(instances, labels, createSimdKernels()), driving(watched));
  const sizes = new Map<number, number>();
  for (const label of labels) if (label >= 0) sizes.set(label, (sizes.get(label) ?? 0) + 1);
  return {
    instances: labels.length,
    k: sizes.size,
    noise: labels.reduce((sum, label) => sum + (label < 0 ? 1 : 0), 0),
    sizes: [...sizes].sort(([a], [b]) => a - b).map(([cluster, size]) => ({ cluster, size })),
    scores: scored.scores ?? null,
    scoresOverClustered: scored.scoresOverClustered ?? null,
    internal,
    violations: violationsInIds(violationsOf(known.set, labels), instances),
    notices: [...instances.notices, ...known.notices],
  };
};

const readConstraints: Answer<"readConstraints"> = async ({ file, ids, n }, { signal }) => {
  const count = n ?? ids?.length;
  if (count === undefined) throw badInput("Give the ids of the rows, or the number of rows (n).");
  if (ids && ids.length !== count) throw badInput(`There are ${ids.length} ids for ${count} rows.`);
  const rows = { n: count, ...(ids ? { ids } : {}) };
  const { set, notices } = await readKnown((await openBytes(file)).chunks, { file, rows, signal });
  const { mustLinks, cannotLinks, relative, labels } = set;
  return {
    mustLink: zipped([mustLinks.a, mustLinks.b]),
    mustLinkWeight: mustLinks.weight,
    cannotLink: zipped([cannotLinks.a, cannotLinks.b]),
    cannotLinkWeight: cannotLinks.weight,
    relative: zipped([relative.a, relative.b, relative.c]),
    relativeWeight: relative.weight,
    labels: { rows: labels.row, codes: labels.code, names: labels.names, weight: labels.weight },
    notices,
  };
};

function zipped(columns: readonly Int32Array[]): SentArray {
  const count = columns[0]!.length;
  const values = new Int32Array(count * columns.length);
  columns.forEach((column, j) => {
    for (let s = 0; s < count; s++) values[s * columns.length + j] = column[s]!;
  });
  return new SentArray(values, [count, columns.length]);
}

export function strategyNamed(name: string) {
  const strategy = findStrategy(name);
  if (strategy) return strategy;
  throw badOption("strategy", name, `one of ${strategies.map((each) => each.name).join(", ")}`);
}

export const ANSWERS = { hello, cluster, predict, diagnose, advise, explain, evaluate, readConstraints };
