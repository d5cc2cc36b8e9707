/** `coterie ask`: asks about rows at the terminal, saves each answer before the next question, then clusters. */
import { existsSync } from "node:fs";
import { basename } from "node:path";
import {
  constraints,
  countConstraints,
  type Merge,
  methodNamed,
  type QuestionAnswer,
  type Report,
  randomFrom,
  strategies,
  trueAnswer,
  violationsOf,
} from "@coterie/core/internal";
import { shellFile, shellFlag, shellListFlag, withoutToken } from "@coterie/core/shell";
import { type AnswerRecord, type AnswersLog, constraintListsOf, openAnswers, placeOf, writeConstraints } from "@coterie/data";
import { everyTurn } from "@coterie/workbench";
import { cachePath } from "../ask/answering/cache.js";
import { converse } from "../ask/answering/converse.js";
import { ANSWERING_FLAGS, type AnsweringPlan, answeringPlan } from "../ask/answering/plan.js";
import { type Dialogue, openDialogue } from "../ask/dialogue.js";
import { helpLines } from "../ask/keys.js";
import { ASK_ENGINE_FLAGS, openRows, type Rows, reportElsewhere } from "../ask/on-engine.js";
import { type AskRequest, asTheLogs, DEFAULT_BUDGET, requestFrom, strategyFlags } from "../ask/request.js";
import { columnsToShow, type ShownColumn } from "../ask/shown-columns.js";
import { type Ending, type Talk, talk } from "../ask/talk.js";
import { CONSTRAINT_FLAG, type Command, DATA_FLAGS, type Io } from "../command.js";
import { type Flag, flagList, listOf, type Parsed, textOf, UsageError, type Values, workersOf } from "../flags.js";
import { DISTANCES_FLAG } from "../given-distances.js";
import { createHost, pause } from "../host.js";
import { type Inputs, loadInputs, tableOptions } from "../inputs.js";
import { type Files, type Outputs, openOutputs, type Target } from "../outputs/outputs.js";
import { JSON_FLAG, provenanceOf, REPORT_FLAGS, reportOutputs, targetsOf, writtenLines } from "../outputs/report-files.js";
import { strictCode } from "../outputs/strict.js";
import { createProgress, type Progress } from "../progress.js";
import { summaryOf } from "../summary.js";
import { wrap } from "../text/width.js";

export const askCommand: Command = {
  name: "ask",
  summary: "Asks which rows belong together, and clusters the rows with the answers.",
  usage: [
    "ask DATA -k K --budget Q [--strategy NAME] [--out labels.csv] [--constraints-out known.csv]",
    "ask DATA --resume",
    "ask DATA -k K --budget Q --answer-with COMMAND [--votes N] [--timeout S] [--retries N]",
    "ask DATA -k K --budget Q --simulate --truth COL",
    "ask DATA -k K --budget Q --engine duckdb --out labels.parquet",
  ],
  flags: [
    ...flagList({
      "--k, -k K": "number of clusters",
      "--budget Q": `most questions to ask (default: ${DEFAULT_BUDGET})`,
      "--strategy NAME": {
        choices: strategies.map(({ name }) => name),
        description:
          "method that chooses the questions (default: spreading); `coterie ask --strategy NAME --help` lists its options",
      },
      "--relative": "ask which of three rows is the odd one out, instead of asking about pairs",
      "--answers FILE": "log of the answers, one JSON record per line (default: DATA.answers.jsonl)",
      "--resume": "continue an existing log; options that you leave out come from the log",
      "--accept-changes": "with --resume: keep the answers even though the data have changed",
      "--simulate": "take the answers from --truth instead of asking; writes a log only with --answers",
    }),
    ...ANSWERING_FLAGS,
    ...flagList({
      "--error-rate E":
        "expected share of wrong answers, such as 0.1; learn: estimate the share; answers can then outweigh each other (default: 0, every answer is certain)",
      "--show A,B": "more columns to show with each row, besides the features",
      "--constraints-out FILE": "write the answers to FILE as constraints",
      "--script": "also print questions and saved answers on standard output, as JSON lines",
    }),
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
    "If standard input is not a terminal, answers are read from it, one per line: same, different, unsure, undo, revise N ANSWER, clusters, ? (help), stop. For three rows, the answer is the odd one: a, b or c.",
    "Every answer is on disk before the next question. You can stop at any time and continue with --resume. No question is repeated, and no question is asked whose answer follows from earlier answers.",
    'A command of --answer-with reads {"id":1,"kind":"pair","rows":[{"id":"r7","columns":{"name":"Ann"}},…]} (kind "triple" with three rows) and writes {"id":1,"answer":"same","confidence":0.8,"why":"…"}, in any order. The answer is same, different or unknown; for three rows it is the odd one: a, b or c. Confidence and why are optional. The command should print messages on standard error; its standard input is closed after the last question. The log says which command gave each answer. A cache beside the log (DATA.answers.jsonl.cache) keeps answers by the content of the rows, so that no question is asked twice.',
    `Strategies\n${strategies.map(({ name, summary }) => `  ${name.padEnd(20)} ${summary}`).join("\n")}`,
  ],
  examples: {
    "forty questions about a sample set": "coterie ask iris-fisher -k 3 --budget 40",
    "continue later, and write the results": "coterie ask iris-fisher --resume --out labels.csv --html iris.html",
    "simulate forty answers from the known classes": "coterie ask iris-fisher -k 3 --truth class --budget 40 --simulate",
    "a program gives three answers to each question; the majority counts":
      'coterie ask sales.csv -k 4 --budget 100 --answer-with "python judge.py" --votes 3',
    "a table larger than memory: questions about a sample, clusters for all rows":
      "coterie ask 'sales-*.parquet' -k 20 --budget 50 --engine duckdb --id customer --out labels.parquet",
    "read the answers from a file": "coterie ask sales.csv -k 4 < answers.txt",
  },
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
    io.say(`There are no answers in ${path} yet: starting a new log.`);
  const rows = await openRows(values, data, io);
  try {
    const log = path === undefined ? null : openAnswers(path, { resume });
    try {
      return await withLog({ values, answering, data, path, log, targets, rows }, io);
    } finally {
      log?.close();
    }
  } finally {
    await rows?.close();
  }
}

