/** Events of projects, to everybody who listens. A listener that is slow gets what it missed as one request to look again. */
import type { ProjectEvent } from "../protocol/events.js";

interface Listener {
  readonly waiting: ProjectEvent[];
  wake: () => void;
}

/** Events that wait for a listener; progress that is overtaken does not count. */
const MOST_WAITING = 1_000;

export interface Hub {
  tell(project: string, event: ProjectEvent): void;
  listen(project: string, first: ProjectEvent, signal: AbortSignal): AsyncGenerator<ProjectEvent, void, void>;
  close(): void;
}

export function createHub(): Hub {
  const rooms = new Map<string, Set<Listener>>();
  const closing = new AbortController();
  return {
    tell(project, event) {
      for (const listener of rooms.get(project) ?? []) {
        keep(listener, event);
        listener.wake();
      }
    },
    async *listen(project, first, signal) {
      const listener: Listener = { waiting: [first], wake: () => {} };
      const room = rooms.get(project) ?? new Set();
      rooms.set(project, room.add(listener));
      const over = AbortSignal.any([signal, closing.signal]);
      const wake = () => listener.wake();
      over.addEventListener("abort", wake);
      try {
        while (!over.aborted) {
          const event = listener.waiting.shift();
          if (event) yield event;
          else
            await new Promise<void>((resolve) => {
              listener.wake = resolve;
              if (over.aborted) resolve();
            });
        }
      } finally {
        over.removeEventListener("abort", wake);
        room.delete(listener);
        if (room.size === 0) rooms.delete(project);
      }
    },
    close: () => closing.abort(),
  };
}

/** Of a run's progress and of the log's length only the newest is worth keeping. */
function keep({ waiting }: Listener, event: ProjectEvent): void {
  const last = waiting.at(-1);
  const overtakes =
    last?.type === event.type &&
    (event.type === "knowledge" ||
      event.type === "project" ||
      (event.type === "progress" && last.type === "progress" && last.run === event.run));
  if (overtakes) waiting.pop();
  waiting.push(event);
  if (waiting.length > MOST_WAITING) waiting.splice(0, waiting.length - MOST_WAITING);
}
