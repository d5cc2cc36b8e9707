/** `coterie evaluate`: scores a clustering from any source. */
import {
  CoterieError,
  drive,
  type InternalScores,
  internalScoreSteps,
  nothingToScore,
  type Scores,
  type ScoresOverClustered,
  scoredBoth,
  violationCount,
  violationsOf,
  withEnd,
} from "@coterie/core/internal";
import { openBytes, readLabels, type TableInstances } from "@coterie/data";
import { createSimdKernels } from "@coterie/kernels";
import { everyTurn, violationsInIds } from "@coterie/workbench";
import { CONSTRAINT_FLAG, type Command, DATA_FLAGS, type Io } from "../command.js";
import { flagList, type Parsed, type Values } from "../flags.js";
import { pause } from "../host.js";
import { type Inputs, labelsAndTable, loadInputs, mismatch, takenOver, takenOverNotice } from "../inputs.js";
import { strictCode } from "../outputs/strict.js";
import { createProgress, type Progress } from "../progress.js";
import { internalLines } from "../summary.js";
import { padded, widthOf } from "../text/width.js";

export const evaluateCommand: Command = {
  name: "evaluate",
  summary: "Describes a given clustering, and scores it against known classes and constraints.",
  usage: ["evaluate LABELS --data DATA [--truth COL] [--constraints FILE]… [--json]"],
  flags: [
    ...flagList({
      "--data FILE": "table that was clustered",
    }),
    CONSTRAINT_FLAG,
    ...flagList({
      "--json": "print sizes, scores and violations as JSON",
    }),
    ...DATA_FLAGS,
  ],
  notes: [
    "LABELS is a CSV file with the header id,cluster. Options about the data default to the options of the run that made LABELS, if the file LABELS.source.json exists. Silhouette, Davies-Bouldin and Calinski-Harabasz need no known classes; they are about the features as the run scaled them, without noise rows. Cluster names can be any text. Cluster -1 means noise: the row is in no cluster. Rows without a known class are left out of the scores. In the scores each noise row counts as a cluster with one row; if there is noise, a second column of scores leaves the noise rows out.",
  ],
  examples: {
    "how large are the clusters?": "coterie evaluate labels.csv --data sales.csv --id customer",
    "how good are these labels?": "coterie evaluate labels.csv --data iris-fisher --truth class",
    "which constraints do these labels break?":
      "coterie evaluate labels.csv --data sales.csv --id customer --constraints known.csv --json",
  },
  run: evaluate,
};

async function evaluate(parsed: Parsed, io: Io): Promise<number> {
  const { values } = parsed;
  const { file, data } = labelsAndTable("evaluate", parsed);
  const quiet = values.quiet === true;
  const progress = createProgress(io, quiet);
  const { instances, constraints, notices } = await loadRows(file, data, values, io, progress);
  const read = await readLabels((await openBytes(file)).chunks, { file, rows: instances, signal: io.signal });
  const { codes, names } = read.labels;
  const clusters = clustersOf(codes, names);
  const violations = violationsInIds(violationsOf(constraints, codes), instances);
  const { truth } = instances;
  const known = truth?.codes.map((code, row) => (read.labelled[row] ? code : -1));
  const unscored = known && nothingToScore(known, read.labelled.includes(0) ? "both a cluster and a known class" : undefined);
  const { scores = null, scoresOverClustered } = known && unscored === undefined ? scoredBoth(codes, known, constraints) : {};
  const internal = await scoresWithoutClasses(instances, codes, io, progress);
  if (values.json)
    await io.out(
      `${JSON.stringify({
        instances: codes.length,
        k: clusters.length,
        clusters,
        ...(truth ? { scores } : {}),
        ...(scoresOverClustered ? { scoresOverClustered } : {}),
        ...(internal ? { internal } : {}),
        ...(read.noise > 0 ? { noise: read.noise } : {}),
        violations,
      })}
`,
    );
  else
    await io.print([
      ...sizesInWords(clusters, codes.length, read.noise),
      ...(scores ? scoreLines(scores, scoresOverClustered) : []),
      ...(internal ? internalLines(internal) : []),
      ...(values.constraints === undefined && values.exclusive === undefined
        ? []
        : [`violations             ${violationCount(violations)}`]),
    ]);
  const said = [
    ...notices,
    ...read.notices,
    ...noiseNotice(read.noise, codes.length),
    ...(unscored === undefined ? [] : [unscored]),
    ...(await mismatch(file, instances)),
  ];
  if (!quiet) for (const notice of said) io.say(`Note: ${notice}`);
  return strictCode(violations, values, io);
}

