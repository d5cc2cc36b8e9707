/** Advice of the diagnosis as sentences with buttons: each problem comes with what a click would do about it. */
import {
  type Contradiction,
  type Diagnosis,
  type DroppedConstraint,
  distancesOf,
  type Instances,
  idOf,
  randomFrom,
} from "@coterie/core/internal";
import type { Said } from "../knowledge/constraint-set.js";
import { sentenceOf } from "../knowledge/standing.js";
import type { DiagnosisReply } from "../protocol/info.js";
import { type Constraint, type Disagreement, rowsOf } from "../protocol/knowledge.js";

import { letterName } from "./ask.js";
import type { Lettered } from "./letters.js";

type Advice = DiagnosisReply["advice"][number];

export interface AdviceInput {
  readonly said: readonly Said[];
  readonly disagreements: readonly Disagreement[];
  readonly diagnosis: Diagnosis;
  readonly aside: readonly Contradiction[];
  readonly instances: Instances;
  readonly k: number | null;
  readonly run: (Lettered & { readonly number: number }) | null;
  /** Whether the data may be looked at, which takes longer. */
  readonly full: boolean;
}

export function adviceWithActions(input: AdviceInput): Advice[] {
  return [
    ...contradictionAdvice(input),
    ...disagreementAdvice(input),
    ...repairAdvice(input),
    ...coreAdvice(input),
    ...kAdvice(input),
    ...relativeAdvice(input),
    ...(input.full ? farAdvice(input) : []),
    ...unevenAdvice(input),
    ...impliedAdvice(input),
    ...otherAdvice(input),
  ];
}

const plain = (sentence: string): Advice => ({ sentence, button: null, action: null });

/** Rows of ids, for actions: the map knows rows. */
function rowFinder({ n, ids }: Instances): (id: string | number) => number {
  if (!ids) return (id) => (Number(id) < n ? Number(id) : -1);
  const rows = new Map(ids.map((id, row) => [String(id), row]));
  return (id) => rows.get(String(id)) ?? -1;
}

function entriesSaying(said: readonly Said[], type: Constraint["type"], ids: readonly (string | number)[]): string[] {
  const wanted = key(ids);
  return said
    .filter(({ constraint }) => constraint.type === type && key(rowsOf(constraint)) === wanted)
    .map(({ entry }) => entry);
}

function key(ids: readonly (string | number)[]): string {
  return JSON.stringify(ids.map(String).sort());
}

function contradictionAdvice({ aside, said, instances }: AdviceInput): Advice[] {
  const name = (row: number) => idOf(instances, row);
  return aside.map(({ kind, rows, path, names }): Advice => {
    const chain = path.length > 1 ? path.map(name).join(" = ") : `${name(rows[0])} = ${name(rows[1])}`;
    const show = { type: "show" as const, rows: path.length > 0 ? [...path] : [...rows] };
    if (kind !== "cannot-link") {
      const what = kind === "labels" ? `${names?.[0]} and ${names?.[1]}` : `two rows of ${names?.[0]} = ${names?.[1]}`;
      return { sentence: `${chain} joins ${what}: these answers cannot all hold.`, button: "Show chain", action: show };
    }
    const [a, b] = rows.map(name) as [string | number, string | number];
    const entries = entriesSaying(said, "cannot-link", [a, b]);
    const count = Math.max(2, path.length);
    return {
      sentence: `These ${count} answers cannot all hold: ${chain}, and ${a} ≠ ${b}.`,
      button: entries.length > 0 ? `Drop ${a} ≠ ${b}` : "Show chain",
      action: entries.length > 0 ? { type: "drop", entries } : show,
    };
  });
}

/** People who contradict each other: the project says whose word counts, and either can be dropped. */
function disagreementAdvice({ disagreements, said }: AdviceInput): Advice[] {
  const counting = new Set(said.map(({ entry }) => entry));
  return disagreements.map(({ sentence, entries }): Advice => {
    const others = entries.filter((entry) => !counting.has(entry));
    return others.length === 0
      ? plain(sentence)
      : { sentence, button: "Drop what does not count", action: { type: "drop", entries: others } };
  });
}

