/** The application without a face: every route of the protocol, answered over a store and tasks that are handed in. */
import { catalogue, type InstanceId, strategies, z } from "@coterie/core/internal";
import { type AnswerRecord, type LogRecord, recordLine, type StartRecord } from "@coterie/data/browser";
import { safeCell } from "../exports/cells.js";
import { asCommand, asTypeScript, type CopiedRun } from "../exports/copy.js";
import type { Said } from "../knowledge/constraint-set.js";
import type { ProjectEvent } from "../protocol/events.js";
import type { Info } from "../protocol/info.js";
import { type Constraint, rowsOf } from "../protocol/knowledge.js";
import type { Reading } from "../protocol/projects.js";
import { type Call, type RouteName, type RouteReply, type RouteRequest, routes } from "../protocol/routes.js";
import type { RunReply } from "../protocol/runs.js";
import { type Chunks, once } from "../store/bytes.js";
import { noProject, type StoredProject } from "../store/store.js";
import { advice, advise, forgetAdvice, stopAdvice, stopSearches } from "./advice-routes.js";
import { answer, ask, forgetQuestions } from "./asking-routes.js";
import {
  type Desk,
  factsOf,
  finishedRun,
  logOf,
  newestRun,
  projectOf,
  sourceOf,
  standsIn,
  type WorkbenchOptions,
} from "./desk.js";
import { append, diagnosis, entries, forgetDiagnosis, importConstraints, knowledge } from "./knowledge-routes.js";
import { conflict, notFound } from "./problems.js";
import { createProjectEvents } from "./project-events.js";
import {
  changeProject,
  columns,
  createProject,
  findRows,
  ids,
  listProjects,
  map,
  project,
  rows,
  upload,
  values,
} from "./project-routes.js";
import {
  cancelRun,
  compare,
  cut,
  nameClusters,
  reportOfRun,
  run,
  runs,
  runsUnderWay,
  saidIn,
  spread,
  startRun,
  understanding,
} from "./run-routes.js";
import { asRead } from "./run-rows.js";
import { createUploads } from "./uploads.js";

export interface Workbench {
  /** Answers a request; what goes wrong is thrown as a `ReplyError`, or as an error of core that `replyTo` makes one of. */
  readonly call: Call;
  /** What happens in a project, from now on, until the signal ends it. */
  events(project: string, signal: AbortSignal): Promise<AsyncGenerator<ProjectEvent, void, void>>;
  /** Stops what runs, then closes the store. */
  close(): Promise<void>;
}

const LIMITS: Info["limits"] = { uploadBytes: 200 * 2 ** 20, rows: 1_000_000 };

type Handlers = { readonly [N in RouteName]: (desk: Desk, request: RouteRequest<N>) => Promise<RouteReply<N>> };

const handlers: Handlers = {
  info,
  upload,
  listProjects,
  createProject,
  project,
  changeProject,
  deleteProject,
  columns,
  rows,
  ids,
  findRows,
  values,
  map,
  knowledge,
  entries,
  append,
  importConstraints,
  diagnosis,
  advise,
  advice,
  stopAdvice,
  ask,
  answer,
  runs,
  startRun,
  run,
  nameClusters,
  cancelRun,
  understanding,
  cut,
  spread,
  compare,
  export: exportFile,
};

export function createWorkbench(options: WorkbenchOptions): Workbench {
  const limits = { ...LIMITS, ...options.limits };
  const desk: Desk = {
    ...options,
    limits,
    events: createProjectEvents(),
    uploads: createUploads(options.store, { heldBytes: 5 * limits.uploadBytes, heldFor: 3_600_000 }),
    opened: new Map(),
  };
  return {
    async call(name, input) {
      const handler = handlers[name] as (desk: Desk, request: object) => Promise<never>;
      return await handler(desk, await parsed(name, input));
    },
    async events(id, signal) {
      await projectOf(desk, id);
      return desk.events.subscribe(id, { type: "hello", upTo: (await logOf(desk, id)).length }, signal);
    },
    async close() {
      const live = [...runsUnderWay(desk).values()];
      for (const { controller } of live) controller.abort();
      await Promise.allSettled([...live.map(({ done }) => done), stopSearches(desk)]);
      desk.events.close();
      await desk.compute.close();
      await desk.uploads.close();
      await desk.store.close();
    },
  };
}

/** Checks each part of an input by its schema: the path's, the query's, and what is left as the body. */
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

/** Titles of methods before their options are chosen. */
const MENU_TITLES: Readonly<Record<string, string>> = { ccl: "Constrained linkage", clusilc: "ClusILC tree" };

