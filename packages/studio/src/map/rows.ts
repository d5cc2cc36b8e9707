/** Loads the cells of rows, and caches them so that each row is loaded only once. */
import type { RowReply } from "@coterie/workbench/protocol";
import { useEffect, useState } from "react";
import { useProject, useSession } from "../page/context.js";
import type { Session } from "../state/session.js";

const kept = new WeakMap<Session, Map<string, RowReply>>();

export function useRows(rows: readonly number[]): readonly RowReply[] {
  const session = useSession();
  const reading = useProject(({ project }) => JSON.stringify(project.reading));
  const [, setTurn] = useState(0);
  const cache = kept.get(session) ?? new Map<string, RowReply>();
  kept.set(session, cache);
  const keyOf = (row: number) => `${row} ${reading}`;
  const missing = rows.filter((row) => !cache.has(keyOf(row)));
  const wanted = missing.slice(0, 1_000).join(",");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the missing rows are the reason for the request
  useEffect(() => {
    if (wanted === "") return;
    const stop = new AbortController();
    session.client.call("rows", { project: session.id, rows: wanted }, { signal: stop.signal }).then(
      (replies) => {
        if (cache.size > 20_000) cache.clear();
        for (const reply of replies) cache.set(keyOf(reply.row), reply);
        setTurn((turn) => turn + 1);
      },
      () => {},
    );
    return () => stop.abort();
  }, [wanted, session, reading]);
  return rows.flatMap((row) => cache.get(keyOf(row)) ?? []);
}
