/** `coterie explain`: describes a clustering from any source by rules, and measures how well the rules fit. */
import { basename } from "node:path";
import { type Explanation, explainSteps, foldTree, ruleLines, treeLines } from "@coterie/core/internal";
import { openBytes, type ReadLabels, readLabels } from "@coterie/data";
import { shortRules } from "@coterie/workbench";
import { type Command, DATA_FLAGS, type Io } from "../command.js";
import { flagList, listOf, numberOf, type Parsed, textOf, UsageError, type Values } from "../flags.js";
import { labelsAndTable, loadTable, mismatch, takenOver, takenOverNotice, unprinted } from "../inputs.js";
import { openOutputs } from "../outputs/outputs.js";
import { targetsOf } from "../outputs/report-files.js";
import { createProgress, runSteps } from "../progress.js";
import { commandLine } from "../terminal.js";
import { VERSION } from "../version.js";

const MOST_LEAVES = 60;

export const explainCommand: Command = {
  name: "explain",
  summary: "Describes a clustering by rules over the columns, and reports how well the rules fit.",
  usage: ["explain LABELS --data DATA [--max-leaves N] [--describe A,B] [--html page.html] [--json]"],
  flags: [
    ...flagList({
      "--data FILE": "table that was clustered",
      "--max-leaves N": "maximum number of leaves; fewer leaves give shorter rules (default: 2 × clusters + 2)",
      "--min-leaf N": "minimum number of rows in a leaf (default: 1)",
      "--leaf-cost N": {
        kind: "number",
        description:
          "smallest gain of a new leaf, as a share of the entropy of the clusters; 0 gives the most exact rules (default: 0.02; 0.005 with --max-leaves)",
      },
      "--describe A,B": "columns for the rules to use (default: all features)",
      "--html FILE": "write one self-contained HTML page with the tree and the rules to FILE",
      "--json": "print tree, rules and fidelity as JSON",
    }),
    ...DATA_FLAGS,
  ],
  notes: [
    "LABELS is a CSV file with the header id,cluster, from any method. Cluster names can be any text; an optional third column, name, holds a display name for the cluster. Options about the data default to the options of the run that made LABELS, if the file LABELS.source.json exists.",
    "The rules come from a decision tree that predicts the clusters. Fidelity is the share of all rows that the rules put into the right cluster. Coverage of a rule is the share of the cluster's rows that match it. Precision of a rule is the share of the matching rows that are in the cluster.",
  ],
  examples: {
    "what are these clusters?":
      "coterie cluster iris-fisher -k 3 --out labels.csv && coterie explain labels.csv --data iris-fisher",
    "a page with short rules that test only two columns":
      "coterie explain labels.csv --data sales.csv --id customer --describe age,region --max-leaves 6 --html why.html",
  },
  run: explain,
};

async function explain(parsed: Parsed, io: Io): Promise<number> {
  const { values } = parsed;
  const { file, data } = labelsAndTable("explain", parsed);
  const options = explainOptions(values);
  const html = textOf(values, "html");
  const quiet = values.quiet === true;
  const outputs = openOutputs({ writes: targetsOf(values, ["html"]), reads: [file, data] }, io, quiet);
  const progress = createProgress(io, quiet);
  const own = values.describe === undefined ? [] : ["features", "ignore"];
  const { missing, ...others } = await takenOver(file, values, own);
  // Decision trees need a value in every cell, so missing cells are filled.
  const taken = missing === undefined || missing === "skip" ? others : { ...others, missing };
  if (!quiet) for (const notice of takenOverNotice(data, taken)) io.say(`Note: ${notice}`);
  const instances = await loadTable(data, { ...taken, ...values }, io, progress, "values").finally(progress.clear);
  const read = await readLabels((await openBytes(file)).chunks, { file, rows: instances, signal: io.signal });
  const { codes } = read.labels;
  const names = read.labels.names.map((name, code) => (read.called?.[code] ? `${name} ${read.called[code]}` : name));
  // If the command line sets one limit, the default of the other limit does not apply.
  const limited = options?.maxLeaves !== undefined || options?.leafCost !== undefined;
  const limits = limited ? options : { ...shortRules(names.length), ...options };
  const explanation = await runSteps(explainSteps(instances, codes, limits), io, progress);
  const notices = [...instances.notices, ...read.notices, ...explanation.notices, ...(await mismatch(file, instances))];
  if (html !== undefined) {
    const { htmlExplanation } = await import("@coterie/figures");
    const page = htmlExplanation({
      explanation,
      instances,
      labels: codes,
      title: basename(data),
      command: commandLine(),
      files: [instances.file, file],
      notices,
      version: VERSION,
      ...(names.every((name, code) => name === String(code)) ? {} : { names }),
    });
    await outputs.write([{ path: html, pieces: [page] }]);
  }
  if (values.json) await io.out(`${JSON.stringify(reportOf(explanation, read, notices))}\n`);
  else if (html !== "-") await io.print(inWords(explanation, names));
  if (!quiet) {
    for (const notice of unprinted(notices, instances)) io.say(`Note: ${notice}`);
    if (html !== undefined && html !== "-") io.say(`Written: ${html}`);
  }
  return 0;
}

function explainOptions(values: Values): Parameters<typeof explainSteps>[2] {
  const maxLeaves = numberOf(values, "max-leaves", { integer: true, least: 1 });
  const minLeaf = numberOf(values, "min-leaf", { integer: true, least: 1 });
  const leafCost = numberOf(values, "leaf-cost", { least: 0 });
  const describe = listOf(values, "describe");
  if (describe?.length === 0) throw new UsageError("--describe is empty. Name a column: --describe COLUMN.");
  return {
    ...(maxLeaves === undefined ? {} : { maxLeaves }),
    ...(minLeaf === undefined ? {} : { minLeaf }),
    ...(leafCost === undefined ? {} : { leafCost }),
    ...(describe === undefined ? {} : { describe }),
  };
}

function reportOf(
  { tree, rules, conditions, fidelity, clusters }: Explanation,
  { labels: { names }, called }: ReadLabels,
  notices: readonly string[],
) {
  return {
    version: VERSION,
    instances: clusters.reduce((sum, { size }) => sum + size, 0),
    fidelity,
    clusters: clusters.map((cluster, c) => ({
      cluster: names[c] ?? String(c),
      ...(called ? { name: called[c] } : {}),
      rule: conditions[c]?.length ? rules[c] : null,
      ...cluster,
    })),
    tree,
    notices,
  };
}

function inWords({ tree, conditions, fidelity, clusters }: Explanation, names: readonly string[]): string[] {
  const rows = clusters.reduce((sum, { size }) => sum + size, 0);
  const right = Math.round(fidelity * rows);
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
  const lines = clusters.flatMap(({ size, coverage, precision }, c) => [
    `cluster ${names[c] ?? c}: ${size} ${size === 1 ? "row" : "rows"}, coverage ${percent(coverage)}, precision ${percent(precision)}`,
    ...ruleLines(conditions[c] ?? [], tree.notations).map((line, at) => `  ${at === 0 ? "" : "or "}${line}`),
  ]);
  return [
    `fidelity ${percent(fidelity)}: the rules put ${right} of ${rows} rows into their cluster, with ${tree.leaves} ${tree.leaves === 1 ? "leaf" : "leaves"}`,
    "",
    ...treeLines(foldTree(tree, MOST_LEAVES), names),
    ...(tree.leaves > MOST_LEAVES ? [`(the largest parts of ${tree.leaves} leaves; --html draws the tree, --json has it)`] : []),
    "",
    ...lines,
  ];
}
