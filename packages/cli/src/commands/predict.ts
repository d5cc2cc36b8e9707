/** `coterie predict`: assigns new rows to the clusters of a model that `coterie cluster --model` saved. */
import { readFile, stat } from "node:fs/promises";
import {
  badInput,
  closeConstraints,
  emptyConstraints,
  loadModel,
  type Model,
  nothingToScore,
  type Prediction,
  predictSteps,
  type Scores,
  scoresOf,
} from "@coterie/core/internal";
import { csvCell, readTable, type TableInstances, writeLabels } from "@coterie/data";
import { createSimdKernels } from "@coterie/kernels";
import { rowsInFile } from "@coterie/workbench";
import { type Command, DATA_FLAGS, type Io } from "../command.js";
import { flagList, type Parsed, textOf, UsageError, type Values } from "../flags.js";
import { tableOptions } from "../inputs.js";
import { rowsForModel } from "../model-rows.js";
import { type Output, openOutputs, type Target } from "../outputs/outputs.js";
import { targetsOf, writtenLines } from "../outputs/report-files.js";
import { createProgress, type Progress, runSteps } from "../progress.js";
import { MOST_BARS, sizeLines } from "../text/sizes.js";
import { VERSION } from "../version.js";

const READING = ["id", "truth", "missing", "sample", "columns-from", "delimiter", "decimal"];

export const predictCommand: Command = {
  name: "predict",
  summary: "Assigns new rows to the clusters of a saved model.",
  usage: ["predict MODEL DATA [--out labels.csv] [--id COL] [--json]"],
  flags: [
    ...flagList({
      "--out, -o FILE": "write the labels as CSV (id,cluster) to FILE (default: standard output, unless --json)",
      "--centre-distances FILE":
        "write the distance of each row to each centre to FILE as CSV (id,0,1,…), under the model's metric",
      "--json": "print labels, sizes and notices as JSON",
    }),
    ...DATA_FLAGS.filter(({ name }) => READING.includes(name)).map((flag) =>
      flag.name === "missing"
        ? {
            ...flag,
            description: "missing cells: stop, drop the rows, fill the cells, or skip the columns (default: as for the model)",
          }
        : flag,
    ),
  ],
  notes: [
    "MODEL is a file written by `coterie cluster … --model FILE`. Columns are matched by name, in any order; other columns are ignored. A tree needs only the columns that it tests. Numbers are scaled and categories coded as for the model. A category that is new to the model gets a notice: it is equally far from all other categories, and fails every test of a tree.",
    "A row gets the cluster of the nearest centre under the model's metric, or of its leaf in the tree. Rows of the original table therefore get their old labels, except rows that constraints kept in another cluster.",
  ],
  examples: {
    "save a model, then assign other rows":
      "coterie cluster old.csv -k 3 --id name --model m.json && coterie predict m.json new.csv --id name --out labels.csv",
    "score the model on rows with known classes": "coterie predict m.json test.csv --truth class --json",
  },
  run: predictAndWrite,
};

async function predictAndWrite({ values, positionals }: Parsed, io: Io): Promise<number> {
  const [file, data, ...rest] = positionals;
  if (file === undefined || data === undefined || rest.length > 0)
    throw new UsageError("Name one model and one table: coterie predict MODEL DATA.");
  if (file === "-") throw new UsageError("The model must be a file; the table may be standard input.");
  if (values["centre-distances"] === "-" && values.out === undefined && !values.json)
    throw new UsageError("--centre-distances and the labels would mix on standard output: write one of them to a file.");
  const quiet = values.quiet === true;
  const targets = targetsOf(values, ["out", "centre-distances"]);
  const outputs = openOutputs({ writes: targets, reads: [file, data] }, io, quiet);
  const progress = createProgress(io, quiet);
  const model = loadModel(await readText(file), file);
  const instances = await readRows(model, data, values, io, progress).finally(progress.clear);
  const kernels = createSimdKernels();
  const options = { kernels, file: instances.file, distances: textOf(values, "centre-distances") !== undefined };
  const found = await runSteps(predictSteps(model, instances, options), io, progress);
  io.signal.throwIfAborted();
  await outputs.write(outputsOf(model, found, instances, values));
  const { truth } = instances;
  const unscored = truth && nothingToScore(truth.codes);
  const scores =
    truth && unscored === undefined
      ? scoresOf(found.labels, truth.codes, closeConstraints(emptyConstraints(instances.n)))
      : undefined;
  const notices = [...instances.notices, ...found.notices, ...(unscored === undefined ? [] : [unscored])];
  if (values.json) await io.out(`${JSON.stringify(reportOf(model, instances, found, scores, notices))}\n`);
  if (!quiet) io.say(...summary(model, found, scores, notices, targets, io.columns));
  return 0;
}

