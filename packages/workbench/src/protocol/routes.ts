/**
 * All requests and replies in one table. The server, the worker of a page, the client and the OpenAPI page are made from this table.
 *
 * Path parameters and queries arrive as text, so their schemas convert them. A body of type `bytes` is taken unchanged; replies of type
 * `text` are files.
 */
import { z } from "zod";
import { advice, adviceRequest } from "./advice.js";
import { answer, answered, asked, askPlan, askState } from "./asking.js";
import { diagnosisReply, info } from "./info.js";
import { entry, knowledge, newEntry } from "./knowledge.js";
import { column, newProject, project, projectChange, rowReply, upload } from "./projects.js";
import { comparison, exported, exportKind, mapReply, run, runDetail, runSpec, understanding } from "./runs.js";
import { float32s, name, projectId, rowId } from "./words.js";

const at = z.object({ project: projectId });
const atRun = at.extend({ run: z.coerce.number().int().min(1) });
const done = z.object({ ok: z.literal(true) });

const rowList = z
  .string()
  .regex(/^\d+(,\d+)*$/)
  .max(20_000)
  .transform((text) => text.split(",").map(Number));

export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly summary: string;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType | "bytes";
  readonly reply: z.ZodType;
}

export const routes = {
  info: { method: "GET", path: "/api/info", summary: "methods, strategies, samples, limits", reply: info },
  upload: {
    method: "POST",
    path: "/api/uploads",
    summary: "the bytes of a file, kept for an hour until a project is made of them",
    query: z.object({ name }),
    body: "bytes",
    reply: upload,
  },
  listProjects: { method: "GET", path: "/api/projects", summary: "all projects, newest first", reply: z.array(project) },
  createProject: {
    method: "POST",
    path: "/api/projects",
    summary: "from an upload or a sample",
    body: newProject,
    reply: project,
  },
  project: { method: "GET", path: "/api/projects/{project}", summary: "one project", params: at, reply: project },
  changeProject: {
    method: "PATCH",
    path: "/api/projects/{project}",
    summary: "name, columns, scaling, k, whose answer counts",
    params: at,
    body: projectChange,
    reply: project,
  },
  deleteProject: { method: "DELETE", path: "/api/projects/{project}", summary: "for good", params: at, reply: done },
  columns: {
    method: "GET",
    path: "/api/projects/{project}/columns",
    summary: "kinds, roles and spreads",
    params: at,
    reply: z.array(column),
  },
  rows: {
    method: "GET",
    path: "/api/projects/{project}/rows",
    summary: "the cells of some rows",
    params: at,
    query: z.object({ rows: rowList }),
    reply: z.array(rowReply),
  },
  ids: {
    method: "GET",
    path: "/api/projects/{project}/ids",
    summary: "the ids of all rows, in their order; null if each row's id is its number",
    params: at,
    reply: z.object({ ids: z.array(rowId).nullable() }),
  },
  findRows: {
    method: "GET",
    path: "/api/projects/{project}/find",
    summary: "rows whose id or cells hold a text",
    params: at,
    query: z.object({ text: z.string().min(1).max(200), most: z.coerce.number().int().min(1).max(200).default(20) }),
    reply: z.array(rowReply),
  },
  values: {
    method: "GET",
    path: "/api/projects/{project}/values",
    summary: "one column of all rows, as numbers or codes of levels",
    params: at,
    query: z.object({ column: name }),
    reply: z.object({ values: float32s, levels: z.array(z.string()).nullable() }),
  },
  map: {
    method: "GET",
    path: "/api/projects/{project}/map",
    summary:
      "where rows lie: components of the features or of a run's metric, neighbourhoods, or two columns; auto: neighbourhoods for many columns",
    params: at,
    query: z.object({
      space: z.enum(["auto", "features", "neighbourhoods", "run", "columns"]).default("features"),
      /** Neighbourhoods: whether constraints pull rows together and push rows apart. */
      by: z.enum(["rows", "knowledge"]).default("rows"),
      run: z.coerce.number().int().min(1).optional(),
      x: name.optional(),
      y: name.optional(),
    }),
    reply: mapReply,
  },
  stopMap: {
    method: "DELETE",
    path: "/api/projects/{project}/map",
    summary: "stops drawing the map of neighbourhoods",
    params: at,
    reply: done,
  },
  knowledge: {
    method: "GET",
    path: "/api/projects/{project}/knowledge",
    summary: "what stands after the whole log",
    params: at,
    query: z.object({ by: name.optional() }),
    reply: knowledge,
  },
  entries: {
    method: "GET",
    path: "/api/projects/{project}/entries",
    summary: "the log itself",
    params: at,
    query: z.object({ since: z.coerce.number().int().min(0).default(0) }),
    reply: z.array(entry),
  },
  append: {
    method: "POST",
    path: "/api/projects/{project}/entries",
    summary: "new entries; the reply comes when they are on disk",
    params: at,
    body: z.strictObject({ entries: z.array(newEntry).min(1).max(10_000) }),
    reply: z.array(entry),
  },
  importConstraints: {
    method: "POST",
    path: "/api/projects/{project}/import",
    summary: "a constraint file, a log of answers or a taxonomy becomes entries",
    params: at,
    query: z.object({ name, by: name, kind: z.enum(["constraints", "answers", "taxonomy"]).default("constraints") }),
    body: "bytes",
    reply: z.object({ added: z.int(), notices: z.array(z.string()) }),
  },
  diagnosis: {
    method: "GET",
    path: "/api/projects/{project}/diagnosis",
    summary: "can it hold, how hard is it, what to do",
    params: at,
    query: z.object({
      k: z.coerce.number().int().min(1).optional(),
      effort: z.coerce.number().int().min(1).max(100_000_000).optional(),
    }),
    reply: diagnosisReply,
  },
  ask: {
    method: "POST",
    path: "/api/projects/{project}/ask",
    summary: "the next question for one who answers",
    params: at,
    body: askPlan,
    reply: askState,
  },
  answer: {
    method: "POST",
    path: "/api/projects/{project}/answers",
    summary: "an answer; the reply comes when it is on disk",
    params: at,
    body: answer,
    reply: answered,
  },
  asked: {
    method: "POST",
    path: "/api/projects/{project}/asked",
    summary: "the clusters that follow from the answers to a plan's questions",
    params: at,
    body: askPlan,
    reply: asked,
  },
  runs: { method: "GET", path: "/api/projects/{project}/runs", summary: "all runs", params: at, reply: z.array(run) },
  startRun: { method: "POST", path: "/api/projects/{project}/runs", summary: "cluster", params: at, body: runSpec, reply: run },
  run: {
    method: "GET",
    path: "/api/projects/{project}/runs/{run}",
    summary: "a run with its report",
    params: atRun,
    reply: runDetail,
  },
  nameClusters: {
    method: "PATCH",
    path: "/api/projects/{project}/runs/{run}",
    summary: "names of clusters",
    params: atRun,
    body: z.strictObject({ names: z.array(z.string().max(200).nullable()).max(100_000) }),
    reply: run,
  },
  cancelRun: { method: "DELETE", path: "/api/projects/{project}/runs/{run}", summary: "stop it", params: atRun, reply: run },
  understanding: {
    method: "GET",
    path: "/api/projects/{project}/runs/{run}/understanding",
    summary: "profiles, rules, weights, what is broken and why",
    params: atRun,
    reply: understanding,
  },
  cut: {
    method: "POST",
    path: "/api/projects/{project}/runs/{run}/cut",
    summary: "the hierarchy of a run, cut elsewhere, as a run of its own",
    params: atRun,
    body: z.strictObject({ k: z.int().min(1) }),
    reply: run,
  },
  spread: {
    method: "POST",
    path: "/api/projects/{project}/runs/{run}/spread",
    summary: "the same run with other seeds, for the spread of its scores",
    params: atRun,
    body: z.strictObject({ seeds: z.int().min(2).max(50).default(10) }),
    reply: done,
  },
  advise: {
    method: "POST",
    path: "/api/projects/{project}/advice",
    summary: "begins to try methods on answers that are held out",
    params: at,
    body: adviceRequest,
    reply: advice,
  },
  advice: {
    method: "GET",
    path: "/api/projects/{project}/advice",
    summary: "which method suits, as far as it was tried",
    params: at,
    reply: advice.nullable(),
  },
  stopAdvice: {
    method: "DELETE",
    path: "/api/projects/{project}/advice",
    summary: "stops trying methods",
    params: at,
    reply: done,
  },
  compare: {
    method: "GET",
    path: "/api/projects/{project}/compare",
    summary: "two runs: what moved, scores",
    params: at,
    query: z.object({ before: z.coerce.number().int().min(1), after: z.coerce.number().int().min(1) }),
    reply: comparison,
  },
  export: {
    method: "GET",
    path: "/api/projects/{project}/export/{kind}",
    summary: "labels, constraints, model, report, or the run as a command or as TypeScript",
    params: at.extend({ kind: exportKind }),
    query: z.object({ run: z.coerce.number().int().min(1).optional() }),
    reply: exported,
  },
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;

type Part<R, K extends string> =
  R extends Record<K, infer Schema> ? (Schema extends z.ZodType ? z.input<Schema> : Uint8Array) : object;
type Parsed<R, K extends string> =
  R extends Record<K, infer Schema> ? (Schema extends z.ZodType ? z.output<Schema> : Uint8Array) : object;

/**
 * The input of a route: path parameters, query and body together in one object. Uploaded bytes are in the field `bytes`, as bytes in memory
 * or as a file; a page sends a file without reading it into memory.
 */
export type RouteInput<N extends RouteName> = Part<Routes[N], "params"> &
  Part<Routes[N], "query"> &
  (Routes[N] extends { readonly body: "bytes" }
    ? { readonly bytes: Uint8Array | Blob | AsyncIterable<Uint8Array> }
    : Part<Routes[N], "body">);

export type RouteRequest<N extends RouteName> = Parsed<Routes[N], "params"> &
  Parsed<Routes[N], "query"> &
  (Routes[N] extends { readonly body: "bytes" } ? { readonly bytes: AsyncIterable<Uint8Array> } : Parsed<Routes[N], "body">);

export type RouteReply<N extends RouteName> = z.output<Routes[N]["reply"]>;

/** Sends a request to the workbench. The workbench can be behind HTTP, in a worker, or in the same process. */
export type Call = <N extends RouteName>(
  name: N,
  input: RouteInput<N>,
  options?: { readonly signal?: AbortSignal },
) => Promise<RouteReply<N>>;
