/** What people say: the log, what stands after it, files that become entries, and the diagnosis of all that. */
import { sentenceOf } from "../knowledge/standing.js";
import { ReplyError } from "../protocol/http-client.js";
import { type Constraint, type Entry, type KnowledgeReply, type NewEntry, rowsOf } from "../protocol/knowledge.js";

import type { RouteReply, RouteRequest } from "../protocol/routes.js";
import { gathered, hashOf } from "../store/bytes.js";
import type { StoredProject } from "../store/store.js";
import { type Desk, factsOf, logOf, projectOf, rowChecker, sourceOf, standsIn } from "./desk.js";
import { changeProject } from "./project-routes.js";
import { currentRun } from "./run-rows.js";

export async function knowledge(desk: Desk, { project: id, by }: RouteRequest<"knowledge">): Promise<KnowledgeReply> {
  return (await standsIn(desk, await projectOf(desk, id), by)).knowledge;
}

export async function entries(desk: Desk, { project: id, since }: RouteRequest<"entries">): Promise<Entry[]> {
  await projectOf(desk, id);
  return (await logOf(desk, id)).slice(since);
}

export async function append(desk: Desk, { project: id, entries: sent }: RouteRequest<"append">): Promise<Entry[]> {
  const project = await projectOf(desk, id);
  await checkEntries(desk, project, sent);
  const kept = await keep(desk, project, sent);
  await leaveOutExclusive(desk, project);
  return kept;
}

/** A column that keeps rows apart is no feature, as on the command line: it is left out when somebody says so, or says so again. */
async function leaveOutExclusive(desk: Desk, project: StoredProject): Promise<void> {
  const { features } = await factsOf(desk, project);
  const { said } = await standsIn(desk, project);
  const columns = said.flatMap(({ constraint }) =>
    constraint.type === "exclusive" && features.includes(constraint.column) ? [constraint.column] : [],
  );
  if (columns.length === 0) return;
  const ignore = [...new Set([...(project.reading.ignore ?? []), ...columns])];
  const chosen = project.reading.features?.filter((name) => !columns.includes(name));
  await changeProject(desk, { project: project.id, reading: { ignore, ...(chosen ? { features: chosen } : {}) } });
}

/** On disk first, then told. */
export async function keep(desk: Desk, { id }: StoredProject, sent: readonly NewEntry[]): Promise<Entry[]> {
  const kept = await desk.store.append(id, sent, desk.now());
  const log = await logOf(desk, id);
  desk.events.publish(id, { type: "knowledge", upTo: log.length });
  return [...kept];
}

/** What is said must be about rows and columns that there are, and changes about entries that there are. */
async function checkEntries(desk: Desk, project: StoredProject, sent: readonly NewEntry[]): Promise<void> {
  const facts = await factsOf(desk, project);
  const hasRow = rowChecker(facts);
  const refuse = (message: string) => new ReplyError(422, { code: "bad-input", message });
  const added = new Set(sent.map(({ id }) => id));
  const known = sent.some(({ change }) => change.type !== "add")
    ? new Set((await logOf(desk, project.id)).map(({ id }) => id))
    : added;
  for (const { change } of sent) {
    if (change.type !== "add") {
      if (!known.has(change.entry) && !added.has(change.entry))
        throw refuse(`There is no entry "${change.entry}" to ${change.type}.`);
      continue;
    }
    const { constraint } = change;
    const rows = rowsOf(constraint);
    const gone = rows.find((id) => !hasRow(id));
    if (gone !== undefined) throw refuse(`There is no row "${gone}".`);
    if (new Set(rows.map(String)).size < rows.length) throw refuse(`${sentenceOf(constraint)} names a row twice.`);
    if (constraint.type === "exclusive" && !facts.columns.includes(constraint.column))
      throw refuse(`There is no column "${constraint.column}".`);
    if (constraint.type === "sizes" && (constraint.min ?? 0) > (constraint.max ?? Infinity))
      throw refuse("The fewest rows of a cluster are more than the most.");
  }
}

