/** `coterie ask`: questions about rows at the terminal, each answer on disk before the next question; then a clustering. */
import { existsSync } from "node:fs";
import { type Instances, strategies } from "@coterie/core/internal";
import { type AnswersLog, openAnswers, placeOf } from "@coterie/data";
import { cachePath } from "../ask/answering/cache.js";
import { converse } from "../ask/answering/converse.js";
import { ANSWERING_FLAGS, type AnsweringPlan, answeringPlan } from "../ask/answering/plan.js";
import { ASK_OUTPUTS, conclude } from "../ask/closing.js";
import { keptLines } from "../ask/go-on.js";
import { helpLines } from "../ask/keys.js";
import { ASK_ENGINE_FLAGS, openRows, type Rows } from "../ask/on-engine.js";
import { type Dialogue, driven, openDialogue } from "../ask/open-dialogue.js";
import { type AskRequest, asTheLogs, DEFAULT_BUDGET, requestFrom, strategyFlags } from "../ask/request.js";
import { columnsToShow, type ShownColumn } from "../ask/shown-columns.js";
import { simulate } from "../ask/simulate.js";
import { type Ending, type Inlet, newInlet, talk } from "../ask/talk.js";
import { CONSTRAINT_FLAG, type Command, DATA_FLAGS, type Io } from "../command.js";
import { listOf, type Parsed, textOf, UsageError, type Values, workersOf } from "../flags.js";
import { DISTANCES_FLAG } from "../given-distances.js";
import { createHost } from "../host.js";
import { type Inputs, loadInputs, tableOptions } from "../inputs.js";
import { type Files, openOutputs, type Target } from "../outputs/outputs.js";
import { JSON_FLAG, REPORT_FLAGS, targetsOf } from "../outputs/report-files.js";
import { createProgress, type Progress } from "../progress.js";
import { wrap } from "../text/width.js";

export const askCommand: Command = {
  name: "ask",
  summary: "Asks which rows belong together, and clusters with the answers.",
  usage: [
    "ask DATA -k K --budget Q [--strategy NAME] [--out labels.csv] [--constraints-out known.csv]",
    "ask DATA --resume",
    "ask DATA -k K --budget Q --answer-with COMMAND [--votes N] [--timeout S] [--retries N]",
    "ask DATA -k K --budget Q --simulate --truth COL",
    "ask DATA -k K --budget Q --engine duckdb --out labels.parquet",
  ],
  flags: [
    { name: "k", short: "k", value: "K", kind: "integer", description: "number of clusters" },
    { name: "budget", value: "Q", kind: "integer", description: `the most questions to ask (default: ${DEFAULT_BUDGET})` },
    {
      name: "strategy",
      value: "NAME",
      choices: strategies.map(({ name }) => name),
      description: "how questions are chosen; `coterie ask --strategy NAME --help` lists its options",
    },
    { name: "relative", description: "ask which of three rows is the odd one out, instead of about pairs" },
    {
      name: "answers",
      value: "FILE",
      kind: "file",
      description: "the log of answers, one JSON record a line (default: DATA.answers.jsonl)",
    },
    { name: "resume", description: "go on with the log; settings come from there unless the line gives others" },
    { name: "accept-changes", description: "with --resume: keep the answers although the data changed since" },
    { name: "simulate", description: "answer from --truth instead of asking; no log unless --answers names one" },
    ...ANSWERING_FLAGS,
    {
      name: "error-rate",
      value: "E",
      description:
        "answers are wrong this often (0.1), or as often as they show (learn): evidence that others may outweigh (default: 0, they are law)",
    },
    { name: "show", value: "A,B", kind: "column", list: true, description: "columns to show with each row besides the features" },
    { name: "constraints-out", value: "FILE", kind: "file", description: "write the answers here, as constraints" },
    { name: "script", description: "questions and kept answers also go to standard output, as JSON lines" },
    CONSTRAINT_FLAG,
    DISTANCES_FLAG,
    ...ASK_ENGINE_FLAGS,
    ...REPORT_FLAGS,
    JSON_FLAG,
    ...DATA_FLAGS,
  ],
  async moreFlags({ values }) {
    return strategyFlags(values);
  },
  moreOf: "strategy",
  notes: [
    `Keys\n${helpLines()
      .map((line) => `  ${line}`)
      .join("\n")}`,
    "Without a terminal on standard input the answers are read from it, one a line: same, different, unsure, undo, revise N ANSWER, clusters, ? (help), stop; of three rows the odd one, a, b or c.",
    "Every answer is on the disk before the next question comes. Stop whenever you like, go on with --resume. No question is repeated, and none is asked whose answer follows from others.",
    'A command of --answer-with reads {"id":1,"kind":"pair","rows":[{"id":"r7","columns":{"name":"Ann"}},…]} (kind "triple" with three rows) and writes {"id":1,"answer":"same","confidence":0.8,"why":"…"}, answers in any order: same, different or unknown; of three rows the odd one out, a, b or c. Confidence and why may be left out. Messages belong on its standard error; its standard input is closed when there is nothing more to ask. Who answered is in the log. What was answered is remembered by content beside the log (DATA.answers.jsonl.cache) and is not asked twice.',
    `Strategies\n${strategies.map(({ name, summary }) => `  ${name.padEnd(20)} ${summary}`).join("\n")}`,
  ],
  examples: [
    { text: "forty questions about a sample set", command: "coterie ask iris-fisher -k 3 --budget 40" },
    {
      text: "go on tomorrow, then write what came of it",
      command: "coterie ask iris-fisher --resume --out labels.csv --html iris.html",
    },
    {
      text: "how far would forty answers get?",
      command: "coterie ask iris-fisher -k 3 --truth class --budget 40 --simulate",
    },
    {
      text: "a program answers, three times each, the majority counts",
      command: 'coterie ask sales.csv -k 4 --budget 100 --answer-with "python judge.py" --votes 3',
    },
    {
      text: "a table larger than memory: questions about some of its rows, clusters of all",
      command: "coterie ask 'sales-*.parquet' -k 20 --budget 50 --engine duckdb --id customer --out labels.parquet",
    },
    { text: "answers from a file", command: "coterie ask sales.csv -k 4 < answers.txt" },
  ],
  run: ask,
};

