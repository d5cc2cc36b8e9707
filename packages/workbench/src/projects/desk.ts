/** What all routes share: the store, tasks, events, and projects that were opened, each with its table's facts and its log. */
import type { Compute, TableSource } from "../compute/compute.js";
import type { Lettered } from "../compute/letters.js";
import type { TableFacts } from "../compute/tasks.js";
import { countingOf, type Said } from "../knowledge/constraint-set.js";
import { inPresentNames } from "../knowledge/present-names.js";
import { spokenOf, standingAfter, standingOf } from "../knowledge/standing.js";
import type { Info } from "../protocol/info.js";
import type { Entry, KnowledgeReply } from "../protocol/knowledge.js";
import type { ReadingChange } from "../protocol/projects.js";
import type { RunReply } from "../protocol/runs.js";
import { noProject, type Store, type StoredProject } from "../store/store.js";
import { int32sFrom } from "./base64.js";
import { damaged } from "./problems.js";
import type { ProjectEvents } from "./project-events.js";
import type { Uploads } from "./uploads.js";

/** Sample sets, as far as the host has them. */
export interface SampleSource {
  list(): Promise<readonly (Info["samples"][number] & { readonly sha256?: string })[]>;
  open(name: string): Promise<{
    readonly file: string;
    readonly bytes: Uint8Array;
    readonly reading: ReadingChange;
    readonly k: number | null;
  } | null>;
}

export interface WorkbenchOptions {
  readonly store: Store;
  readonly compute: Compute;
  readonly samples: SampleSource;
  readonly version: string;
  /** The time now, as ISO 8601 in UTC. */
  readonly now: () => string;
  readonly keeps: Info["keeps"];
  readonly limits?: Partial<Info["limits"]>;
}

export interface FinishedRun extends Lettered {
  readonly run: RunReply;
}

export interface Desk extends Omit<WorkbenchOptions, "limits"> {
  readonly limits: Info["limits"];
  readonly events: ProjectEvents;
  readonly uploads: Uploads;
  /** Open projects; whoever changes one forgets what was derived from it. */
  readonly opened: Map<string, Opened>;
}

interface Opened {
  entries: Entry[];
  /** What stands after so many entries, read in this way. */
  standing?: Stands & { readonly count: number; readonly reading: string; readonly spoken: Set<string> };
  /** The newest finished run; undefined if nobody looked yet. */
  newest?: FinishedRun | null;
}

export async function projectOf({ store }: Desk, id: string): Promise<StoredProject> {
  const project = await store.project(id);
  if (!project) throw noProject(id, store);
  return project;
}

/** What a run left behind, from JSON; null if it left nothing by this name. */
export async function artifactJson<T>({ store }: Pick<Desk, "store">, id: string, run: number, name: string): Promise<T | null> {
  const text = await store.artifact(id, run, name);
  if (text === null) return null;
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw damaged(`The ${name} of run ${run} of project "${id}" is damaged in ${store.place} (${(error as Error).message}).`);
  }
}

export function sourceOf(
  { store }: Pick<Desk, "store">,
  { data, reading }: Pick<StoredProject, "data" | "reading">,
): TableSource {
  return {
    key: `${data.sha256} ${JSON.stringify(Object.entries(reading).sort())}`,
    file: data.file,
    reading,
    async load() {
      const bytes = await store.blob(data.sha256);
      if (!bytes) throw damaged(goneData({ data }, store));
      return bytes;
    },
  };
}

/** The sentence about a project whose table is missing. */
export function goneData({ data }: Pick<StoredProject, "data">, { place }: Pick<Store, "place">): string {
  return `The data of this project, ${data.file}, are missing beside ${place}: bring back the file data/${data.sha256}.`;
}

const factsBySource = new WeakMap<Compute, Map<string, Promise<TableFacts>>>();

/** Facts of a table, kept for all tables that were looked at: they are small unless rows have names. */
export function factsOf(
  desk: Pick<Desk, "store" | "compute">,
  project: Pick<StoredProject, "data" | "reading">,
): Promise<TableFacts> {
  const source = sourceOf(desk, project);
  const all = factsBySource.get(desk.compute) ?? new Map<string, Promise<TableFacts>>();
  factsBySource.set(desk.compute, all);
  const known = all.get(source.key);
  if (known) return known;
  const facts = desk.compute.run(source, "facts", {});
  all.set(source.key, facts);
  facts.catch(() => all.delete(source.key));
  for (const [key] of all) if (all.size > 32) all.delete(key);
  return facts;
}

