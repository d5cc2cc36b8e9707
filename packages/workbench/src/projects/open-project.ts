/** An open project: its log, its table, its runs and its advice. Most of its methods are the handlers of routes about a project. */
import { badOption, CoterieError, type Report } from "@coterie/core/internal";
import { prefersNeighbourhoods } from "@coterie/core/layout";
import type { TableFacts } from "../compute/tasks.js";
import { ConstraintLog } from "../log/constraint-log.js";
import type { AdviceReply } from "../protocol/advice.js";
import { askedBy } from "../protocol/answers.js";
import type { ProjectEvent } from "../protocol/events.js";
import type { Constraint, Entry, NewEntry } from "../protocol/knowledge.js";
import type { Project } from "../protocol/projects.js";
import { ReplyError } from "../protocol/reply-error.js";
import type { RouteReply, RouteRequest } from "../protocol/routes.js";
import { rowsOf, sentenceOf } from "../protocol/sentences.js";
import { tallyOf } from "../protocol/tally.js";
import { gathered, hashOf } from "../store/bytes.js";
import type { StoredProject } from "../store/store.js";
import { float32Text } from "./base64.js";
import { type Context, missingData } from "./context.js";
import { CurrentTable } from "./current-table.js";
import { Neighbourhoods } from "./neighbourhoods.js";
import { badRequest, conflict, notFound, replyTo } from "./problems.js";
import { changedReading } from "./readings.js";
import { Runs } from "./runs.js";

/** Maximum number of rows that one reply contains. */
const MOST_ROWS = 2_000;

interface KeptFacts {
  readonly key: string;
  readonly rows: number;
  readonly leftOut: number;
  readonly columns: number;
  readonly notices: readonly string[];
}

export class OpenProject {
  readonly context: Context;
  readonly id: string;
  readonly runs: Runs;
  readonly advice: Advice;
  readonly neighbourhoods: Neighbourhoods;
  /** The entries of the log that were read from the store so far. */
  readonly #entries: Entry[] = [];
  #table: { readonly key: string; readonly opened: Promise<CurrentTable> } | null = null;
  /** The promise of the newest change of the project. The next change waits for it. */
  #change: Promise<unknown> = Promise.resolve();

  constructor(context: Context, id: string) {
    this.context = context;
    this.id = id;
    this.runs = new Runs(this);
    this.advice = new Advice(this);
    this.neighbourhoods = new Neighbourhoods(this);
  }

  stored(): Promise<StoredProject> {
    return this.context.stored(this.id);
  }

