/** All tasks by name. Inputs and outputs are plain data, so that they can be sent to a worker and back. */

import {
  badInput,
  type Contradiction,
  closeConstraints,
  contradictionFacts,
  type Diagnosis,
  type DroppedConstraint,
  diagnoseSteps,
  distancesOf,
  drive,
  type Instances,
  idOf,
  informativeTriplets,
  type Report,
  randomFrom,
  type Steps,
} from "@coterie/core/internal";
import {
  columnComparison,
  comparisonOf,
  neighbourhoodsSteps,
  principalComponentsSteps,
  principalCoordinatesSteps,
  type RowComparison,
  strongestColumns,
} from "@coterie/core/layout";
import { type NamedRows, parseHierarchy, parseLog, readConstraints, treeRows, withoutGuard } from "@coterie/data/browser";
import { entryOf } from "../log/answer-records.js";
import type { ActiveConstraint } from "../log/constraint-log.js";
import { overruledBy } from "../log/overruled.js";
import type { RowNames } from "../log/present-names.js";
import type { Watch } from "../pool.js";
import type { DiagnosisReply } from "../protocol/info.js";
import type { Constraint, Disagreement, NewEntry } from "../protocol/knowledge.js";
import type { ColumnReply, Reading, RowReply } from "../protocol/projects.js";
import type { MapReply } from "../protocol/runs.js";
import { letterName, rowsOf, sentenceOf } from "../protocol/sentences.js";
import { LONGEST_NAME } from "../protocol/words.js";
import { everyTurn } from "../run.js";
import { columnsOf, findRows, type LoadedTable, rowReply, valuesOf } from "../tables/loaded-table.js";
import { adviseTask } from "./advise.js";
import { askTask } from "./ask.js";
import { clusterTask } from "./cluster.js";
import { compareTask } from "./compare.js";
import type { TaskTable } from "./compute.js";
import { consistentPart, inIds, knownAt, refuseContradiction } from "./known.js";
import type { Lettered } from "./letters.js";
import { pageTask } from "./page.js";
import { recommend } from "./recommend.js";
import { understandTask } from "./understand.js";

const plain = (sentence: string): Advice => ({ sentence, button: null, action: null });

/** MOST_MEASURED: maximum number of must-links whose lengths are measured. PAIRS: number of random pairs of rows to compare them with. */
const MOST_MEASURED = 2_000;

const PAIRS = 200;

/** If one cluster has FAR_FEWER times as many answers as another cluster, or more, the advice says so. */
const FAR_FEWER = 4;

const IMPLIED = /^(?:This constraint is|These \d+ constraints are) implied /;

const PAIR = /^(must|cannot)-link ([^,]+), ([^,]+)/;

/** Sentences of the diagnosis that the panel does not show. Some have a button, some are about commands, some name the chosen method. */
const SAID =
  /^(Drop |Ask with -k|To keep every|Give the search|The relative constraints|must-link |cannot-link |label |the exclusive |This constraint is implied|These \d+ constraints are implied|At k = \d+ the original|As it stands the set suits|There are must-links alone|cop-kmeans keeps)/;

/** Maximum number of search nodes in a diagnosis. QUICK is enough for hundreds of constraints, and takes at most a fifth of a second. */
const QUICK = 10_000;

const FULL = 200_000;

export interface TableFacts extends RowNames {
  readonly n: number;
  readonly columns: readonly string[];
  readonly features: readonly string[];
  readonly notices: readonly string[];
  readonly reading: Reading;
}

function factsOf({ table, instances, rows, total, dropped, notices, reading }: LoadedTable): TableFacts {
  return {
    n: instances.n,
    total,
    columns: table.columns.map(({ name }) => name),
    features: instances.names ?? [],
    ids: instances.ids ?? null,
    rows: instances.n === total ? null : rows,
    dropped,
    notices,
    reading,
  };
}

