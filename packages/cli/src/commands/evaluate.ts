/** `coterie evaluate`: scores of a clustering that was made by anybody. */
import { closeConstraints, nothingToScore, type Scores, scoresOf, violationCount, violationsOf } from "@coterie/core/internal";
import { openBytes, readLabels } from "@coterie/data";
import { violationsInIds } from "@coterie/workbench";
import { CONSTRAINT_FLAG, type Command, DATA_FLAGS, type Io } from "../command.js";
import { type Parsed, UsageError } from "../flags.js";
import { labelsAndTable, loadInputs, mismatch } from "../inputs.js";
import { strictCode } from "../outputs/strict.js";
import { createProgress } from "../progress.js";

export const evaluateCommand: Command = {
  name: "evaluate",
  summary: "Scores a given clustering against known classes and constraints.",
  usage: ["evaluate LABELS --data DATA [--truth COL] [--constraints FILE]… [--json]"],
  flags: [
    { name: "data", value: "FILE", kind: "file", description: "the table that was clustered" },
    CONSTRAINT_FLAG,
    { name: "json", description: "print scores and violations as JSON" },
    ...DATA_FLAGS,
  ],
  notes: [
    "LABELS is a CSV file with the header id,cluster; cluster names may be any text; rows of cluster -1 are noise, in no cluster. Rows without a known class are left out of the scores.",
  ],
  examples: [
    { text: "how good are these labels?", command: "coterie evaluate labels.csv --data iris-fisher --truth class" },
    {
      text: "what do they break?",
      command: "coterie evaluate labels.csv --data sales.csv --id customer --constraints known.csv --json",
    },
  ],
  run: evaluate,
};

async function evaluate(parsed: Parsed, io: Io): Promise<number> {
  const { values } = parsed;
  const { file, data } = labelsAndTable("evaluate", parsed);
  if (values.truth === undefined && values.constraints === undefined && values.exclusive === undefined) {
    throw new UsageError("Say what to compare with: --truth COL, --constraints FILE, or both.");
  }
  const quiet = values.quiet === true;
  const { instances, constraints, notices } = await loadInputs(data, values, io, createProgress(io, quiet), "rows");
  const read = await readLabels((await openBytes(file)).chunks, { file, rows: instances, signal: io.signal });
  const { codes } = read.labels;
  const violations = violationsInIds(violationsOf(constraints, codes), instances);
  const { truth } = instances;
  const unscored = truth && nothingToScore(codes, truth.codes);
  const scores = truth && unscored === undefined ? scoresOf(codes, truth.codes, closeConstraints(constraints)) : null;
  if (values.json)
    await io.out(
      `${JSON.stringify({ ...(truth ? { scores } : {}), ...(read.noise > 0 ? { noise: read.noise } : {}), violations })}\n`,
    );
  else await io.print([...(scores ? scoreLines(scores) : []), `violations             ${violationCount(violations)}`]);
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

function noiseNotice(noise: number, rows: number): string[] {
  if (noise === 0) return [];
  return [
    `${noise} of ${rows} rows are noise (cluster -1): they are left out of the scores, break their must-links and keep their cannot-links.`,
  ];
}

function scoreLines(scores: Scores): string[] {
  const rows: readonly [string, number][] = [
    ["Rand", scores.rand],
    ["adjusted Rand", scores.adjustedRand],
    ["constrained Rand", scores.constrainedRand],
    ["pairwise F", scores.pairwiseF],
    ["NMI", scores.normalizedMutualInformation],
  ];
  return rows.map(([name, value]) => `${name.padEnd(22)} ${value.toFixed(4)}`);
}
