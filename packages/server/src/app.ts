/** The studio as a fetch handler: serves the routes of the protocol, events, images, the OpenAPI description, and the studio's pages. */

import { createHmac, timingSafeEqual } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { gathered, replyTo, type Workbench } from "@coterie/workbench";
import { openApi, ReplyError, type RouteName, type RowReply, routes } from "@coterie/workbench/protocol";
import { type Context, Hono } from "hono";
import { StoreError } from "./store-error.js";

/** The content security policy: no inline scripts, no content from other hosts; WebAssembly is allowed. */
const POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** Pages that can show the studio in a frame if it is started for a notebook: pages of this machine, and the editor Visual Studio Code. */
const NOTEBOOKS = "http://localhost:* http://127.0.0.1:* vscode-webview:";

const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  // The page's address contains the token, so it must not be sent as a referrer.
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};

function safeHeaders({ framed }: AppOptions): [name: string, value: string][] {
  const framing = `${POLICY}; frame-ancestors ${framed ? NOTEBOOKS : "'none'"}`;
  return [
    ["content-security-policy", framing],
    ...(framed ? [] : [["x-frame-options", "DENY"] as [string, string]]),
    ...Object.entries(SAFE_HEADERS),
  ];
}

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
};

const MOST_BYTES = 50 * 2 ** 20;

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  webmanifest: "application/manifest+json",
  svg: "image/svg+xml",
  png: "image/png",
  ico: "image/x-icon",
  woff2: "font/woff2",
  wasm: "application/wasm",
  txt: "text/plain; charset=utf-8",
  map: "application/json",
};

const NOT_BUILT = `<!doctype html><html lang="en"><title>Coterie studio</title><h1>Coterie studio</h1>
<p>The pages of the studio are not built yet. Run <code>npm run build</code>, then start again. The server itself is up.</p></html>
`;

export interface AppOptions {
  readonly token: string;
  /** Whether a notebook on this machine can show the studio in a frame. */
  readonly framed?: boolean | undefined;
  /** Hosts, with their ports, that a request can name. It is a function, because the port is only known once the server listens. */
  readonly hosts: () => readonly string[];
  readonly version: string;
  readonly uploadBytes: number;
  readonly site?: string | undefined;
  /** The folder from which the data with this SHA-256 came, if the server may read images from this folder. */
  readonly folderOf?: (sha256: string) => string | undefined;
  readonly first?: () => string | undefined;
  /** Called with unexpected errors. The client itself is only informed that there was an error. */
  readonly onBug?: (error: unknown) => void;
}

/** Maximum size of a JSON body, in bytes. Ten thousand log entries take a few megabytes. */
const JSON_BYTES = 32 * 2 ** 20;

export function createApp(workbench: Workbench, options: AppOptions): Hono {
  const app = new Hono();
  const page = openApi(options.version);
  const fileAt = openSite(options.site);
  const headers = safeHeaders(options);
  app.use(async (context, next) => {
    const refusal = wrongPlace(context.req.raw.headers, options.hosts());
    if (refusal) context.res = problem(refusal.status, refusal);
    else await next();
    for (const [name, value] of headers) if (!context.res.headers.has(name)) context.res.headers.set(name, value);
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
  app.get("*", (context) => pageAt(fileAt(context.req.path)));
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

/**
 * The input of a route: its path parameters, together with its query or its body. A path parameter overrides a field with the same name.
 */
async function inputOf(context: Context, name: RouteName, { uploadBytes }: AppOptions): Promise<object> {
  const route = routes[name] as { readonly body?: unknown };
  const query = Object.fromEntries(new URL(context.req.url).searchParams);
  const place = { ...query, ...context.req.param() };
  if (route.body === undefined) return place;
  if (route.body === "bytes") return { ...place, bytes: chunksOf(context.req.raw, uploadBytes) };
  // Path parameters come last, so that a body cannot override them. Routes with a JSON body have no query.
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
  if (!isSame(context.req.query("key") ?? "", imageKey(token, project, r, c)))
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

/** If an address has a token but no project, redirects it to the project of the table on the command line. */
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

function pageAt(file: SiteFile | null): Response {
  if (!file) return problem(404, { code: "not-found", message: "There is no such page." });
  const caching = file.lasting ? "public, max-age=31536000, immutable" : "no-cache";
  return new Response(file.bytes, { headers: { "content-type": file.type, "cache-control": caching } });
}

/** Time between two keep-alive messages, in milliseconds. They make a dead connection noticeable. */
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
      const send = async () => {
        for await (const event of happening) controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
        controller.close();
      };
      void send()
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

/* The studio's pages are the files of its build. The files are listed once at the start, so that no request can leave the folder. */

interface SiteFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** Whether the file's name contains a hash of its content, so that browsers can cache it forever. */
  readonly lasting: boolean;
}

/**
 * Returns a function that gives the file at a path; null if there is no file. A path without an extension gets the first page: the app in
 * the browser handles this path itself.
 */
function openSite(folder: string | undefined): (path: string) => SiteFile | null {
  const files = new Map(
    (folder === undefined ? [] : filesIn(folder)).map((path) => [`/${relative(folder!, path).split(sep).join("/")}`, path]),
  );
  const kept = new Map<string, SiteFile>();
  const read = (name: string): SiteFile | null => {
    const path = files.get(name);
    if (path === undefined) return null;
    const known = kept.get(name);
    if (known) return known;
    const file = { bytes: Uint8Array.from(readFileSync(path)), type: typeOf(name), lasting: name.startsWith("/assets/") };
    kept.set(name, file);
    return file;
  };
  const first = (): SiteFile =>
    read("/index.html") ?? { bytes: Uint8Array.from(Buffer.from(NOT_BUILT)), type: TYPES.html!, lasting: false };
  return (path) => {
    if (path === "/" || path === "/index.html") return first();
    return read(path) ?? (/\.[a-z0-9]+$/i.test(path) ? null : first());
  };
}

function typeOf(name: string): string {
  return TYPES[/\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ""] ?? "application/octet-stream";
}

function filesIn(folder: string): string[] {
  let names: { name: string; isDirectory(): boolean; isFile(): boolean }[];
  try {
    names = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  return names.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return entry.isFile() ? [path] : [];
  });
}

async function* chunksOf(request: Request, most: number): AsyncGenerator<Uint8Array, void, void> {
  const tooLong = () =>
    new ReplyError(413, {
      code: "too-large",
      message: `That is more than the limit of ${(most / 2 ** 20).toLocaleString("en")} MB.`,
    });
  if (Number(request.headers.get("content-length") ?? 0) > most) throw tooLong();
  let length = 0;
  for await (const chunk of arriving(request)) {
    length += chunk.length;
    if (length > most) throw tooLong();
    yield chunk;
  }
}

/** Yields the chunks of a request's body. If the client stops or the connection breaks, that is a normal failure and not a bug. */
async function* arriving({ body }: Request): AsyncGenerator<Uint8Array, void, void> {
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) yield chunk;
  } catch {
    throw new ReplyError(400, { code: "broken-off", message: "The request broke off before all of it had arrived." });
  }
}