function repairAdvice({ diagnosis: { repair }, said, k }: AdviceInput): Advice[] {
  if (repair === null) return [];
  return repair.dropped.map((constraint): Advice => {
    const entries = droppedEntries(constraint, said);
    const words = wordsOf(constraint);
    const gain = k === null ? "the rest can hold" : `${k} clusters are possible`;
    return {
      sentence: `Without ${words} ${gain}${repair.certain ? "" : ", as far as could be decided"}: ${constraint.because}`,
      button: entries.length > 0 ? `Drop ${words}` : null,
      action: entries.length > 0 ? { type: "drop", entries } : null,
    };
  });
}

function droppedEntries({ type, ids, names = [] }: DroppedConstraint, said: readonly Said[]): string[] {
  if (type === "exclusive")
    return said
      .filter(({ constraint }) => constraint.type === "exclusive" && constraint.column === names[0])
      .map(({ entry }) => entry);
  if (type !== "label") return entriesSaying(said, type, ids);
  return said
    .filter(
      ({ constraint }) => constraint.type === "label" && String(constraint.a) === String(ids[0]) && constraint.class === names[0],
    )
    .map(({ entry }) => entry);
}

function wordsOf({ type, ids, names = [] }: DroppedConstraint): string {
  if (type === "must-link") return `${ids[0]} = ${ids[1]}`;
  if (type === "cannot-link") return `${ids[0]} ≠ ${ids[1]}`;
  return type === "label" ? `${ids[0]} is ${names[0]}` : `at most one per ${names[0]}`;
}

function coreAdvice({ diagnosis: { proof, feasible }, instances, k }: AdviceInput): Advice[] {
  if (feasible !== false || proof === null || !("core" in proof)) return [];
  const rowOf = rowFinder(instances);
  const groups = proof.core.map((ids) => (ids.length > 3 ? `${ids.slice(0, 3).join(", ")}, …` : ids.join(", ")));
  const shown = groups.slice(0, 8).join("; ");
  return [
    {
      sentence: `${k} ${k === 1 ? "cluster is" : "clusters are"} ruled out: these ${proof.core.length} groups are all kept apart: ${shown}.`,
      button: "Show core",
      action: { type: "show", rows: proof.core.flatMap((ids) => ids.map(rowOf)).filter((row) => row >= 0) },
    },
  ];
}

function kAdvice({ diagnosis: { feasible, chromaticNumber }, k }: AdviceInput): Advice[] {
  if (k === null || feasible !== false || chromaticNumber === null) return [];
  const enough = chromaticNumber.upper;
  return [
    {
      sentence: `${enough} clusters can keep every answer.`,
      button: `Use ${enough} clusters`,
      action: { type: "k", k: enough },
    },
  ];
}

function relativeAdvice({ diagnosis: { relative }, said }: AdviceInput): Advice[] {
  if (relative === null || relative.consistent) return [];
  return relative.dropped.map(([a, b, c]): Advice => {
    const words = sentenceOf({ type: "relative", a, b, c });
    const entries = said
      .filter(
        ({ constraint }) =>
          constraint.type === "relative" && String(constraint.c) === String(c) && key(rowsOf(constraint)) === key([a, b, c]),
      )
      .map(({ entry }) => entry);
    return {
      sentence: `The odd-one-out answers do not agree; without ${words} the rest do.`,
      button: entries.length > 0 ? `Drop ${words}` : null,
      action: entries.length > 0 ? { type: "drop", entries } : null,
    };
  });
}

/** Must-links that are measured, and pairs of rows that stand for all pairs. */
const MOST_MEASURED = 2_000;
const PAIRS = 200;

/** The must-link that joins the rows farthest apart, where that is far: a slip of the hand looks like that. */
function farAdvice({ said, instances }: AdviceInput): Advice[] {
  const rowOf = rowFinder(instances);
  const { between } = distancesOf(instances, undefined);
  const links = said
    .flatMap(({ constraint }) => (constraint.type === "must-link" ? [constraint] : []))
    .slice(-MOST_MEASURED)
    .map(({ a, b }) => ({ words: `${a} = ${b}`, rows: [rowOf(a), rowOf(b)] as const }))
    .filter(({ rows }) => rows.every((row) => row >= 0))
    .map(({ words, rows }) => ({ words, rows, apart: between(...rows) }))
    .sort((x, y) => y.apart - x.apart);
  const [far] = links;
  if (!far || far.apart <= farDistance(instances.n, between, links)) return [];
  return [
    {
      sentence: `${far.words} joins rows ${Number(far.apart.toPrecision(2))} apart.`,
      button: "Check it",
      action: { type: "show", rows: [...far.rows] },
    },
  ];
}

