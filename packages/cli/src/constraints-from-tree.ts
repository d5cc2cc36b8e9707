/** `coterie constraints from-tree`: the few relative constraints that entail all that a hierarchy, or known classes, say. */

import { badInput } from "@coterie/core/errors";
import {
  type BuiltConstraints,
  type InstanceId,
  informativeTriplets,
  informativeTripletsOfClasses,
} from "@coterie/core/internal";
import { openBytes, parseHierarchy, treeRows } from "@coterie/data";
import type { Io } from "./command.js";
import { type Flag, textOf, UsageError, type Values } from "./flags.js";
import { loadTable, rowsToSpeakOf } from "./inputs.js";
import type { Provenance } from "./outputs/outputs.js";
import { createProgress } from "./progress.js";
import { VERSION } from "./version.js";

export const FROM_TREE_FLAGS: readonly Flag[] = [
  {
    name: "data",
    value: "DATA",
    kind: "file",
    description: "from-tree: the table whose rows the leaves are (default: leaves are ids as they stand)",
  },
  {
    name: "unknown",
    value: "HOW",
    choices: ["error", "drop"],
    description: "from-tree: leaves that are no rows of DATA are an error, or left out (default: error)",
  },
];

export interface FromTree {
  readonly made: BuiltConstraints;
  readonly ids: readonly InstanceId[] | undefined;
  /** The data that the set is about, if a table was given. */
  readonly source: () => Promise<Provenance | null>;
  readonly notices: readonly string[];
}

/** Judges the line before any file is read; the work comes after. */
export function fromTree(values: Values, positionals: readonly string[], io: Io): () => Promise<FromTree> {
  const [tree, ...rest] = positionals;
  const data = textOf(values, "data");
  if (rest.length > 0) throw new UsageError(`One tree at a time: what is "${rest[0]}"? A table is named with --data.`);
  if (values.constraints !== undefined) throw new UsageError("from-tree makes a set from a tree; it reads no --constraints.");
  if (tree !== undefined && values.truth !== undefined)
    throw new UsageError("Give either a tree or --truth: each is a hierarchy of its own.");
  if (tree === undefined && (data === undefined || values.truth === undefined))
    throw new UsageError("Name the tree: coterie constraints from-tree TREE; or the classes: from-tree --data DATA --truth COL.");
  if (tree !== undefined && data === undefined && values.id !== undefined)
    throw new UsageError("--id is a column of a table: name the table with --data DATA.");
  if (tree === "-" && data === "-") throw new UsageError("Standard input can be read only once.");
  return () => work(tree, data, values, io);
}

async function work(tree: string | undefined, data: string | undefined, values: Values, io: Io): Promise<FromTree> {
  const progress = createProgress(io, values.quiet === true);
  const table =
    data === undefined ? null : await loadTable(data, values, io, progress, rowsToSpeakOf(values)).finally(progress.clear);
  const source = async () => table && { data: table.file, sha256: await table.contentHash(), version: VERSION };
  if (tree === undefined)
    return { made: informativeTripletsOfClasses(table!.truth!), ids: table!.ids, source, notices: table!.notices };
  const unknown = textOf(values, "unknown") === "drop" ? "drop" : "error";
  const { hierarchy, n, ids, notices } = treeRows(parseHierarchy(await readText(tree), tree), table, { file: tree, unknown });
  return { made: informativeTriplets(n, hierarchy), ids, source, notices: [...(table?.notices ?? []), ...notices] };
}

async function readText(path: string): Promise<string> {
  const { chunks, file } = await openBytes(path);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  try {
    for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw badInput("The tree is no UTF-8 text.", { file, remedy: "Save it as UTF-8." });
    throw error;
  }
}