export async function importConstraints(
  desk: Desk,
  request: RouteRequest<"importConstraints">,
): Promise<RouteReply<"importConstraints">> {
  const { name, by, kind } = request;
  const project = await projectOf(desk, request.project);
  const bytes = await gathered(request.bytes);
  const { constraints, notices } = await desk.compute.run(sourceOf(desk, project), "import", { kind, file: name, bytes });
  if (constraints.length === 0) return { added: 0, notices: [...notices] };
  const word = `${(await hashOf(bytes)).slice(0, 24)}-${kind[0]}`;
  const sent = (await notStanding(desk, project, word, constraints)).map(
    ({ id, constraint }): NewEntry => ({ id, by, from: { kind: "file", file: name }, change: { type: "add", constraint } }),
  );
  const before = (await logOf(desk, project.id)).length;
  if (sent.length > 0) await keep(desk, project, sent);
  return { added: (await logOf(desk, project.id)).length - before, notices: [...notices] };
}

/** A file that is sent twice is taken once; what was dropped or undone since comes back when it is sent again. */
async function notStanding(desk: Desk, project: StoredProject, word: string, constraints: readonly Constraint[]) {
  const wordsOf = (constraint: Constraint) => JSON.stringify({ ...constraint, weight: undefined });
  const { knowledge: known } = await standsIn(desk, project);
  const stands = new Set(
    known.constraints.flatMap(({ entry, constraint }) => (entry.startsWith(word) ? [wordsOf(constraint)] : [])),
  );
  const log = await logOf(desk, project.id);
  const taken = new Set(log.map(({ id }) => id));
  return constraints.flatMap((constraint, i) => {
    if (stands.has(wordsOf(constraint))) return [];
    const id = `${word}${i}`;
    return [{ id: taken.has(id) ? `${id}-${log.length}` : id, constraint }];
  });
}

interface KeptDiagnosis {
  readonly word: string;
  quick?: Promise<RouteReply<"diagnosis">>;
  full?: RouteReply<"diagnosis">;
  running?: boolean;
}

const diagnoses = new WeakMap<Desk, Map<string, KeptDiagnosis>>();

/** Of a project that is deleted: another of the same name begins anew. */
export function forgetDiagnosis(desk: Desk, id: string): void {
  diagnoses.get(desk)?.delete(id);
}

/** What can be said at once; the slower checks run on, and the same request a little later has them. */
export async function diagnosis(
  desk: Desk,
  { project: id, k, effort }: RouteRequest<"diagnosis">,
): Promise<RouteReply<"diagnosis">> {
  const project = await projectOf(desk, id);
  const { knowledge: stands, said } = await standsIn(desk, project);
  const newest = await currentRun(desk, project);
  const run = newest ? { number: newest.run.number, labels: newest.labels, letters: newest.letters } : null;
  const wanted = k ?? project.k;
  const word = JSON.stringify([
    stands.upTo,
    wanted,
    effort ?? null,
    project.policy,
    sourceOf(desk, project).key,
    newest?.run.number,
  ]);
  const all = diagnoses.get(desk) ?? new Map<string, KeptDiagnosis>();
  diagnoses.set(desk, all);
  const earlier = all.get(id);
  const kept: KeptDiagnosis = earlier?.word === word ? earlier : { word };
  all.set(id, kept);
  if (kept.full) return kept.full;
  const input = { said, disagreements: stands.disagreements, k: wanted, effort: effort ?? null, run };
  const ask = async (full: boolean) => ({
    upTo: stands.upTo,
    ...(await desk.compute.run(sourceOf(desk, project), "diagnose", { ...input, full })),
  });
  kept.quick ??= ask(false);
  const quick = await kept.quick.catch((error: unknown) => {
    all.delete(id);
    throw error;
  });
  if (!kept.running) {
    kept.running = true;
    ask(true).then(
      (full) => {
        kept.full = full;
      },
      () => {
        // The quick answer stands; it says itself that it is not all.
        kept.full = { ...quick, partial: false };
      },
    );
  }
  return quick;
}
