/** The application without a user interface. It answers every route of the protocol; the host passes in a store and the tasks. */
import {
  catalogue,
  DEFAULT_STRATEGY,
  emptyConstraints,
  findStrategy,
  type InstanceId,
  strategies,
  z,
} from "@coterie/core/internal";
import { csvCell, type LogRecord, recordLine, type StartRecord, writeConstraints } from "@coterie/data/browser";
import { asCommand, asTypeScript, type CopiedRun } from "../exports.js";
import { recordOf } from "../log/answer-records.js";
import type { ActiveConstraint } from "../log/constraint-log.js";
import type { ProjectEvent } from "../protocol/events.js";
import type { Info } from "../protocol/info.js";
import type { Constraint, Standing } from "../protocol/knowledge.js";
import { type Project, type Reading, type ReadingChange, reading as readingSchema } from "../protocol/projects.js";
import { type Call, type RouteName, type RouteReply, type RouteRequest, routes } from "../protocol/routes.js";
import type { RunReply } from "../protocol/runs.js";
import { rowsOf } from "../protocol/sentences.js";
import { type Chunks, hashOf, once } from "../store/bytes.js";
import { type DamagedProject, type HeldBytes, noProject, type StoredProject } from "../store/store.js";
import { Context, type WorkbenchOptions } from "./context.js";
import { OpenProject } from "./open-project.js";
import { badRequest, conflict, notFound } from "./problems.js";
import { firstReading, settledReading } from "./readings.js";

export interface Workbench {
  /** Answers a request. Throws a `ReplyError`, or an error of core that `replyTo` converts. */
  readonly call: Call;
  /** Yields the events of a project from now on, until the signal aborts. */
  events(project: string, signal: AbortSignal): Promise<AsyncGenerator<ProjectEvent, void, void>>;
  /** Stops all running work, then closes the store. */
  close(): Promise<void>;
}

type OwnRoute = "info" | "upload" | "listProjects" | "createProject" | "deleteProject";

type OwnRoutes = { readonly [N in OwnRoute]: (projects: Projects, request: RouteRequest<N>) => Promise<RouteReply<N>> };

/** The handlers of routes about one project. A handler receives the open project, and the project as it is stored now. */
type ProjectRoutes = {
  readonly [N in Exclude<RouteName, OwnRoute>]: (
    project: OpenProject,
    stored: StoredProject,
    request: RouteRequest<N>,
  ) => Promise<RouteReply<N>>;
};

const ownRoutes: OwnRoutes = {
  info: ({ context }) => info(context),
  upload: ({ context }, request) => upload(context, request),
  listProjects: (projects) => projects.list(),
  createProject: (projects, request) => projects.create(request),
  deleteProject: (projects, request) => projects.remove(request.project),
};

const projectRoutes: ProjectRoutes = {
  project: (project, stored) => project.reply(stored),
  changeProject: (project, _, { project: __, ...change }) => project.change(change),
  columns: (project, stored) => project.columns(stored),
  rows: (project, stored, { rows }) => project.rows(stored, rows),
  ids: async ({ context }, stored) => ({ ids: (await context.factsOf(stored)).ids?.slice() ?? null }),
  findRows: ({ context }, stored, { text, most }) => context.run(stored, "find", { text, most }),
  values: (project, stored, { column }) => project.values(stored, column),
  map: (project, stored, request) => project.map(stored, request),
  stopMap: async ({ neighbourhoods }) => {
    await neighbourhoods.stop();
    return { ok: true };
  },
  knowledge: async (project, stored, { by }) => (await project.table(stored)).log.reply(by),
  entries: async (project, _, { since }) => (await project.entries()).slice(since),
  append: (project, stored, { entries }) => project.append(stored, entries),
  importConstraints: (project, stored, request) => project.importConstraints(stored, request),
  diagnosis: (project, stored, request) => project.diagnosis(stored, request),
  advise: ({ advice }, stored, request) => advice.begin(stored, request),
  advice: async ({ advice }) => advice.reply,
  stopAdvice: async ({ advice }) => {
    await advice.stop();
    return { ok: true };
  },
  ask: async (project, stored, request) => (await project.table(stored)).questions.ask(stored, request),
  answer: async (project, stored, request) => (await project.table(stored)).questions.answer(stored, request),
  asked: async (project, stored, request) => (await project.table(stored)).questions.asked(stored, request),
  runs: ({ runs }) => runs.list(),
  startRun: ({ runs }, stored, request) => runs.start(stored, request),
  run: ({ runs }, stored, { run }) => runs.reply(stored, run),
  nameClusters: ({ runs }, _, request) => runs.nameClusters(request),
  cancelRun: ({ runs }, _, { run }) => runs.cancel(run),
  understanding: ({ runs }, stored, { run }) => runs.understanding(stored, run),
  cut: ({ runs }, stored, request) => runs.cut(stored, request),
  spread: ({ runs }, stored, request) => runs.spread(stored, request),
  compare: ({ runs }, stored, request) => runs.compare(stored, request),
  export: (project, stored, request) => exportFile(project, stored, request),
};

