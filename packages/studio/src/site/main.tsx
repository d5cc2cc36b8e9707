/**
 * Starts the page of the static site, which has no server: a worker replies to the requests of the page, and the browser stores the
 * projects.
 */
import "../ui/styles.css";

import { type Call, type ProjectEvent, ReplyError } from "@coterie/workbench/protocol";
import { createRoot } from "react-dom/client";
import { App } from "../app/app.js";
import type { Client } from "../state/client.js";
import { CHANNEL, type FromHost, type ToHost } from "./messages.js";

createRoot(document.getElementById("studio")!).render(<App client={siteClient()} />);
if ("serviceWorker" in navigator) void navigator.serviceWorker.register("./offline.js").catch(() => {});

/* A client whose server is a worker in this browser. The worker belongs to this tab, or to a tab that was opened earlier. */

interface Pending {
  readonly message: ToHost;
  resolve(reply: unknown): void;
  reject(error: unknown): void;
}

interface Listener {
  readonly project: string;
  take(event: ProjectEvent): void;
}

function siteClient(): Client {
  new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "coterie" });
  return channelClient(new BroadcastChannel(CHANNEL));
}

/** Sends calls and receives events over a channel. When another worker takes over as the server, all open calls are sent again. */
function channelClient(channel: BroadcastChannel): Client {
  const pending = new Map<string, Pending>();
  const listeners = new Map<string, Listener>();
  const post = (message: ToHost) => channel.postMessage(message);
  channel.onmessage = ({ data }: MessageEvent<FromHost | ToHost>) => {
    if (data.type === "host") {
      for (const { message } of pending.values()) post(message);
      for (const [id, { project }] of listeners) post({ type: "listen", id, project });
    } else if (data.type === "reply" || data.type === "problem") {
      const waiting = pending.get(data.id);
      pending.delete(data.id);
      if (data.type === "reply") waiting?.resolve(data.reply);
      else waiting?.reject(new ReplyError(data.status, data.problem));
    } else if (data.type === "event") listeners.get(data.id)?.take(data.event);
  };
  const call = ((name: string, input: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const id = crypto.randomUUID();
      const message: ToHost = { type: "call", id, name, input };
      pending.set(id, { message, resolve, reject });
      signal?.addEventListener("abort", () => {
        if (!pending.delete(id)) return;
        post({ type: "abort", id });
        reject(signal.reason);
      });
      post(message);
    })) as Call;
  return { call, events: (project, signal) => eventsOver(project, signal, listeners, post) };
}

async function* eventsOver(
  project: string,
  signal: AbortSignal,
  listeners: Map<string, Listener>,
  post: (message: ToHost) => void,
): AsyncGenerator<ProjectEvent, void, void> {
  const id = crypto.randomUUID();
  const waiting: ProjectEvent[] = [];
  let wake = () => {};
  const take = (event: ProjectEvent) => {
    waiting.push(event);
    wake();
  };
  const stop = () => wake();
  listeners.set(id, { project, take });
  signal.addEventListener("abort", stop);
  post({ type: "listen", id, project });
  try {
    while (!signal.aborted) {
      const event = waiting.shift();
      if (event) yield event;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (signal.aborted) resolve();
        });
    }
  } finally {
    signal.removeEventListener("abort", stop);
    listeners.delete(id);
    post({ type: "unlisten", id });
  }
}