async function info({ version, keeps, samples, limits }: Desk): Promise<Info> {
  return {
    version,
    keeps,
    methods: catalogue.map(({ name, title, summary, paper, family, treats, options }) => ({
      name,
      title: MENU_TITLES[name] ?? title,
      summary,
      paper,
      family,
      treats,
      options: z.toJSONSchema(options, { io: "input" }) as Record<string, unknown>,
    })),
    strategies: strategies.map(({ name, title, summary, needsK, asks }) => ({ name, title, summary, needsK, asks })),
    samples: (await samples.list()).map(({ sha256: _, ...sample }) => sample),
    limits,
  };
}

async function deleteProject(desk: Desk, { project: id }: RouteRequest<"deleteProject">): Promise<RouteReply<"deleteProject">> {
  // A project that is damaged can be deleted too.
  if (!(await desk.store.projects()).some((project) => project.id === id)) throw noProject(id, desk.store);
  const live = [...runsUnderWay(desk)].filter(([key]) => key.startsWith(`${id} `)).map(([, each]) => each);
  for (const { controller } of live) controller.abort();
  await Promise.allSettled([...live.map(({ done }) => done), forgetAdvice(desk, id)]);
  await desk.store.deleteProject(id);
  desk.opened.delete(id);
  forgetDiagnosis(desk, id);
  forgetQuestions(desk, id);
  desk.events.publish(id, { type: "gone" });
  return { ok: true };
}

/* Files to take away: labels with names, constraints, answers as the command line's log has them. */

function labelsFile(labels: Int32Array, ids: readonly InstanceId[] | null, names: readonly (string | null)[] | null): string {
  const lines = [names ? "id,cluster,name" : "id,cluster"];
  labels.forEach((label, row) => {
    const name = names ? `,${safeCell(names[label] ?? "")}` : "";
    lines.push(`${safeCell(ids?.[row] ?? row)},${label}${name}`);
  });
  return `${lines.join("\n")}\n`;
}

function constraintsFile(said: readonly Said[]): string {
  const lines = said.flatMap(({ constraint }) => {
    const line = cellsOf(constraint);
    return line === null ? [] : [line.map((value) => (value === "" ? "" : safeCell(value))).join(",")];
  });
  return `${["type,a,b,c,weight", ...lines].join("\n")}\n`;
}

/** Exclusive columns and bounds on sizes are no lines of such a file. */
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

/** The answers that count, oldest first, each question once with its newest answer, under one start record. */
function answersFile(start: LogRecord, answers: readonly Constraint[]): string {
  const newest = new Map(answers.map((constraint) => [JSON.stringify(rowsOf(constraint).map(String).sort()), constraint]));
  const records = answers
    .filter((constraint) => newest.get(JSON.stringify(rowsOf(constraint).map(String).sort())) === constraint)
    .flatMap((constraint) => answerRecord(constraint) ?? [])
    .map((record, i) => ({ ...record, number: i + 1 }));
  return [start, ...records].map(recordLine).join("");
}

function answerRecord(constraint: Constraint): AnswerRecord | null {
  const number = 1;
  switch (constraint.type) {
    case "must-link":
      return { record: "answer", number, kind: "pair", ask: [constraint.a, constraint.b], answer: "same" };
    case "cannot-link":
      return { record: "answer", number, kind: "pair", ask: [constraint.a, constraint.b], answer: "different" };
    case "relative":
      return { record: "answer", number, kind: "triplet", ask: [constraint.a, constraint.b, constraint.c], answer: "c" };
    case "unsure": {
      const [a, b, c] = constraint.rows;
      return c === undefined
        ? { record: "answer", number, kind: "pair", ask: [a!, b!], answer: "unsure" }
        : { record: "answer", number, kind: "triplet", ask: [a!, b!, c], answer: "unsure" };
    }
    default:
      return null;
  }
}

/* What is taken away: files and words that others can go on with. */

type Exported = RouteReply<"export">;

async function exportFile(desk: Desk, request: RouteRequest<"export">): Promise<Exported> {
  const project = await projectOf(desk, request.project);
  const { kind } = request;
  if (kind === "constraints") return await exportConstraints(desk, project, request.run);
  if (kind === "answers") return await exportAnswers(desk, project);
  const run = await runFor(desk, project.id, request.run);
  const name = `${project.id}-run-${run.number}`;
  switch (kind) {
    case "labels":
      return { file: `${name}-labels.csv`, type: "text/csv", text: await labelsText(desk, project, run) };
    case "model":
      return { file: `${name}-model.json`, type: "application/json", text: await modelText(desk, project.id, run) };
    case "report-json":
      return { file: `${name}-report.json`, type: "application/json", text: await reportText(desk, project.id, run) };
    case "report-html":
      return { file: `${name}-report.html`, type: "text/html", text: await pageText(desk, project, run) };
    case "command":
      return { file: `${name}.sh`, type: "text/plain", text: asCommand(await copied(desk, project, run)) };
    case "typescript":
      return { file: `${name}.ts`, type: "text/plain", text: asTypeScript(await copied(desk, project, run)) };
  }
}

