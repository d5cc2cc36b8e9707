/** The protocol over HTTP: a `Call` that sends requests, and a stream of a project's events. */
import { CoterieError } from "@coterie/core/internal";
import { event, type ProjectEvent } from "./events.js";
import { ReplyError } from "./reply-error.js";
import { type Call, type RouteInput, type RouteName, routes } from "./routes.js";
import type { ProblemReply } from "./words.js";

export interface HttpClientOptions {
  /** The address of the server; "" for the server from which the page came. */
  readonly base: string;
  readonly token?: string;
  readonly fetch?: typeof fetch;
}

export function httpCall({ base, token, fetch: send = globalThis.fetch }: HttpClientOptions): Call {
  return async (name, input, options = {}) => {
    const { url, init } = requestOf(name, input, base);
    const reply = await send(url, {
      ...init,
      headers: { ...init.headers, ...(token ? { authorization: `Bearer ${token}` } : {}) },
      ...(options.signal ? { signal: options.signal } : {}),
    });
    // A reply can break off because of a cancellation or a lost connection. Then the call fails, even if the status is good.
    if (reply.ok) return (await reply.json()) as never;
    const body: unknown = await reply.json().catch(() => null);
    throw new ReplyError(reply.status, (body as ProblemReply | null)?.error ?? silent(reply.status));
  };
}

function silent(status: number): ProblemReply["error"] {
  return { code: "no-answer", message: `The studio's server answered ${status} without a word.` };
}

interface HttpRequest {
  readonly url: string;
  readonly init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: BodyInit };
}

/** Divides the input of a route into path, query and body, by the schemas of the route. */
export function requestOf<N extends RouteName>(name: N, input: RouteInput<N>, base: string): HttpRequest {
  const route = routes[name];
  const given = input as Readonly<Record<string, unknown>>;
  const inPath = new Set([...route.path.matchAll(/\{(\w+)\}/g)].map(([, part]) => part!));
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent(String(given[part])));
  const inQuery = "query" in route ? Object.keys(route.query.shape).filter((part) => given[part] !== undefined) : [];
  const query = new URLSearchParams(inQuery.map((part) => [part, textOf(given[part])]));
  const url = `${base}${path}${inQuery.length > 0 ? `?${query}` : ""}`;
  if (!("body" in route)) return { url, init: { method: route.method, headers: {} } };
  if (route.body === "bytes")
    return {
      url,
      init: { method: route.method, headers: { "content-type": "application/octet-stream" }, body: given.bytes as BodyInit },
    };
  const rest = Object.fromEntries(Object.entries(given).filter(([part]) => !inPath.has(part) && !inQuery.includes(part)));
  return { url, init: { method: route.method, headers: { "content-type": "application/json" }, body: JSON.stringify(rest) } };
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join(",") : String(value);
}

export async function* httpEvents(
  project: string,
  { base, token, fetch: send = globalThis.fetch }: HttpClientOptions,
  signal: AbortSignal,
): AsyncGenerator<ProjectEvent, void, void> {
  const headers = { accept: "text/event-stream", ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const reply = await send(`${base}/api/projects/${encodeURIComponent(project)}/events`, { headers, signal });
  if (!reply.ok || reply.body === null)
    throw new CoterieError({ code: "bad-input", message: "The studio's server gives no events." });
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of reply.body as unknown as AsyncIterable<Uint8Array>) {
    const messages = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = messages.pop()!;
    for (const message of messages) {
      const data = message
        .split("\n")
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trim())
        .join("\n");
      if (data !== "") yield event.parse(JSON.parse(data));
    }
  }
}
