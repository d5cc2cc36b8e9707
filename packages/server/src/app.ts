/** The studio as a fetch handler: each route of the protocol, events, images, the OpenAPI page and the pages of the studio itself. */
import { replyTo, type Workbench } from "@coterie/workbench";
import { openApi, type ProjectEvent, ReplyError, type RouteName, type RowReply, routes } from "@coterie/workbench/protocol";
import { type Context, Hono } from "hono";
import { chunksOf, objectOf } from "./body.js";
import { type GateOptions, SAFE_HEADERS, wrongPlace, wrongToken } from "./gate.js";
import { imageKey, isImageKey, readImage, withImages } from "./images.js";
import { openSite } from "./site.js";
import { StoreError } from "./store-error.js";

export interface AppOptions extends GateOptions {
  readonly version: string;
  readonly uploadBytes: number;
  /** The folder of the studio's build. */
  readonly site?: string | undefined;
  /** The folder where a project's data come from, if images may be read beside them. */
  readonly folderOf?: (sha256: string) => string | undefined;
  /** The project that the printed address leads to. */
  readonly first?: () => string | undefined;
  /** Hears of bugs; the reply says no more than that there is one. */
  readonly onBug?: (error: unknown) => void;
}

/** Bodies in JSON: ten thousand entries are some megabytes. */
const JSON_BYTES = 32 * 2 ** 20;

export function createApp(workbench: Workbench, options: AppOptions): Hono {
  const app = new Hono();
  const page = openApi(options.version);
  const site = openSite(options.site);
  app.use(async (context, next) => {
    const refusal = wrongPlace(context.req.raw.headers, options.hosts());
    if (refusal) context.res = problem(refusal.status, refusal);
    else await next();
    for (const [name, value] of Object.entries(SAFE_HEADERS))
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
  });
  app.onError((error) => failed(error, options));
  app.get("/api/projects/:project/images/:row/:column", (context) => image(context, workbench, options));
  app.use("/api/*", (context, next) => withToken(context, options, next));
  app.use("/openapi.json", (context, next) => withToken(context, options, next));
  app.get("/openapi.json", () => Response.json(page, { headers: { "cache-control": "no-store" } }));
  app.get("/api/projects/:project/events", (context) => events(context, workbench));
  for (const name of Object.keys(routes) as RouteName[]) {
    const { method, path } = routes[name];
    app.on(method, pattern(path), (context) => answer(context, workbench, name, options));
  }
  for (const path of new Set(Object.values(routes).map((route) => route.path)))
    app.all(pattern(path), () =>
      problem(405, { code: "wrong-method", message: "This address is not for that method." }, allowed(path)),
    );
  app.all("/api/*", () => problem(404, { code: "not-found", message: "There is nothing at this address." }));
  app.get("/", (context, next) => toFirst(context, options, next));
  app.get("*", (context) => pageAt(site.file(context.req.path)));
  app.all("*", () => problem(405, { code: "wrong-method", message: "Pages are only read." }, { allow: "GET, HEAD" }));
  return app;
}

function pattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

function allowed(path: string): Record<string, string> {
  const methods = Object.values(routes).flatMap((route) => (route.path === path ? [route.method] : []));
  return { allow: [...new Set(methods)].join(", ") };
}

function problem(
  status: number,
  error: { readonly code: string; readonly message: string },
  headers: Record<string, string> = {},
): Response {
  const { code, message } = error;
  return Response.json(
    { error: { ...error, code, message, status: undefined } },
    { status, headers: { "cache-control": "no-store", ...headers } },
  );
}

async function withToken(context: Context, { token }: AppOptions, next: () => Promise<void>): Promise<Response | undefined> {
  const refusal = wrongToken(context.req.raw.headers, new URL(context.req.url), token);
  if (refusal) return problem(refusal.status, refusal, { "www-authenticate": "Bearer" });
  await next();
  return undefined;
}

/** Statuses of what a store cannot do. */
const TROUBLES = { full: 507, damaged: 409, busy: 409, newer: 409, unusable: 507 } as const;

function failed(error: unknown, { onBug }: AppOptions): Response {
  if (error instanceof StoreError) return problem(TROUBLES[error.trouble], { code: error.trouble, message: error.message });
  const reply = replyTo(error);
  if (reply) return problem(reply.status, reply.problem);
  onBug?.(error);
  return problem(500, { code: "bug", message: "This is a bug in Coterie, please report it." });
}

