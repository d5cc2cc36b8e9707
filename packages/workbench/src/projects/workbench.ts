/** The application without a face: every route of the protocol, answered over a store and tasks that are handed in. */
import { catalogue, strategies, z } from "@coterie/core/internal";
import type { ProjectEvent } from "../protocol/events.js";
import type { Info } from "../protocol/info.js";
import { type Call, type RouteName, type RouteReply, type RouteRequest, routes } from "../protocol/routes.js";
import { type Chunks, once } from "../store/bytes.js";
import { noProject } from "../store/store.js";
import { advice, advise, forgetAdvice, stopAdvice, stopSearches } from "./advice-routes.js";
import { answer, ask, forgetQuestions } from "./asking-routes.js";
import { type Desk, logOf, projectOf, type WorkbenchOptions } from "./desk.js";
import { exportFile } from "./export-routes.js";
import { append, diagnosis, entries, forgetDiagnosis, importConstraints, knowledge } from "./knowledge-routes.js";
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
import { cancelRun, compare, cut, nameClusters, run, runs, runsUnderWay, spread, startRun, understanding } from "./run-routes.js";
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
