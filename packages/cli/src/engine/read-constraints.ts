/** Reads constraints about rows that an engine holds. The constraints name these rows by their ids. */
import { emptyConstraints } from "@coterie/core/internal";
import { openBytes, readConstraintsAlone } from "@coterie/data";
import type { Io } from "../command.js";
import { listOf, type Values } from "../flags.js";
import type { OpenEngine } from "./open-engine.js";

export type Given = Awaited<ReturnType<typeof readConstraintsAlone>>;

export async function constraintsOf(values: Values, { idColumn }: Pick<OpenEngine, "idColumn">, io: Io): Promise<Given> {
  const files = listOf(values, "constraints") ?? [];
  if (files.length === 0) return { set: emptyConstraints(0), ids: [], notices: [] };
  const sources = [];
  for (const file of files) sources.push({ chunks: (await openBytes(file)).chunks, file });
  return readConstraintsAlone(sources, { signal: io.signal, named: idColumn !== undefined });
}
