/** Projects: made from a table, read in another way, listed and deleted; their columns, rows and maps. */
import type { TableFacts } from "../compute/tasks.js";
import { standingOf } from "../knowledge/standing.js";
import type { Project, Reading, ReadingChange } from "../protocol/projects.js";
import { reading as readingSchema } from "../protocol/projects.js";
import type { RouteReply, RouteRequest } from "../protocol/routes.js";
import type { StoredProject } from "../store/store.js";
import { forgetAdvice } from "./advice-routes.js";
import { float32Text } from "./base64.js";
import { type Desk, factsOf, logOf, newestRun, projectOf, sourceOf } from "./desk.js";
import { badRequest, conflict, notFound } from "./problems.js";
import { asRead, checkRows } from "./run-rows.js";

export async function upload({ store, uploads }: Desk, { name, bytes }: RouteRequest<"upload">): Promise<RouteReply<"upload">> {
  if (bytes.length === 0) throw badRequest("There is nothing in this file.");
  const sha256 = await hashOf(bytes);
  await store.putBlob(sha256, bytes);
  uploads.set(sha256, name);
  return { upload: sha256, file: name, sha256, bytes: bytes.length };
}

export async function hashOf(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export async function createProject(desk: Desk, request: RouteRequest<"createProject">): Promise<Project> {
  const { store, now } = desk;
  const data = await dataOf(desk, request);
  const asked = changed(readingSchema.parse({}), { ...data.reading, ...request.reading });
  const { facts, ...draft } = await readWithIds(desk, {
    data: { file: data.file, sha256: data.sha256, bytes: data.bytes },
    reading: asked,
  });
  if (facts.n > desk.limits.rows)
    throw conflict(
      `The table has ${facts.n.toLocaleString("en")} rows; the studio takes ${desk.limits.rows.toLocaleString("en")}.`,
    );
  const title = request.name ?? data.file.replace(/^.*[\\/]/, "").replace(/\.[A-Za-z0-9]{1,8}$/, "");
  const at = now();
  const project: StoredProject = {
    ...draft,
    id: await freeId(desk, title),
    name: title === "" ? "table" : title,
    created: at,
    changed: at,
    k: data.k,
    policy: "latest",
  };
  await store.putProject(project);
  await keepFacts(desk, project, facts);
  return await projectReply(desk, project);
}

/** "id", "customer_id", "rowId": such a column names the rows if no two of them are equal. */
const ID_NAME = /^(?:id|ID|Id)$|[_\s.-](?:id|ID|Id)$|[a-z]I[dD]$/;
const OWN_TEXT = /Every row has its own "(.*)": /;

/** A table whose rows are named by a column that is called so, where nothing was said about its columns. */
async function readWithIds(desk: Desk, draft: Pick<StoredProject, "data" | "reading">) {
  const { id, features } = draft.reading;
  const isAsked = id !== undefined || features !== undefined;
  const withId = (name: string) => ({ ...draft, reading: { ...draft.reading, id: name } });
  const facts = await factsOf(desk, draft).catch((error: Error) => {
    const name = isAsked ? undefined : OWN_TEXT.exec(error.message)?.[1];
    if (name === undefined || !ID_NAME.test(name)) throw error;
    return name;
  });
  if (typeof facts === "string") return { ...withId(facts), facts: await factsOf(desk, withId(facts)) };
  const [name, ...others] = isAsked ? [] : facts.features.filter((feature) => ID_NAME.test(feature));
  if (name === undefined || others.length > 0 || facts.features.length === 1) return { ...draft, facts };
  try {
    return { ...withId(name), facts: await factsOf(desk, withId(name)) };
  } catch {
    // Two rows share a name, or one has none: it is a column like others.
    return { ...draft, facts };
  }
}

/** The bytes that a project is about: uploaded before, or a sample's. */
async function dataOf({ store, uploads, samples }: Desk, { upload: sha256, sample }: RouteRequest<"createProject">) {
  if ((sha256 === undefined) === (sample === undefined)) throw badRequest("Name an upload or a sample, one of the two.");
  if (sha256 !== undefined) {
    const bytes = /^[0-9a-f]{64}$/.test(sha256) ? await store.blob(sha256) : null;
    if (!bytes) throw notFound("There is no such upload: send the file again.");
    return { file: uploads.get(sha256) ?? "table.csv", sha256, bytes: bytes.length, reading: {}, k: null };
  }
  const found = await samples.open(sample!);
  if (!found) throw notFound(`There is no sample "${sample}".`);
  const hash = await hashOf(found.bytes);
  await store.putBlob(hash, found.bytes);
  return { file: found.file, sha256: hash, bytes: found.bytes.length, reading: found.reading, k: found.k };
}

/** Null takes a role away; what is not named stays. */
function changed(reading: Reading, change: ReadingChange): Reading {
  const all = Object.entries({ ...reading, ...change }).filter(([, value]) => value !== null && value !== undefined);
  return readingSchema.parse(Object.fromEntries(all));
}

/** A short word of the title, with a number where it is taken. */
async function freeId({ store }: Desk, title: string): Promise<string> {
  const word = title
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 60);
  const base = word === "" ? "project" : word;
  const taken = new Set((await store.projects()).map(({ id }) => id));
  for (let number = 1; ; number++) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!taken.has(id)) return id;
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
  const text = await desk.store.artifact(project.id, 0, "facts");
  const kept = text === null ? null : (JSON.parse(text) as KeptFacts);
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
    constraints: constraints.filter(({ constraint }) => constraint.type !== "unsure").length,
    runs: runs.length,
    broken: newest?.run.broken ?? null,
    notices: [...notices],
  };
}

export async function listProjects(desk: Desk): Promise<Project[]> {
  const replies: Project[] = [];
  for (const project of await desk.store.projects()) replies.push(await projectReply(desk, project));
  return replies;
}

export async function project(desk: Desk, { project: id }: RouteRequest<"project">): Promise<Project> {
  return await projectReply(desk, await projectOf(desk, id));
}

export async function changeProject(desk: Desk, request: RouteRequest<"changeProject">): Promise<Project> {
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
  if (reading !== undefined) await checkExclusive(desk, after, facts);
  await desk.store.putProject(after);
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
  const text = number === undefined ? null : await desk.store.artifact(project.id, number, "report");
  if (text === null) throw notFound(number === undefined ? "There is no finished run yet." : `Run ${number} has no result.`);
  await checkRows(desk, project, number!);
  return { input: { space, report: JSON.parse(text) } as const, read: await asRead(desk, project, number!) };
}