export function createWorkbench(options: WorkbenchOptions): Workbench {
  const context = new Context(options);
  const projects = new Projects(context);
  return {
    async call(name, input) {
      const request = await parsed(name, input);
      if (name in ownRoutes) {
        const route = ownRoutes[name as OwnRoute] as (projects: Projects, request: object) => Promise<never>;
        return await route(projects, request);
      }
      type Route = (project: OpenProject, stored: StoredProject, request: object) => Promise<never>;
      const route = projectRoutes[name as keyof ProjectRoutes] as Route;
      const stored = await context.stored((request as { readonly project: string }).project);
      return await route(projects.open(stored.id), stored, request);
    },
    async events(id, signal) {
      await context.stored(id);
      const upTo = (await projects.open(id).entries()).length;
      return context.events.subscribe(id, { type: "hello", upTo }, signal);
    },
    async close() {
      await projects.close();
      context.events.close();
      await context.compute.close();
      await context.uploads.close();
      await context.store.close();
    },
  };
}

/** Divides the input of a route into path parameters, query and body, and checks each part by its schema. */
async function parsed(name: RouteName, input: object): Promise<object> {
  const route = routes[name] as { params?: z.ZodObject; query?: z.ZodObject; body?: z.ZodObject | "bytes" };
  const given = { ...input } as Record<string, unknown>;
  const take = (schema: z.ZodObject | undefined): object => {
    if (!schema) return {};
    const part: Record<string, unknown> = {};
    for (const key of Object.keys(schema.shape)) {
      if (given[key] !== undefined) part[key] = given[key];
      delete given[key];
    }
    return schema.parse(part);
  };
  const params = take(route.params);
  const query = take(route.query);
  if (route.body === undefined) return { ...params, ...query };
  if (route.body === "bytes") return { ...params, ...query, bytes: await chunksOf(given.bytes) };
  return { ...route.body.parse(given), ...query, ...params };
}

async function chunksOf(given: unknown): Promise<Chunks> {
  if (typeof given === "object" && given !== null && Symbol.asyncIterator in given && !(given instanceof Blob))
    return given as Chunks;
  return once(z.instanceof(Uint8Array).parse(given instanceof Blob ? new Uint8Array(await given.arrayBuffer()) : given));
}

async function info({ options: { version, keeps, samples }, limits }: Context): Promise<Info> {
  return {
    version,
    keeps,
    methods: catalogue.map(({ name, title, menuTitle = title, summary, paper, family, treats, options }) => ({
      name,
      title: menuTitle,
      summary,
      paper,
      family,
      treats,
      options: z.toJSONSchema(options, { io: "input" }) as Record<string, unknown>,
    })),
    strategies: strategies.map(({ name, title, summary, needsK, asks, options }) => ({
      name,
      title,
      summary,
      needsK,
      asks,
      weighs: name === DEFAULT_STRATEGY,
      options: z.toJSONSchema(options, { io: "input" }) as Record<string, unknown>,
    })),
    samples: (await samples.list()).map(({ sha256: _, ...sample }) => sample),
    limits,
  };
}

async function upload({ uploads }: Context, { name, bytes: chunks }: RouteRequest<"upload">): Promise<RouteReply<"upload">> {
  const { id, file, sha256, bytes } = await uploads.add(name, chunks);
  if (bytes > 0) return { upload: id, file, sha256, bytes };
  await uploads.remove(id);
  throw badRequest("There is nothing in this file.");
}

interface HeldData extends HeldBytes {
  readonly file: string;
  readonly reading: ReadingChange;
  readonly k: number | null;
}

/** The projects of a store. A project that was used once stays open in memory. */
class Projects {
  readonly context: Context;
  readonly #open = new Map<string, OpenProject>();

  constructor(context: Context) {
    this.context = context;
  }

  open(id: string): OpenProject {
    const known = this.#open.get(id);
    if (known) return known;
    const project = new OpenProject(this.context, id);
    this.#open.set(id, project);
    return project;
  }