async function answer(context: Context, workbench: Workbench, name: RouteName, options: AppOptions): Promise<Response> {
  const input = await inputOf(context, name, options);
  const reply: unknown = await workbench.call(name, input as never, { signal: context.req.raw.signal });
  const shown = name === "rows" || name === "findRows" ? await imagesOf(context, workbench, reply as RowReply[], options) : reply;
  return Response.json(shown, { headers: { "cache-control": "no-store" } });
}

/** The path counts before the query, and both before the body. */
async function inputOf(context: Context, name: RouteName, { uploadBytes }: AppOptions): Promise<object> {
  const route = routes[name] as { readonly body?: unknown };
  const query = Object.fromEntries(new URL(context.req.url).searchParams);
  const place = { ...query, ...context.req.param() };
  if (route.body === undefined) return place;
  if (route.body === "bytes") return { ...place, bytes: chunksOf(context.req.raw, uploadBytes) };
  // A body's own names must not be taken for the path's, nor the query's for the body's.
  return { ...(await objectOf(context.req.raw, JSON_BYTES)), ...context.req.param() };
}

async function imagesOf(
  context: Context,
  workbench: Workbench,
  rows: RowReply[],
  { token, folderOf }: AppOptions,
): Promise<RowReply[]> {
  const id = context.req.param("project")!;
  const { data } = await workbench.call("project", { project: id });
  const folder = folderOf?.(data.sha256);
  if (folder === undefined) return rows;
  const columns = await workbench.call("columns", { project: id });
  return await withImages(
    rows,
    columns.map(({ name }) => name),
    folder,
    (row, column) => `/api/projects/${id}/images/${row}/${column}?key=${imageKey(token, id, row, column)}`,
  );
}

async function image(context: Context, workbench: Workbench, { token, folderOf }: AppOptions): Promise<Response> {
  const { project, row, column } = context.req.param() as { project: string; row: string; column: string };
  const [r, c] = [Number(row), Number(column)];
  if (!isImageKey(context.req.query("key") ?? "", token, project, r, c))
    return problem(401, { code: "wrong-token", message: "The key of this image is missing or wrong." });
  const { data } = await workbench.call("project", { project });
  const [found] = await workbench.call("rows", { project, rows: row });
  const cell = found?.cells[c];
  const folder = folderOf?.(data.sha256);
  const file = folder !== undefined && typeof cell === "string" ? await readImage(folder, cell) : null;
  if (!file) throw new ReplyError(404, { code: "not-found", message: "There is no such image beside the data." });
  const policy = "default-src 'none'; sandbox";
  return new Response(file.bytes, {
    headers: { "content-type": file.type, "content-security-policy": policy, "cache-control": "private, max-age=600" },
  });
}

/** The printed address, with a token and no more, leads to the project of the table that the command named. */
async function toFirst(context: Context, { token, first }: AppOptions, next: () => Promise<void>): Promise<Response | undefined> {
  const project = first?.();
  const url = new URL(context.req.url);
  const isPrinted = url.searchParams.has("token") && !url.searchParams.has("project");
  if (project === undefined || !isPrinted || wrongToken(context.req.raw.headers, url, token)) {
    await next();
    return undefined;
  }
  url.searchParams.set("project", project);
  return context.redirect(`${url.pathname}${url.search}`, 302);
}

function pageAt(file: ReturnType<ReturnType<typeof openSite>["file"]>): Response {
  if (!file) return problem(404, { code: "not-found", message: "There is no such page." });
  const caching = file.lasting ? "public, max-age=31536000, immutable" : "no-cache";
  return new Response(file.bytes, { headers: { "content-type": file.type, "cache-control": caching } });
}

/** A word now and then, so that a connection that is dead is noticed. */
const ALIVE_MS = 15_000;

async function events(context: Context, workbench: Workbench): Promise<Response> {
  const ending = new AbortController();
  const { signal } = context.req.raw;
  signal.addEventListener("abort", () => ending.abort(), { once: true });
  const happening = await workbench.events(context.req.param("project")!, ending.signal);
  const encoder = new TextEncoder();
  let alive: NodeJS.Timeout | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      alive = setInterval(() => controller.enqueue(encoder.encode(": alive\n\n")), ALIVE_MS);
      alive.unref();
      void pump(happening, (event) => controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`)))
        .then(() => controller.close())
        .catch(() => undefined)
        .finally(() => clearInterval(alive));
    },
    cancel() {
      clearInterval(alive);
      ending.abort();
    },
  });
  return new Response(stream, { headers: { "content-type": "text/event-stream", "cache-control": "no-store" } });
}

async function pump(happening: AsyncIterable<ProjectEvent>, send: (event: ProjectEvent) => void): Promise<void> {
  for await (const event of happening) send(event);
}
