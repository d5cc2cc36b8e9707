/** What is settled about pairs of rows, without a worker: for questions that wait, and for what an answer implies. */
import { Journal, Knowledge } from "@coterie/core";
import { consistentPart } from "../compute/known.js";
import type { TableFacts } from "../compute/tasks.js";
import { constraintSetOf, type Said } from "../knowledge/constraint-set.js";

export interface Settled {
  /** Whether nothing is known about two rows, and nobody was asked in vain. */
  isOpen(rows: readonly number[]): boolean;
  /** Pairs that an answer about two rows settles, beside the pair itself. */
  impliedBy(rows: readonly number[], answer: "same" | "different"): number;
}

/** Exclusive columns are left to the workers, who hold the table: what they keep apart may be asked about once too often, never wrongly. */
export function settledBy(said: readonly Said[], facts: TableFacts): Settled {
  const speaking = said.filter(({ constraint }) => constraint.type !== "exclusive");
  const instances = { n: facts.n, ...(facts.ids ? { ids: facts.ids } : {}) };
  const { set } = constraintSetOf(speaking, instances, () => {
    throw new Error("Exclusive columns were left out.");
  });
  const journal = new Journal();
  const knowledge = new Knowledge(consistentPart(set).set, journal);
  const rowOf = facts.ids === null ? null : new Map(facts.ids.map((id, row) => [String(id), row]));
  const unsure = new Set(
    said.flatMap(({ constraint }) =>
      constraint.type === "unsure" ? [keyOf(constraint.rows.map((id) => rowOf?.get(String(id)) ?? Number(id)))] : [],
    ),
  );
  return {
    isOpen: (rows) => !unsure.has(keyOf(rows)) && (rows.length !== 2 || knowledge.relation(rows[0]!, rows[1]!) === null),
    impliedBy(rows, answer) {
      if (rows.length !== 2 || knowledge.relation(rows[0]!, rows[1]!) !== null) return 0;
      const mark = journal.mark();
      const { impliedPairs } = knowledge.learn(rows[0]!, rows[1]!, answer);
      journal.rewind(mark);
      return impliedPairs;
    },
  };
}

function keyOf(rows: readonly number[]): string {
  return [...rows].sort((a, b) => a - b).join(" ");
}
