/** Constraints that a run breaks, each with the reason as far as it can be told. */
import {
  closeConstraints,
  contradictions,
  type Instances,
  idOf,
  type Merge,
  meetingPlaces,
  type Violations,
  violationsOf,
} from "@coterie/core/internal";
import type { Said } from "../knowledge/constraint-set.js";
import { sentenceOf } from "../knowledge/standing.js";
import { type Constraint, rowsOf as idsOf } from "../protocol/knowledge.js";

import type { Understanding } from "../protocol/runs.js";
import { letterName } from "./ask.js";
import type { Seat } from "./compute.js";
import { knownAt, pairKey } from "./known.js";
import type { Lettered } from "./letters.js";
import { doubtOf, marginsOf } from "./margins.js";

type Broken = Understanding["broken"][number];

interface Matter {
  readonly instances: Instances;
  readonly run: Lettered;
  readonly merges: readonly Merge[] | undefined;
  readonly chains: ReadonlyMap<string, readonly number[]>;
  readonly entryOf: (constraint: Constraint) => string | null;
}

export function brokenBy(seat: Seat, said: readonly Said[], run: Lettered, merges: readonly Merge[] | undefined): Broken[] {
  const { instances } = seat.loaded;
  const { set } = knownAt(seat, said);
  const violations = violationsOf(set, run.labels, merges);
  const chains = new Map(contradictions(closeConstraints(set)).map(({ rows, path }) => [pairKey(...rows), path]));
  const entries = new Map(said.map(({ entry, constraint }) => [keyOf(constraint), entry]));
  const matter: Matter = { instances, run, merges, chains, entryOf: (constraint) => entries.get(keyOf(constraint)) ?? null };
  return sentences(violations, matter);
}

function keyOf(constraint: Constraint): string {
  const ids = idsOf(constraint).map(String);
  switch (constraint.type) {
    case "relative":
      return `relative ${JSON.stringify([ids.slice(0, 2).sort(), ids[2]])}`;
    case "label":
      return `label ${JSON.stringify([ids, constraint.class])}`;
    case "exclusive":
      return `exclusive ${constraint.column}`;
    default:
      return `${constraint.type} ${JSON.stringify(ids.sort())}`;
  }
}

function sentences(violations: Violations, matter: Matter): Broken[] {
  const { instances, run, entryOf } = matter;
  const id = (row: number) => idOf(instances, row);
  const told = (constraint: Constraint, why: string, cut: Broken["cut"] = null): Broken => ({
    entry: entryOf(constraint),
    sentence: sentenceOf(constraint),
    why,
    cut,
  });
  const apart = apartWords(matter);
  const joined = joinedWords(matter);
  return [
    ...violations.mustLink.map(([a, b]) => told({ type: "must-link", a: id(a), b: id(b) }, apart(a, b))),
    ...violations.cannotLink.map(([a, b]) => {
      const { why, cut } = joined(a, b);
      return told({ type: "cannot-link", a: id(a), b: id(b) }, why, cut);
    }),
    ...violations.relative.map(([a, b, c]) =>
      told({ type: "relative", a: id(a), b: id(b), c: id(c) }, `Row ${id(c)} joins one of the two before they join each other.`),
    ),
    ...violations.labels.map(([row, name]) =>
      told(
        { type: "label", a: id(row), class: name },
        `Most rows that are ${name} are in another cluster than ${clusterWords(run, row)}.`,
      ),
    ),
    ...violations.exclusive.map(({ column, value, cluster, rows }) =>
      told(
        { type: "exclusive", column },
        `${letterName(run.letters[cluster] ?? cluster)} holds ${rows.length} rows with ${column} = ${value}: ${rows.slice(0, 5).map(id).join(", ")}.`,
      ),
    ),
  ];
}

function clusterWords({ labels, letters }: Lettered, row: number): string {
  return labels[row]! < 0 ? "none" : letterName(letters[labels[row]!]!);
}

/** Why two rows that belong together are apart. */
function apartWords({ instances, run }: Matter): (a: number, b: number) => string {
  const margins = marginsOf(instances, run.labels, run.letters.length);
  return (a, b) => {
    if (run.labels[a]! < 0 || run.labels[b]! < 0) return "One of them is in no cluster.";
    const [doubtful, sure] = doubtOf(margins, a) >= doubtOf(margins, b) ? [a, b] : [b, a];
    const place = `Row ${idOf(instances, sure)} is in ${clusterWords(run, sure)}, row ${idOf(instances, doubtful)} in ${clusterWords(run, doubtful)}`;
    return doubtOf(margins, doubtful) > 0.8
      ? `${place}, and a close call there.`
      : `${place}, and near the middle of it: to keep this would have cost more.`;
  };
}

/** Why two rows that do not belong together share a cluster; in a hierarchy, where a cut would part them. */
function joinedWords({ instances, run, merges, chains }: Matter): (a: number, b: number) => { why: string; cut: Broken["cut"] } {
  const meet = merges ? meetingPlaces(instances.n, merges) : null;
  return (a, b) => {
    const chain = chains.get(pairKey(a, b));
    if (chain && chain.length > 0)
      return {
        why: `Contradiction: ${chain.map((row) => idOf(instances, row)).join(" = ")}. No clustering can keep it.`,
        cut: null,
      };
    if (!meet || !merges)
      return { why: `Both are in ${clusterWords(run, a)}: to keep them apart would have cost more.`, cut: null };
    const merge = meet(a, b) - instances.n;
    const height = merges[merge]?.[2] ?? null;
    const k = instances.n - merge;
    if (height === null || !Number.isFinite(height)) return { why: "They join above every cut that was allowed.", cut: null };
    return {
      why: `They join at height ${Number(height.toPrecision(3))}. Keeping them apart needs ${k} clusters.`,
      cut: { height, k },
    };
  };
}
