/** What a dialogue ends with: the report, and the words for people. */
import { basename } from "node:path";
import { constraints, countConstraints, type Merge, methodNamed, type Report, violationsOf } from "@coterie/core/internal";
import { type AnswerRecord, type AnswersLog, constraintListsOf, writeConstraints } from "@coterie/data";
import type { Io } from "../command.js";
import { textOf, type Values } from "../flags.js";
import type { Inputs } from "../inputs.js";
import type { Outputs, Target } from "../outputs/outputs.js";
import { provenanceOf, reportOutputs, writtenLines } from "../outputs/report-files.js";
import { strictCode } from "../outputs/strict.js";
import type { Progress } from "../progress.js";
import { summaryOf } from "../summary.js";
import type { Dialogue } from "./dialogue.js";
import { again } from "./go-on.js";
import { type Rows, reportElsewhere } from "./on-engine.js";
import type { AskRequest } from "./request.js";
import type { Ending } from "./talk.js";

const MOST_OVERRULED = 10;

/** Files that a dialogue may end in, by their flags. */
export const ASK_OUTPUTS = ["out", "report", "html", "constraints-out"] as const;

/** A dialogue that has come to its end. */
export interface Ended {
  readonly values: Values;
  readonly data: string | undefined;
  readonly path: string | undefined;
  readonly log: AnswersLog | null;
  readonly targets: readonly Target[];
  /** Where the rows are, if the questions were about some of them alone. */
  readonly rows: Rows | null;
  readonly request: AskRequest;
  readonly inputs: Inputs;
  readonly dialogue: Dialogue;
  readonly ending: Ending;
  readonly timings: Readonly<Record<string, number>>;
}

/** Clusters all rows with the answers, writes what the line asks for, and says what came of it. */
export async function conclude(end: Ended, outputs: Outputs, io: Io, progress: Progress): Promise<number> {
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
  // A page has the notices of the method alone.
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

/** The title of the method that made the clusters, or of the strategy if they are its own. */
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
