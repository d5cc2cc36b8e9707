/** Texts about constraints for the page: sentences, counts, consequences, and whether a run broke them. */
import { counted, formatCount } from "@coterie/figures/layout";
import {
  type Constraint,
  type KnowledgeReply,
  type NewEntry,
  type RunReply,
  type Standing,
  sentenceOf as sentenceOfConstraint,
} from "@coterie/workbench/protocol";
import type { RowId } from "./model.js";

/** A constraint as text: "281 ≠ 330", "127, 113 | 319", "337 is Chinstrap". */
export function sentenceOf(constraint: Constraint): string {
  if (constraint.type === "unsure") return constraint.rows.join(", ");
  if (constraint.type === "exclusive") return `one per ${constraint.column}`;
  return constraint.type === "sizes" ? sizesSentence(constraint.min, constraint.max) : sentenceOfConstraint(constraint);
}

function sizesSentence(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return `${min} to ${max} rows in a cluster`;
  return min !== undefined ? `${min} rows in a cluster at least` : `${max} rows in a cluster at most`;
}

/** Describes one action of the user in a few words: "500 = 600", "12 rows are Barolo", "Dropped 281 ≠ 330". */
export function changeWords(changes: readonly NewEntry["change"][], standing: readonly Standing[]): string {
  const [first] = changes;
  if (first === undefined) return "";
  const many = changes.length > 1;
  if (first.type === "add" || first.type === "revise") {
    const { constraint } = first;
    const revised = first.type === "revise" ? "Revised to " : "";
    if (!many) return `${revised}${sentenceOf(constraint)}${constraint.type === "unsure" ? ": don’t know" : ""}`;
    if (constraint.type === "label") return `${counted(changes.length, "row")} are ${constraint.class}`;
    return counted(changes.length, "answer");
  }
  const about = standing.find(({ entry }) => entry === first.entry);
  const words = many || !about ? counted(changes.length, "answer") : sentenceOf(about.constraint);
  return first.type === "drop" ? `Dropped ${words}` : `Another weight for ${words}`;
}

/** Returns the constraints in `said` that are new. If this person has already added the same constraint, it is left out. */
export function newsOf(said: readonly Constraint[], standing: readonly Standing[], me: string): readonly Constraint[] {
  const wordOf = (constraint: Constraint) => {
    const weight = "weight" in constraint ? constraint.weight : undefined;
    const says = constraint.type === "label" ? constraint.class : "a" in constraint ? "" : sentenceOf(constraint);
    return JSON.stringify([keyOf(constraint), says, weight ?? 1]);
  };
  const known = new Set(standing.flatMap(({ constraint, by, counts }) => (counts && by === me ? [wordOf(constraint)] : [])));
  return said.filter((constraint) => constraint.type === "unsure" || !known.has(wordOf(constraint)));
}

/** Where an answer comes from: "asked", "drawn", "known.csv:14". Also says how many rows the answer moved, if this is known. */
export function originOf({ from, constraint }: Pick<Standing, "from" | "constraint">, moved?: number): string {
  const move = moved === undefined || moved === 0 ? "" : `, moved ${moved}`;
  if (constraint.type === "unsure") return "don’t know";
  switch (from.kind) {
    case "asked":
      return `asked${move}`;
    case "drawn":
      return `drawn${move}`;
    case "advice":
      return `advice${move}`;
    case "file":
      return from.line === undefined ? from.file : `${from.file}:${from.line}`;
  }
}

/** How many answers a run kept or broke, and how many answers are newer than the run: "Run 2 keeps all 4 answers, 1 newer". */
export function keptWords(
  { number, broken, given, upTo }: Pick<RunReply, "number" | "broken" | "given" | "upTo">,
  constraints: readonly Standing[],
): string {
  const newer = constraints.filter(({ seq }) => seq > upTo).length;
  const kept = broken ? `breaks ${formatCount(broken)} of ${counted(given, "answer")}` : `keeps ${allOf(given)}`;
  return `Run ${number} ${kept}${newer > 0 ? `, ${formatCount(newer)} newer` : ""}`;
}

export function allOf(answers: number): string {
  return answers === 1 ? "the one answer" : `all ${formatCount(answers)} answers`;
}

interface Violations {
  readonly mustLink?: readonly (readonly RowId[])[];
  readonly cannotLink?: readonly (readonly RowId[])[];
  readonly relative?: readonly (readonly RowId[])[];
  readonly labels?: readonly (readonly RowId[])[];
}

/** A key that two constraints share if they have the same type and rows. The order of the two rows of a pair does not matter. */
export function keyOf(constraint: Constraint): string {
  const pair = (a: RowId, b: RowId) => [String(a), String(b)].sort();
  switch (constraint.type) {
    case "must-link":
    case "cannot-link":
      return JSON.stringify([constraint.type, ...pair(constraint.a, constraint.b)]);
    case "relative":
      return JSON.stringify([constraint.type, ...pair(constraint.a, constraint.b), String(constraint.c)]);
    case "label":
      return JSON.stringify([constraint.type, String(constraint.a)]);
    default:
      return JSON.stringify([constraint.type]);
  }
}

