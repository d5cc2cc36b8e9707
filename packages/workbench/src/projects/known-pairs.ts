/** What is known about pairs of rows, without a worker: for questions that wait, and for what an answer implies. */
import { Journal, Knowledge } from "@coterie/core/internal";
import { consistentPart } from "../compute/known.js";
import type { TableFacts } from "../compute/tasks.js";
import { constraintSetOf, type Said } from "../knowledge/constraint-set.js";

export interface KnownPairs {
  /** Whether nothing is known about two rows, and nobody was asked in vain. */
  isOpen(rows: readonly number[]): boolean;
  /** Pairs that an answer about two rows implies, beside the pair itself. */
  impliedBy(rows: readonly number[], answer: "same" | "different"): number;
  /** Takes in what was said since; false where it denies what is known, or is about more than two rows: then all must be looked at. */
  learn(more: readonly Said[]): boolean;
}

/** Exclusive columns are left to the workers, who hold the table: what they keep apart may be asked about once too often, never wrongly. */
export function knownPairsOf(said: readonly Said[], facts: TableFacts): KnownPairs {
  const speaking = said.filter(({ constraint }) => constraint.type !== "exclusive");
  const instances = { n: facts.n, ...(facts.ids ? { ids: facts.ids } : {}) };
  const { set } = constraintSetOf(speaking, instances, () => {
    throw new Error("Exclusive columns were left out.");
  });
  const journal = new Journal();
  const knowledge = new Knowledge(consistentPart(set).set, journal);
  const rowOf = facts.ids === null ? null : new Map(facts.ids.map((id, row) => [String(id), row]));
  const row = (id: string | number): number => rowOf?.get(String(id)) ?? Number(id);
  const unsure = new Set<string>();
  const notKnown = ({ constraint }: Said) => constraint.type === "unsure" && unsure.add(keyOf(constraint.rows.map(row)));
  said.forEach(notKnown);
  const take = (each: Said): boolean => {
    const { constraint } = each;
    if (constraint.type === "unsure") return notKnown(each) !== false;
    if (constraint.type !== "must-link" && constraint.type !== "cannot-link") return constraint.type === "relative";
    const [a, b] = [row(constraint.a), row(constraint.b)];
    const says = constraint.type === "must-link" ? "same" : "different";
    const known = knowledge.relation(a, b);
    if (known === null) knowledge.learn(a, b, says);
    return known === null || known === says;
  };
  return {
    isOpen: (rows) => !unsure.has(keyOf(rows)) && (rows.length !== 2 || knowledge.relation(rows[0]!, rows[1]!) === null),
    impliedBy(rows, answer) {
      if (rows.length !== 2 || knowledge.relation(rows[0]!, rows[1]!) !== null) return 0;
      const mark = journal.mark();
      const { impliedPairs } = knowledge.learn(rows[0]!, rows[1]!, answer);
      journal.rewind(mark);
      return impliedPairs;
    },
    learn: (more) => more.every(take),
  };
}

function keyOf(rows: readonly number[]): string {
  return [...rows].sort((a, b) => a - b).join(" ");
}