/** The whole log: what is new since the last look is read from the store, whoever wrote it. */
export async function logOf({ store, opened }: Desk, id: string): Promise<readonly Entry[]> {
  const known = openedAt(opened, id);
  const since = known.entries.length;
  const more = await store.entries(id, since);
  // Somebody else may have looked in the meantime.
  for (const entry of more) if (entry.seq === known.entries.length + 1) known.entries.push(entry);
  return known.entries;
}

function openedAt(opened: Map<string, Opened>, id: string): Opened {
  const known = opened.get(id) ?? { entries: [] };
  opened.set(id, known);
  return known;
}

export interface Stands {
  readonly knowledge: KnowledgeReply;
  readonly said: readonly Said[];
}

/** What stands now; with a name, what that person could undo too. */
export async function standsIn(desk: Desk, project: StoredProject, by?: string): Promise<Stands> {
  const facts = await factsOf(desk, project);
  const entries = await presentEntries(desk, project, facts);
  const known = openedAt(desk.opened, project.id);
  const reading = `${project.policy} ${sourceOf(desk, project).key}`;
  const columns = new Set(facts.columns);
  const options = { hasRow: rowChecker(facts), hasColumn: (name: string) => columns.has(name) };
  if (by !== undefined) {
    const knowledge = standingOf(entries, { ...options, policy: project.policy, by });
    return { knowledge, said: countingOf(knowledge) };
  }
  const before = known.standing?.reading === reading ? known.standing : undefined;
  if (before?.count === entries.length) return before;
  // Most of the time somebody has only added something new: then nothing is replayed.
  const grown = before ? standingAfter(before.knowledge, entries.slice(before.count), before.spoken, options) : null;
  if (before && grown) {
    const added = countingOf({ constraints: grown.constraints.slice(before.knowledge.constraints.length) });
    known.standing = { ...before, knowledge: grown, said: [...before.said, ...added], count: entries.length };
  } else {
    const knowledge = standingOf(entries, { ...options, policy: project.policy });
    known.standing = { knowledge, said: countingOf(knowledge), count: entries.length, reading, spoken: spokenOf(entries) };
  }
  return known.standing;
}

/** The log, in the names that rows have now. */
async function presentEntries(desk: Desk, project: StoredProject, facts: TableFacts): Promise<readonly Entry[]> {
  const { data, named = [] } = project;
  const namings = await Promise.all(
    named.map(async ({ upTo, reading }) => ({ upTo, names: await factsOf(desk, { data, reading }) })),
  );
  return inPresentNames(await logOf(desk, project.id), namings, facts);
}

const checkers = new WeakMap<TableFacts, (id: string | number) => boolean>();

export function rowChecker(facts: TableFacts): (id: string | number) => boolean {
  const known = checkers.get(facts);
  if (known) return known;
  const ids = facts.ids === null ? null : new Set(facts.ids.map(String));
  const checker = (id: string | number): boolean =>
    ids === null ? /^(0|[1-9]\d*)$/.test(String(id)) && Number(id) < facts.n : ids.has(String(id));
  checkers.set(facts, checker);
  return checker;
}

/** The newest finished run; null before the first. `currentRun` asks whether it is about the rows that the table has now. */
export async function newestRun(desk: Desk, id: string): Promise<FinishedRun | null> {
  const known = openedAt(desk.opened, id);
  if (known.newest !== undefined) return known.newest;
  const run = (await desk.store.runs(id)).filter(({ state }) => state === "done").at(-1);
  const found = run ? await finishedRun(desk, id, run) : null;
  known.newest = found;
  return found;
}

export async function finishedRun({ store }: Desk, id: string, run: RunReply): Promise<FinishedRun | null> {
  const labels = await store.artifact(id, run.number, "labels");
  return labels === null || run.letters === null ? null : { run, labels: int32sFrom(labels), letters: run.letters };
}

export function setNewest({ opened }: Desk, id: string, run: FinishedRun): void {
  openedAt(opened, id).newest = run;
}