  /** Returns the whole log. It first reads new entries from the store, because other processes can have written some. */
  async entries(): Promise<readonly Entry[]> {
    const more = await this.context.store.entries(this.id, this.#entries.length);
    // In the meantime, another request can have read the same entries.
    for (const entry of more) if (entry.seq === this.#entries.length + 1) this.#entries.push(entry);
    return this.#entries;
  }

  /** Returns the table as the project reads it now, with all entries of the log. */
  async table(stored: StoredProject): Promise<CurrentTable> {
    const key = JSON.stringify([stored.policy, this.context.sourceOf(stored).key, stored.named?.length ?? 0]);
    if (this.#table?.key !== key) {
      const opened = this.#open(stored);
      this.#table = { key, opened };
      opened.catch(() => {
        if (this.#table?.opened === opened) this.#table = null;
      });
    }
    return await this.bring(await this.#table.opened);
  }

  async #open(stored: StoredProject): Promise<CurrentTable> {
    const { data, named = [] } = stored;
    const namings = named.map(async ({ upTo, reading }) => ({ upTo, names: await this.context.factsOf({ data, reading }) }));
    return new CurrentTable(this, stored, await this.context.factsOf(stored), await Promise.all(namings));
  }

  /** Adds new entries of the log to a table, and returns the table. */
  async bring(table: CurrentTable): Promise<CurrentTable> {
    table.append(await this.entries());
    return table;
  }

  publish(event: ProjectEvent): void {
    this.context.events.publish(this.id, event);
  }

  async close(): Promise<void> {
    await Promise.all([this.runs.close(), this.advice.reset(), this.neighbourhoods.stop()]);
  }

  /* What lists and pages show of a project. */

  async reply(stored: StoredProject): Promise<Project> {
    const { rows, leftOut, columns, notices } = await this.#keptFacts(stored);
    const { store } = this.context;
    // Projects are listed without opening their tables. So this log counts constraints as if every row and column existed.
    const log = new ConstraintLog({ policy: stored.policy, hasRow: () => true, hasColumn: () => true });
    log.append(await this.entries());
    const runs = await store.runs(this.id);
    const newest = await this.runs.newest();
    const { named: _, ...shown } = stored;
    return {
      ...shown,
      rows,
      leftOut,
      columns,
      constraints: tallyOf(log.reply().constraints).all,
      runs: runs.length,
      broken: newest?.run.broken ?? null,
      notices: [...notices],
      ...((await store.hasBlob(stored.data.sha256)) ? {} : { problem: missingData(stored, store) }),
    };
  }

  /** Saves facts about the table: number of rows and columns, notices. So a list of projects can show them without opening the table. */
  async keepFacts(stored: StoredProject, { n, total, columns, notices }: TableFacts): Promise<KeptFacts> {
    const { key } = this.context.sourceOf(stored);
    const kept = { key, rows: n, leftOut: total - n, columns: columns.length, notices };
    await this.context.store.putArtifact(this.id, 0, "facts", JSON.stringify(kept));
    return kept;
  }

  async #keptFacts(stored: StoredProject): Promise<KeptFacts> {
    // If the saved facts are damaged, they are computed again from the table.
    const kept = await this.context.artifact<KeptFacts>(this.id, 0, "facts").catch(() => null);
    return kept?.key === this.context.sourceOf(stored).key
      ? kept
      : await this.keepFacts(stored, await this.context.factsOf(stored));
  }

  /** Changes the project. Changes are made one after the other, so each begins with the result of the change before. */
  change(request: Omit<RouteRequest<"changeProject">, "project">): Promise<Project> {
    const change = this.#change.then(() => this.#changeNow(request));
    this.#change = change.catch(() => undefined);
    return change;
  }

  async #changeNow({ name, reading, k, policy }: Omit<RouteRequest<"changeProject">, "project">): Promise<Project> {
    const { context } = this;
    const before = await this.stored();
    const after: StoredProject = {
      ...before,
      ...(await this.#namesBefore(before, reading?.id)),
      ...(name === undefined ? {} : { name }),
      ...(reading === undefined ? {} : { reading: changedReading(before.reading, reading) }),
      ...(k === undefined ? {} : { k }),
      ...(policy === undefined ? {} : { policy }),
      changed: context.options.now(),
    };
    // A reading that does not fit the table is refused here, before anything is saved.
    const facts = await context.factsOf(after);
    if (typeof k === "number" && k > facts.n) throw new CoterieError({ code: "k-too-large", k, n: facts.n });
    if (reading !== undefined) await this.#checkExclusive(facts);
    await context.store.replaceProject(after);
    await this.keepFacts(after, facts);
    if (context.sourceOf(after).key !== context.sourceOf(before).key || after.policy !== before.policy) await this.advice.reset();
    this.publish({ type: "project" });
    return await this.reply(after);
  }

  /**
   * If another column will name the rows, returns the earlier readings and the present reading: older log entries use their row names.
   * Otherwise returns an empty object.
   */
  async #namesBefore(
    { reading, named = [] }: StoredProject,
    id: string | null | undefined,
  ): Promise<Pick<StoredProject, "named">> {
    const upTo = (await this.entries()).length;
    if (id === undefined || (id ?? undefined) === reading.id || upTo === (named.at(-1)?.upTo ?? 0)) return {};
    return { named: [...named, { upTo, reading }] };
  }

  async #exclusiveColumns(): Promise<ReadonlySet<string>> {
    const log = new ConstraintLog({ policy: "latest", hasRow: () => true, hasColumn: () => true });
    log.append((await this.entries()).filter(({ change }) => change.type !== "add" || change.constraint.type === "exclusive"));
    return new Set(log.active.flatMap(({ constraint }) => (constraint.type === "exclusive" ? [constraint.column] : [])));
  }

