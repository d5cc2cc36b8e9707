/** Answers calls over a channel with a workbench. */
import { replyTo, type Workbench } from "@coterie/workbench";
import type { FromHost, ToHost } from "./messages.js";

export function serveChannel(workbench: Workbench, channel: BroadcastChannel): void {
  const working = new Map<string, AbortController>();
  const post = (message: FromHost) => channel.postMessage(message);
  /** Work that goes on already is not begun twice: pages ask again when a host comes up. */
  const begin = (id: string): AbortController | null => {
    if (working.has(id)) return null;
    const stop = new AbortController();
    working.set(id, stop);
    return stop;
  };
  const answer = async (id: string, name: string, input: unknown) => {
    const stop = begin(id);
    if (!stop) return;
    try {
      const call = workbench.call as unknown as (
        name: string,
        input: unknown,
        options: { signal: AbortSignal },
      ) => Promise<unknown>;
      post({ type: "reply", id, reply: await call(name, input, { signal: stop.signal }) });
    } catch (error) {
      const reply = replyTo(error) ?? {
        status: 500,
        problem: { code: "bug", message: String((error as Error)?.message ?? error) },
      };
      if (!stop.signal.aborted) post({ type: "problem", id, status: reply.status, problem: reply.problem });
    } finally {
      working.delete(id);
    }
  };
  const tell = async (id: string, project: string) => {
    const stop = begin(id);
    if (!stop) return;
    try {
      for await (const event of await workbench.events(project, stop.signal)) post({ type: "event", id, event });
    } catch {
      // A project that is gone has no events; the calls about it say so.
    } finally {
      working.delete(id);
    }
  };
  channel.onmessage = ({ data }: MessageEvent<ToHost | FromHost>) => {
    if (data.type === "call") void answer(data.id, data.name, data.input);
    else if (data.type === "listen") void tell(data.id, data.project);
    else if (data.type === "abort" || data.type === "unlisten") working.get(data.id)?.abort();
  };
  post({ type: "host" });
}