export const tasks = {
  facts: async (loaded: TaskTable, _: object): Promise<TableFacts> => factsOf(loaded),
  columns: async (loaded: TaskTable, _: object): Promise<ColumnReply[]> => columnsOf(loaded),
  rows: async (loaded: TaskTable, { rows }: { readonly rows: readonly number[] }): Promise<RowReply[]> =>
    rows.map((row) => rowReply(loaded, row)),
  find: async (loaded: TaskTable, { text, most }: { readonly text: string; readonly most: number }): Promise<RowReply[]> =>
    findRows(loaded, text, most).map((row) => rowReply(loaded, row)),
  values: async (loaded: TaskTable, { column }: { readonly column: string }) => valuesOf(loaded, column),
  map: mapTask,
  cluster: clusterTask,
  diagnose: diagnoseTask,
  advise: adviseTask,
  ask: askTask,
  refuseContradiction,
  understand: understandTask,
  compare: compareTask,
  import: importTask,
  page: pageTask,
} as const satisfies Record<string, (loaded: TaskTable, input: never, watch: Watch) => Promise<unknown>>;

export type TaskName = keyof typeof tasks;
export type TaskInput<N extends TaskName> = Parameters<(typeof tasks)[N]>[1];
export type TaskOutput<N extends TaskName> = Awaited<ReturnType<(typeof tasks)[N]>>;

/*
 * The diagnosis beside the map: whether a clustering can keep all constraints, how hard the problem is, and what to do. The quick diagnosis
 * is immediate and looks only at the constraints. The full diagnosis also measures the constraints against the data and solves the linear
 * program.
 *
 * Constraints that contradict the must-links are set aside first, so that one contradiction does not hide all other findings.
 */

interface DiagnoseInput {
  readonly active: readonly ActiveConstraint[];
  readonly disagreements: readonly Disagreement[];
  readonly k: number | null;
  readonly effort: number | null;
  readonly full: boolean;
  /** The newest run. Advice about where to ask next names the clusters of this run. */
  readonly run: (Lettered & { readonly number: number }) | null;
}

async function diagnoseTask(loaded: TaskTable, input: DiagnoseInput, watch: Watch): Promise<Omit<DiagnosisReply, "upTo">> {
  const { host } = loaded;
  const started = performance.now();
  const known = knownAt(loaded, input.active);
  const { set, aside } = consistentPart(known.set);
  const { ids } = loaded.instances;
  const { k } = input;
  const options = {
    ...(k === null ? {} : { k }),
    ...(ids ? { ids } : {}),
    effort: input.effort ?? (input.full ? FULL : QUICK),
  };
  const solver = input.full ? await host.solver?.() : undefined;
  const withData = input.full ? { points: loaded.instances, kernels: host.kernels(), ...(solver ? { solver } : {}) } : {};
  const found = await drive(diagnoseSteps(set, { ...options, ...withData }), { pause: host.pause, due: everyTurn(), ...watch });
  const diagnosis = withContradictions(found, aside, ids);
  return {
    k: input.k,
    milliseconds: performance.now() - started,
    partial: !input.full,
    diagnosis: diagnosis as unknown as Record<string, unknown>,
    advice: adviceWithActions({ ...input, diagnosis, aside, instances: loaded.instances, k }),
    leastK: found.chromaticNumber === null ? null : Math.max(1, found.chromaticNumber.lower),
    recommended: recommend(loaded.instances, known),
  };
}

function withContradictions(found: Diagnosis, aside: readonly Contradiction[], ids: readonly (string | number)[] | undefined) {
  if (aside.length === 0) return { ...found, setAside: 0 };
  return { ...found, contradictions: contradictionFacts(aside, ids), setAside: aside.length };
}

/** What the positions of rows on the map show: the present distance, the distance that a run learned, or two columns. */

type MapInput =
  | { readonly space: "features" }
  | { readonly space: "run"; readonly report: Pick<Report, "algorithm" | "options" | "metric" | "sizes"> }
  | NeighbourhoodInput
  | { readonly space: "columns"; readonly x: string; readonly y: string };

interface MapOutput extends Omit<MapReply, "xy"> {
  readonly xy: Float32Array;
}

async function mapTask(loaded: TaskTable, input: MapInput, watch: Watch): Promise<MapOutput> {
  const { instances, host } = loaded;
  if (input.space === "columns") {
    const [x, y] = [valuesOf(loaded, input.x), valuesOf(loaded, input.y)];
    const xy = new Float32Array(2 * instances.n);
    for (let i = 0; i < instances.n; i++) {
      xy[2 * i] = x.values[i]!;
      xy[2 * i + 1] = y.values[i]!;
    }
    const axis = (title: string) => ({ title, share: null });
    return { space: "columns", title: `${input.x} and ${input.y}`, axes: [axis(input.x), axis(input.y)], n: instances.n, xy };
  }
  if (input.space === "neighbourhoods") return await neighbourhoodMap(loaded, input, watch);
  const seen = input.space === "run" ? comparisonOf(input.report, instances) : columnComparison(instances);
  const place = await drive(placed(instances, seen), { pause: host.pause, due: everyTurn(), ...watch });
  return { space: input.space, n: instances.n, ...place };
}

