/** Projects: made from a table, read in another way, listed and deleted; their columns, rows and maps. */
import { CoterieError, type Report } from "@coterie/core/internal";
import type { TableFacts } from "../compute/tasks.js";
import { standingOf } from "../knowledge/standing.js";
import { type Project, type Reading, type ReadingChange, reading as readingSchema } from "../protocol/projects.js";

import type { RouteReply, RouteRequest } from "../protocol/routes.js";
import { tallyOf } from "../protocol/tally.js";
import { once } from "../store/bytes.js";
import type { DamagedProject, HeldBytes, StoredProject } from "../store/store.js";
import { forgetAdvice } from "./advice-routes.js";
import { float32Text } from "./base64.js";
import { artifactJson, type Desk, factsOf, goneData, logOf, newestRun, projectOf, sourceOf } from "./desk.js";
import { badRequest, conflict, notFound } from "./problems.js";
import { asRead, checkRows } from "./run-rows.js";

export async function upload({ uploads }: Desk, { name, bytes: chunks }: RouteRequest<"upload">): Promise<RouteReply<"upload">> {
  const { id, file, sha256, bytes } = await uploads.add(name, chunks);
  if (bytes > 0) return { upload: id, file, sha256, bytes };
  await uploads.remove(id);
  throw badRequest("There is nothing in this file.");
}

/** A project of an upload or of a sample, whose bytes are held until the project is there. */
export async function createProject(desk: Desk, request: RouteRequest<"createProject">): Promise<Project> {
  const { upload, sample } = request;
  if ((upload === undefined) === (sample === undefined)) throw badRequest("Name an upload or a sample, one of the two.");
  if (upload !== undefined) {
    const made = await desk.uploads.use(upload, (data) => projectFrom(desk, { ...data, reading: {}, k: null }, request));
    if (made === null) throw notFound("There is no such upload: send the file again.");
    return made;
  }
  const found = await desk.samples.open(sample!);
  if (!found) throw notFound(`There is no sample "${sample}".`);
  const held = await desk.store.hold(once(found.bytes));
  try {
    return await projectFrom(desk, { ...found, ...held }, request);
  } finally {
    await desk.store.release(held.sha256);
  }
}

interface HeldData extends HeldBytes {
  readonly file: string;
  readonly reading: ReadingChange;
  readonly k: number | null;
}

async function projectFrom(desk: Desk, data: HeldData, request: RouteRequest<"createProject">): Promise<Project> {
  const named = { ...data.reading, ...request.reading };
  // A role that is null is wanted for no column.
  const open = named.features === undefined ? ROLES.filter((role) => named[role] === undefined) : [];
  const reading: Reading = { ...changed(readingSchema.parse({}), named), ...(open.length > 0 ? { recognise: open } : {}) };
  const draft = { data: { file: data.file, sha256: data.sha256, bytes: data.bytes }, reading };
  const facts = await factsOf(desk, draft);
  if (facts.n > desk.limits.rows)
    throw conflict(
      `The table has ${facts.n.toLocaleString("en")} rows; the studio takes ${desk.limits.rows.toLocaleString("en")}.`,
    );
  const title = request.name ?? data.file.replace(/^.*[\\/]/, "").replace(/\.[A-Za-z0-9]{1,8}$/, "");
  const at = desk.now();
  const project = await addProject(desk, title, {
    ...draft,
    reading: settledReading(facts, named),
    name: title === "" ? "table" : title,
    created: at,
    changed: at,
    k: data.k,
    policy: "latest",
  });
  await keepFacts(desk, project, facts);
  return await projectReply(desk, project);
}

const ROLES = ["id", "truth"] as const;

/** The reading of a new project: what was recognised is said in it. Where no column is wanted as the id, the features are named, so that none is looked for. */
function settledReading({ reading, features }: TableFacts, { id }: ReadingChange): Reading {
  const { recognise = [], ...rest } = reading;
  const found = recognise.filter((role) => reading[role] !== undefined);
  const named = id === null && rest.features === undefined ? { features: [...features] } : {};
  return { ...rest, ...named, ...(found.length > 0 ? { recognise: found } : {}) };
}

/** Null takes a role away; what is not named stays. A role that somebody gives to another column was not recognised any more. */
function changed({ recognise = [], ...reading }: Reading, change: ReadingChange): Reading {
  const kept = recognise.filter((role) => change[role] === undefined || change[role] === reading[role]);
  const all = Object.entries({ ...reading, ...(kept.length > 0 ? { recognise: kept } : {}), ...change }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return readingSchema.parse(Object.fromEntries(all));
}

/** Adds a project by a short word of its title, with the first number that is free where others have the word. */
async function addProject({ store }: Desk, title: string, project: Omit<StoredProject, "id">): Promise<StoredProject> {
  const word = title
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 60);
  const base = word === "" ? "project" : word;
  const taken = new Set((await store.projects()).map(({ id }) => id));
  for (let number = 1; ; number++) {
    const named = { ...project, id: number === 1 ? base : `${base}-${number}` };
    // Somebody else may have taken this id since the list was read: then the next one is tried.
    if (!taken.has(named.id) && (await store.addProject(named))) return named;
  }
}