interface Line {
  readonly values: Values;
  readonly answering: AnsweringPlan | null;
  readonly data: string | undefined;
  readonly path: string | undefined;
  readonly log: AnswersLog | null;
  readonly targets: readonly Target[];
  readonly rows: Rows | null;
}

function filesOf({ values, answering, data, path, targets }: Omit<Line, "log" | "rows">): Files {
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

/** The path of the log of answers. By default the log lies beside the data. A simulation writes a log only with `--answers`. */
function logPath(values: Values, data: string | undefined): string | undefined {
  const named = textOf(values, "answers");
  if (named !== undefined) return named;
  if (values.simulate) {
    if (values.resume)
      throw new UsageError("--resume with --simulate needs the log of the simulation: name the log with --answers.");
    return undefined;
  }
  return `${data ?? textOf(values, "distances") ?? textOf(values, "table")}.answers.jsonl`;
}

async function withLog(line: Line, io: Io): Promise<number> {
  const { values, log } = line;
  const start = log?.stretches.at(-1)?.start;
  const beginning = log && start ? { start, file: line.path!, line: log.startLine } : undefined;
  const request = requestFrom(values, beginning);
  const quiet = values.quiet === true;
  const outputs = openOutputs(filesOf({ ...line, values: request.values }), io, quiet);
  const progress = createProgress(io, quiet);
  const started = performance.now();
  const candidates = await line.rows?.candidates(request, io, progress);
  const what = request.strategy.name === "duplicates" ? "cells" : "points";
  const inputs = await loadInputs(candidates?.file ?? line.data, candidates?.values ?? request.values, io, progress, what)
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
      path: line.path ?? "",
      data: line.data,
      kernels: host.kernels,
      acceptChanges: values["accept-changes"] === true,
      explain: !values.simulate && !line.answering,
    };
    const open = async (log: AnswersLog | null) => {
      const opened = await openDialogue({ ...opening, log }, io, progress);
      if (!quiet) io.say(...openingLines({ ...line, log }, request, opened, io.columns));
      return opened;
    };
    let dialogue = await open(log);
    const reopen = async () => {
      dialogue = await open(dialogue.reread(log!));
      return dialogue;
    };
    const work = async () => {
      const begun = performance.now();
      const ending = values.simulate
        ? await simulate(dialogue, request, inputs, io, progress)
        : await talkWith(line, request, { instances: inputs.instances, columns, dialogue, reopen, io, progress });
      if (ending === "interrupted") return interrupted(line, dialogue, io);
      const timings = { loading, asking: performance.now() - begun };
      return await conclude({ ...line, request, inputs, dialogue, ending, timings }, outputs, io, progress);
    };
    return await work().catch((error) => {
      progress.clear();
      if (io.signal.aborted) return interrupted(line, dialogue, io);
      // After any failure, print where the answers are saved and how to go on.
      if (line.log) io.say(...keptLines(line, dialogue.answers.length));
      throw error;
    });
  } finally {
    await close();
  }
}