interface NeighbourhoodInput {
  readonly space: "neighbourhoods";
  /** Constraints that pull and push; null to place rows by their columns alone. */
  readonly active: readonly ActiveConstraint[] | null;
  /** An earlier map of these rows, NaN for new rows. */
  readonly before: Float32Array | null;
}

async function neighbourhoodMap(loaded: TaskTable, { active, before }: NeighbourhoodInput, watch: Watch): Promise<MapOutput> {
  const { instances, host } = loaded;
  const closure = active ? closeConstraints(consistentPart(knownAt(loaded, active).set).set) : null;
  const steps = neighbourhoodsSteps(instances, columnComparison(instances), {
    kernels: host.kernels(),
    ...(before ? { before } : {}),
    ...(closure ? { closure } : {}),
  });
  const xy = await drive(steps, { pause: host.pause, due: everyTurn(), ...watch });
  const axis = { title: "Near rows are alike; axes and long distances have no unit", share: null };
  const title = closure ? "Neighbourhoods, by knowledge" : "Neighbourhoods";
  return { space: "neighbourhoods", title, axes: [axis, axis], n: instances.n, xy: Float32Array.from(xy) };
}

type Placed = Pick<MapOutput, "title" | "axes" | "xy">;

function* placed(instances: Instances, seen: RowComparison): Steps<Placed> {
  if (seen.between) return yield* byDistances(instances, seen.between, seen.axis);
  if (instances.holes && !instances.holeFills)
    return yield* byDistances(instances, distancesOf(instances, undefined).between, "the cells that rows share");
  if (instances.d === 0) {
    if (!instances.distances) throw badInput("No column is a feature: there is nothing to draw by.");
    return yield* byDistances(instances, distancesOf(instances, undefined).between, "distances");
  }
  const found = yield* principalComponentsSteps(instances, 2, seen.view ?? {});
  const axis = (component: 0 | 1) => ({
    title: `PC ${component + 1}${seen.axis}: ${strongestColumns(found, component, seen.view?.root !== undefined)}`,
    share: found.share[component] ?? 0,
  });
  return {
    title: seen.by === "" ? "Principal components" : `Principal components, by ${seen.by}`,
    axes: [axis(0), axis(1)],
    xy: Float32Array.from(found.scores),
  };
}

function* byDistances({ n, d }: Instances, between: (i: number, j: number) => number, what: string): Steps<Placed> {
  const { scores, share } = yield* principalCoordinatesSteps(between, n, d);
  const axis = (which: 0 | 1) => ({ title: `${what}, axis ${which + 1}`, share: share[which] });
  return { title: `Principal coordinates, by ${what}`, axes: [axis(0), axis(1)], xy: Float32Array.from(scores) };
}

/* Reads files of constraints, logs of answers and taxonomies. The result is constraints for the project's log, which name rows by id. */

interface ImportInput {
  readonly kind: "constraints" | "answers" | "taxonomy";
  readonly file: string;
  readonly bytes: Uint8Array;
}

interface Imported {
  readonly constraints: readonly Constraint[];
  readonly origins?: readonly { readonly from: NewEntry["from"]; readonly by?: string }[];
  readonly notices: readonly string[];
}

async function importTask(loaded: TaskTable, { kind, file, bytes }: ImportInput): Promise<Imported> {
  if (kind === "answers") return answersOf(bytes, file, loaded);
  const names = namesOf(loaded);
  if (kind === "taxonomy") {
    const tree = parseHierarchy(new TextDecoder().decode(bytes), file);
    const { hierarchy, notices } = treeRows(tree, names, { file, unknown: "drop" });
    return { constraints: inIds(informativeTriplets(loaded.instances.n, hierarchy), loaded.instances), notices };
  }
  const { set, notices } = await readConstraints(only(bytes), { file, rows: names });
  const constraints = inIds(set, loaded.instances).map((each) =>
    each.type === "label" ? { ...each, class: withoutGuard(each.class) } : each,
  );
  return { constraints, notices };
}

