/**
 * Computes from a log of entries which constraints exist, which of them count, and what undo would take back.
 *
 *     add a = b · add c ≠ d · drop (a = b) · undo (drop)      ->  a = b and c ≠ d
 *
 * Each entry changes one constraint and the group of constraints about the same rows. So the cost of an entry does not depend on the length
 * of the log.
 * - If a person adds a new constraint about the same rows, it replaces the person's older constraint.
 * - If two people contradict each other, both constraints are kept. The project's policy decides which of them counts.
 * - Answers that can be wrong (evidence) replace nothing. An answer counts as long as other answers do not outweigh it.
 */
import type { Constraint, Disagreement, Entry, KnowledgeReply, Policy, Standing } from "../protocol/knowledge.js";
import { rowsOf, sentenceOf } from "../protocol/sentences.js";
import { overruledBy } from "./overruled.js";

export interface ActiveConstraint {
  readonly entry: string;
  readonly constraint: Constraint;
  readonly asked?: true;
  /** Present if the answer can be wrong. It says how sure the person was, from 0 to 1. */
  readonly sureness?: number;
}

export interface LogOptions {
  readonly policy: Policy;
  readonly hasRow: (id: string | number) => boolean;
  readonly hasColumn: (name: string) => boolean;
}

interface Added {
  readonly entry: Entry;
  readonly changes: Entry[];
  /** All constraints about the same rows. Null for constraints that cannot contradict others. */
  group: Group | null;
  /** The constraint as it is now, with its newest weight; null if it was dropped or undone. */
  constraint: Constraint | null;
  /** The constraint in the form of the reply; null if the reply does not contain it. */
  standing: Standing | null;
  active: ActiveConstraint | null;
}

interface Group {
  readonly members: Added[];
  disagreement: Disagreement | null;
}

interface Lists extends Pick<KnowledgeReply, "constraints" | "disagreements"> {
  readonly active: readonly ActiveConstraint[];
}

export class ConstraintLog {
  readonly #options: LogOptions;
  /** All constraints ever added, by the id of the entry that added them, in the order of the log. */
  readonly #added = new Map<string, Added>();
  readonly #changed = new Map<string, Added>();
  readonly #groups = new Map<string, Group>();
  readonly #undone = new Set<string>();
  readonly #histories = new Map<string, Entry[]>();
  #upTo = 0;
  /** The lists at the last request. at: number of entries at that time. If entries were added since, the lists are out of date. */
  #lists: Lists & { readonly at: number } = { constraints: [], active: [], disagreements: [], at: 0 };
  #weighed: { readonly list: readonly ActiveConstraint[]; readonly at: number } = { list: [], at: 0 };

  constructor(options: LogOptions) {
    this.#options = options;
  }

  get upTo(): number {
    return this.#upTo;
  }

  append(entries: readonly Entry[]): void {
    const touched = new Set<Added>();
    for (const entry of entries) {
      const added = this.#take(entry);
      if (added) touched.add(added);
      const history = this.#histories.get(entry.by);
      if (history) history.push(entry);
      else this.#histories.set(entry.by, [entry]);
      this.#upTo = entry.seq;
    }
    const groups = new Set<Group>();
    for (const added of touched) {
      added.constraint = this.#constraintOf(added);
      if (added.group) groups.add(added.group);
      else this.#list(added, undefined);
    }
    for (const group of groups) this.#weigh(group);
  }

  /** The constraints that count, oldest first. While they do not change, it returns the same array with the same objects. */
  get active(): readonly ActiveConstraint[] {
    return this.#listed().active;
  }

