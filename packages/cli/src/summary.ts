/** The summary of a run: a few lines on standard error. */
import type { FeatureWeight, InternalScores, Report } from "@coterie/core/internal";
import {
  choiceName,
  featureWeights,
  foldTree,
  keptInWords,
  treeLines as linesOfTree,
  signed,
  violationCount,
} from "@coterie/core/internal";
import type { TableInstances } from "@coterie/data";
import { hanging } from "./help.js";
import { unprinted } from "./inputs.js";
import { sizeLines } from "./text/sizes.js";
import { padded, widthOf, wrap } from "./text/width.js";

export function summaryOf(report: Report, instances: TableInstances, title: string, given: number, columns: number): string[] {
  const lines = [
    `${title} put ${count(report.instances, "row")}${report.features.length === 0 ? "" : ` with ${count(report.features.length, "column")}`} into ${count(report.k, "cluster")}${noiseWords(report)}.`,
    "",
    ...sizeLines(report.sizes, report.instances, columns, report.names),
    "",
    ...(report.words ? wordLines(report.words, columns) : []),
    ...(report.pairs ? pairLines(report.pairs, report) : []),
    ...(report.chosen ? chosenLines(report.chosen) : []),
    `${keptInWords(given, report.violations)}${violationCount(report.violations) > 0 ? ":" : "."}`,
    ...brokenLines(report),
    ...(report.scores
      ? [
          `Against the known classes: adjusted Rand ${number(report.scores.adjustedRand)}, Rand ${number(report.scores.rand)}, pairwise F ${number(report.scores.pairwiseF)}, NMI ${number(report.scores.normalizedMutualInformation)}${report.scoresOverClustered ? `, with each noise row as a cluster of its own; over the ${report.scoresOverClustered.rows.toLocaleString("en")} clustered rows alone: adjusted Rand ${number(report.scoresOverClustered.adjustedRand)}, NMI ${number(report.scoresOverClustered.normalizedMutualInformation)}` : ""}.`,
        ]
      : []),
    ...(report.internal ? internalLines(report.internal) : []),
    ...(report.objective === undefined || report.objective === null || report.iterations === undefined
      ? []
      : [
          `Objective ${Number(report.objective.toPrecision(7))} after ${count(report.iterations, "iteration")} (${report.stopped}).`,
        ]),
    ...(report.tree ? treeLines(report.tree) : []),
    ...(report.rules ? rulesLines(report.rules, columns) : []),
    ...(report.metric ? weightLines(featureWeights(report.metric, instances), columns) : []),
    ...unprinted(report.notices, instances).map((notice) => `Note: ${notice}`),
  ];
  return lines.flatMap((line) => (line.startsWith("  ") ? [line] : wrap(line, Math.max(40, columns))));
}

export function internalLines({ silhouette, daviesBouldin, calinskiHarabasz, sampled }: InternalScores): string[] {
  const shown = [
    silhouette === null ? "" : `silhouette ${number(silhouette)}`,
    daviesBouldin === null ? "" : `Davies-Bouldin ${number(daviesBouldin)}`,
    calinskiHarabasz === null ? "" : `Calinski-Harabasz ${Number(calinskiHarabasz.toPrecision(4))}`,
  ].filter((each) => each !== "");
  const about = sampled === undefined ? "" : ` (silhouette of ${count(sampled, "row")})`;
  return shown.length === 0 ? [] : [`Without known classes: ${shown.join(", ")}${about}.`];
}

const MOST_WEIGHTS = 20;

/** Lines about a search for duplicates: what it found, and how much each column contributes to a match. */
function pairLines(
  { groups, rows, doubtful, compared, comparedOfKnown }: NonNullable<Report["pairs"]>,
  report: Report,
): string[] {
  const known =
    typeof comparedOfKnown === "number"
      ? `; among them are ${(100 * comparedOfKnown).toFixed(1)}% of the pairs of one known class`
      : "";
  const lines = [
    `${count(groups, "cluster")} ${groups === 1 ? "has" : "have"} two or more rows, together ${count(rows, "row")}; ${count(report.instances - rows, "row")} ${report.instances - rows === 1 ? "has" : "have"} no duplicate.`,
    `${count(compared, "pair")} compared${known}; ${count(doubtful, "pair")} doubtful (probability of a match from 0.1 to 0.9).`,
    "",
  ];
  const weights = report.pairWeights ?? [];
  if (weights.length === 0) return lines;
  const names = Object.keys(weights[0]!.levels);
  const width = Math.min(28, Math.max(6, ...weights.map(({ column }) => widthOf(column))));
  return [
    ...lines,
    "What cells say about a match (change of its log odds; above 0: for a match):",
    `  ${padded("column", width)}${names.map((name) => name.padStart(11)).join("")}`,
    ...weights
      .slice(0, MOST_WEIGHTS)
      .map(
        ({ column, levels }) =>
          `  ${padded(column, width)}${names.map((name) => (levels[name] === null ? "·" : signed(levels[name]!)).padStart(11)).join("")}`,
      ),
    ...(weights.length > MOST_WEIGHTS ? [`  … and ${weights.length - MOST_WEIGHTS} more columns (in the report)`] : []),
    "",
  ];
}

function noiseWords({ noise }: Report): string {
  return noise === 0 ? "" : `; ${count(noise, "row")} ${noise === 1 ? "is" : "are"} noise`;
}

const MOST_EVIDENCE = 12;

