/** `coterie advise`: recommends a method for a table and its constraints, by cross-validation on the constraints. */
import { basename } from "node:path";
import { CoterieError, catalogue, choiceName, countConstraints, methodNamed, takesK } from "@coterie/core/internal";
import { type Advised, advise, type TriedMethod } from "@coterie/workbench";
import { CONSTRAINT_FLAG, type Command, DATA_FLAGS, type Io } from "../command.js";
import { inWords } from "../estimate.js";
import { flagList, listOf, numberOf, type Parsed, seedOf, textOf, UsageError, workersOf } from "../flags.js";
import { createHost } from "../host.js";
import { loadInputs, unprinted } from "../inputs.js";
import { openOutputs } from "../outputs/outputs.js";
import { targetsOf } from "../outputs/report-files.js";
import { createProgress } from "../progress.js";
import { commandLine, withoutFlags } from "../terminal.js";
import { suspectLines, suspectWords } from "../text/suspects.js";
import type { Line } from "../text/visible.js";
import { padded, wrap } from "../text/width.js";
import { VERSION } from "../version.js";

export const adviseCommand: Command = {
  name: "advise",
  summary: "Recommends a method for a table and its constraints: scores each method on held-out constraints.",
  usage: ["advise DATA -k K --constraints FILE… [--algorithms A,B] [--json] [--html FILE]"],
  flags: [
    ...flagList({
      "--k, -k K": "number of clusters",
    }),
    CONSTRAINT_FLAG,
    ...flagList({
      "--algorithms A,B": {
        kind: undefined,
        choices: catalogue.map(({ name }) => name),
        description: "methods to try (default: all that suit the table and its constraints)",
      },
      "--json": "print the advice as JSON",
      "--html FILE": "write the advice as a page",
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
  for (const name of algorithms ?? [])
    if (!takesK(methodNamed(name)))
      throw new UsageError(`${name} finds the number of clusters; advice is about methods with -k K.`);
  const seed = seedOf(values);
  const page = textOf(values, "html");
  const reads = [data, ...(listOf(values, "constraints") ?? [])];
  const outputs = openOutputs({ writes: targetsOf(values, ["html"]), reads }, io, values.quiet === true);
  const progress = createProgress(io, values.quiet === true);
  const { instances, constraints, notices } = await loadInputs(data, values, io, progress).finally(progress.clear);
  if (k > instances.n) throw new CoterieError({ code: "k-too-large", k, n: instances.n });
  const { host, close } = await createHost(instances.n, workersOf(values));
  const watched = { ...host, signal: io.signal, onStep: progress.show };
  const advised = await advise(instances, constraints, { k, seed, algorithms }, watched).finally(progress.clear).finally(close);
  const next = commandLine(nextWords(advised, process.argv.slice(2)));
  if (page !== undefined) {
    const about = { data, files: reads, k, given: countConstraints(constraints), rows: instances.n, notices, next };
    await outputs.write([{ path: page, pieces: [await pageOf(advised, about)] }]);
  }
  if (values.json) {
    const { algorithm, scale, because, by, tried, leftOut, held, suspects } = advised;
    const facts = { k, seed, version: VERSION, instances: instances.n, constraints: countConstraints(constraints), held };
    await io.out(
      `${JSON.stringify({ recommended: { algorithm, scale, by, because }, ...facts, tried, leftOut, suspects, notices })}\n`,
    );
  } else if (page !== "-") await io.print(linesOf(advised, io.columns));
  if (values.quiet) return 0;
  for (const notice of unprinted(notices, instances)) io.say(`Note: ${notice}`);
  if (page !== undefined && page !== "-") io.say(`Written: ${page}`);
  io.say(`Next: ${next}`);
  return 0;
}

interface AboutAdvice {
  readonly data: string;
  readonly files: readonly (string | undefined)[];
  readonly k: number;
  readonly given: number;
  readonly rows: number;
  readonly notices: readonly string[];
  readonly next: string;
}

async function pageOf(advised: Advised, { data, files, k, given, rows, notices, next }: AboutAdvice): Promise<string> {
  const { htmlAdvice } = await import("@coterie/figures");
  const { because, tried, leftOut, held, suspects } = advised;
  return htmlAdvice({
    title: basename(data),
    headline: `${choiceName(advised)}: ${because}.`,
    facts: [
      ["rows", rows.toLocaleString("en")],
      ["clusters", String(k)],
      ["constraints", given.toLocaleString("en")],
      ["pairs held out", held.toLocaleString("en")],
    ],
    tried: inOrder(tried).map((each) => ({
      method: choiceName(each),
      agreement: each.score,
      words:
        each.score === null || each.error === null
          ? `no answer: ${each.failure}`
          : `${each.score.toFixed(3)} ± ${each.error.toFixed(3)}`,
    })),
    scoring: scoringOf(held),
    suspects: suspects.map((suspect) => ({ words: suspectWords(suspect), probability: suspect.probability })),
    command: commandLine(),
    next,
    notices: [...notices, ...leftOut.map(leftOutSentence)],
    files: files.filter((file) => file !== undefined),
    version: VERSION,
  });
}

function inOrder(tried: Advised["tried"]): Advised["tried"] {
  return [...tried].sort((a, b) => (b.score ?? -2) - (a.score ?? -2));
}

function scoringOf(held: number): string {
  return `Agreement is over the ${held} links that were held out (1: all kept, 0: as by chance). Methods that use constraints ran five times, each time without a fifth of them.`;
}

/** Turns the arguments of this `coterie advise` command into a `coterie cluster` command with the advised method. */
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
  const rows = inOrder(tried);
  const widest = Math.max(...rows.map((row) => choiceName(row).length));
  return [
    ...sentence,
    "",
    { text: `${padded("method", widest)}  ${HEAD}`, style: "dim" as const },
    ...rows.map((row) => lineOf(row, widest)),
    "",
    ...wrap(scoringOf(held), columns),
    ...leftOut.flatMap((slow) => wrap(leftOutSentence(slow), columns)),
    ...suspectLines(advised.suspects, columns),
  ].map((line) => (typeof line === "string" ? line : [line]));
}

function leftOutSentence({ algorithm, seconds }: Advised["leftOut"][number]): string {
  return `${algorithm} was left out: its runs may take about ${inWords(seconds)} (--algorithms ${algorithm} tries it).`;
}

const HEAD = "agreement  ± error";
const TOO_FEW =
  "There are too few links to hold some out. With 5 or more links (labels count too), methods are scored on held-out links.";

function lineOf(tried: TriedMethod, widest: number): string {
  const { score, error, failure } = tried;
  const name = padded(choiceName(tried), widest);
  if (score === null || error === null) return `${name}  gave no answer: ${failure}`;
  return `${name}  ${padded(score.toFixed(3), 9, "start")}  ${padded(error.toFixed(3), 7, "start")}`;
}
