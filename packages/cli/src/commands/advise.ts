/** `coterie advise`: recommends a method for a table and its constraints, by cross-validation on the constraints. */
import { CoterieError, catalogue, countConstraints, methodNamed, type TriedMethod } from "@coterie/core/internal";
import { type Advised, advise } from "@coterie/workbench";
import { CONSTRAINT_FLAG, type Command, DATA_FLAGS, type Io } from "../command.js";
import { inWords } from "../estimate.js";
import { listOf, numberOf, type Parsed, seedOf, UsageError, workersOf } from "../flags.js";
import { createHost } from "../host.js";
import { loadInputs, unprinted } from "../inputs.js";
import { createProgress } from "../progress.js";
import { commandLine } from "../terminal.js";
import type { Line } from "../text/visible.js";
import { padded, wrap } from "../text/width.js";
import { VERSION } from "../version.js";

export const adviseCommand: Command = {
  name: "advise",
  summary: "Recommends a method for a table and its constraints: scores each method on held-out constraints.",
  usage: ["advise DATA -k K --constraints FILE… [--algorithms A,B] [--json]"],
  flags: [
    { name: "k", short: "k", value: "K", kind: "integer", description: "number of clusters" },
    CONSTRAINT_FLAG,
    {
      name: "algorithms",
      value: "A,B",
      list: true,
      choices: catalogue.map(({ name }) => name),
      description: "methods to try (default: k-means and every method that uses these kinds of constraints)",
    },
    { name: "json", description: "print the advice as JSON" },
    ...DATA_FLAGS,
  ],
  notes: [
    "Each method runs three times. Each run leaves out a different third of the links and labels. Agreement is the adjusted Rand index over the held-out links that do not follow from the other constraints: 1 if the clusters satisfy all of them, 0 for a random clustering. All methods within one standard error of the best score count as equally good. Among these methods, the advice is the one that breaks the smallest share of the constraints it received.",
    "With fewer than 8 must-links or fewer than 8 cannot-links, no method is tried: a fixed rule recommends one from the kinds of constraints and columns.",
    "`coterie diagnose` reports whether k clusters can satisfy the constraints at all.",
  ],
  examples: [
    {
      text: "recommend a method for these constraints",
      command: "coterie advise iris-fisher -k 3 --truth class --constraints known.csv",
    },
    {
      text: "compare only two methods, as JSON",
      command: "coterie advise sales.csv --id customer -k 5 --constraints known.csv --algorithms ccl,mpck-means --json",
    },
  ],
  run: adviseMethod,
};

async function adviseMethod({ values, positionals }: Parsed, io: Io): Promise<number> {
  const [data, ...rest] = positionals;
  if (data === undefined) throw new UsageError("Say which table: coterie advise DATA -k K --constraints FILE.");
  if (rest.length > 0) throw new UsageError(`One table at a time: what is "${rest[0]}"?`);
  const k = numberOf(values, "k", { integer: true, least: 1 });
  if (k === undefined) throw new UsageError("Say how many clusters: -k K.");
  if (values.constraints === undefined && values.exclusive === undefined)
    throw new UsageError("Say which constraints: --constraints FILE.");
  const algorithms = listOf(values, "algorithms");
  if (algorithms?.length === 0) throw new UsageError("--algorithms is empty. Name a method: --algorithms NAME.");
  for (const name of algorithms ?? []) methodNamed(name);
  const seed = seedOf(values);
  const progress = createProgress(io, values.quiet === true);
  const { instances, constraints, notices } = await loadInputs(data, values, io, progress).finally(progress.clear);
  if (k > instances.n) throw new CoterieError({ code: "k-too-large", k, n: instances.n });
  const { host, close } = await createHost(instances.n, workersOf(values));
  const watched = { ...host, signal: io.signal, onStep: progress.show };
  const advised = await advise(instances, constraints, { k, seed, algorithms }, watched).finally(progress.clear).finally(close);
  if (values.json) {
    const { algorithm, because, by, tried, leftOut, held } = advised;
    const facts = { k, seed, version: VERSION, instances: instances.n, constraints: countConstraints(constraints), held };
    await io.out(`${JSON.stringify({ recommended: { algorithm, by, because }, ...facts, tried, leftOut, notices })}\n`);
  } else await io.print(linesOf(advised, io.columns));
  if (values.quiet) return 0;
  for (const notice of unprinted(notices, instances)) io.say(`Note: ${notice}`);
  io.say(`Next: ${commandLine(nextWords(advised, process.argv.slice(2)))}`);
  return 0;
}

/** The arguments for `coterie cluster` with the advised method, made from the arguments of this command. */
function nextWords({ algorithm }: Advised, words: readonly string[]): string[] {
  const kept = words.filter(
    (word, i) => word !== "--json" && !/^--algorithms(=|$)/.test(word) && words[i - 1] !== "--algorithms",
  );
  return [...kept.map((word) => (word === "advise" ? "cluster" : word)), "--algorithm", algorithm];
}

function linesOf({ algorithm, because, tried, leftOut, held }: Advised, columns: number): Line[] {
  const sentence = wrap(`${algorithm}: ${because}.`, columns);
  if (tried.length === 0) return [...sentence, "", ...wrap(TOO_FEW, columns)];
  const rows = [...tried].sort((a, b) => (b.score ?? -2) - (a.score ?? -2));
  const widest = Math.max(...rows.map((row) => row.algorithm.length));
  return [
    ...sentence,
    "",
    { text: `${padded("method", widest)}  ${HEAD}`, style: "dim" as const },
    ...rows.map((row) => lineOf(row, widest)),
    "",
    ...wrap(
      `Each ran three times, without a third of the constraints each time; agreement is over the ${held} links that were held out (1: all kept, 0: as by chance).`,
      columns,
    ),
    ...leftOut.flatMap((slow) => wrap(leftOutSentence(slow), columns)),
  ].map((line) => (typeof line === "string" ? line : [line]));
}

function leftOutSentence({ algorithm, seconds }: Advised["leftOut"][number]): string {
  return `${algorithm} was left out: a run may take about ${inWords(seconds)} (--algorithms ${algorithm} tries it).`;
}

const HEAD = "agreement  ± error  broken of received";
const TOO_FEW =
  "Too few links are known to hold some out: with 8 must-links and 8 cannot-links or more (labels count too), methods are tried on them.";

function lineOf({ algorithm, score, error, told, broken, failure }: TriedMethod, widest: number): string {
  const name = padded(algorithm, widest);
  if (score === null || error === null) return `${name}  gave no answer: ${failure}`;
  const kept = `${broken.toLocaleString("en")} of ${told.toLocaleString("en")}`;
  return `${name}  ${padded(score.toFixed(3), 9, "start")}  ${padded(error.toFixed(3), 7, "start")}  ${padded(kept, 20, "start")}`;
}