  /** Lists all projects. A project that cannot be read is listed with its problem; the other projects are not affected. */
  async list(): Promise<Project[]> {
    const replies: Project[] = [];
    for (const stored of await this.context.store.projects())
      replies.push(
        "problem" in stored
          ? unreadable(stored)
          : await this.open(stored.id)
              .reply(stored)
              .catch((error: Error) => unreadable({ ...stored, problem: error.message })),
      );
    return replies;
  }

  /** Makes a project from an upload or a sample. The store holds the bytes until the project is stored. */
  async create(request: RouteRequest<"createProject">): Promise<Project> {
    const { upload, sample } = request;
    const { store, uploads, options } = this.context;
    if ((upload === undefined) === (sample === undefined)) throw badRequest("Name an upload or a sample, one of the two.");
    if (upload !== undefined) {
      const made = await uploads.use(upload, (data) => this.#createFrom({ ...data, reading: {}, k: null }, request));
      if (made === null) throw notFound("There is no such upload: send the file again.");
      return made;
    }
    const found = await options.samples.open(sample!);
    if (!found) throw notFound(`There is no sample "${sample}".`);
    const held = await store.hold(once(found.bytes));
    try {
      return await this.#createFrom({ ...found, ...held }, request);
    } finally {
      await store.release(held.sha256);
    }
  }

  async #createFrom({ file, sha256, bytes, k, ...held }: HeldData, request: RouteRequest<"createProject">): Promise<Project> {
    const { context } = this;
    const named = { ...held.reading, ...request.reading };
    const draft = { data: { file, sha256, bytes }, reading: firstReading(named) };
    const facts = await context.factsOf(draft);
    const most = context.limits.rows;
    if (facts.n > most)
      throw conflict(`The table has ${facts.n.toLocaleString("en")} rows; the studio takes ${most.toLocaleString("en")}.`);
    const title = request.name ?? file.replace(/^.*[\\/]/, "").replace(/\.[A-Za-z0-9]{1,8}$/, "");
    const at = context.options.now();
    const stored = await addProject(context, title, {
      ...draft,
      reading: settledReading(facts, named),
      name: title === "" ? "table" : title,
      created: at,
      changed: at,
      k,
      policy: "latest",
    });
    const project = this.open(stored.id);
    await project.keepFacts(stored, facts);
    return await project.reply(stored);
  }

  async remove(id: string): Promise<RouteReply<"deleteProject">> {
    const { store, events } = this.context;
    // Damaged projects can be deleted too.
    if (!(await store.projects()).some((project) => project.id === id)) throw noProject(id, store);
    await this.#open.get(id)?.close();
    await store.deleteProject(id);
    this.#open.delete(id);
    events.publish(id, { type: "gone" });
    return { ok: true };
  }

  /** Stops all running work of all projects. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((project) => project.close()));
  }
}

/** Adds a project to the store. The id is a short form of the title. If another project has this id, a number is added. */
async function addProject({ store }: Context, title: string, project: Omit<StoredProject, "id">): Promise<StoredProject> {
  const short = title
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 60);
  const base = short === "" ? "project" : short;
  const taken = new Set((await store.projects()).map(({ id }) => id));
  for (let number = 1; ; number++) {
    const named = { ...project, id: number === 1 ? base : `${base}-${number}` };
    // After the ids were read, another process can have taken this id. Then `addProject` returns false, and the next id is tried.
    if (!taken.has(named.id) && (await store.addProject(named))) return named;
  }
}

/** A project that cannot be read, as lists show it: with its problem, and with the facts that could be read. */
function unreadable({ id, problem, ...known }: DamagedProject & Partial<StoredProject>): Project {
  const { name = id, created = "", changed = "", k = null, policy = "latest" } = known;
  const { data = { file: id, sha256: "", bytes: 0 }, reading = readingSchema.parse({}) } = known;
  const counts = { rows: 0, leftOut: 0, columns: 0, constraints: 0, runs: 0, broken: null };
  return { id, name, created, changed, data, reading, k, policy, ...counts, notices: [], problem };
}

/* Files that users can export: labels with names, constraints, models, reports, answers as a log for the command line, runs as code. */

/**
 * Texts that a spreadsheet would read as a formula. They get an apostrophe in front. Texts with apostrophes before a formula get one more.
 * So removing one apostrophe always gives the original text.
 */