  /** Throws if an exclusive column is also a feature. The command line refuses this too. */
  async #checkExclusive({ features }: TableFacts): Promise<void> {
    const exclusive = await this.#exclusiveColumns();
    const column = features.find((name) => exclusive.has(name));
    if (column !== undefined)
      throw conflict(`"${column}" keeps rows apart, so it cannot be a feature.`, `Drop "one per ${column}" first.`);
  }

  /* Routes about the table. */

  async columns(stored: StoredProject): Promise<RouteReply<"columns">> {
    const found = await this.context.run(stored, "columns", {});
    const exclusive = await this.#exclusiveColumns();
    return found.map((column) =>
      exclusive.has(column.name) && column.role === "ignored" ? { ...column, role: "exclusive" } : column,
    );
  }

  async rows(stored: StoredProject, wanted: readonly number[]): Promise<RouteReply<"rows">> {
    const { n } = await this.context.factsOf(stored);
    if (wanted.length > MOST_ROWS) throw badRequest(`At most ${MOST_ROWS} rows at once.`);
    const gone = wanted.find((row) => !(row < n));
    if (gone !== undefined) throw notFound(`There is no row ${gone}: rows go from 0 to ${n - 1}.`);
    return await this.context.run(stored, "rows", { rows: wanted });
  }

  async values(stored: StoredProject, column: string): Promise<RouteReply<"values">> {
    await this.#checkColumn(stored, column);
    const { values: numbers, levels } = await this.context.run(stored, "values", { column });
    return { values: float32Text(numbers), levels: levels === null ? null : [...levels] };
  }

  async #checkColumn(stored: StoredProject, column: string): Promise<void> {
    const { columns } = await this.context.factsOf(stored);
    if (!columns.includes(column)) throw notFound(`There is no column "${column}".`);
  }

  async map(stored: StoredProject, request: RouteRequest<"map">): Promise<RouteReply<"map">> {
    if (request.space === "auto") return await this.#chosenMap(stored, request);
    if (request.space === "neighbourhoods") return await this.neighbourhoods.draw(stored, request);
    const { input, read } = await this.#mapInput(stored, { ...request, space: request.space });
    const { xy, ...reply } = await this.context.run(read, "map", input);
    return { ...reply, xy: float32Text(xy) };
  }

  /** The kind of map that suits the table: neighbourhoods for many columns, if a map of them was not stopped. */
  async #chosenMap(stored: StoredProject, request: RouteRequest<"map">): Promise<RouteReply<"map">> {
    const { n, features } = await this.context.factsOf(stored);
    const isWide = prefersNeighbourhoods({ n, d: features.length });
    const reply = await this.map(stored, { ...request, space: isWide ? "neighbourhoods" : "features" });
    if (!isWide) return reply;
    const notice = `With ${features.length} columns, two components show little: the map shows neighbourhoods. Axes has other maps.`;
    return { ...reply, notice };
  }

  /** The input of the map, and the reading of the table for it. A learned distance is about the columns that its run had. */
  async #mapInput(
    stored: StoredProject,
    { space, x, y, run }: RouteRequest<"map"> & { readonly space: "features" | "run" | "columns" },
  ) {
    if (space === "columns") {
      if (x === undefined || y === undefined) throw badRequest("Name the two columns: x and y.");
      await this.#checkColumn(stored, x);
      await this.#checkColumn(stored, y);
      return { input: { space, x, y } as const, read: stored };
    }
    if (space === "features") return { input: { space } as const, read: stored };
    const number = run ?? (await this.runs.newest())?.run.number;
    const report = number === undefined ? null : await this.context.artifact<Report>(this.id, number, "report");
    if (report === null) throw notFound(number === undefined ? "There is no finished run yet." : `Run ${number} has no result.`);
    await this.runs.checkRows(stored, number!);
    return { input: { space, report } as const, read: await this.runs.asRead(stored, number!) };
  }

  /* Routes about the log of constraints. */

  async append(stored: StoredProject, sent: readonly NewEntry[]): Promise<Entry[]> {
    const table = await this.table(stored);
    this.#check(table, sent);
    for (const entry of sent) if (entry.change.type === "revise") await this.#checkRevision(stored, table, entry);
    const kept = await this.keep(sent);
    await this.#leaveOutExclusive(stored);
    return kept;
  }

  /** Appends entries to the log. When they are on disk, the promise resolves and subscribers get an event. */
  async keep(sent: readonly NewEntry[]): Promise<Entry[]> {
    const kept = await this.context.store.append(this.id, sent, this.context.options.now());
    const log = await this.entries();
    this.publish({ type: "knowledge", upTo: log.length });
    return [...kept];
  }

  /**
   * Checks entries before they are saved: constraints must name rows and columns of the table, and changes must name entries of the log.
   */
  #check(table: CurrentTable, sent: readonly NewEntry[]): void {
    const refuse = (message: string) => new ReplyError(422, { code: "bad-input", message });
    const isChange = sent.some(({ change }) => change.type !== "add");
    const known = new Set([...(isChange ? this.#entries : []), ...sent].map(({ id }) => id));
    for (const { change } of sent) {
      if (change.type !== "add") {
        if (!known.has(change.entry)) throw refuse(`There is no entry "${change.entry}" to ${change.type}.`);
        continue;
      }
      const { constraint } = change;
      const rows = rowsOf(constraint);
      const gone = rows.find((id) => !table.hasRow(id));
      if (gone !== undefined) throw refuse(`There is no row "${gone}".`);
      if (new Set(rows.map(String)).size < rows.length) throw refuse(`${sentenceOf(constraint)} names a row twice.`);
      if (constraint.type === "exclusive" && !table.facts.columns.includes(constraint.column))
        throw refuse(`There is no column "${constraint.column}".`);
      if (constraint.type === "sizes" && (constraint.min ?? 0) > (constraint.max ?? Infinity))
        throw refuse("The fewest rows of a cluster are more than the most.");
    }
  }

  /** Checks the revision of an answer. It must come from the same person, be about the same rows, and add no contradiction. */
  async #checkRevision(stored: StoredProject, table: CurrentTable, sent: NewEntry): Promise<void> {
    const { change, by } = sent as NewEntry & { readonly change: { readonly type: "revise" } };
    const old = this.#entries.find(({ id }) => id === change.entry);
    const named = old && table.presentName(old).change;
    const before = named?.type === "add" ? named.constraint : null;
    const refuse = (message: string) => new ReplyError(422, { code: "bad-input", message });
    const namesOf = (constraint: Constraint) => JSON.stringify(rowsOf(constraint).map(String).sort());
    if (!before || !askedBy(before) || !askedBy(change.constraint) || namesOf(before) !== namesOf(change.constraint))
      throw refuse("An answer can be revised to another answer about the same rows.");
    if (old!.by !== by) throw refuse(`Only ${old!.by} can revise this answer.`);
    const log = await this.entries();
    const after = table.logWith(stored, log, { ...sent, seq: log.length + 1, at: this.context.options.now() });
    await table.run("refuseContradiction", { before: table.log.active, after: after.active });
  }

  /** If a constraint makes a column exclusive, the column is removed from the features, as on the command line. */
  async #leaveOutExclusive(stored: StoredProject): Promise<void> {
    const { facts, log } = await this.table(stored);
    const columns = log.active.flatMap(({ constraint }) =>
      constraint.type === "exclusive" && facts.features.includes(constraint.column) ? [constraint.column] : [],
    );
    if (columns.length === 0) return;
    const ignore = [...new Set([...(stored.reading.ignore ?? []), ...columns])];
    const chosen = stored.reading.features?.filter((name) => !columns.includes(name));
    await this.change({ reading: { ignore, ...(chosen ? { features: chosen } : {}) } });
  }

  async importConstraints(
    stored: StoredProject,
    { name: file, by, kind, bytes: chunks }: RouteRequest<"importConstraints">,
  ): Promise<RouteReply<"importConstraints">> {
    const bytes = await gathered(chunks);
    const table = await this.table(stored);
    const { constraints, origins, notices } = await table.run("import", { kind, file, bytes });
    const key = `${(await hashOf(bytes)).slice(0, 24)}-${kind[0]}`;
    const known = await this.#knownOf(table, key);
    const sent = constraints.flatMap((constraint, i): NewEntry[] =>
      known.claims.has(claimOf(constraint))
        ? []
        : [{ id: known.idOf(i), by, from: { kind: "file", file }, ...origins?.[i], change: { type: "add", constraint } }],
    );
    const before = (await this.entries()).length;
    if (sent.length > 0) await this.keep(sent);
    return { added: (await this.entries()).length - before, notices: [...notices] };
  }

  /**
   * What the log already has of an imported file.
   * claims: constraints of the file that the log has now. They are not added again.
   * idOf: the entry id for constraint i. If an earlier import used this id, it is a new id. So a second import restores a dropped
   * constraint.
   */
  async #knownOf(table: CurrentTable, key: string) {
    await this.bring(table);
    const listed = table.log.reply().constraints.filter(({ entry }) => entry.startsWith(key));
    const { length } = this.#entries;
    const taken = new Set(this.#entries.map(({ id }) => id));
    return {
      claims: new Set(listed.map(({ constraint }) => claimOf(constraint))),
      idOf: (i: number) => (taken.has(`${key}${i}`) ? `${key}${i}-${length}` : `${key}${i}`),
    };
  }

  /**
   * Returns the quick diagnosis, and starts the full diagnosis in the background. The same request a little later returns the full
   * diagnosis.
   */
  async diagnosis(stored: StoredProject, { k, effort }: RouteRequest<"diagnosis">): Promise<RouteReply<"diagnosis">> {
    const table = await this.table(stored);
    const newest = await this.runs.current(stored);
    const run = newest ? { number: newest.run.number, labels: newest.labels, letters: newest.letters } : null;
    const { upTo, disagreements } = table.log.reply();
    const input = { active: table.log.active, disagreements, k: k ?? stored.k, effort: effort ?? null, run };
    const diagnose = async (full: boolean) => ({ upTo, ...(await table.run("diagnose", { ...input, full })) });
    const key = JSON.stringify([upTo, input.k, input.effort, run?.number]);
    if (table.diagnosis?.key !== key) table.diagnosis = { key, quick: diagnose(false) };
    const kept = table.diagnosis;
    if (kept.full) return kept.full;
    const quick = await kept.quick.catch((error: unknown) => {
      table.diagnosis = null;
      throw error;
    });
    if (!kept.isRunning) {
      kept.isRunning = true;
      diagnose(true).then(
        (full) => {
          kept.full = full;
        },
        () => {
          // If the full diagnosis fails, the quick diagnosis stays, and nothing more is computed.
          kept.full = { ...quick, partial: false };
        },
      );
    }
    return quick;
  }
}

