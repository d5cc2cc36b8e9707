/** `coterie constraints from-tree`: a small set of relative constraints from which all those of a hierarchy follow. */

import { badInput } from "@coterie/core/errors";
import {
  type BuiltConstraints,
  type InstanceId,
  informativeTriplets,
  informativeTripletsOfClasses,
  undividedLevel,
} from "@coterie/core/internal";
import { openBytes, parseHierarchy, type TableInstances, treeRows } from "@coterie/data";
import type { Io } from "./command.js";
import { type Flag, listOf, textOf, UsageError, type Values } from "./flags.js";
import { loadTable, type Provenance, whatToRead } from "./inputs.js";
import { createProgress } from "./progress.js";
import { VERSION } from "./version.js";

export const FROM_TREE_FLAGS: readonly Flag[] = [
  {
    name: "data",
    value: "DATA",
    kind: "file",
    description: "from-tree: table whose row ids are the leaves of TREE (default: no table, each leaf is an id)",
  },
  {
    name: "unknown",
    value: "HOW",
    choices: ["error", "drop"],
    description: "from-tree: for leaves that are not in DATA, stop with an error or drop them (default: error)",
  },
];

export interface FromTree {
  readonly made: BuiltConstraints;
  readonly ids: readonly InstanceId[] | undefined;
  /** The data that the constraints belong to, if the line names a table. */
  readonly source: () => Promise<Provenance | null>;
  readonly notices: readonly string[];
}

/** Checks the command line before any file is read, and returns the function that does the work. */
export function fromTree(values: Values, positionals: readonly string[], io: Io): () => Promise<FromTree> {
  const [tree, ...rest] = positionals;
  const data = textOf(values, "data");
  if (rest.length > 0) throw new UsageError(`One tree at a time: what is "${rest[0]}"? A table is named with --data.`);
  if (values.constraints !== undefined) throw new UsageError("from-tree makes a set from a tree; it reads no --constraints.");
  if (tree !== undefined && values.truth !== undefined)
    throw new UsageError("Give either a tree or --truth: each is a hierarchy.");
  if (tree === undefined && (data === undefined || values.truth === undefined))
    throw new UsageError("Name the tree: coterie constraints from-tree TREE; or the classes: from-tree --data DATA --truth COL.");
  const levels = listOf(values, "truth") ?? [];
  if (values.truth !== undefined && levels.length === 0) throw new UsageError("--truth names no column.");
  const twice = levels.find((level, l) => levels.indexOf(level) < l);
  if (twice !== undefined) throw new UsageError(`--truth names the column "${twice}" twice.`);
  if (tree !== undefined && data === undefined && values.id !== undefined)
    throw new UsageError("--id is a column of a table: name the table with --data DATA.");
  if (tree === "-" && data === "-") throw new UsageError("Standard input can be read only once.");
  return () => (tree === undefined ? fromClasses(data!, levels, values, io) : fromHierarchy(tree, data, values, io));
}

/** `levels`: columns of classes, from the coarsest on. */
async function fromClasses(data: string, levels: readonly string[], values: Values, io: Io): Promise<FromTree> {
  const table = await tableOf(data, { ...values, truth: levels.at(-1)! }, io, levels.slice(0, -1));
  const classes = [...(table.coarserTruth ?? []), table.truth!];
  const at = undividedLevel(classes);
  const order =
    at < 0
      ? []
      : [
          `No class of "${levels[at]}" has more than one "${levels[at + 1]}". Name the coarser column first (--truth order,genus).`,
        ];
  return {
    made: informativeTripletsOfClasses(...classes),
    ids: table.ids,
    source: sourceOf(table),
    notices: [...table.notices, ...order],
  };
}

async function tableOf(data: string, values: Values, io: Io, coarserTruth: readonly string[] = []): Promise<TableInstances> {
  const progress = createProgress(io, values.quiet === true);
  return await loadTable(data, values, io, progress, whatToRead(values), coarserTruth).finally(progress.clear);
}

function sourceOf(table: TableInstances | null): FromTree["source"] {
  return async () => table && { data: table.file, sha256: await table.contentHash(), version: VERSION };
}

async function fromHierarchy(tree: string, data: string | undefined, values: Values, io: Io): Promise<FromTree> {
  const table = data === undefined ? null : await tableOf(data, values, io);
  const unknown = textOf(values, "unknown") === "drop" ? "drop" : "error";
  const { hierarchy, n, ids, notices } = treeRows(parseHierarchy(await readText(tree), tree), table, { file: tree, unknown });
  return {
    made: informativeTriplets(n, hierarchy),
    ids,
    source: sourceOf(table),
    notices: [...(table?.notices ?? []), ...notices],
  };
}

async function readText(path: string): Promise<string> {
  const { chunks, file } = await openBytes(path);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  try {
    for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw badInput("The tree is not UTF-8 text.", { file, remedy: "Save it as UTF-8." });
    throw error;
  }
}