const FORMULA = /^'*\s*[=+\-@\t\r]/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** Writes a cell for spreadsheets. A text that looks like a formula gets an apostrophe in front; plain numbers stay as they are. */
export function safeCell(value: string | number): string {
  const text = String(value);
  return csvCell(FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);
}

function labelsFile(labels: Int32Array, ids: readonly InstanceId[] | null, names: readonly (string | null)[] | null): string {
  const lines = [names ? "id,cluster,name" : "id,cluster"];
  labels.forEach((label, row) => {
    const name = names ? `,${safeCell(names[label] ?? "")}` : "";
    lines.push(`${safeCell(ids?.[row] ?? row)},${label}${name}`);
  });
  return `${lines.join("\n")}\n`;
}

function constraintsFile(active: readonly ActiveConstraint[]): string {
  const lines = active.flatMap(({ constraint }) => {
    const line = cellsOf(constraint);
    return line === null ? [] : [line.map((value) => (value === "" ? "" : safeCell(value))).join(",")];
  });
  return `${["type,a,b,c,weight", ...lines].join("\n")}\n`;
}

/** A constraint as a line of a constraints file. Null for exclusive columns and bounds on sizes: the format has no lines for them. */
function cellsOf(constraint: Constraint): (string | number)[] | null {
  switch (constraint.type) {
    case "must-link":
    case "cannot-link":
      return [constraint.type, constraint.a, constraint.b, "", constraint.weight ?? 1];
    case "relative":
      return [constraint.type, constraint.a, constraint.b, constraint.c, constraint.weight ?? 1];
    case "label":
      return [constraint.type, constraint.a, constraint.class, "", constraint.weight ?? 1];
    default:
      return null;
  }
}

/**
 * Writes a log of answers: one start record, then the answers, oldest first. Of several certain answers to the same question, only the
 * newest is written.
 */
function answersFile(start: LogRecord, answers: readonly AskedStanding[]): string {
  const questionOf = ({ entry, from, constraint }: AskedStanding) =>
    from.evidence ? entry : JSON.stringify(rowsOf(constraint).map(String).sort());
  const newest = new Map(answers.map((answer) => [questionOf(answer), answer]));
  const records = [...newest.values()]
    .sort((a, b) => a.seq - b.seq)
    .flatMap((answer) => recordOf({ ...answer, by: answer.from.program ?? answer.by }, 1) ?? []);
  return [start, ...records.map((record, i) => ({ ...record, number: i + 1 }))].map(recordLine).join("");
}

type AskedStanding = Standing & { readonly from: { readonly kind: "asked" } };

/* Makes the files that a project exports. */

type Exported = RouteReply<"export">;

async function exportFile(
  project: OpenProject,
  stored: StoredProject,
  { kind, run: number }: RouteRequest<"export">,
): Promise<Exported> {
  if (kind === "constraints") return await exportConstraints(project, stored, number);
  if (kind === "answers") return await exportAnswers(project, stored);
  const run = await runFor(project, number);
  const name = `${project.id}-run-${run.number}`;
  switch (kind) {
    case "labels":
      return { file: `${name}-labels.csv`, type: "text/csv", text: await labelsText(project, stored, run) };
    case "model":
      return { file: `${name}-model.json`, type: "application/json", text: await modelText(project, run) };
    case "report-json":
      return { file: `${name}-report.json`, type: "application/json", text: await reportText(project, run) };
    case "report-html":
      return { file: `${name}-report.html`, type: "text/html", text: await pageText(project, stored, run) };
    case "command":
      return { file: `${name}.sh`, type: "text/plain", text: asCommand(await copied(project, stored, run)) };
    case "typescript":
      return { file: `${name}.ts`, type: "text/plain", text: asTypeScript(await copied(project, stored, run)) };
  }
}

async function runFor({ context, id, runs }: OpenProject, number: number | undefined): Promise<RunReply> {
  const run = number === undefined ? ((await runs.newest())?.run ?? null) : await context.store.run(id, number);
  if (!run) throw notFound(number === undefined ? "There is no finished run yet." : `There is no run ${number}.`);
  if (run.state !== "done") throw conflict(`Run ${run.number} has no result: it is ${run.state}.`);
  return run;
}

async function exportConstraints(project: OpenProject, stored: StoredProject, number: number | undefined): Promise<Exported> {
  if (number !== undefined) await runFor(project, number);
  const active = number === undefined ? (await project.table(stored)).log.active : await project.runs.givenTo(number);
  const file = number === undefined ? `${stored.id}-constraints.csv` : `${stored.id}-run-${number}-constraints.csv`;
  return { file, type: "text/csv", text: constraintsFile(active) };
}