async function ask({ values, positionals }: Parsed, io: Io): Promise<number> {
  const data = dataOf(values, positionals);
  const answering = answeringPlan(values);
  const targets = targetsOf(values, ASK_OUTPUTS);
  const path = logPath(values, data);
  openOutputs(filesOf({ values, answering, data, path, targets }), io, values.quiet === true);
  const resume = values.resume === true;
  if (resume && path !== undefined && !existsSync(path) && !values.quiet)
    io.say(`There are no answers yet in ${path}: this is the beginning.`);
  const inlet = newInlet();
  const rows = await openRows(values, data, io);
  try {
    for (let given = values, again = resume; ; again = true) {
      const log = path === undefined ? null : openAnswers(path, { resume: again });
      try {
        const code = await withLog({ values: given, inlet, answering, data, path, log, targets, rows }, io);
        if (code !== "anew") return code;
      } finally {
        log?.close();
      }
      given = { ...given, resume: true };
    }
  } finally {
    await rows?.close();
  }
}

interface Line {
  readonly values: Values;
  readonly inlet: Inlet;
  /** Programs that answer in place of a person. */
  readonly answering: AnsweringPlan | null;
  readonly data: string | undefined;
  /** The log's. */
  readonly path: string | undefined;
  readonly log: AnswersLog | null;
  readonly targets: readonly Target[];
  /** Where the rows are, if they are elsewhere. */
  readonly rows: Rows | null;
}

/** What is read and written, by what the line says, or by what line and log say together. */
function filesOf({ values, answering, data, path, targets }: Omit<Line, "log" | "inlet" | "rows">): Files {
  const beside = path === undefined ? [] : [`${placeOf(path).path}.lock`, ...(answering ? [cachePath(path)] : [])];
  const log = path === undefined ? [] : [path, ...beside].map((each) => ({ path: each, sided: false }));
  const known = [textOf(values, "distances"), ...(listOf(values, "constraints") ?? [])];
  const table = values.connect === undefined && !/[*?]/.test(data ?? "") ? data : undefined;
  return { writes: [...targets, ...log], reads: [table, ...known, ...(values.simulate || answering ? [] : ["-"])] };
}

function dataOf(values: Values, positionals: readonly string[]): string | undefined {
  const [data, ...rest] = positionals;
  if (data === undefined && values.distances === undefined && values.table === undefined)
    throw new UsageError("Name the table to ask about: coterie ask DATA -k K --budget Q.");
  if (rest.length > 0) throw new UsageError(`One table at a time: what is "${rest[0]}"?`);
  if (data === "-" && !values.simulate)
    throw new UsageError("Standard input is for the answers: save the table in a file first.");
  if (values.simulate && values.truth === undefined)
    throw new UsageError("--simulate answers from known classes: name their column with --truth.");
  if (values["accept-changes"] && !values.resume) throw new UsageError("--accept-changes is for --resume.");
  return data;
}

/** Beside the data unless the line says where; a simulation leaves none unless it is told to. */
function logPath(values: Values, data: string | undefined): string | undefined {
  const named = textOf(values, "answers");
  if (named !== undefined) return named;
  if (values.simulate) {
    if (values.resume) throw new UsageError("A simulation goes on only with a log of its own: name it with --answers.");
    return undefined;
  }
  return `${data ?? textOf(values, "distances") ?? textOf(values, "table")}.answers.jsonl`;
}