export function brokenKeys(report: Readonly<Record<string, unknown>> | undefined): ReadonlySet<string> {
  const { mustLink = [], cannotLink = [], relative = [], labels = [] } = (report?.violations ?? {}) as Violations;
  return new Set([
    ...mustLink.map(([a, b]) => keyOf({ type: "must-link", a: a!, b: b! })),
    ...cannotLink.map(([a, b]) => keyOf({ type: "cannot-link", a: a!, b: b! })),
    ...relative.map(([a, b, c]) => keyOf({ type: "relative", a: a!, b: b!, c: c! })),
    ...labels.map(([a]) => keyOf({ type: "label", a: a!, class: "any" })),
  ]);
}

interface Contradiction {
  readonly cannotLink: readonly [RowId, RowId];
  readonly path: readonly RowId[];
}

export function contradictionsOf(diagnosis: Readonly<Record<string, unknown>> | undefined): readonly Contradiction[] {
  return (diagnosis?.contradictions ?? []) as readonly Contradiction[];
}

export interface Listed {
  readonly standing: Standing;
  /** The problem with this constraint as text, such as a contradiction; null if there is none. */
  readonly trouble: string | null;
}

/** The list of answers in the panel: constraints with a problem first, then the newest constraints. */
export function listOf(
  knowledge: KnowledgeReply,
  contradictions: readonly Contradiction[],
  broken: ReadonlySet<string>,
  run: number | null,
): { readonly needsYou: readonly Listed[]; readonly rest: readonly Listed[] } {
  const contrary = new Set(contradictions.map(({ cannotLink: [a, b] }) => keyOf({ type: "cannot-link", a, b })));
  const disputed = new Set(knowledge.disagreements.flatMap(({ entries }) => entries));
  const listed = [...knowledge.constraints].reverse().map((standing): Listed => {
    const key = keyOf(standing.constraint);
    if (contrary.has(key)) return { standing, trouble: "contradiction" };
    if (disputed.has(standing.entry)) return { standing, trouble: "disagreement" };
    if (!standing.counts) return { standing, trouble: standing.because ?? "does not count" };
    return { standing, trouble: run !== null && broken.has(key) ? `broken in Run ${run}` : null };
  });
  const rank = ({ trouble }: Listed) => (trouble === "contradiction" ? 0 : 1);
  return {
    needsYou: listed.filter(({ trouble }) => trouble !== null).sort((a, b) => rank(a) - rank(b)),
    rest: listed.filter(({ trouble }) => trouble === null),
  };
}

/** Finds the groups of rows that must-links join. Returns a function from the id of a row to the name of its group. */
function groupsOf(constraints: readonly Standing[]): (id: RowId) => string {
  const parent = new Map<string, string>();
  const find = (id: string): string => {
    let root = id;
    while (parent.has(root)) root = parent.get(root)!;
    return root;
  };
  for (const { constraint, counts } of constraints) {
    if (!counts || constraint.type !== "must-link") continue;
    const [a, b] = [find(String(constraint.a)), find(String(constraint.b))];
    if (a !== b) parent.set(a, b);
  }
  return (id) => find(String(id));
}

export function relationOf(a: RowId, b: RowId, constraints: readonly Standing[]): "together" | "apart" | null {
  const groupOf = groupsOf(constraints);
  const [first, second] = [groupOf(a), groupOf(b)];
  if (first === second) return "together";
  const isApart = constraints.some(({ constraint, counts }) => {
    if (!counts || constraint.type !== "cannot-link") return false;
    const [left, right] = [groupOf(constraint.a), groupOf(constraint.b)];
    return (left === first && right === second) || (left === second && right === first);
  });
  return isApart ? "apart" : null;
}

/** The further pairs that the answer "same" for (a, b) would settle: all pairs of a row in the group of a and a row in the group of b. */
export function settledBySame(a: RowId, b: RowId, constraints: readonly Standing[]): readonly (readonly [RowId, RowId])[] {
  const groupOf = groupsOf(constraints);
  const ids = new Map<string, RowId>();
  for (const { constraint, counts } of constraints)
    if (counts && constraint.type === "must-link") for (const id of [constraint.a, constraint.b]) ids.set(String(id), id);
  const membersOf = (id: RowId) => {
    const members = [...ids.values()].filter((other) => groupOf(other) === groupOf(id));
    return members.length > 0 ? members : [id];
  };
  if (groupOf(a) === groupOf(b)) return [];
  const pairs: [RowId, RowId][] = [];
  for (const left of membersOf(a))
    for (const right of membersOf(b))
      if (String(left) !== String(a) || String(right) !== String(b))
        pairs.push(String(right) === String(b) ? [b, left] : [left, right]);
  return pairs;
}
