/**
 * What stands after a log of entries: which constraints there are, which of them count, and what undo would take back.
 *
 *     add a = b · add c ≠ d · drop (a = b) · undo (drop)      ->  a = b and c ≠ d stand
 *
 * The log is replayed from its start, so the same log says the same everywhere. A person's newer word about the same rows
 * replaces the older one. Where two people contradict each other, both words are kept and the project's policy says which counts.
 */
import {
  type Constraint,
  type Disagreement,
  type Entry,
  type KnowledgeReply,
  type Policy,
  rowsOf,
  type Standing,
} from "../protocol/knowledge.js";

export interface StandingOptions {
  readonly policy: Policy;
  /** Whose undo and redo are looked for. */
  readonly by?: string | undefined;
  /** Whether the table has a row of this id, and a column of this name. */
  readonly hasRow: (id: string | number) => boolean;
  readonly hasColumn: (name: string) => boolean;
}

export function standingOf(entries: readonly Entry[], options: StandingOptions): KnowledgeReply {
  const undone = undoneOf(entries);
  const added = addedBy(entries, undone);
  const { reasons, repeated, disagreements } = weighWords(added, options.policy);
  const constraints = added.flatMap((standing) => {
    if (repeated.has(standing.entry)) return [];
    const because = missing(standing.constraint, options) ?? reasons.get(standing.entry);
    return because === undefined ? [standing] : [{ ...standing, counts: false, because }];
  });
  return { upTo: entries.at(-1)?.seq ?? 0, constraints, disagreements, ...historyOf(entries, undone, options.by) };
}

/**
 * What stands after a few more entries, without a look at all that came before: where they only add, and speak of nothing that was
 * spoken of. Null where the whole log must be replayed. `spoken` is what was spoken of, and grows.
 */
export function standingAfter(
  before: KnowledgeReply,
  more: readonly Entry[],
  spoken: Set<string>,
  options: Omit<StandingOptions, "policy" | "by">,
): KnowledgeReply | null {
  const abouts = more.map(({ change }) => (change.type === "add" ? (claimOf(change.constraint)?.about ?? null) : undefined));
  if (abouts.some((about) => about === undefined || (about !== null && spoken.has(about)))) return null;
  if (new Set(abouts).size < abouts.length) return null;
  for (const about of abouts) if (about) spoken.add(about);
  const added = more.map(({ id, seq, at, by, from, change }): Standing => {
    const { constraint } = change as { readonly constraint: Constraint };
    const because = missing(constraint, options);
    const standing = { entry: id, seq, constraint, by, at, from };
    return because === undefined ? { ...standing, counts: true } : { ...standing, counts: false, because };
  });
  return { ...before, upTo: more.at(-1)?.seq ?? before.upTo, constraints: [...before.constraints, ...added] };
}

/** Everything that was ever spoken of, whether it stands or not. */
export function spokenOf(entries: readonly Entry[]): Set<string> {
  return new Set(entries.flatMap(({ change }) => (change.type === "add" ? [claimOf(change.constraint)?.about ?? ""] : [])));
}

/** The entries that are taken back, by their ids: the last undo or redo of each decides. */
function undoneOf(entries: readonly Entry[]): ReadonlySet<string> {
  const undone = new Set<string>();
  for (const { change } of entries) {
    if (change.type === "undo") undone.add(change.entry);
    else if (change.type === "redo") undone.delete(change.entry);
  }
  return undone;
}

/** Constraints that were added and not dropped, oldest first, with their newest weights. */
function addedBy(entries: readonly Entry[], undone: ReadonlySet<string>): Standing[] {
  const standing = new Map<string, Standing>();
  for (const { id, seq, at, by, from, change } of entries) {
    if (undone.has(id)) continue;
    if (change.type === "add") standing.set(id, { entry: id, seq, constraint: change.constraint, by, at, from, counts: true });
    else if (change.type === "drop") standing.delete(change.entry);
    else if (change.type === "weigh") {
      const known = standing.get(change.entry);
      if (known && "weight" in withWeight(known.constraint, change.weight))
        standing.set(change.entry, { ...known, constraint: withWeight(known.constraint, change.weight) });
    }
  }
  return [...standing.values()];
}

function withWeight(constraint: Constraint, weight: number | "inf"): Constraint {
  return constraint.type === "unsure" || constraint.type === "exclusive" || constraint.type === "sizes"
    ? constraint
    : { ...constraint, weight };
}

/** What a constraint is about, and what it says of that: two that are about the same and say different things clash. */
function claimOf(constraint: Constraint): { readonly about: string; readonly says: string } | null {
  const rows = (...ids: readonly (string | number)[]) => JSON.stringify(ids.map(String).sort());
  switch (constraint.type) {
    case "must-link":
    case "cannot-link":
      return { about: `pair ${rows(constraint.a, constraint.b)}`, says: constraint.type };
    case "relative":
      return { about: `triple ${rows(constraint.a, constraint.b, constraint.c)}`, says: String(constraint.c) };
    case "label":
      return { about: `label ${rows(constraint.a)}`, says: constraint.class };
    case "sizes":
      return { about: "sizes", says: `${constraint.min ?? ""} ${constraint.max ?? ""}` };
    default:
      return null;
  }
}