function chosenLines(chosen: NonNullable<Report["chosen"]>): string[] {
  const { by, evidence } = chosen;
  const ofK = chosen.algorithm === undefined || evidence[0]?.k !== undefined;
  const own = choiceName(ofK && chosen.k !== undefined ? { k: chosen.k } : chosen);
  const at = Math.max(
    0,
    evidence.findIndex((each) => choiceName(each) === own),
  );
  const from = Math.max(0, Math.min(at - MOST_EVIDENCE / 2, evidence.length - MOST_EVIDENCE));
  const shown = evidence.length < 2 ? [] : evidence.slice(from, from + MOST_EVIDENCE);
  const most = Math.max(...shown.map(({ score }) => Math.abs(score ?? 0)), Number.MIN_VALUE);
  const width = Math.max(...shown.map((each) => choiceName(each).length), 3);
  const lines = shown.map((each) => {
    const { score, lost } = each;
    const bar = "▇".repeat(Math.max(0, Math.round((24 * (score ?? 0)) / most)));
    const broken = lost ? `  breaks ${Number(lost.toPrecision(4))} more` : "";
    const name = choiceName(each);
    const value = score === null ? "failed" : String(Number(score.toPrecision(4)));
    return `  ${name === own ? "→" : " "} ${ofK ? "k = " : ""}${name.padEnd(width)} ${value.padStart(10)}  ${bar}${broken}`.trimEnd();
  });
  const what = ofK ? "The number of clusters was chosen" : `${own} was chosen`;
  return [`${what} (${by}).`, ...lines, ""];
}

const MOST_LEAVES = 24;
const MOST_CLUSTERS = 12;

function treeLines(tree: NonNullable<Report["tree"]>): string[] {
  const shown = linesOfTree(foldTree(tree, MOST_LEAVES));
  const more = tree.leaves > MOST_LEAVES ? [`  (the largest parts of ${tree.leaves} leaves; --html draws the tree)`] : [];
  return ["", ...shown.map((line) => `  ${line}`), ...more, ""];
}

function wordLines(words: NonNullable<Report["words"]>, columns: number): string[] {
  const shown = words.slice(0, MOST_CLUSTERS).flatMap((list, cluster) => {
    const head = `  cluster ${cluster}: `;
    return hanging(head, wrap(list.length === 0 ? "–" : list.join(", "), Math.max(40, columns) - head.length));
  });
  const more = words.length > MOST_CLUSTERS ? [`  … and ${words.length - MOST_CLUSTERS} more`] : [];
  return ["Words:", ...shown, ...more, ""];
}

function rulesLines(rules: readonly string[], columns: number): string[] {
  const shown = rules.slice(0, MOST_CLUSTERS).flatMap((rule, cluster) => {
    const head = `  cluster ${cluster}: `;
    const lines = wrap(rule, Math.max(40, columns) - head.length);
    const kept = lines.length > 4 ? [...lines.slice(0, 3), `… (${lines.length - 3} more lines in the report)`] : lines;
    return hanging(head, kept);
  });
  const more = rules.length > MOST_CLUSTERS ? [`  … and ${rules.length - MOST_CLUSTERS} more`] : [];
  return ["Rules:", ...shown, ...more, ""];
}

function weightLines(metrics: readonly (readonly FeatureWeight[])[], columns: number): string[] {
  const alone = metrics.length === 1;
  const panels = metrics.slice(0, MOST_CLUSTERS).map((all) => ({ all, shown: all.slice(0, alone ? 10 : 5) }));
  const width = Math.min(28, Math.max(...panels.flatMap(({ shown }) => shown.map(({ name }) => widthOf(name)))));
  const bar = Math.max(8, Math.min(30, columns - width - 36));
  const largest = Math.max(...panels.map(({ all }) => all[0]?.share ?? 0), Number.MIN_VALUE);
  const lines = panels.flatMap(({ all, shown }, cluster) => [
    ...(alone ? [] : [`  cluster ${cluster}`]),
    ...shown.map(({ name, share, weight }) => {
      const blocks = "▇".repeat(Math.round((bar * share) / largest));
      return `  ${padded(name, width)}  ${`${(100 * share).toFixed(1)}%`.padStart(6)}  ${String(Number(weight.toPrecision(4))).padStart(10)}  ${blocks}`;
    }),
    ...(all.length > shown.length
      ? [`  … and ${all.length - shown.length} more, together ${(100 * restOf(all, shown.length)).toFixed(1)}%`]
      : []),
  ]);
  const head = "Learned weights of the columns, by their share of the distances between rows (weight times variance):";
  const more = metrics.length > MOST_CLUSTERS ? [`  … and ${metrics.length - MOST_CLUSTERS} more metrics`] : [];
  return ["", head, ...lines, ...more, ""];
}

function restOf(all: readonly FeatureWeight[], from: number): number {
  return all.slice(from).reduce((sum, { share }) => sum + share, 0);
}

function brokenLines({ violations }: Report): string[] {
  const lines = [
    ...violations.mustLink.map(([a, b]) => `  must-link ${a}, ${b}`),
    ...violations.cannotLink.map(([a, b]) => `  cannot-link ${a}, ${b}`),
    ...violations.relative.map(([a, b, c]) => `  relative ${a}, ${b} | ${c}`),
    ...violations.labels.map(([id, name]) => `  label ${id}: ${name}`),
    ...violations.exclusive.map(
      ({ column, value, cluster, ids }) => `  cluster ${cluster} holds ${ids.length} rows with ${column} = ${value}`,
    ),
  ];
  return lines.length <= 8 ? lines : [...lines.slice(0, 8), `  … and ${lines.length - 8} more (in the report)`];
}

function count(value: number, noun: string): string {
  return `${value.toLocaleString("en")} ${noun}${value === 1 ? "" : "s"}`;
}

function number(value: number): string {
  return value.toFixed(3);
}