/** "anew": an answer was revised, and the dialogue begins again from its log. */
async function withLog(line: Line, io: Io): Promise<number | "anew"> {
  const { values, log } = line;
  const start = log?.stretches.at(-1)?.start;
  const beginning = log && start ? { start, file: line.path!, line: log.startLine } : undefined;
  const request = requestFrom(values, beginning);
  const quiet = values.quiet === true;
  const outputs = openOutputs(filesOf({ ...line, values: request.values }), io, quiet);
  const progress = createProgress(io, quiet);
  const started = performance.now();
  const candidates = await line.rows?.candidates(request, io, progress);
  const inputs = await loadInputs(candidates?.file ?? line.data, candidates?.values ?? request.values, io, progress)
    .finally(progress.clear)
    .catch((error) => {
      throw asTheLogs(error, values, beginning);
    });
  const loading = performance.now() - started;
  const columns = values.simulate ? [] : await columnsOf(inputs, candidates?.values ?? request.values, io);
  const { host, close } = await createHost(inputs.instances.n, workersOf(values));
  try {
    const opening = {
      request,
      inputs,
      log,
      path: line.path ?? "",
      data: line.data,
      kernels: host.kernels,
      acceptChanges: values["accept-changes"] === true,
    };
    const dialogue = await openDialogue(opening, io, progress);
    if (!quiet) io.say(...openingLines(line, request, dialogue, io.columns));
    const work = async () => {
      const begun = performance.now();
      const ending = values.simulate
        ? await simulate(dialogue.asking, request, inputs, io, progress)
        : await talkWith(line, request, { instances: inputs.instances, columns }, dialogue, io, progress);
      if (ending === "interrupted") return interrupted(line, dialogue, io);
      if (ending === "revised") return "anew" as const;
      const result = await driven(dialogue.asking.session.resultSteps(), io, progress);
      const timings = { loading, asking: performance.now() - begun };
      return await conclude({ ...line, request, inputs, dialogue, session: result, ending, timings }, outputs, io, progress);
    };
    return await work().catch((error) => {
      progress.clear();
      if (io.signal.aborted) return interrupted(line, dialogue, io);
      // Whatever went wrong: the answers are there.
      if (line.log) io.say(...keptLines(line, dialogue.asking.answered));
      throw error;
    });
  } finally {
    await close();
  }
}

function openingLines({ path, log }: Line, { strategy }: AskRequest, { asking, notices }: Dialogue, columns: number): string[] {
  const cut = log?.cut
    ? ["The last line of the log was unfinished when the program was killed; it was never acknowledged and is cut off."]
    : [];
  const where = log
    ? asking.answered > 0
      ? [`Going on after ${asking.answered} ${asking.answered === 1 ? "answer" : "answers"} in ${path}.`]
      : [`Answers are kept in ${path}.`]
    : [];
  const lines = [`${strategy.title}: ${strategy.summary}.`, ...where, ...cut, ...notices];
  return lines.flatMap((text) => wrap(text, Math.max(30, columns - 1)));
}

async function columnsOf({ instances }: Inputs, values: Values, { signal }: Io): Promise<ShownColumn[]> {
  const { delimiter, decimal } = tableOptions(values);
  const reading = { ...(delimiter ? { delimiter } : {}), ...(decimal ? { decimal } : {}), signal };
  return await columnsToShow(instances, { show: listOf(values, "show") ?? [], reading });
}

async function talkWith(
  { values, inlet, answering, path }: Line,
  { budget, errorRate }: AskRequest,
  shown: { readonly instances: Instances; readonly columns: readonly ShownColumn[] },
  { asking }: Dialogue,
  io: Io,
  progress: Progress,
): Promise<Ending> {
  const script = values.script === true;
  if (answering)
    return await converse({
      ...shown,
      plan: answering,
      asking,
      path: path!,
      budget,
      io,
      progress,
      script,
      evidence: errorRate !== 0,
    });
  return await talk({
    ...shown,
    asking,
    budget,
    io,
    progress,
    quiet: values.quiet === true,
    script,
    inlet,
    evidence: errorRate !== 0 && values["error-rate"] !== undefined,
  });
}

function interrupted(line: Line, { asking }: Dialogue, io: Io): number {
  const [kept, ...goOn] = line.log ? keptLines(line, asking.answered) : [io.written.length === 0 ? "nothing was written." : ""];
  io.say(
    "",
    `Interrupted: ${kept}`,
    ...goOn,
    ...(io.written.length > 0 ? [`Written before that: ${io.written.join(", ")}`] : []),
  );
  return 130;
}
