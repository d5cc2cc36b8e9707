/** The clusters so far, in a few lines, and how many more questions are worth asking. */
import { type Instances, renumber } from "@coterie/core/internal";
import type { AnswerRecord } from "@coterie/data";
import { worthAsking } from "@coterie/workbench";
import { visible } from "../text/visible.js";
import { nameOf } from "./question-view.js";

const MOST_CLUSTERS = 12;
const MOST_NAMES = 4;

/** `left`: questions that the budget still has. */
export function clustersSoFar(
  labels: Int32Array,
  instances: Instances,
  answers: readonly AnswerRecord[],
  left: number,
): string[] {
  const { labels: named } = renumber(labels);
  const members: number[][] = Array.from({ length: named.reduce((most, label) => Math.max(most, label), -1) + 1 }, () => []);
  named.forEach((label, row) => {
    if (label >= 0) members[label]!.push(row);
  });
  const order = [...members.keys()].sort((a, b) => members[b]!.length - members[a]!.length || a - b);
  const lines = order.slice(0, MOST_CLUSTERS).map((label) => {
    const rows = members[label]!;
    const names = rows.slice(0, MOST_NAMES).map((row) => visible(nameOf(instances, row)));
    return `cluster ${label}: ${rows.length} ${rows.length === 1 ? "row" : "rows"} (${names.join(", ")}${rows.length > MOST_NAMES ? ", …" : ""})`;
  });
  const more = order.length - MOST_CLUSTERS;
  return [
    `${order.length} ${order.length === 1 ? "cluster" : "clusters"} so far`,
    ...lines,
    ...(more > 0 ? [`and ${more} smaller ones`] : []),
    ...worthLine(named, instances, answers, left),
  ];
}

/** Says nothing where rows are known by their distances alone. */
function worthLine(labels: Int32Array, instances: Instances, answers: readonly AnswerRecord[], left: number): string[] {
  if (instances.d === 0) return [];
  const worth = worthAsking(instances, labels, new Set(answers.flatMap(({ ask }) => ask.map(String))));
  if (worth === 0) return ["Hardly any row is a close call: more questions would change little."];
  const rows = worth === 1 ? "1 row is a close call" : `${worth} rows are close calls`;
  const asked = worth < left ? `About ${worth} more` : left === 1 ? "The last" : `All ${left}`;
  const questions = Math.min(worth, left) === 1 ? "question is" : "questions are";
  return [`${asked} ${questions} worth asking: ${rows}, nearly as near to another cluster as to their own.`];
}