function openingLines({ path, log }: Line, { strategy }: AskRequest, { answers, notices }: Dialogue, columns: number): string[] {
  const cut = log?.cut
    ? [
        "An earlier run was killed while it wrote the last line of the log. The answer in this line was never confirmed, and the line is removed.",
      ]
    : [];
  const where = log
    ? answers.length > 0
      ? [`Going on after ${answers.length} ${answers.length === 1 ? "answer" : "answers"} in ${path}.`]
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
  { values, answering, path }: Line,
  { budget, errorRate }: AskRequest,
  shown: Pick<Talk, "instances" | "columns" | "dialogue" | "reopen" | "io" | "progress">,
): Promise<Ending> {
  const common = { ...shown, budget, script: values.script === true };
  if (answering) return await converse({ ...common, plan: answering, path: path!, evidence: errorRate });
  const evidence = values["error-rate"] === undefined ? undefined : errorRate;
  return await talk({ ...common, quiet: values.quiet === true, evidence });
}

function interrupted(line: Line, { answers }: Dialogue, io: Io): number {
  const [kept, ...goOn] = line.log ? keptLines(line, answers.length) : [io.written.length === 0 ? "nothing was written." : ""];
  io.say(
    "",
    `Interrupted: ${kept}`,
    ...goOn,
    ...(io.written.length > 0 ? [`Written before that: ${io.written.join(", ")}`] : []),
  );
  return 130;
}

async function simulate(
  dialogue: Dialogue,
  { errorRate, seed }: AskRequest,
  { instances }: Inputs,
  io: Io,
  progress: Progress,
): Promise<Ending> {
  const truth = instances.truth!.codes;
  const rate = errorRate === "learn" ? 0 : errorRate;
  const due = everyTurn();
  for (let question = dialogue.next(); question; question = dialogue.next()) {
    if (io.signal.aborted) return "interrupted";
    const right = trueAnswer(question, truth);
    const isWrong = rate > 0 && randomFrom(seed).split("wrong answers", dialogue.answers.length).unit() < rate;
    await dialogue.answer(isWrong ? opposite(right) : right, { evidence: errorRate });
    progress.show({ phase: "answers", done: dialogue.answers.length, total: null });
    if (due()) await pause();
  }
  progress.clear();
  return "nothing left";
}

function opposite(answer: QuestionAnswer): QuestionAnswer {
  if (answer === "same") return "different";
  return answer === "different" ? "same" : answer;
}

const MOST_OVERRULED = 10;

const ASK_OUTPUTS = ["out", "report", "html", "constraints-out"] as const;

interface Ended extends Line {
  readonly request: AskRequest;
  readonly inputs: Inputs;
  readonly dialogue: Dialogue;
  readonly ending: Ending;
  readonly timings: Readonly<Record<string, number>>;
}

async function conclude(end: Ended, outputs: Outputs, io: Io, progress: Progress): Promise<number> {
  const { values, data, request, inputs, dialogue, ending, rows, timings } = end;
  const { report: clustered, labels, constraints } = await dialogue.clusters();
  const known = { ...inputs, constraints };
  const questions = clustered.questions!;
  const { overruled = [] } = questions;
  const believed = dialogue.answers.filter(({ number }) => !overruled.some((each) => each.number === number));
  const elsewhere = { ...end, known, questions, notices: [...inputs.notices, ...dialogue.notices] };
  const found = rows ? await reportElsewhere(rows, elsewhere, io, progress) : null;
  const report = found?.report ?? { ...clustered, timings };
  for (const { number, why } of overruled) end.log?.append({ record: "overruled", number, why });
  const out = textOf(values, "constraints-out");
  const pieces = () => writeConstraints(constraintsOf(believed, inputs), inputs.instances.ids);
  const title = basename(data ?? textOf(values, "distances") ?? "");
  // The HTML page shows only the notices of the clustering, not the notices about reading the table and asking.
  const read = new Set([...inputs.notices, ...dialogue.notices]);
  const notices = clustered.notices.filter((notice) => !read.has(notice));
  const result = {
    labels,
    notices,
    violations: violationsOf(constraints, labels, clustered.merges as readonly Merge[] | undefined),
  };
  await outputs.write([
    ...(found?.outputs ?? (await reportOutputs(report, result, known, { values, title }, io))),
    ...(out === undefined ? [] : [{ path: out, pieces: pieces(), source: () => provenanceOf(inputs, values) }]),
  ]);
  if (!values.quiet) {
    const { questions: _, ...rest } = report;
    const given = countConstraints(constraints);
    const summary = found?.summary(given) ?? summaryOf(rest, inputs.instances, titleOfClusters(rest, request), given, io.columns);
    io.say("", endingLine(ending, report, request), ...overruledLines(questions), ...summary, ...closingLines(end));
  }
  if (values.json) await io.out(`${JSON.stringify(report)}\n`);
  return strictCode(report.violations, values, io);
}