  /**
   * The constraints that count, and the answers that other answers outweigh. Some strategies weigh the answers themselves and need both.
   */
  get weighed(): readonly ActiveConstraint[] {
    if (this.#weighed.at !== this.#upTo) {
      const list = [...this.#added.values()].flatMap(({ active }) => active ?? []);
      this.#weighed = { list: unchanged(list, this.#weighed.list), at: this.#upTo };
    }
    return this.#weighed.list;
  }

  answersOf(by: string): Standing[] {
    const answers = (this.#histories.get(by) ?? []).filter(({ from }) => from.kind === "asked");
    return answers.flatMap(({ id }) => this.#added.get(id)?.standing ?? []);
  }

  standing(entry: string): Standing | null {
    return this.#added.get(entry)?.standing ?? null;
  }

  /** Everything that users see of the log. by: the person whose entries can be undone or redone. */
  reply(by?: string): KnowledgeReply {
    const { constraints, disagreements } = this.#listed();
    return { upTo: this.#upTo, constraints, disagreements, ...this.#undoOf(by) };
  }

  #take(entry: Entry): Added | undefined {
    const { id, change } = entry;
    if (change.type === "add") {
      const group = this.#groupOf(change.constraint);
      const added: Added = { entry, changes: [], group, constraint: null, standing: null, active: null };
      group?.members.push(added);
      this.#added.set(id, added);
      return added;
    }
    if (change.type === "undo" || change.type === "redo") {
      if (change.type === "undo") this.#undone.add(change.entry);
      else this.#undone.delete(change.entry);
      return this.#added.get(change.entry) ?? this.#changed.get(change.entry);
    }
    const added = this.#added.get(change.entry);
    if (!added) return undefined;
    this.#changed.set(id, added);
    added.changes.push(entry);
    if (change.type === "revise" && !added.group) {
      added.group = this.#groupOf(change.constraint);
      added.group?.members.push(added);
      added.group?.members.sort((a, b) => a.entry.seq - b.entry.seq);
    }
    return added;
  }

  #groupOf(constraint: Constraint): Group | null {
    const claim = claimOf(constraint);
    if (claim === null) return null;
    const known = this.#groups.get(claim.about);
    if (known) return known;
    const group: Group = { members: [], disagreement: null };
    this.#groups.set(claim.about, group);
    return group;
  }

  #constraintOf({ entry, changes }: Added): Constraint | null {
    if (entry.change.type !== "add" || this.#undone.has(entry.id)) return null;
    let constraint: Constraint | null = entry.change.constraint;
    for (const { id, change } of changes) {
      if (this.#undone.has(id)) continue;
      if (change.type === "drop") constraint = null;
      if (change.type === "revise") constraint = change.constraint;
      if (change.type === "weigh" && constraint) constraint = withWeight(constraint, change.weight);
    }
    return constraint;
  }

  /** The origin of an answer. A revised answer counts as new and certain, so its confidence and its evidence are left out. */
  #originOf({ entry: { from }, changes }: Added): Standing["from"] {
    if (from.kind !== "asked" || !changes.some(({ id, change }) => change.type === "revise" && !this.#undone.has(id)))
      return from;
    const { kind, strategy, number, odd } = from;
    return { kind, strategy, number, ...(odd ? { odd } : {}) };
  }

  #list(added: Added, because: string | undefined): void {
    const { entry, constraint, active } = added;
    if (constraint === null) {
      added.standing = null;
      added.active = null;
      return;
    }
    const { id, seq, at, by } = entry;
    const from = this.#originOf(added);
    const reason = missing(constraint, this.#options) ?? because;
    const standing = { entry: id, seq, constraint, by, at, from };
    added.standing = reason === undefined ? { ...standing, counts: true } : { ...standing, counts: false, because: reason };
    const sureness = isEvidence(from) ? { sureness: from.confidence ?? 1 } : {};
    if (reason !== undefined) added.active = null;
    else if (active?.constraint !== constraint || active.sureness !== sureness.sureness)
      added.active = { entry: id, constraint, ...(from.kind === "asked" ? { asked: true } : {}), ...sureness };
  }

  #weigh(group: Group): void {
    const { policy } = this.#options;
    const reasons = new Map<Added, string>();
    // If a person repeats a constraint with the same weight, only the first entry is listed, because it can be the answer to a question.
    const repeated = new Set<Added>();
    const newest = new Map<string, Added>();
    const claims = group.members.filter(
      (added) => added.constraint && claimOf(added.constraint) && !isEvidence(this.#originOf(added)),
    );
    for (const added of claims) {
      const { by } = added.entry;
      const earlier = newest.get(by);
      const isSame = earlier && claimedBy(earlier) === claimedBy(added);
      if (isSame && weightOf(earlier.constraint!) === weightOf(added.constraint!)) {
        repeated.add(added);
        continue;
      }
      if (isSame) repeated.add(earlier);
      else if (earlier) reasons.set(earlier, `${by} said otherwise later`);
      newest.set(by, added);
    }
    const live = claims.filter((added) => !reasons.has(added) && !repeated.has(added));
    const isDisputed = new Set(live.map(claimedBy)).size > 1;
    const chosen = isDisputed ? chosenAmong(live, policy) : null;
    if (isDisputed)
      for (const added of live)
        if (chosen === null || claimedBy(added) !== claimedBy(chosen)) reasons.set(added, reasonOf(added, live, chosen, policy));
    group.disagreement = isDisputed
      ? {
          entries: live.map(({ entry }) => entry.id),
          sentence: disagreementSentence(live, chosen),
          counts: chosen?.entry.id ?? null,
        }
      : null;
    for (const added of group.members) {
      this.#list(added, reasons.get(added));
      if (!repeated.has(added)) continue;
      added.standing = null;
      added.active = null;
    }
  }

  #listed(): Lists {
    if (this.#lists.at === this.#upTo) return this.#lists;
    const constraints: Standing[] = [];
    const active: ActiveConstraint[] = [];
    const disagreements = new Set<Disagreement>();
    const overruled = this.#overruled();
    for (const added of this.#added.values()) {
      const { standing, active: counting, group, constraint } = added;
      const isOverruled = overruled.has(added);
      if (standing) constraints.push(isOverruled ? { ...standing, counts: false, because: OUTWEIGHED } : standing);
      if (counting && !isOverruled) active.push(counting);
      if (constraint && group?.disagreement) disagreements.add(group.disagreement);
    }
    this.#lists = {
      constraints,
      active: unchanged(active, this.#lists.active),
      disagreements: [...disagreements],
      at: this.#upTo,
    };
    return this.#lists;
  }

  #overruled(): ReadonlySet<Added> {
    const listed = [...this.#added.values()].filter(({ active }) => active !== null);
    if (!listed.some(({ standing }) => isEvidence(standing!.from))) return new Set();
    const said = listed.map(({ constraint, standing }) => ({ constraint: constraint!, from: standing!.from }));
    const outweighed = overruledBy(said.map(({ constraint, from }) => ({ constraint, ...(isEvidence(from) ? from : {}) })));
    return new Set(outweighed.map((place) => listed[place]!));
  }

  /** The entry that undo would take back, and the entry that redo would restore. Each person has a history of their own. */
  #undoOf(by: string | undefined): Pick<KnowledgeReply, "undo" | "redo"> {
    const history = (by === undefined ? undefined : this.#histories.get(by)) ?? [];
    const isStep = ({ change }: Entry) => change.type !== "undo" && change.type !== "redo";
    const undo = history.findLast((entry) => isStep(entry) && !this.#undone.has(entry.id))?.id ?? null;
    let redo: string | null = null;
    // If a person undoes a step and then makes a new step, the undone step can no longer be restored.
    for (let i = history.length - 1; i >= 0 && redo === null && !isStep(history[i]!); i--) {
      const { change } = history[i]!;
      if (change.type === "undo" && this.#undone.has(change.entry)) redo = change.entry;
    }
    return { undo, redo };
  }
}

/** Returns the list `before` if the new list has the same elements. So callers can see by identity that nothing changed. */
function unchanged(list: readonly ActiveConstraint[], before: readonly ActiveConstraint[]): readonly ActiveConstraint[] {
  return before.length === list.length && list.every((each, i) => each === before[i]) ? before : list;
}

const OUTWEIGHED = "other answers outweigh it";

type Asked = Extract<Standing["from"], { kind: "asked" }>;

function isEvidence(from: Standing["from"]): from is Asked & Required<Pick<Asked, "evidence">> {
  return from.kind === "asked" && from.evidence !== undefined && from.evidence !== 0;
}

function withWeight(constraint: Constraint, weight: number | "inf"): Constraint {
  return constraint.type === "unsure" || constraint.type === "exclusive" || constraint.type === "sizes"
    ? constraint
    : { ...constraint, weight };
}

/**
 * What a constraint is about, and what it claims. Two constraints contradict each other if their `about` is equal and their `claim`
 * differs.
 */
function claimOf(constraint: Constraint): { readonly about: string; readonly claim: string } | null {
  const rows = (...ids: readonly (string | number)[]) => JSON.stringify(ids.map(String).sort());
  switch (constraint.type) {
    case "must-link":
    case "cannot-link":
      return { about: `pair ${rows(constraint.a, constraint.b)}`, claim: constraint.type };
    case "relative":
      return { about: `triple ${rows(constraint.a, constraint.b, constraint.c)}`, claim: String(constraint.c) };
    case "label":
      return { about: `label ${rows(constraint.a)}`, claim: constraint.class };
    case "sizes":
      return { about: "sizes", claim: `${constraint.min ?? ""} ${constraint.max ?? ""}` };
    default:
      return null;
  }
}

function claimedBy({ constraint }: Added): string {
  return claimOf(constraint!)!.claim;
}

/** Chooses the constraint that counts among contradictory constraints. Null if the policy chooses none, or if the weights are equal. */
function chosenAmong(live: readonly Added[], policy: Policy): Added | null {
  if (policy === "neither") return null;
  if (policy === "latest") return live.at(-1)!;
  const weights = new Map<string, number>();
  for (const added of live) weights.set(claimedBy(added), (weights.get(claimedBy(added)) ?? 0) + weightOf(added.constraint!));
  const most = Math.max(...weights.values());
  const heaviest = [...weights].filter(([, weight]) => weight === most);
  return heaviest.length > 1 ? null : live.find((added) => claimedBy(added) === heaviest[0]![0])!;
}

export function commonLength(a: readonly ActiveConstraint[], b: readonly ActiveConstraint[]): number {
  const isSame = (one: ActiveConstraint, other: ActiveConstraint) =>
    one === other || (one.entry === other.entry && JSON.stringify(one) === JSON.stringify(other));
  let length = 0;
  while (length < a.length && length < b.length && isSame(a[length]!, b[length]!)) length++;
  return length;
}

/** The weight of a constraint; Infinity for a hard constraint. */
function weightOf(constraint: Constraint): number {
  const weight = "weight" in constraint ? (constraint.weight ?? 1) : 1;
  return weight === "inf" ? Infinity : weight;
}

function reasonOf(added: Added, live: readonly Added[], chosen: Added | null, policy: Policy): string {
  const { by } = (chosen ?? live.find((each) => claimedBy(each) !== claimedBy(added))!).entry;
  if (chosen === null) return policy === "neither" ? `${by} says otherwise` : `${by} says otherwise, with as much weight`;
  return policy === "latest" ? `${by} said otherwise later` : `${by} says otherwise, with more weight`;
}

function disagreementSentence(live: readonly Added[], chosen: Added | null): string {
  const claims = live.map(({ entry, constraint }) => `${entry.by} says ${sentenceOf(constraint!)}`);
  const end = chosen ? `${chosen.entry.by}'s word counts` : "neither counts";
  return `${claims.slice(0, -1).join(", ")} and ${claims.at(-1)}: ${end}.`;
}

/** The reason why a constraint cannot count: the table has no such row or column. Undefined if it has them. */
function missing(constraint: Constraint, { hasRow, hasColumn }: LogOptions): string | undefined {
  if (constraint.type === "exclusive")
    return hasColumn(constraint.column) ? undefined : `there is no column ${constraint.column}`;
  const lost = rowsOf(constraint).find((id) => !hasRow(id));
  return lost === undefined ? undefined : `row ${lost} is not in the table`;
}