/** Words about the same rows, weighed against each other: why some do not count, and where people disagree. */
function weighWords(
  added: readonly Standing[],
  policy: Policy,
): {
  readonly reasons: ReadonlyMap<string, string>;
  readonly repeated: ReadonlySet<string>;
  readonly disagreements: Disagreement[];
} {
  const reasons = new Map<string, string>();
  // What a person says twice stands once. The first stays, since it may be the answer to a question; a new weight counts.
  const repeated = new Set<string>();
  const disagreements: Disagreement[] = [];
  for (const words of aboutTheSame(added)) {
    const newest = new Map<string, Standing>();
    for (const word of words) {
      const earlier = newest.get(word.by);
      const isSame = earlier && saysOf(earlier) === saysOf(word);
      if (isSame && weightOf(earlier.constraint) === weightOf(word.constraint)) {
        repeated.add(word.entry);
        continue;
      }
      if (isSame) repeated.add(earlier.entry);
      else if (earlier) reasons.set(earlier.entry, `${word.by} said otherwise later`);
      newest.set(word.by, word);
    }
    const live = words.filter(({ entry }) => !reasons.has(entry) && !repeated.has(entry));
    if (new Set(live.map(saysOf)).size < 2) continue;
    const chosen = chooseWord(live, policy);
    for (const word of live)
      if (chosen === null || saysOf(word) !== saysOf(chosen)) reasons.set(word.entry, reasonOf(word, live, chosen, policy));
    disagreements.push({
      entries: live.map(({ entry }) => entry),
      sentence: disagreementSentence(live, chosen),
      counts: chosen?.entry ?? null,
    });
  }
  return { reasons, repeated, disagreements };
}

/** Groups of constraints about the same rows, each oldest first. */
function aboutTheSame(added: readonly Standing[]): Iterable<readonly Standing[]> {
  const groups = new Map<string, Standing[]>();
  for (const standing of added) {
    const claim = claimOf(standing.constraint);
    if (claim === null) continue;
    const group = groups.get(claim.about);
    if (group) group.push(standing);
    else groups.set(claim.about, [standing]);
  }
  return groups.values();
}

function saysOf({ constraint }: Standing): string {
  return claimOf(constraint)!.says;
}

/** The word that counts among those that disagree; null where the policy says neither, or all weigh the same. */
function chooseWord(live: readonly Standing[], policy: Policy): Standing | null {
  if (policy === "neither") return null;
  if (policy === "latest") return live.at(-1)!;
  const weights = new Map<string, number>();
  for (const word of live) weights.set(saysOf(word), (weights.get(saysOf(word)) ?? 0) + weightOf(word.constraint));
  const most = Math.max(...weights.values());
  const heaviest = [...weights].filter(([, weight]) => weight === most);
  return heaviest.length > 1 ? null : live.find((word) => saysOf(word) === heaviest[0]![0])!;
}

function weightOf(constraint: Constraint): number {
  const weight = "weight" in constraint ? (constraint.weight ?? 1) : 1;
  return weight === "inf" ? Infinity : weight;
}

function reasonOf(word: Standing, live: readonly Standing[], chosen: Standing | null, policy: Policy): string {
  const other = chosen ?? live.find((each) => saysOf(each) !== saysOf(word))!;
  if (chosen === null)
    return policy === "neither" ? `${other.by} says otherwise` : `${other.by} says otherwise, with as much weight`;
  return policy === "latest" ? `${other.by} said otherwise later` : `${other.by} says otherwise, with more weight`;
}

function disagreementSentence(live: readonly Standing[], chosen: Standing | null): string {
  const words = live.map((word) => `${word.by} says ${sentenceOf(word.constraint)}`);
  const end = chosen ? `${chosen.by}'s word counts` : "neither counts";
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}: ${end}.`;
}

/** A constraint as people write it: 3 = 5, 3 ≠ 5, 3, 5 | 8, 3 is Gentoo. */
export function sentenceOf(constraint: Constraint): string {
  switch (constraint.type) {
    case "must-link":
      return `${constraint.a} = ${constraint.b}`;
    case "cannot-link":
      return `${constraint.a} ≠ ${constraint.b}`;
    case "relative":
      return `${constraint.a}, ${constraint.b} | ${constraint.c}`;
    case "label":
      return `${constraint.a} is ${constraint.class}`;
    case "unsure":
      return `${constraint.rows.join(", ")} not known`;
    case "exclusive":
      return `at most one per ${constraint.column}`;
    case "sizes":
      return sizesSentence(constraint.min, constraint.max);
  }
}

function sizesSentence(min: number | undefined, max: number | undefined): string {
  if (min === undefined && max === undefined) return "clusters of any size";
  if (max === undefined) return `at least ${min} rows a cluster`;
  return min === undefined ? `at most ${max} rows a cluster` : `${min} to ${max} rows a cluster`;
}

/** Why a constraint cannot count for this table, if it speaks of what is not there. */
function missing(
  constraint: Constraint,
  { hasRow, hasColumn }: Pick<StandingOptions, "hasRow" | "hasColumn">,
): string | undefined {
  if (constraint.type === "exclusive")
    return hasColumn(constraint.column) ? undefined : `there is no column ${constraint.column}`;
  const lost = rowsOf(constraint).find((id) => !hasRow(id));
  return lost === undefined ? undefined : `row ${lost} is not in the table`;
}

/** The entry that undo would take back, and the one that redo would bring back: each person has a history of their own. */
function historyOf(
  entries: readonly Entry[],
  undone: ReadonlySet<string>,
  by: string | undefined,
): Pick<KnowledgeReply, "undo" | "redo"> {
  const mine = by === undefined ? [] : entries.filter((entry) => entry.by === by);
  const isStep = ({ change }: Entry) => change.type !== "undo" && change.type !== "redo";
  const undo = mine.findLast((entry) => isStep(entry) && !undone.has(entry.id))?.id ?? null;
  // A new step ends what could be redone.
  const since = mine.slice(mine.findLastIndex(isStep) + 1);
  const redo = since.findLast(({ change }) => change.type === "undo" && undone.has(change.entry));
  return { undo, redo: redo?.change.type === "undo" ? redo.change.entry : null };
}
