/**
 * Prepares the constraints of a project for tasks: receives them as changes, converts them to row numbers, and sets contradictions aside.
 */
import {
  type ConstraintSet,
  type Contradiction,
  closeConstraints,
  contradictions,
  emptyConstraints,
  type Instances,
  idOf,
  isContradictory,
  type Links,
  refuseContradictions,
} from "@coterie/core/internal";
import type { ActiveConstraint } from "../log/constraint-log.js";
import { constraintSetOf, type Known } from "../log/constraint-set.js";
import type { Constraint } from "../protocol/knowledge.js";
import { groupingOf } from "../tables/loaded-table.js";
import type { TaskTable } from "./compute.js";

export function knownAt(loaded: TaskTable, active: readonly ActiveConstraint[]): Known {
  return constraintSetOf(withGiven(loaded, active), loaded.instances, (column) => groupingOf(loaded, column));
}

export function withGiven({ given = [] }: TaskTable, active: readonly ActiveConstraint[]): readonly ActiveConstraint[] {
  return given.length === 0 ? active : [...given.map((constraint) => ({ entry: "", constraint })), ...active];
}

export async function refuseContradiction(
  loaded: TaskTable,
  { before, after }: Readonly<Record<"before" | "after", readonly ActiveConstraint[]>>,
): Promise<void> {
  const closureAt = (active: readonly ActiveConstraint[]) => closeConstraints(knownAt(loaded, active).set);
  if (!isContradictory(closureAt(before))) refuseContradictions(closureAt(after), loaded.instances.ids);
}

export interface SentConstraints {
  /** A key of the project and of the way its table is read. Constraints with different keys have nothing in common. */
  readonly of: string;
  readonly version: number;
  /** The version that `kept` and `more` change. Null if `more` has all constraints. */
  readonly since: number | null;
  /** The first `kept` constraints of version `since` stay. The constraints in `more` follow them. */
  readonly kept: number;
  readonly more: readonly ActiveConstraint[];
}

/** Returns all constraints. Null if this worker does not have version `since`: the caller must then send all constraints. */
export function receivedConstraints({ kept }: TaskTable, sent: SentConstraints): readonly ActiveConstraint[] | null {
  const key = `constraints ${sent.of}`;
  const known = kept.get(key) as { readonly version: number; readonly active: readonly ActiveConstraint[] } | undefined;
  if (known?.version === sent.version) return known.active;
  if (sent.since !== null && known?.version !== sent.since) return null;
  const active = [...(known?.active ?? []).slice(0, sent.kept), ...sent.more];
  kept.set(key, { version: sent.version, active });
  return active;
}

/** Removes the constraints that contradict the must-links. `aside` lists the contradictions that were removed. */
export function consistentPart(given: ConstraintSet): { set: ConstraintSet; aside: readonly Contradiction[] } {
  const closure = closeConstraints(given);
  if (!isContradictory(closure)) return { set: given, aside: [] };
  const aside = contradictions(closure);
  const pairs = new Set(aside.filter(({ kind }) => kind === "cannot-link").map(({ rows }) => pairKey(...rows)));
  const groups = new Set(aside.filter(({ kind }) => kind === "exclusive").map(({ names }) => names?.[0]));
  const rest: ConstraintSet = {
    ...given,
    cannotLinks: linksWhere(given.cannotLinks, (a, b) => !pairs.has(pairKey(a, b))),
    labels: aside.some(({ kind }) => kind === "labels") ? emptyConstraints(given.n).labels : given.labels,
    exclusive: given.exclusive.filter(({ column }) => !groups.has(column)),
  };
  return { set: rest, aside };
}

export function pairKey(a: number, b: number): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}

function linksWhere({ a, b, weight }: Links, keep: (a: number, b: number) => boolean): Links {
  const kept = [...a.keys()].filter((s) => keep(a[s]!, b[s]!));
  return {
    a: Int32Array.from(kept, (s) => a[s]!),
    b: Int32Array.from(kept, (s) => b[s]!),
    weight: Float64Array.from(kept, (s) => weight[s]!),
  };
}

export function inIds(set: ConstraintSet, points: Omit<Instances, "x">): Constraint[] {
  const id = (row: number) => idOf(points, row);
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
        class: labels.names[labels.code[s]!]!,
        ...heavy(labels.weight[s]!),
      }),
    ),
    ...set.exclusive.map(({ column }): Constraint => ({ type: "exclusive", column })),
  ];
}