async function readText(file: string): Promise<string> {
  const about = await stat(file).catch(() => null);
  if (!about) throw badInput("There is no such file.", { file, remedy: "Save a model first: coterie cluster … --model FILE." });
  if (about.isDirectory()) throw badInput("This is a folder, not a file.", { file, remedy: "Name a file in it." });
  return await readFile(file, "utf8").catch((error) => {
    throw badInput(`The file cannot be read (${error.code}).`, { file });
  });
}

async function readRows(model: Model, data: string, values: Values, io: Io, progress: Progress): Promise<TableInstances> {
  const watched = {
    signal: io.signal,
    onProgress: (done: number, total: number | null) => progress.show({ phase: "reading (bytes)", done, total }),
  };
  return await rowsForModel(model, tableOptions(values), (options) => readTable(data, { ...options, ...watched }));
}

function outputsOf({ names }: Model, found: Prediction, instances: TableInstances, values: Values): Output[] {
  const source = async () => ({ data: instances.file, sha256: await instances.contentHash(), version: VERSION });
  const out = textOf(values, "out") ?? (values.json ? undefined : "-");
  const distances = textOf(values, "centre-distances");
  return [
    ...(out === undefined ? [] : [{ path: out, pieces: writeLabels(found.labels, instances.ids, undefined, names), source }]),
    ...(distances === undefined ? [] : [{ path: distances, pieces: distanceLines(found, instances), source }]),
  ];
}

function* distanceLines({ distances, sizes }: Prediction, { n, ids }: TableInstances): Generator<string, void, void> {
  const k = sizes.length;
  yield `id,${[...sizes.keys()].join(",")}\n`;
  for (let i = 0; i < n; i++) yield `${csvCell(String(ids?.[i] ?? i))},${distances!.subarray(i * k, (i + 1) * k).join(",")}\n`;
}

function reportOf(
  model: Model,
  instances: TableInstances,
  { labels, sizes, unseen }: Prediction,
  scores: Scores | undefined,
  notices: readonly string[],
): Record<string, unknown> {
  const { algorithm, k, data } = model;
  return {
    model: { algorithm, k, version: model.version, data },
    version: VERSION,
    instances: instances.n,
    labels: rowsInFile(labels, instances),
    sizes,
    ...(model.names ? { names: model.names } : {}),
    unseen,
    ...(instances.truth ? { scores: scores ?? null } : {}),
    notices,
  };
}

function summary(
  { algorithm, k }: Model,
  { sizes }: Prediction,
  scores: Scores | undefined,
  notices: readonly string[],
  targets: readonly Target[],
  columns: number,
): string[] {
  const rows = sizes.reduce((sum, size) => sum + size, 0);
  const many = sizes.length > MOST_BARS;
  const shown = many ? "" : ` (${sizes.map((size, cluster) => `${cluster}: ${size.toLocaleString("en")}`).join(", ")})`;
  return [
    `The ${algorithm} model put ${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"} into its ${k} ${k === 1 ? "cluster" : "clusters"}${shown}.`,
    ...(many ? sizeLines(sizes, rows, columns) : []),
    ...(scores
      ? [
          `Against the known classes: adjusted Rand ${scores.adjustedRand.toFixed(3)}, Rand ${scores.rand.toFixed(3)}, NMI ${scores.normalizedMutualInformation.toFixed(3)}.`,
        ]
      : []),
    ...notices.map((notice) => `Note: ${notice}`),
    ...writtenLines(targets),
  ];
}