async function labelsText({ context, runs }: OpenProject, stored: StoredProject, run: RunReply): Promise<string> {
  const finished = await runs.withLabels(run);
  // Rows get the names that they had in the run. The table can be read in another way now.
  const { ids, n } = await context.factsOf(await runs.asRead(stored, run.number));
  if (finished?.labels.length !== n) throw conflict("The table is read in another way since this run.", "Run again.");
  return labelsFile(finished.labels, ids, run.names);
}

async function modelText({ context, id }: OpenProject, run: RunReply): Promise<string> {
  const text = await context.store.artifact(id, run.number, "model");
  if (text === null)
    throw conflict(`${run.title} has no rule for new rows, so there is no model.`, "Take the labels, or run another method.");
  if (run.names === null) return text;
  return `${JSON.stringify({ ...JSON.parse(text), names: run.names })}\n`;
}

async function reportText({ runs }: OpenProject, run: RunReply): Promise<string> {
  const report = await runs.report(run.number);
  return `${JSON.stringify(run.names === null ? report : { ...report, names: run.names })}\n`;
}

async function pageText(project: OpenProject, stored: StoredProject, run: RunReply): Promise<string> {
  const { context, runs } = project;
  const { names } = run;
  return await context.run(await runs.asRead(stored, run.number), "page", {
    report: await runs.report(run.number),
    title: stored.name,
    command: asCommand(await copied(project, stored, run)).trim(),
    ...(names === null ? {} : { names: names.map((name) => name ?? "") }),
    active: await runs.givenTo(run.number),
  });
}

async function copied({ context, runs }: OpenProject, stored: StoredProject, run: RunReply): Promise<CopiedRun> {
  const { reading } = await runs.asRead(stored, run.number);
  const samples = await context.options.samples.list();
  const { file, sha256 } = stored.data;
  const sample = samples.find((each) => each.sha256 === sha256 && file === `${each.name}.csv`);
  return {
    data: sample?.name ?? file,
    reading,
    spec: run.spec,
    k: run.spec.choose ? ((await runs.report(run.number)).chosen?.k ?? run.k) : run.k,
    active: await runs.givenTo(run.number),
    file: `${stored.id}-run-${run.number}-constraints.csv`,
  };
}

/** The reading of the table in the words of the command line: options by name, with their values as texts. */
function readingWords({ types, weights, transforms, recognise: _, ...reading }: Reading): StartRecord["reading"] {
  const pairs = (all: Readonly<Record<string, string | number>> | undefined) =>
    Object.entries(all ?? {}).map(([name, value]) => `${name}=${value}`);
  const lists = Object.entries({ type: pairs(types), weight: pairs(weights), transform: pairs(transforms) }).filter(
    ([, list]) => list.length > 0,
  );
  const words = Object.entries(reading).map(([name, value]) => [name, Array.isArray(value) ? value : String(value)]);
  return Object.fromEntries([...words, ...lists]);
}

async function exportAnswers(project: OpenProject, stored: StoredProject): Promise<Exported> {
  const table = await project.table(stored);
  const { facts, log } = table;
  const isAsked = (standing: Standing): standing is AskedStanding => standing.from.kind === "asked";
  // Answers that other answers outweigh are exported too, because the reader of the log weighs all answers again.
  const asked = log
    .reply()
    .constraints.filter(isAsked)
    .filter(({ counts, from, constraint }) => counts || (from.evidence && rowsOf(constraint).every(table.hasRow)));
  const newest = asked.at(-1)?.from;
  const strategy = (newest && findStrategy(newest.strategy)) ?? findStrategy(DEFAULT_STRATEGY)!;
  const errorRate = asked.findLast(({ from }) => from.evidence)?.from.evidence;
  const none = [...writeConstraints(emptyConstraints(facts.n), undefined)].join("");
  const start: StartRecord = {
    record: "start",
    format: 1,
    version: project.context.options.version,
    data: stored.data.file,
    sha256: stored.data.sha256,
    rows: Math.max(1, facts.n),
    features: [...facts.features],
    strategy: strategy.name,
    options: strategy.options.parse({}) as StartRecord["options"],
    k: stored.k,
    budget: asked.length,
    seed: 0,
    reading: readingWords(stored.reading),
    constraints: [],
    known: await hashOf(new TextEncoder().encode(none)),
    ...(errorRate === undefined ? {} : { errorRate }),
  };
  return { file: `${stored.id}.answers.jsonl`, type: "application/jsonl", text: answersFile(start, asked) };
}
