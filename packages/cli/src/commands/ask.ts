/** `coterie ask`: questions about rows at the terminal, each answer on disk before the next question; then a clustering. */
import { existsSync } from "node:fs";
import { basename } from "node:path";
import {
  constraints,
  countConstraints,
  finish,
  type Instances,
  type QuestionCounts,
  type Report,
  type Result,
  type SessionResult,
  strategies,
  violationCount,
} from "@coterie/core/internal";
import { type AnswerRecord, type AnswersLog, openAnswers, placeOf, statementsOf, writeConstraints } from "@coterie/data";
import { reportOf } from "@coterie/workbench";
import { cachePath } from "../ask/answering/cache.js";
import { converse } from "../ask/answering/converse.js";
import { ANSWERING_FLAGS, type AnsweringPlan, answeringPlan } from "../ask/answering/plan.js";
import { again, keptLines } from "../ask/go-on.js";
import { type Dialogue, driven, openDialogue } from "../ask/open-dialogue.js";
import { overruledLines, overruledOf, weighed } from "../ask/overruled.js";
import { type AskRequest, asTheLogs, DEFAULT_BUDGET, requestFrom, strategyFlags } from "../ask/request.js";
import { columnsToShow, type ShownColumn } from "../ask/shown-columns.js";
import { simulate } from "../ask/simulate.js";
import { type Ending, type Inlet, newInlet, talk } from "../ask/talk.js";
import { CONSTRAINT_FLAG, type Command, DATA_FLAGS, type Io } from "../command.js";
import { listOf, type Parsed, textOf, UsageError, type Values, workersOf } from "../flags.js";
import { DISTANCES_FLAG } from "../given-distances.js";
import { createHost } from "../host.js";
import { type Inputs, loadInputs, tableOptions } from "../inputs.js";
import { type Files, type Outputs, openOutputs, type Target } from "../outputs/outputs.js";
import { JSON_FLAG, provenanceOf, REPORT_FLAGS, reportOutputs, targetsOf, writtenLines } from "../outputs/report-files.js";
import { createProgress, type Progress } from "../progress.js";
import { summaryOf } from "../summary.js";
import { wrap } from "../text/width.js";
import { VERSION } from "../version.js";

export const askCommand: Command = {
  name: "ask",
  summary: "Asks which rows belong together, and clusters with the answers.",
  usage: [
    "ask DATA -k K --budget Q [--strategy NAME] [--out labels.csv] [--constraints-out known.csv]",
    "ask DATA --resume",
    "ask DATA -k K --budget Q --answer-with COMMAND [--votes N] [--timeout S] [--retries N]",
    "ask DATA -k K --budget Q --simulate --truth COL",
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
    ...REPORT_FLAGS,
    JSON_FLAG,
    ...DATA_FLAGS,
  ],
  async moreFlags({ values }) {
    return strategyFlags(values);
  },
  moreOf: "strategy",
  notes: [
    "Keys: s same, d different, u don't know, z or backspace undo, r revise an earlier answer, ? the clusters so far and how many more questions are worth asking, q stop; 1, 2, 3 where three rows are shown. Without a terminal on standard input the answers are read from it, one a line: same, different, unsure, undo, revise N ANSWER, ?, stop (or 1, 2, 3).",
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
    { text: "answers from a file", command: "coterie ask sales.csv -k 4 < answers.txt" },
  ],
  run: ask,
};

async function ask({ values, positionals }: Parsed, io: Io): Promise<number> {
  const data = dataOf(values, positionals);
  const answering = answeringPlan(values);
  const targets = targetsOf(values, OUTPUTS);
  const path = logPath(values, data);
  openOutputs(filesOf({ values, answering, data, path, targets }), io, values.quiet === true);
  const resume = values.resume === true;
  if (resume && path !== undefined && !existsSync(path) && !values.quiet)
    io.say(`There are no answers yet in ${path}: this is the beginning.`);
  const inlet = newInlet();
  for (let given = values, again = resume; ; again = true) {
    const log = path === undefined ? null : openAnswers(path, { resume: again });
    try {
      const code = await withLog({ values: given, inlet, answering, data, path, log, targets }, io);
      if (code !== "anew") return code;
    } finally {
      log?.close();
    }
    given = { ...given, resume: true };
  }
}

/** Files that a dialogue may end in, by their flags. */
const OUTPUTS = ["out", "report", "html", "constraints-out"] as const;

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
}

/** What is read and written, by what the line says, or by what line and log say together. */
function filesOf({ values, answering, data, path, targets }: Omit<Line, "log" | "inlet">): Files {
  const beside = path === undefined ? [] : [`${placeOf(path).path}.lock`, ...(answering ? [cachePath(path)] : [])];
  const log = path === undefined ? [] : [path, ...beside].map((each) => ({ path: each, sided: false }));
  const known = [textOf(values, "distances"), ...(listOf(values, "constraints") ?? [])];
  return { writes: [...targets, ...log], reads: [data, ...known, ...(values.simulate || answering ? [] : ["-"])] };
}