function constraintsOf(answers: readonly AnswerRecord[], { instances }: Inputs) {
  const ids = new Set(Array.from({ length: instances.n }, (_, row) => instances.ids?.[row] ?? row));
  const there = answers.filter(({ ask: asked }) => asked.every((id) => ids.has(id)));
  return constraints(instances, { ...constraintListsOf(there), exclusive: [], ids: "ids" });
}

function titleOfClusters({ algorithm, chosen }: Report, { strategy }: AskRequest): string {
  return algorithm === strategy.name ? strategy.title : methodNamed(chosen?.algorithm ?? algorithm).title;
}

function endingLine(ending: Ending, { questions }: Report, { budget }: AskRequest): string {
  const { asked, unsure } = questions!;
  const open = unsure > 0 ? ` (${unsure} left open)` : "";
  const count = `${asked} ${asked === 1 ? "question" : "questions"}${open}`;
  if (ending !== "nothing left") return `Stopped after ${count}.`;
  return asked >= budget ? `All ${count} answered.` : `Nothing more is worth asking after ${count}.`;
}

function closingLines(end: Ended): string[] {
  const { targets, log, path, values, ending } = end;
  const result = targets.length > 0 || values.json || ASK_OUTPUTS.some((name) => values[name] === "-");
  return [
    ...writtenLines(targets),
    ...(log ? [`The answers are in ${path}.`] : []),
    ...(log && ending !== "nothing left" ? [`Go on with: ${again(end)}`] : []),
    ...(log && !result ? [`To write the clusters: ${again(end)} --out labels.csv`] : []),
  ];
}

function overruledLines({ errorRate, overruled = [] }: NonNullable<Report["questions"]>): string[] {
  if (errorRate === undefined) return [];
  const rate = `${Math.round(1000 * errorRate) / 10}%`;
  if (overruled.length === 0) return [`No answer is overruled; ${rate} are taken to be wrong.`];
  const more = overruled.length - MOST_OVERRULED;
  return [
    `Overruled: ${overruled.length} ${overruled.length === 1 ? "answer" : "answers"}; ${rate} are taken to be wrong.`,
    ...overruled.slice(0, MOST_OVERRULED).map(({ number, statement, why }) => `  ${number}  ${statement}: ${why}`),
    ...(more > 0 ? [`  and ${more} more, in the report and the log`] : []),
  ];
}

/** Flags that the log does not store: a log from another person must not decide where to write or which program to run. */
const NOT_IN_LOG: readonly Pick<Flag, "name" | "value" | "list">[] = [
  { name: "engine", value: "NAME" },
  { name: "connect", value: "sc://HOST:PORT" },
  { name: "table", value: "NAME" },
  { name: "memory", value: "SIZE" },
  { name: "simulate" },
  { name: "timeout", value: "S" },
  { name: "retries", value: "N" },
  { name: "votes", value: "N" },
  { name: "show", value: "A,B", list: true },
  { name: "out", value: "FILE" },
  { name: "report", value: "FILE" },
  { name: "html", value: "FILE" },
  { name: "constraints-out", value: "FILE" },
  { name: "json" },
  { name: "script" },
  { name: "strict" },
];

/** The `coterie ask --resume` command that continues this log with the same settings, quoted for a shell. */
function again({ data, values }: Pick<Line, "data" | "values">): string {
  const named = textOf(values, "answers");
  const matrix = textOf(values, "distances");
  const table = data !== undefined ? [shellFile(data)] : matrix === undefined ? [] : [shellFlag("--distances", matrix)];
  const truth = values.simulate ? textOf(values, "truth") : undefined;
  return [
    "coterie ask",
    ...table,
    "--resume",
    ...(named === undefined ? [] : [shellFlag("--answers", named)]),
    ...(truth === undefined ? [] : [shellFlag("--truth", truth)]),
    ...[values["answer-with"] ?? []].flat().map((command) => shellFlag("--answer-with", String(command))),
    ...NOT_IN_LOG.flatMap((flag) => asTyped(flag, values)),
  ].join(" ");
}

function asTyped({ name, value, list }: (typeof NOT_IN_LOG)[number], values: Values): string[] {
  if (value === undefined) return values[name] === true ? [`--${name}`] : [];
  if (list) return (listOf(values, name) ?? []).map((each) => shellListFlag(`--${name}`, each));
  const word = textOf(values, name);
  return word === undefined ? [] : [shellFlag(`--${name}`, name === "connect" ? withoutToken(word) : word)];
}

function keptLines(line: Line, answered: number): string[] {
  const answers = answered === 1 ? "1 answer is" : `${answered} answers are`;
  return [`${answers} kept in ${line.path}.`, `Go on with: ${again(line)}`];
}