interface KeptFacts {
  readonly key: string;
  readonly rows: number;
  readonly leftOut: number;
  readonly columns: number;
  readonly notices: readonly string[];
}

/** What a list of projects says of a table is kept, so that a list opens no table. */
async function keepFacts(desk: Desk, project: StoredProject, { n, total, columns, notices }: TableFacts): Promise<KeptFacts> {
  const kept = { key: sourceOf(desk, project).key, rows: n, leftOut: total - n, columns: columns.length, notices };
  await desk.store.putArtifact(project.id, 0, "facts", JSON.stringify(kept));
  return kept;
}

async function keptFacts(desk: Desk, project: StoredProject): Promise<KeptFacts> {
  // Facts that are damaged are made again from the table.
  const kept = await artifactJson<KeptFacts>(desk, project.id, 0, "facts").catch(() => null);
  return kept?.key === sourceOf(desk, project).key ? kept : await keepFacts(desk, project, await factsOf(desk, project));
}

async function projectReply(desk: Desk, project: StoredProject): Promise<Project> {
  const { rows, leftOut, columns, notices } = await keptFacts(desk, project);
  const entries = await logOf(desk, project.id);
  const { constraints } = standingOf(entries, { policy: project.policy, hasRow: () => true, hasColumn: () => true });
  const runs = await desk.store.runs(project.id);
  const newest = await newestRun(desk, project.id);
  const { named: _, ...told } = project;
  return {
    ...told,
    rows,
    leftOut,
    columns,
    constraints: tallyOf(constraints).all,
    runs: runs.length,
    broken: newest?.run.broken ?? null,
    notices: [...notices],
    ...((await desk.store.hasBlob(project.data.sha256)) ? {} : { problem: goneData(project, desk.store) }),
  };
}

/** A project that cannot be read is shown with what is wrong with it; the others are none the worse. */
export async function listProjects(desk: Desk): Promise<Project[]> {
  const replies: Project[] = [];
  for (const project of await desk.store.projects())
    replies.push(
      "problem" in project
        ? unreadable(project)
        : await projectReply(desk, project).catch((error: Error) => unreadable({ ...project, problem: error.message })),
    );
  return replies;
}

/** What can still be told about a project that cannot be read. */
function unreadable({ id, problem, ...known }: DamagedProject & Partial<StoredProject>): Project {
  const { name = id, created = "", changed = "", k = null, policy = "latest" } = known;
  const { data = { file: id, sha256: "", bytes: 0 }, reading = readingSchema.parse({}) } = known;
  const counts = { rows: 0, leftOut: 0, columns: 0, constraints: 0, runs: 0, broken: null };
  return { id, name, created, changed, data, reading, k, policy, ...counts, notices: [], problem };
}

export async function project(desk: Desk, { project: id }: RouteRequest<"project">): Promise<Project> {
  return await projectReply(desk, await projectOf(desk, id));
}

/** Changes of a project come one after the other: each begins with what the one before it left. */
export function changeProject(desk: Desk, request: RouteRequest<"changeProject">): Promise<Project> {
  const before = changes.get(desk)?.get(request.project);
  const change = (before ?? Promise.resolve()).then(() => changeNow(desk, request));
  const turn: Promise<unknown> = change
    .catch(() => undefined)
    .then(() => {
      if (changes.get(desk)?.get(request.project) === turn) changes.get(desk)!.delete(request.project);
    });
  if (!changes.has(desk)) changes.set(desk, new Map());
  changes.get(desk)!.set(request.project, turn);
  return change;
}

const changes = new WeakMap<Desk, Map<string, Promise<unknown>>>();

async function changeNow(desk: Desk, request: RouteRequest<"changeProject">): Promise<Project> {
  const before = await projectOf(desk, request.project);
  const { name, reading, k, policy } = request;
  const after: StoredProject = {
    ...before,
    ...(await namesBefore(desk, before, reading)),
    ...(name === undefined ? {} : { name }),
    ...(reading === undefined ? {} : { reading: changed(before.reading, reading) }),
    ...(k === undefined ? {} : { k }),
    ...(policy === undefined ? {} : { policy }),
    changed: desk.now(),
  };
  // A reading that does not fit the table is refused before anything is kept.
  const facts = await factsOf(desk, after);
  if (typeof k === "number" && k > facts.n) throw new CoterieError({ code: "k-too-large", k, n: facts.n });
  if (reading !== undefined) await checkExclusive(desk, after, facts);
  await desk.store.replaceProject(after);
  await keepFacts(desk, after, facts);
  if (sourceOf(desk, after).key !== sourceOf(desk, before).key || after.policy !== before.policy)
    await forgetAdvice(desk, after.id);
  desk.events.publish(after.id, { type: "project" });
  return await projectReply(desk, after);
}