async function runFor(desk: Desk, id: string, number: number | undefined): Promise<RunReply> {
  const run = number === undefined ? ((await newestRun(desk, id))?.run ?? null) : await desk.store.run(id, number);
  if (!run) throw notFound(number === undefined ? "There is no finished run yet." : `There is no run ${number}.`);
  if (run.state !== "done") throw conflict(`Run ${run.number} has no result: it is ${run.state}.`);
  return run;
}

async function exportConstraints(desk: Desk, project: StoredProject, number: number | undefined): Promise<Exported> {
  if (number !== undefined) await runFor(desk, project.id, number);
  const said = number === undefined ? (await standsIn(desk, project)).said : await saidIn(desk, project.id, number);
  const file = number === undefined ? `${project.id}-constraints.csv` : `${project.id}-run-${number}-constraints.csv`;
  return { file, type: "text/csv", text: constraintsFile(said) };
}

async function labelsText(desk: Desk, project: StoredProject, run: RunReply): Promise<string> {
  const finished = await finishedRun(desk, project.id, run);
  // The rows by the names that they had then, however the table is read since.
  const { ids, n } = await factsOf(desk, await asRead(desk, project, run.number));
  if (finished?.labels.length !== n) throw conflict("The table is read in another way since this run.", "Run again.");
  return labelsFile(finished.labels, ids, run.names);
}

async function modelText({ store }: Desk, id: string, run: RunReply): Promise<string> {
  const text = await store.artifact(id, run.number, "model");
  if (text === null)
    throw conflict(`${run.title} has no rule for new rows, so there is no model.`, "Take the labels, or run another method.");
  if (run.names === null) return text;
  return `${JSON.stringify({ ...JSON.parse(text), names: run.names })}\n`;
}

async function reportText(desk: Desk, id: string, run: RunReply): Promise<string> {
  const report = await reportOfRun(desk, id, run.number);
  return `${JSON.stringify(run.names === null ? report : { ...report, names: run.names })}\n`;
}

async function pageText(desk: Desk, project: StoredProject, run: RunReply): Promise<string> {
  const { names } = run;
  return await desk.compute.run(sourceOf(desk, await asRead(desk, project, run.number)), "page", {
    report: await reportOfRun(desk, project.id, run.number),
    title: project.name,
    command: asCommand(await copied(desk, project, run)).trim(),
    ...(names === null ? {} : { names: names.map((name) => name ?? "") }),
    said: await saidIn(desk, project.id, run.number),
  });
}

async function copied(desk: Desk, project: StoredProject, run: RunReply): Promise<CopiedRun> {
  const { reading } = await asRead(desk, project, run.number);
  const samples = await desk.samples.list();
  const { file, sha256 } = project.data;
  const sample = samples.find((each) => each.sha256 === sha256 && file === `${each.name}.csv`);
  return {
    data: sample?.name ?? file,
    reading,
    spec: run.spec,
    k: run.spec.choose ? ((await reportOfRun(desk, project.id, run.number)).chosen?.k ?? run.k) : run.k,
    said: await saidIn(desk, project.id, run.number),
    file: `${project.id}-run-${run.number}-constraints.csv`,
  };
}

/** How the table is read, in the words of the command line's flags. */
function readingWords({ types, weights, recognise: _, ...reading }: Reading): StartRecord["reading"] {
  const pairs = (all: Readonly<Record<string, string | number>> | undefined) =>
    Object.entries(all ?? {}).map(([name, value]) => `${name}=${value}`);
  const lists = Object.entries({ type: pairs(types), weight: pairs(weights) }).filter(([, list]) => list.length > 0);
  const words = Object.entries(reading).map(([name, value]) => [name, Array.isArray(value) ? value : String(value)]);
  return Object.fromEntries([...words, ...lists]);
}

async function exportAnswers(desk: Desk, project: StoredProject): Promise<Exported> {
  const { knowledge } = await standsIn(desk, project);
  const facts = await factsOf(desk, project);
  const asked = knowledge.constraints.filter(({ from, counts }) => from.kind === "asked" && counts);
  const from = asked.at(-1)?.from;
  const start: StartRecord = {
    record: "start",
    format: 1,
    version: desk.version,
    data: project.data.file,
    sha256: project.data.sha256,
    rows: Math.max(1, facts.n),
    features: [...facts.features],
    strategy: from?.kind === "asked" ? from.strategy : "spreading",
    options: {},
    k: project.k,
    budget: asked.length,
    seed: 0,
    reading: readingWords(project.reading),
    constraints: [],
    known: "",
  };
  const text = answersFile(
    start,
    asked.map(({ constraint }) => constraint),
  );
  return { file: `${project.id}.answers.jsonl`, type: "application/jsonl", text };
}
