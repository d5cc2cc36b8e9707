/** A repair in the user's ids, with a sentence for each constraint that had better go. */
import type { ConstraintSet } from "../model/constraint-set.js";
import { type InstanceId, idOf } from "../model/points.js";
import type { Budget, Interruptible } from "../steps/budget.js";
import type { RepairDiagnosis } from "./diagnosis.js";
import type { Reason } from "./repair/conflict.js";
import { searchRepair } from "./repair/repair.js";

/** Components named in a sentence, rows of each, and rows of a path. */
const MOST_COMPONENTS = 6;
const MOST_ROWS = 3;
const MOST_PATH = 12;

export function* explainRepair(
  set: ConstraintSet,
  k: number | undefined,
  ids: readonly InstanceId[] | undefined,
  budget: Budget,
): Interruptible<RepairDiagnosis> {
  const { dropped, optimal } = yield* searchRepair(set, k ?? null, budget);
  const name = (row: number): InstanceId => idOf(ids ? { ids } : {}, row);
  return {
    dropped: dropped.map(({ kind, rows, names, weight, because }) => ({
      type: kind,
      ids: rows.map(name),
      ...(names ? { names } : {}),
      weight,
      because: sentence(because, k, name),
    })),
    optimal,
    certain: true,
  };
}

function sentence(because: Reason, k: number | undefined, name: (row: number) => InstanceId): string {
  if (because.kind === "undecided") return "with it no clustering was found that keeps the rest, within the effort.";
  if (because.kind === "contradiction") {
    const { rows, path } = because.contradiction;
    const chain = path.length > MOST_PATH ? [...path.slice(0, 6).map(name), "…", name(path.at(-1)!)] : path.map(name);
    const by = chain.length > 0 ? ` (${chain.join(" – ")})` : "";
    return `with it ${name(rows[0])} and ${name(rows[1])} are kept apart though must-links join them${by}.`;
  }
  const groups = because.components
    .slice(0, MOST_COMPONENTS)
    .map((rows) => `{${rows.slice(0, MOST_ROWS).map(name).join(", ")}${rows.length > MOST_ROWS ? ", …" : ""}}`);
  const more = because.components.length > MOST_COMPONENTS ? ", …" : "";
  return `with it these ${because.components.length} groups need more than ${k === 1 ? "one cluster" : `${k} clusters`}: ${groups.join(", ")}${more}.`;
}
