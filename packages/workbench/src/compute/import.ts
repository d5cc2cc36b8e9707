/** Files of constraints, logs of answers and taxonomies as constraints of the log, in ids. */
import { type ConstraintSet, idOf, informativeTriplets } from "@coterie/core/internal";
import {
  constraintListsOf,
  type NamedRows,
  parseHierarchy,
  parseLog,
  readConstraints,
  treeRows,
  withoutGuard,
} from "@coterie/data/browser";
import type { Constraint } from "../protocol/knowledge.js";
import type { LoadedTable } from "../tables/loaded-table.js";
import type { Seat } from "./compute.js";

export interface ImportInput {
  readonly kind: "constraints" | "answers" | "taxonomy";
  readonly file: string;
  readonly bytes: Uint8Array;
}

export interface Imported {
  readonly constraints: readonly Constraint[];
  readonly notices: readonly string[];
}

export async function importTask({ loaded }: Seat, { kind, file, bytes }: ImportInput): Promise<Imported> {
  if (kind === "answers") return answersOf(bytes, file, loaded);
  const names = namesOf(loaded);
  if (kind === "taxonomy") {
    const tree = parseHierarchy(new TextDecoder().decode(bytes), file);
    const { hierarchy, notices } = treeRows(tree, names, { file, unknown: "drop" });
    return { constraints: inIds(informativeTriplets(loaded.instances.n, hierarchy), loaded), notices };
  }
  const { set, notices } = await readConstraints(only(bytes), { file, rows: names });
  return { constraints: inIds(set, loaded), notices };
}

/** What files may call rows: numbers are those of the table's file, also where rows were left out. */
function namesOf({ instances: { n, ids }, rows, total, dropped }: LoadedTable): NamedRows {
  return { n, rows, total, dropped, ...(ids ? { ids } : {}) };
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}

/** Answers about rows that are not in the table are left out, and counted. */
function answersOf(bytes: Uint8Array, file: string, { rowOf }: LoadedTable): Imported {
  const answers = parseLog(bytes, file).stretches.flatMap((stretch) => stretch.answers);
  const known = answers.filter(({ ask }) => ask.every((id) => rowOf.has(String(id))));
  const { mustLink, cannotLink, relative } = constraintListsOf(known);
  const unsure = known.filter(({ answer }) => answer === "unsure");
  const lost = answers.length - known.length;
  return {
    constraints: [
      ...mustLink.map(([a, b]): Constraint => ({ type: "must-link", a, b })),
      ...cannotLink.map(([a, b]): Constraint => ({ type: "cannot-link", a, b })),
      ...relative.map(([a, b, c]): Constraint => ({ type: "relative", a, b, c })),
      ...unsure.map(({ ask }): Constraint => ({ type: "unsure", rows: [...ask] })),
    ],
    notices:
      lost === 0 ? [] : [`${file}: ${lost} ${lost === 1 ? "answer is" : "answers are"} about rows that the table does not have.`],
  };
}

function inIds(set: ConstraintSet, { instances }: LoadedTable): Constraint[] {
  const id = (row: number) => idOf(instances, row);
  const heavy = (weight: number) => (weight === 1 ? {} : { weight: weight === Infinity ? ("inf" as const) : weight });
  const pairs = (type: "must-link" | "cannot-link", { a, b, weight }: ConstraintSet["mustLinks"]) =>
    Array.from(a, (_, s): Constraint => ({ type, a: id(a[s]!), b: id(b[s]!), ...heavy(weight[s]!) }));
  const { relative, labels } = set;
  return [
    ...pairs("must-link", set.mustLinks),
    ...pairs("cannot-link", set.cannotLinks),
    ...Array.from(
      relative.a,
      (_, s): Constraint => ({
        type: "relative",
        a: id(relative.a[s]!),
        b: id(relative.b[s]!),
        c: id(relative.c[s]!),
        ...heavy(relative.weight[s]!),
      }),
    ),
    ...Array.from(
      labels.row,
      (_, s): Constraint => ({
        type: "label",
        a: id(labels.row[s]!),
        class: withoutGuard(labels.names[labels.code[s]!]!),
        ...heavy(labels.weight[s]!),
      }),
    ),
  ];
}
