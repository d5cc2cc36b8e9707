/** A sitting of questions: the next one, answers, taking one back. */
import type { Answered, RouteInput } from "@coterie/workbench/protocol";
import { newId } from "../state/deeds.js";
import { pause } from "../state/latest.js";
import { isOffline } from "../state/problems.js";
import type { Session } from "../state/session.js";

export interface Plan {
  readonly strategy: string | null;
  readonly budget: number;
  readonly about: number | null;
}

export const FIRST_PLAN: Plan = { strategy: null, budget: 20, about: null };

export type Answer = RouteInput<"answer">["answer"];

/** The next question for a person; the reason in words if there is none. */
export async function askNext({ client, store, id, deeds }: Session, by: string, plan: Plan): Promise<void> {
  const { strategy, budget, about } = plan;
  try {
    const ask = await client.call("ask", { project: id, by, budget, about, ...(strategy === null ? {} : { strategy }) });
    store.set({ ask });
  } catch (error) {
    deeds.fail(error);
  }
}

/** Sends an answer until it is on disk. A line that is lost in between is tried again with the same id, so it counts once. */
export async function giveAnswer(session: Session, by: string, question: string, answer: Answer): Promise<Answered | null> {
  const { client, store, id, deeds } = session;
  const entry = newId();
  store.set(({ waiting }) => ({ waiting: waiting + 1 }));
  try {
    for (let wait = 500; ; wait = Math.min(2 * wait, 8_000)) {
      try {
        const answered = await client.call("answer", { project: id, question, answer, by, id: entry });
        store.set(({ moves }) => ({
          answered,
          ask: answered.next,
          moves: new Map(moves).set(answered.entry.id, answered.moved.length),
        }));
        return answered;
      } catch (error) {
        if (!isOffline(error)) throw error;
        store.set({ link: { state: "lost", retryAt: Date.now() + wait } });
        await pause(wait, new AbortController().signal);
      }
    }
  } catch (error) {
    deeds.fail(error);
    return null;
  } finally {
    store.set(({ waiting }) => ({ waiting: waiting - 1 }));
  }
}

/** Rows that moved, by the way they went. */
export function waysOf(
  moved: Answered["moved"],
): readonly { readonly from: number; readonly to: number; readonly ids: readonly (string | number)[] }[] {
  const ways = new Map<string, { from: number; to: number; ids: (string | number)[] }>();
  for (const { id, from, to } of moved) {
    const key = `${from} ${to}`;
    const way = ways.get(key) ?? { from, to, ids: [] };
    ways.set(key, way);
    way.ids.push(id);
  }
  return [...ways.values()].sort((a, b) => b.ids.length - a.ids.length);
}