/**
 * Reads the table with the flags of the run that made the labels. If the columns cannot be features, reads only ids and classes, and adds a
 * notice.
 */
async function loadRows(file: string, data: string, values: Values, io: Io, progress: Progress): Promise<Inputs> {
  const taken = await takenOver(file, values);
  const all = { ...taken, ...values };
  try {
    const inputs = await loadInputs(data, all, io, progress);
    return { ...inputs, notices: [...takenOverNotice(data, taken), ...inputs.notices] };
  } catch (error) {
    if (data === "-" || !(error instanceof CoterieError && error.problem.code === "bad-input")) throw error;
    const inputs = await loadInputs(data, all, io, progress, "rows");
    const why = `Silhouette, Davies-Bouldin and Calinski-Harabasz are missing, because the columns cannot be used as features: ${error.message}`;
    return { ...inputs, notices: [...inputs.notices, why] };
  }
}

async function scoresWithoutClasses(
  instances: TableInstances,
  codes: Int32Array,
  io: Io,
  progress: Progress,
): Promise<InternalScores | null> {
  if (instances.d === 0 && !instances.distances) return null;
  const steps = internalScoreSteps(instances, codes, createSimdKernels());
  const watch = { pause, due: everyTurn(), signal: io.signal, onStep: progress.show };
  return await drive(steps, watch).finally(progress.clear);
}

interface Cluster {
  readonly cluster: string;
  readonly size: number;
}

function clustersOf(codes: Int32Array, names: readonly string[]): Cluster[] {
  const sizes = new Int32Array(names.length);
  for (const code of codes) if (code >= 0) sizes[code]!++;
  return names.map((cluster, c) => ({ cluster, size: sizes[c]! })).filter(({ size }) => size > 0);
}

const MOST_LISTED = 12;

function sizesInWords(clusters: readonly Cluster[], rows: number, noise: number): string[] {
  const grouped = (count: number) => count.toLocaleString("en");
  const listed = [...clusters].sort((a, b) => b.size - a.size).slice(0, MOST_LISTED);
  const labels = listed.map(({ cluster }) => `  cluster ${withEnd(cluster)}`);
  const room = Math.max(22, ...labels.map(widthOf));
  const more = clusters.length - listed.length;
  return [
    `${"rows".padEnd(22)} ${grouped(rows)}`,
    `${"clusters".padEnd(22)} ${grouped(clusters.length)}`,
    `${"noise".padEnd(22)} ${grouped(noise)}`,
    ...listed.map(({ size }, c) => `${padded(labels[c]!, room)} ${grouped(size)}`),
    ...(more === 0 ? [] : [`  and ${grouped(more)} smaller ${more === 1 ? "cluster" : "clusters"} (--json lists all)`]),
  ];
}

function noiseNotice(noise: number, rows: number): string[] {
  if (noise === 0) return [];
  return [
    `${noise} of ${rows} rows are noise (cluster -1): each counts as a cluster of its own in the scores; they break their must-links and keep their cannot-links.`,
  ];
}

function scoreLines(scores: Scores, clustered: ScoresOverClustered | undefined): string[] {
  const rows: readonly [string, Exclude<keyof ScoresOverClustered, "rows">][] = [
    ["Rand", "rand"],
    ["adjusted Rand", "adjustedRand"],
    ["constrained Rand", "constrainedRand"],
    ["pairwise F", "pairwiseF"],
    ["NMI", "normalizedMutualInformation"],
  ];
  return [
    ...(clustered ? [`${" ".repeat(22)} all rows  ${clustered.rows.toLocaleString("en")} clustered rows`] : []),
    ...rows.map(([name, score]) => {
      const beside = clustered ? `    ${clustered[score].toFixed(4)}` : "";
      return `${name.padEnd(22)} ${scores[score].toFixed(4)}${beside}`;
    }),
  ];
}