/** The names that a file can use for rows. Row numbers count all rows of the table's file, including rows that are left out. */
function namesOf({ instances: { n, ids }, rows, total, dropped }: LoadedTable): NamedRows {
  return { n, rows, total, dropped, ...(ids ? { ids } : {}) };
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}

/**
 * The answers of a log, with their authors. Two kinds of answers are left out: answers that other answers outweigh, and answers about rows
 * that are not in the table.
 */
function answersOf(bytes: Uint8Array, file: string, { rowOf }: LoadedTable): Imported {
  const { stretches } = parseLog(bytes, file);
  const all = stretches.flatMap(({ start, answers }) => answers.map((answer) => entryOf(answer, start)));
  const known = all.filter(({ constraint }) => rowsOf(constraint).every((id) => rowOf.has(String(id))));
  const overruled = new Set(overruledBy(known.map(({ constraint, from }) => ({ ...from, constraint }))));
  const believed = known.filter((_, place) => !overruled.has(place));
  const count = (n: number) => `${n} ${n === 1 ? "answer is" : "answers are"}`;
  const lost = all.length - known.length;
  return {
    constraints: believed.map(({ constraint }) => constraint),
    origins: believed.map(({ from, by }) => ({
      from: { ...from, strategy: asName(from.strategy) },
      ...(by === undefined ? {} : { by: asName(by) }),
    })),
    notices: [
      ...(lost === 0 ? [] : [`${file}: ${count(lost)} about rows that the table does not have.`]),
      ...(overruled.size === 0 ? [] : [`${file}: ${count(overruled.size)} overruled by others and left out.`]),
    ],
  };
}

function asName(text: string): string {
  return text.slice(0, LONGEST_NAME) || "unknown";
}

/* Turns the advice of the diagnosis into sentences with buttons: each problem comes with an action that can solve it. */

type Advice = DiagnosisReply["advice"][number];

interface AdviceInput extends Omit<DiagnoseInput, "effort"> {
  readonly diagnosis: Diagnosis;
  readonly aside: readonly Contradiction[];
  readonly instances: Instances;
}

function adviceWithActions(input: AdviceInput): Advice[] {
  return [
    ...contradictionAdvice(input),
    ...disagreementAdvice(input),
    ...repairAdvice(input),
    ...coreAdvice(input),
    ...kAdvice(input),
    ...relativeAdvice(input),
    ...(input.full ? farAdvice(input) : []),
    ...unevenAdvice(input),
    ...impliedAdvice(input),
    ...otherAdvice(input),
  ];
}

/** Returns a function from an id to its row number, because the actions of the map need row numbers. The number is -1 for an unknown id. */
function rowFinder({ n, ids }: Instances): (id: string | number) => number {
  if (!ids) return (id) => (Number(id) < n ? Number(id) : -1);
  const rows = new Map(ids.map((id, row) => [String(id), row]));
  return (id) => rows.get(String(id)) ?? -1;
}

function entriesSaying(
  active: readonly ActiveConstraint[],
  type: Constraint["type"],
  ids: readonly (string | number)[],
): string[] {
  const wanted = key(ids);
  return active
    .filter(({ constraint }) => constraint.type === type && key(rowsOf(constraint)) === wanted)
    .map(({ entry }) => entry);
}

function key(ids: readonly (string | number)[]): string {
  return JSON.stringify(ids.map(String).sort());
}

function contradictionAdvice({ aside, active, instances }: AdviceInput): Advice[] {
  const name = (row: number) => idOf(instances, row);
  return aside.map(({ kind, rows, path, names }): Advice => {
    const chain = path.length > 1 ? path.map(name).join(" = ") : `${name(rows[0])} = ${name(rows[1])}`;
    const show = { type: "show" as const, rows: path.length > 0 ? [...path] : [...rows] };
    if (kind !== "cannot-link") {
      const what = kind === "labels" ? `${names?.[0]} and ${names?.[1]}` : `two rows of ${names?.[0]} = ${names?.[1]}`;
      return { sentence: `${chain} joins ${what}: these answers cannot all hold.`, button: "Show chain", action: show };
    }
    const [a, b] = rows.map(name) as [string | number, string | number];
    const entries = entriesSaying(active, "cannot-link", [a, b]);
    const count = Math.max(2, path.length);
    return {
      sentence: `These ${count} answers cannot all hold: ${chain}, and ${a} ≠ ${b}.`,
      button: entries.length > 0 ? `Drop ${a} ≠ ${b}` : "Show chain",
      action: entries.length > 0 ? { type: "drop", entries } : show,
    };
  });
}