/** Reads the JSON object in a body. The media type must be JSON, because a form on another web page cannot send that type. */
async function objectOf(request: Request, most: number): Promise<object> {
  const wrong = (message: string) => new ReplyError(400, { code: "bad-request", message });
  if (!/^application\/json\b/i.test(request.headers.get("content-type") ?? "")) throw wrong("The body must be application/json.");
  const bytes = await gathered(chunksOf(request, most));
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw wrong("The body is no JSON.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong("The body must be an object.");
  return value;
}

/*
 * Cells can contain names of image files. The address of an image contains a key that only this server can make. So the browser needs no
 * header with the token. Files outside the folder of the data are never read.
 */

async function imagePath(folder: string, cell: string): Promise<{ readonly path: string; readonly type: string } | null> {
  const type = IMAGE_TYPES[/\.([a-z]{3,4})$/i.exec(cell)?.[1]?.toLowerCase() ?? ""];
  if (type === undefined || cell.length > 1_000 || cell.includes("\0") || isAbsolute(cell)) return null;
  try {
    const home = await realpath(folder);
    // Links are resolved before the check whether the file is inside the folder.
    const path = await realpath(resolve(home, cell));
    if (!path.startsWith(home.endsWith(sep) ? home : home + sep)) return null;
    const about = await stat(path);
    return about.isFile() && about.size <= MOST_BYTES ? { path, type } : null;
  } catch {
    return null;
  }
}

async function readImage(folder: string, cell: string) {
  const found = await imagePath(folder, cell);
  return found ? { bytes: Uint8Array.from(await readFile(found.path)), type: found.type } : null;
}

function imageKey(token: string, project: string, row: number, column: number): string {
  return createHmac("sha256", token)
    .update(JSON.stringify([project, row, column]))
    .digest("base64url");
}

async function withImages(
  rows: readonly RowReply[],
  columns: readonly string[],
  folder: string,
  address: (row: number, column: number) => string,
): Promise<RowReply[]> {
  return await Promise.all(
    rows.map(async (row) => {
      const images: Record<string, string> = {};
      for (const [column, cell] of row.cells.entries())
        if (typeof cell === "string" && (await imagePath(folder, cell))) images[columns[column]!] = address(row.row, column);
      return Object.keys(images).length > 0 ? { ...row, images } : row;
    }),
  );
}

/*
 * Access control. The server listens only on loopback, but any web page in the same browser can send requests to it. So each request must
 * name a host of this server (which defeats DNS rebinding), come from a page of this server, and have the token.
 */

interface Refusal {
  readonly status: 401 | 403;
  readonly code: string;
  readonly message: string;
}

/** The reason to refuse a request because of its host or its origin; null if both are allowed. */
function wrongPlace(headers: Headers, hosts: readonly string[]): Refusal | null {
  const host = headers.get("host")?.toLowerCase();
  if (host === undefined || !hosts.includes(host))
    return { status: 403, code: "wrong-host", message: "This request is for another host than the studio." };
  const origin = headers.get("origin");
  if (origin !== null && !hosts.some((each) => origin.toLowerCase() === `http://${each}`))
    return { status: 403, code: "wrong-origin", message: "This request comes from another page than the studio's." };
  const site = headers.get("sec-fetch-site");
  if (site === "cross-site" && headers.get("sec-fetch-mode") !== "navigate")
    return { status: 403, code: "wrong-origin", message: "This request comes from another site." };
  return null;
}

function wrongToken(headers: Headers, url: URL, token: string): Refusal | null {
  const bearer = /^bearer (.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  const given = bearer ?? url.searchParams.get("token") ?? "";
  return isSame(given, token)
    ? null
    : {
        status: 401,
        code: "wrong-token",
        message: "The token is missing or wrong: open the studio by the address that it printed.",
      };
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