/** A constraint as a text, without its weight. If two constraints have the same claim, they have the same text. */
function claimOf(constraint: Constraint): string {
  return JSON.stringify({ ...constraint, weight: undefined });
}

/* Advice about the method that suits a project. Only one search runs at a time. Its progress is published, and any person can stop it. */

interface Search {
  readonly controller: AbortController;
  reply: AdviceReply;
  done: Promise<void>;
}

/** Minimum time between two reports of progress, in milliseconds. */
const PROGRESS_MS = 250;

class Advice {
  readonly #project: OpenProject;
  #search: Search | null = null;

  constructor(project: OpenProject) {
    this.#project = project;
  }

  /** The reply of the newest search; null if there was no search. */
  get reply(): AdviceReply | null {
    return this.#search?.reply ?? null;
  }

  async stop(): Promise<void> {
    this.#search?.controller.abort();
    await this.#search?.done;
  }

  /** Stops the search and drops its result. Called when the table or the constraints have changed. */
  async reset(): Promise<void> {
    const search = this.#search;
    this.#search = null;
    search?.controller.abort();
    await search?.done;
  }

  async begin(stored: StoredProject, { k: wanted, seed }: RouteRequest<"advise">): Promise<AdviceReply> {
    const k = wanted ?? stored.k;
    if (k === null) throw badOption("k", undefined, "given: say how many clusters");
    const table = await this.#project.table(stored);
    const { n } = table.facts;
    if (k > n) throw new CoterieError({ code: "k-too-large", k, n });
    const { upTo, active } = table.log;
    const earlier = this.#search;
    if (earlier?.reply.state === "running") {
      if (earlier.reply.upTo === upTo && earlier.reply.k === k) return earlier.reply;
      earlier.controller.abort();
    }
    const controller = new AbortController();
    const { signal } = controller;
    const begun: AdviceReply = { upTo, k, state: "running", progress: null, problem: null, advised: null };
    const search: Search = { controller, reply: begun, done: Promise.resolve() };
    this.#search = search;
    const report = (change: Partial<AdviceReply>) => {
      search.reply = { ...search.reply, ...change };
      if (this.#search === search) this.#project.publish({ type: "advice", advice: search.reply });
    };
    let reported = -Infinity;
    const onStep = (progress: NonNullable<AdviceReply["progress"]>) => {
      if (performance.now() - reported < PROGRESS_MS) return;
      reported = performance.now();
      report({ progress: { ...progress } });
    };
    search.done = table.run("advise", { active, k, seed }, { signal, onStep }).then(
      ({ tried, leftOut, suspects, ...advised }) =>
        report({
          state: "done",
          progress: null,
          advised: { ...advised, tried: [...tried], leftOut: [...leftOut], suspects: [...suspects] },
        }),
      (error: unknown) =>
        signal.aborted
          ? report({ state: "cancelled", progress: null })
          : report({ state: "failed", progress: null, problem: replyTo(error)?.problem.message ?? "The search failed." }),
    );
    return begun;
  }
}
