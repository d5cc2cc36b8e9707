/** `--distances`: a matrix of distances between rows, with or without a table. */
import { catalogue, instancesFromDistances, type Method } from "@coterie/core/internal";
import { type DistanceTable, distancesFor, readDistances, type TableInstances } from "@coterie/data";
import { type Io, refuseColumnFlags } from "./command.js";
import { type Flag, textOf, UsageError, type Values } from "./flags.js";
import type { Progress } from "./progress.js";

export const DISTANCES_FLAG: Flag = {
  name: "distances",
  value: "FILE",
  kind: "file",
  description:
    "read the distances between rows from FILE instead of computing them: a square matrix, or its n(n-1)/2 upper entries in one column; DATA is then optional",
};

export function checkDistances(values: Values, data: string | undefined, method: Method): void {
  if (values.distances === undefined) return;
  if (!takesDistances(method)) {
    const able = catalogue.filter(takesDistances).map(({ name }) => name);
    throw new UsageError(`${method.name} works on columns, not on distances; these take --distances: ${able.join(", ")}.`);
  }
  if (values.distance !== undefined) throw new UsageError("Give --distance or --distances, not both.");
  if (data === undefined) refuseColumnFlags(values);
}

function takesDistances({ family }: Method): boolean {
  return family === "hierarchy";
}

export async function readGivenDistances(file: string, values: Values, io: Io, progress: Progress): Promise<DistanceTable> {
  const delimiter = textOf(values, "delimiter");
  const decimal = textOf(values, "decimal") as "." | "," | undefined;
  return await readDistances(file, {
    ...(delimiter ? { delimiter: delimiter === "tab" || delimiter === "\\t" ? "\t" : delimiter } : {}),
    ...(decimal ? { decimal } : {}),
    signal: io.signal,
    onProgress: (done, total) => progress.show({ phase: "reading distances (bytes)", done, total }),
  });
}

export function withDistances(table: TableInstances, matrix: DistanceTable): TableInstances {
  const { distances, notices } = distancesFor(matrix, table);
  return Object.assign(table, { distances, notices: [...table.notices, ...matrix.notices, ...notices] });
}

export function rowsOfMatrix({ n, condensed, names, file, notices, contentHash }: DistanceTable): TableInstances {
  const numbered = !names || names.every((name, i) => name === String(i));
  const rows = {
    ...instancesFromDistances(condensed, "condensed", numbered ? undefined : names),
    rows: Int32Array.from({ length: n }, (_, i) => i),
    total: n,
    dropped: [],
    imputed: 0,
    sources: [],
    notices,
    early: [],
    file,
    contentHash,
  };
  return Object.defineProperty(rows, "contentHash", { enumerable: false });
}