function dataOf(values: Values, positionals: readonly string[]): string | undefined {
  const [data, ...rest] = positionals;
  if (data === undefined && values.distances === undefined)
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
  return `${data ?? textOf(values, "distances")}.answers.jsonl`;
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
  const inputs = await loadInputs(line.data, request.values, io, progress)
    .finally(progress.clear)
    .catch((error) => {
      throw asTheLogs(error, values, beginning);
    });
  const loading = performance.now() - started;
  const columns = values.simulate ? [] : await columnsOf(inputs, request, io);
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
      return await conclude(line, request, inputs, dialogue, result, ending, timings, outputs, io);
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

async function columnsOf({ instances }: Inputs, { values }: AskRequest, { signal }: Io): Promise<ShownColumn[]> {
  const { delimiter, decimal, id } = tableOptions(values);
  const reading = { ...(delimiter ? { delimiter } : {}), ...(decimal ? { decimal } : {}), signal };
  return await columnsToShow(instances, { show: listOf(values, "show") ?? [], id, reading });
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

async function conclude(
  line: Line,
  request: AskRequest,
  inputs: Inputs,
  { asking, earlier, notices }: Dialogue,
  session: SessionResult,
  ending: Ending,
  timings: Readonly<Record<string, number>>,
  outputs: Outputs,
  io: Io,
): Promise<number> {
  const { values, data } = line;
  const { instances } = inputs;
  const answers = [...earlier, ...asking.answers];
  const known = { ...inputs, constraints: session.constraints };
  const overruled = overruledOf(asking);
  const believed = answers.filter(({ number }) => !overruled.some((each) => each.number === number));
  const result = finish({ points: instances, constraints: known.constraints }, session.outcome);
  const report = reportFor(
    request,
    known,
    result,
    answers,
    [...inputs.notices, ...notices],
    timings,
    weighed(request, asking, overruled),
  );
  for (const { number, why } of overruled) line.log?.append({ record: "overruled", number, why });
  const out = textOf(values, "constraints-out");
  const pieces = () => writeConstraints(constraintsOf(believed, inputs), instances.ids);
  await outputs.write([
    ...(await reportOutputs(report, result, known, { values, title: basename(data ?? textOf(values, "distances")!) }, io)),
    ...(out === undefined ? [] : [{ path: out, pieces: pieces(), source: () => provenanceOf(inputs) }]),
  ]);
  if (!values.quiet) {
    const { questions: _, ...rest } = report;
    const summary = summaryOf(rest, instances, request.strategy.title, countConstraints(session.constraints), io.columns);
    io.say(
      "",
      endingLine(ending, report, request),
      ...overruledLines(overruled, asking),
      ...summary,
      ...closingLines(line, ending),
    );
  }
  if (values.json) await io.out(`${JSON.stringify(report)}\n`);
  return values.strict && violationCount(report.violations) > 0 ? 4 : 0;
}

function constraintsOf(answers: readonly AnswerRecord[], { instances }: Inputs) {
  const ids = new Set(Array.from({ length: instances.n }, (_, row) => instances.ids?.[row] ?? row));
  const there = answers.filter(({ ask: asked }) => asked.every((id) => ids.has(id)));
  return constraints(instances, { ...statementsOf(there), exclusive: [], ids: "ids" });
}

function reportFor(
  { strategy, options, k, budget, seed }: AskRequest,
  { instances, constraints: known }: Inputs,
  result: Result,
  answers: readonly AnswerRecord[],
  notices: readonly string[],
  timings: Readonly<Record<string, number>>,
  weighed: Pick<QuestionCounts, "errorRate" | "overruled">,
): Report {
  return reportOf(
    { spec: { algorithm: strategy.name, options: { ...(k === undefined ? {} : { k }), ...options }, seed }, result },
    {
      version: VERSION,
      points: instances,
      constraints: known,
      rows: instances.rows,
      total: instances.total,
      notices,
      dominance: instances.dominance,
      timings,
      questions: {
        strategy: strategy.name,
        budget,
        asked: answers.length,
        unsure: answers.filter(({ answer }) => answer === "unsure").length,
        ...weighed,
      },
    },
  );
}

function endingLine(ending: Ending, { questions }: Report, { budget }: AskRequest): string {
  const { asked, unsure } = questions!;
  const open = unsure > 0 ? ` (${unsure} left open)` : "";
  const count = `${asked} ${asked === 1 ? "question" : "questions"}${open}`;
  if (ending !== "nothing left") return `Stopped after ${count}.`;
  return asked >= budget ? `All ${count} answered.` : `Nothing more is worth asking after ${count}.`;
}

function closingLines(line: Line, ending: Ending): string[] {
  const { targets, log, path, values } = line;
  const result = targets.length > 0 || values.json || OUTPUTS.some((name) => values[name] === "-");
  return [
    ...writtenLines(targets),
    ...(log ? [`The answers are in ${path}.`] : []),
    ...(log && ending !== "nothing left" ? [`Go on with: ${again(line)}`] : []),
    ...(log && !result ? [`To write the clusters: ${again(line)} --out labels.csv`] : []),
  ];
}
