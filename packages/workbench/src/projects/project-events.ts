/** Events of projects, published to everybody who subscribed. A subscriber that is slow gets what it missed as one request to look again. */
import type { ProjectEvent } from "../protocol/events.js";

interface Subscriber {
  readonly waiting: ProjectEvent[];
  wake: () => void;
}

/** Events that wait for a subscriber; progress that is overtaken does not count. */
const MOST_WAITING = 1_000;

export function createProjectEvents() {
  const subscribers = new Map<string, Set<Subscriber>>();
  const closing = new AbortController();
  return {
    publish(project: string, event: ProjectEvent): void {
      for (const subscriber of subscribers.get(project) ?? []) {
        keep(subscriber, event);
        subscriber.wake();
      }
    },
    async *subscribe(project: string, first: ProjectEvent, signal: AbortSignal): AsyncGenerator<ProjectEvent, void, void> {
      const subscriber: Subscriber = { waiting: [first], wake: () => {} };
      const own = subscribers.get(project) ?? new Set();
      subscribers.set(project, own.add(subscriber));
      const over = AbortSignal.any([signal, closing.signal]);
      const wake = () => subscriber.wake();
      over.addEventListener("abort", wake);
      try {
        while (!over.aborted) {
          const event = subscriber.waiting.shift();
          if (event) yield event;
          else
            await new Promise<void>((resolve) => {
              subscriber.wake = resolve;
              if (over.aborted) resolve();
            });
        }
      } finally {
        over.removeEventListener("abort", wake);
        own.delete(subscriber);
        if (own.size === 0) subscribers.delete(project);
      }
    },
    close: (): void => closing.abort(),
  };
}

/** Of a run's progress, of advice and of the log's length only the newest is worth keeping. */
function keep({ waiting }: Subscriber, event: ProjectEvent): void {
  const last = waiting.at(-1);
  const overtakes =
    last?.type === event.type &&
    (event.type === "knowledge" ||
      event.type === "project" ||
      event.type === "advice" ||
      (event.type === "progress" && last.type === "progress" && last.run === event.run));
  if (overtakes) waiting.pop();
  waiting.push(event);
  if (waiting.length > MOST_WAITING) waiting.splice(0, waiting.length - MOST_WAITING);
}
