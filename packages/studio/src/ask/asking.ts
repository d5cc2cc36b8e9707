/** A sitting of questions: the next one, and what an answer moved. */
import type { Answered } from "@coterie/workbench/protocol";
import type { Session } from "../state/session.js";

export interface Plan {
  readonly strategy: string | null;
  readonly budget: number;
  readonly about: number | null;
}

export const FIRST_PLAN: Plan = { strategy: null, budget: 20, about: null };

/** The next question for a person; the reason in words if there is none. */
export async function askNext({ client, store, id, deeds }: Session, by: string, plan: Plan): Promise<void> {
  const { strategy, budget, about } = plan;
  const { colouring } = store.get();
  const run = colouring.by === "run" ? colouring.run : null;
  try {
    const ask = await client.call("ask", { project: id, by, budget, about, run, ...(strategy === null ? {} : { strategy }) });
    store.set({ ask });
  } catch (error) {
    deeds.fail(error);
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