/**
 * From where on two rows are far apart: the median of all pairs. Where must-links are much shorter than that, twice their median will do, as
 * long as a quarter of all pairs is nearer.
 */
function farDistance(n: number, between: (a: number, b: number) => number, links: readonly { readonly apart: number }[]): number {
  const random = randomFrom(0).split("pairs of rows");
  const pairs = Float64Array.from({ length: PAIRS }, () => between(random.int(n), random.int(n))).sort();
  const usual = 2 * links[links.length >> 1]!.apart;
  return Math.min(pairs[PAIRS >> 1]!, Math.max(usual, pairs[PAIRS >> 2]!));
}

/** A cluster that rests on far fewer answers than another. */
const FAR_FEWER = 4;

function unevenAdvice({ run, said, instances }: AdviceInput): Advice[] {
  if (run === null || run.labels.length !== instances.n || run.letters.length < 2) return [];
  const rowOf = rowFinder(instances);
  const counts = new Int32Array(run.letters.length);
  for (const { constraint } of said.filter((each) => each.constraint.type !== "unsure"))
    for (const cluster of new Set(rowsOf(constraint).map((id) => run.labels[rowOf(id)] ?? -1)))
      if (cluster >= 0) counts[cluster]!++;
  const least = counts.indexOf(Math.min(...counts));
  const most = counts.indexOf(Math.max(...counts));
  if (counts[most]! < FAR_FEWER * Math.max(1, counts[least]!)) return [];
  const letter = (cluster: number) => letterName(run.letters[cluster]!);
  return [
    {
      sentence: `In Run ${run.number}, ${letter(least)} rests on ${counts[least]} ${counts[least] === 1 ? "answer" : "answers"}, ${letter(most)} on ${counts[most]}.`,
      button: `Ask about ${letter(least)}`,
      action: { type: "ask", cluster: least },
    },
  ];
}

const IMPLIED = /^(?:This constraint is|These \d+ constraints are) implied /;
const PAIR = /^(must|cannot)-link ([^,]+), ([^,]+)/;

/** Answers that follow from the others: there is nothing to be done about them, and one click shows them. */
function impliedAdvice({ diagnosis: { advice }, instances }: AdviceInput): Advice[] {
  const implied = advice.find((each) => IMPLIED.test(each));
  if (implied === undefined) return [];
  const list = implied.slice(implied.indexOf(": ") + 2, -1);
  const rowOf = rowFinder(instances);
  const pairs = list.split("; ").flatMap((each) => {
    const [, kind, a, b] = PAIR.exec(each) ?? [];
    return kind === undefined ? [] : [{ words: `${a} ${kind === "must" ? "=" : "≠"} ${b}`, rows: [rowOf(a!), rowOf(b!)] }];
  });
  if (pairs.length === 0) return [plain(`Some answers follow from the others: ${list}.`)];
  const more = Number(/and (\d+) more$/.exec(list)?.[1] ?? 0) + Math.max(0, pairs.length - 3);
  const shown = pairs.slice(0, 3).map(({ words }) => words);
  const sentence = `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""} ${shown.length + more > 1 ? "follow" : "follows"} from the other answers.`;
  const rows = pairs.flatMap((pair) => pair.rows).filter((row) => row >= 0);
  return [{ sentence, button: "Show", action: { type: "show", rows } }];
}

/** What is said above with a button, what speaks of commands, and which method suits: the form below recommends one. */
const SAID =
  /^(Drop |Ask with -k|To keep every|Give the search|The relative constraints|must-link |cannot-link |label |the exclusive |This constraint is implied|These \d+ constraints are implied|At k = \d+ the original|As it stands the set suits|There are must-links alone|cop-kmeans keeps)/;

/** What the diagnosis says that has no button here: how informative and coherent the answers are. */
function otherAdvice({ diagnosis: { advice } }: AdviceInput): Advice[] {
  return advice.filter((sentence) => !SAID.test(sentence)).map(plain);
}