function disagreementAdvice({ disagreements, active }: AdviceInput): Advice[] {
  const counting = new Set(active.map(({ entry }) => entry));
  return disagreements.map(({ sentence, entries }): Advice => {
    const others = entries.filter((entry) => !counting.has(entry));
    return others.length === 0
      ? plain(sentence)
      : { sentence, button: "Drop what does not count", action: { type: "drop", entries: others } };
  });
}

function repairAdvice({ diagnosis: { repair }, active, k }: AdviceInput): Advice[] {
  if (repair === null) return [];
  return repair.dropped.map((constraint): Advice => {
    const entries = droppedEntries(constraint, active);
    const words = wordsOf(constraint);
    const gain = k === null ? "the rest can hold" : `${k} clusters are possible`;
    return {
      sentence: `Without ${words} ${gain}${repair.certain ? "" : ", as far as could be decided"}: ${constraint.because}`,
      button: entries.length > 0 ? `Drop ${words}` : null,
      action: entries.length > 0 ? { type: "drop", entries } : null,
    };
  });
}

function droppedEntries({ type, ids, names = [] }: DroppedConstraint, active: readonly ActiveConstraint[]): string[] {
  if (type === "exclusive")
    return active
      .filter(({ constraint }) => constraint.type === "exclusive" && constraint.column === names[0])
      .map(({ entry }) => entry);
  if (type !== "label") return entriesSaying(active, type, ids);
  return active
    .filter(
      ({ constraint }) => constraint.type === "label" && String(constraint.a) === String(ids[0]) && constraint.class === names[0],
    )
    .map(({ entry }) => entry);
}

function wordsOf({ type, ids, names = [] }: DroppedConstraint): string {
  if (type === "must-link") return `${ids[0]} = ${ids[1]}`;
  if (type === "cannot-link") return `${ids[0]} ≠ ${ids[1]}`;
  return type === "label" ? `${ids[0]} is ${names[0]}` : `at most one per ${names[0]}`;
}

function coreAdvice({ diagnosis: { proof, feasible }, instances, k }: AdviceInput): Advice[] {
  if (feasible !== false || proof === null || !("core" in proof)) return [];
  const rowOf = rowFinder(instances);
  const groups = proof.core.map((ids) => (ids.length > 3 ? `${ids.slice(0, 3).join(", ")}, …` : ids.join(", ")));
  const shown = groups.slice(0, 8).join("; ");
  return [
    {
      sentence: `${k} ${k === 1 ? "cluster is" : "clusters are"} ruled out: these ${proof.core.length} groups are all kept apart: ${shown}.`,
      button: "Show core",
      action: { type: "show", rows: proof.core.flatMap((ids) => ids.map(rowOf)).filter((row) => row >= 0) },
    },
  ];
}

function kAdvice({ diagnosis: { feasible, chromaticNumber }, k }: AdviceInput): Advice[] {
  if (k === null || feasible !== false || chromaticNumber === null) return [];
  const enough = chromaticNumber.upper;
  return [
    {
      sentence: `${enough} clusters can keep every answer.`,
      button: `Use ${enough} clusters`,
      action: { type: "k", k: enough },
    },
  ];
}

function relativeAdvice({ diagnosis: { relative }, active }: AdviceInput): Advice[] {
  if (relative === null || relative.consistent) return [];
  return relative.dropped.map(([a, b, c]): Advice => {
    const words = sentenceOf({ type: "relative", a, b, c });
    const entries = active
      .filter(
        ({ constraint }) =>
          constraint.type === "relative" && String(constraint.c) === String(c) && key(rowsOf(constraint)) === key([a, b, c]),
      )
      .map(({ entry }) => entry);
    return {
      sentence: `The odd-one-out answers do not agree; without ${words} the rest do.`,
      button: entries.length > 0 ? `Drop ${words}` : null,
      action: entries.length > 0 ? { type: "drop", entries } : null,
    };
  });
}

