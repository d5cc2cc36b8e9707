/** `coterie advise`: recommends a method for a table and its constraints, by cross-validation on the constraints. */
import { CoterieError, catalogue, choiceName, countConstraints, methodNamed } from "@coterie/core/internal";
import { type Advised, advise, type TriedMethod } from "@coterie/workbench";
import { CONSTRAINT_FLAG, type Command, DATA_FLAGS, type Io } from "../command.js";
import { inWords } from "../estimate.js";
import { flagList, listOf, numberOf, type Parsed, seedOf, UsageError, workersOf } from "../flags.js";
import { createHost } from "../host.js";
import { loadInputs, unprinted } from "../inputs.js";
import { createProgress } from "../progress.js";
import { commandLine, withoutFlags } from "../terminal.js";
import type { Line } from "../text/visible.js";
import { padded, wrap } from "../text/width.js";
import { VERSION } from "../version.js";

export const adviseCommand: Command = {
  name: "advise",
  summary: "Recommends a method for a table and its constraints: scores each method on held-out constraints.",
  usage: ["advise DATA -k K --constraints FILE… [--algorithms A,B] [--json]"],
  flags: [
    ...flagList({
      "--k, -k K": "number of clusters",
    }),
    CONSTRAINT_FLAG,
    ...flagList({
      "--algorithms A,B": {
        kind: undefined,
        choices: catalogue.map(({ name }) => name),
        description: "methods to try (default: those that suit the table and its constraints)",
      },
      "--json": "print the advice as JSON",
    }),
    ...DATA_FLAGS,
  ],
  notes: [
    "This is the choice that `coterie cluster` makes by itself (--algorithm auto). Each method that uses constraints runs five times, each time without a fifth of the links and labels, and is scored by that fifth. Methods without constraints are scored by all of them. Agreement is the adjusted Rand index over the held-out links: 1 if the clusters satisfy all of them, 0 for a random clustering. The score is combined with how well the method does on average over many tables.",
    "With fewer than 5 links, no method is tried: the method that is best on average is recommended.",
    "`coterie diagnose` reports whether k clusters can satisfy the constraints at all.",
  ],
  examples: {
    "recommend a method for these constraints": "coterie advise iris-fisher -k 3 --truth class --constraints known.csv",
    "compare only two methods, as JSON":
      "coterie advise sales.csv --id customer -k 5 --constraints known.csv --algorithms ccl,mpck-means --json",
  },
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
    const { algorithm, scale, because, by, tried, leftOut, held, suspects } = advised;
    const facts = { k, seed, version: VERSION, instances: instances.n, constraints: countConstraints(constraints), held };
    await io.out(
      `${JSON.stringify({ recommended: { algorithm, scale, by, because }, ...facts, tried, leftOut, suspects, notices })}\n`,
    );
  } else await io.print(linesOf(advised, io.columns));
  if (values.quiet) return 0;
  for (const notice of unprinted(notices, instances)) io.say(`Note: ${notice}`);
  io.say(`Next: ${commandLine(nextWords(advised, process.argv.slice(2)))}`);
  return 0;
}

/** The arguments for `coterie cluster` with the advised method, made from the arguments of this command. */
function nextWords({ algorithm, scale }: Advised, words: readonly string[]): string[] {
  const dropped = ["--algorithms", ...(scale === "given" ? [] : ["--scale"])];
  const kept = withoutFlags(words, dropped).filter((word) => word !== "--json");
  return [
    ...kept.map((word) => (word === "advise" ? "cluster" : word)),
    "--algorithm",
    algorithm,
    ...(scale === "given" ? [] : ["--scale", scale]),
  ];
}

function linesOf(advised: Advised, columns: number): Line[] {
  const { because, tried, leftOut, held } = advised;
  const sentence = wrap(`${choiceName(advised)}: ${because}.`, columns);
  if (tried.length === 0) return [...sentence, "", ...wrap(TOO_FEW, columns)];
  const rows = [...tried].sort((a, b) => (b.score ?? -2) - (a.score ?? -2));
  const widest = Math.max(...rows.map((row) => choiceName(row).length));
  return [
    ...sentence,
    "",
    { text: `${padded("method", widest)}  ${HEAD}`, style: "dim" as const },
    ...rows.map((row) => lineOf(row, widest)),
    "",
    ...wrap(
      `Agreement is over the ${held} links that were held out (1: all kept, 0: as by chance). Methods that use constraints ran five times, each time without a fifth of them.`,
      columns,
    ),
    ...leftOut.flatMap((slow) => wrap(leftOutSentence(slow), columns)),
    ...suspectLines(advised.suspects, columns),
  ].map((line) => (typeof line === "string" ? line : [line]));
}

function leftOutSentence({ algorithm, seconds }: Advised["leftOut"][number]): string {
  return `${algorithm} was left out: its runs may take about ${inWords(seconds)} (--algorithms ${algorithm} tries it).`;
}

const MOST_SUSPECTS = 10;

/** Lines about the constraints that other constraints contradict. */
export function suspectLines(suspects: Advised["suspects"], columns: number): string[] {
  if (suspects.length === 0) return [];
  const shown = suspects.slice(0, MOST_SUSPECTS).map(({ constraint: { type, a, b }, probability }) => {
    const sign = type === "must-link" ? "=" : "≠";
    return `  ${a} ${sign} ${b}  ${Math.round(100 * probability)}%`;
  });
  const more = suspects.length - shown.length;
  return [
    "",
    ...wrap(
      "Look again at these constraints, which the others contradict; beside them the probability that they are wrong:",
      columns,
    ),
    ...shown,
    ...(more > 0 ? [`  and ${more} more (--json lists all)`] : []),
  ];
}

const HEAD = "agreement  ± error";
const TOO_FEW = "Too few links are known to hold some out: with 5 links or more (labels count too), methods are tried on them.";

function lineOf(tried: TriedMethod, widest: number): string {
  const { score, error, failure } = tried;
  const name = padded(choiceName(tried), widest);
  if (score === null || error === null) return `${name}  gave no answer: ${failure}`;
  return `${name}  ${padded(score.toFixed(3), 9, "start")}  ${padded(error.toFixed(3), 7, "start")}`;
}