/** Where another column is to name the rows: how they were named up to now, for what was said in those names. */
async function namesBefore(
  desk: Desk,
  { id, reading, named = [] }: StoredProject,
  change: ReadingChange | undefined,
): Promise<Pick<StoredProject, "named">> {
  const upTo = (await logOf(desk, id)).length;
  if (change?.id === undefined || (change.id ?? undefined) === reading.id || upTo === (named.at(-1)?.upTo ?? 0)) return {};
  return { named: [...named, { upTo, reading }] };
}

async function exclusiveColumns(desk: Desk, { id, policy }: StoredProject): Promise<ReadonlySet<string>> {
  const { constraints } = standingOf(await logOf(desk, id), { policy, hasRow: () => true, hasColumn: () => true });
  return new Set(constraints.flatMap(({ constraint }) => (constraint.type === "exclusive" ? [constraint.column] : [])));
}

/** A column that keeps rows apart is no feature, as on the command line. */
async function checkExclusive(desk: Desk, project: StoredProject, { features }: TableFacts): Promise<void> {
  const exclusive = await exclusiveColumns(desk, project);
  const column = features.find((name) => exclusive.has(name));
  if (column !== undefined)
    throw conflict(`"${column}" keeps rows apart, so it cannot be a feature.`, `Drop "one per ${column}" first.`);
}

export async function columns(desk: Desk, { project: id }: RouteRequest<"columns">): Promise<RouteReply<"columns">> {
  const project = await projectOf(desk, id);
  const found = await desk.compute.run(sourceOf(desk, project), "columns", {});
  const exclusive = await exclusiveColumns(desk, project);
  return found.map((column) =>
    exclusive.has(column.name) && column.role === "ignored" ? { ...column, role: "exclusive" } : column,
  );
}

/** Rows that a reply has at most. */
const MOST_ROWS = 2_000;

export async function rows(desk: Desk, { project: id, rows: wanted }: RouteRequest<"rows">): Promise<RouteReply<"rows">> {
  const project = await projectOf(desk, id);
  const { n } = await factsOf(desk, project);
  if (wanted.length > MOST_ROWS) throw badRequest(`At most ${MOST_ROWS} rows at once.`);
  const gone = wanted.find((row) => !(row < n));
  if (gone !== undefined) throw notFound(`There is no row ${gone}: rows go from 0 to ${n - 1}.`);
  return await desk.compute.run(sourceOf(desk, project), "rows", { rows: wanted });
}

export async function ids(desk: Desk, { project: id }: RouteRequest<"ids">): Promise<RouteReply<"ids">> {
  const { ids: all } = await factsOf(desk, await projectOf(desk, id));
  return { ids: all === null ? null : [...all] };
}

export async function findRows(
  desk: Desk,
  { project: id, text, most }: RouteRequest<"findRows">,
): Promise<RouteReply<"findRows">> {
  return await desk.compute.run(sourceOf(desk, await projectOf(desk, id)), "find", { text, most });
}

export async function values(desk: Desk, { project: id, column }: RouteRequest<"values">): Promise<RouteReply<"values">> {
  const project = await projectOf(desk, id);
  await checkColumn(desk, project, column);
  const { values: numbers, levels } = await desk.compute.run(sourceOf(desk, project), "values", { column });
  return { values: float32Text(numbers), levels: levels === null ? null : [...levels] };
}

async function checkColumn(desk: Desk, project: StoredProject, column: string): Promise<void> {
  const { columns: all } = await factsOf(desk, project);
  if (!all.includes(column)) throw notFound(`There is no column "${column}".`);
}

export async function map(desk: Desk, request: RouteRequest<"map">): Promise<RouteReply<"map">> {
  const project = await projectOf(desk, request.project);
  const { input, read } = await mapInput(desk, project, request);
  const { xy, ...reply } = await desk.compute.run(sourceOf(desk, read), "map", input);
  return { ...reply, xy: float32Text(xy) };
}

/** What is to be placed, and how the table is read for it: what a run learned is about the columns that it had. */
async function mapInput(desk: Desk, project: StoredProject, { space, x, y, run }: RouteRequest<"map">) {
  if (space === "columns") {
    if (x === undefined || y === undefined) throw badRequest("Name the two columns: x and y.");
    await checkColumn(desk, project, x);
    await checkColumn(desk, project, y);
    return { input: { space, x, y } as const, read: project };
  }
  if (space === "features") return { input: { space } as const, read: project };
  const number = run ?? (await newestRun(desk, project.id))?.run.number;
  const report = number === undefined ? null : await artifactJson<Report>(desk, project.id, number, "report");
  if (report === null) throw notFound(number === undefined ? "There is no finished run yet." : `Run ${number} has no result.`);
  await checkRows(desk, project, number!);
  return { input: { space, report } as const, read: await asRead(desk, project, number!) };
}