function farAdvice({ active, instances }: AdviceInput): Advice[] {
  const rowOf = rowFinder(instances);
  const { between } = distancesOf(instances, undefined);
  const links = active
    .flatMap(({ constraint }) => (constraint.type === "must-link" ? [constraint] : []))
    .slice(-MOST_MEASURED)
    .map(({ a, b }) => ({ words: `${a} = ${b}`, rows: [rowOf(a), rowOf(b)] as const }))
    .filter(({ rows }) => rows.every((row) => row >= 0))
    .map(({ words, rows }) => ({ words, rows, apart: between(...rows) }))
    .sort((x, y) => y.apart - x.apart);
  const [far] = links;
  if (!far || far.apart <= farDistance(instances.n, between, links)) return [];
  return [
    {
      sentence: `${far.words} joins rows ${Number(far.apart.toPrecision(2))} apart.`,
      button: "Check it",
      action: { type: "show", rows: [...far.rows] },
    },
  ];
}

/**
 * Two rows with at least this distance are far apart. It is twice the median length of the must-links, but within limits. The limits are
 * the lower quartile and the median of the distances of random pairs.
 * links: sorted by length.
 */
function farDistance(n: number, between: (a: number, b: number) => number, links: readonly { readonly apart: number }[]): number {
  const random = randomFrom(0).split("pairs of rows");
  const pairs = Float64Array.from({ length: PAIRS }, () => between(random.int(n), random.int(n))).sort();
  const usual = 2 * links[links.length >> 1]!.apart;
  return Math.min(pairs[PAIRS >> 1]!, Math.max(usual, pairs[PAIRS >> 2]!));
}

function unevenAdvice({ run, active, instances }: AdviceInput): Advice[] {
  if (run === null || run.labels.length !== instances.n || run.letters.length < 2) return [];
  const rowOf = rowFinder(instances);
  const counts = new Int32Array(run.letters.length);
  for (const { constraint } of active.filter((each) => each.constraint.type !== "unsure"))
    for (const cluster of new Set(rowsOf(constraint).map((id) => run.labels[rowOf(id)] ?? -1)))
      if (cluster >= 0) counts[cluster]!++;
  const least = counts.indexOf(Math.min(...counts));
  const most = counts.indexOf(Math.max(...counts));
  if (counts[most]! < FAR_FEWER * Math.max(1, counts[least]!)) return [];
  const letter = (cluster: number) => letterName(run.letters[cluster]!);
  return [
    {
      sentence: `In Run ${run.number}, ${letter(least)} rests on ${counts[least]} ${counts[least] === 1 ? "answer" : "answers"}, ${letter(most)} on ${counts[most]}.`,
      button: `Ask about ${letter(least)}`,
      action: { type: "ask", cluster: least },
    },
  ];
}

/** Advice about answers that follow from other answers. Nothing needs to change. The button shows the rows of these answers. */
function impliedAdvice({ diagnosis: { advice }, instances }: AdviceInput): Advice[] {
  const implied = advice.find((each) => IMPLIED.test(each));
  if (implied === undefined) return [];
  const list = implied.slice(implied.indexOf(": ") + 2, -1);
  const rowOf = rowFinder(instances);
  const pairs = list.split("; ").flatMap((each) => {
    const [, kind, a, b] = PAIR.exec(each) ?? [];
    return kind === undefined ? [] : [{ words: `${a} ${kind === "must" ? "=" : "≠"} ${b}`, rows: [rowOf(a!), rowOf(b!)] }];
  });
  if (pairs.length === 0) return [plain(`Some answers follow from the others: ${list}.`)];
  const more = Number(/and (\d+) more$/.exec(list)?.[1] ?? 0) + Math.max(0, pairs.length - 3);
  const shown = pairs.slice(0, 3).map(({ words }) => words);
  const sentence = `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""} ${shown.length + more > 1 ? "follow" : "follows"} from the other answers.`;
  const rows = pairs.flatMap((pair) => pair.rows).filter((row) => row >= 0);
  return [{ sentence, button: "Show", action: { type: "show", rows } }];
}

/** The sentences of the diagnosis that have no button: how informative and how coherent the answers are. */
function otherAdvice({ diagnosis: { advice } }: AdviceInput): Advice[] {
  return advice.filter((sentence) => !SAID.test(sentence)).map(plain);
}
