/** Files to take away: labels with names, constraints, models, reports, answers as the command line's log has them, runs as code. */
import { DEFAULT_STRATEGY, emptyConstraints, findStrategy, type InstanceId } from "@coterie/core/internal";
import { csvCell, type LogRecord, recordLine, type StartRecord, writeConstraints } from "@coterie/data/browser";
import { asCommand, asTypeScript, type CopiedRun } from "../exports.js";
import { recordOf } from "../log/answer-records.js";
import type { ActiveConstraint } from "../log/constraint-log.js";
import type { Constraint, Standing } from "../protocol/knowledge.js";
import type { Reading } from "../protocol/projects.js";
import type { RouteReply, RouteRequest } from "../protocol/routes.js";
import type { RunReply } from "../protocol/runs.js";
import { rowsOf } from "../protocol/sentences.js";
import { hashOf } from "../store/bytes.js";
import type { StoredProject } from "../store/store.js";
import type { OpenProject } from "./open-project.js";
import { conflict, notFound } from "./problems.js";

/** A text that begins with an apostrophe gets another one, so that without it the text is the same again. */
const FORMULA = /^'*\s*[=+\-@\t\r]/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** A cell for spreadsheets: a text that they would take for a formula gets an apostrophe in front; plain numbers stay. */
export function safeCell(value: string | number): string {
  const text = String(value);
  return csvCell(FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);
}

function labelsFile(labels: Int32Array, ids: readonly InstanceId[] | null, names: readonly (string | null)[] | null): string {
  const lines = [names ? "id,cluster,name" : "id,cluster"];
  labels.forEach((label, row) => {
    const name = names ? `,${safeCell(names[label] ?? "")}` : "";
    lines.push(`${safeCell(ids?.[row] ?? row)},${label}${name}`);
  });
  return `${lines.join("\n")}\n`;
}

function constraintsFile(active: readonly ActiveConstraint[]): string {
  const lines = active.flatMap(({ constraint }) => {
    const line = cellsOf(constraint);
    return line === null ? [] : [line.map((value) => (value === "" ? "" : safeCell(value))).join(",")];
  });
  return `${["type,a,b,c,weight", ...lines].join("\n")}\n`;
}

/** Exclusive columns and bounds on sizes are no lines of such a file. */
function cellsOf(constraint: Constraint): (string | number)[] | null {
  switch (constraint.type) {
    case "must-link":
    case "cannot-link":
      return [constraint.type, constraint.a, constraint.b, "", constraint.weight ?? 1];
    case "relative":
      return [constraint.type, constraint.a, constraint.b, constraint.c, constraint.weight ?? 1];
    case "label":
      return [constraint.type, constraint.a, constraint.class, "", constraint.weight ?? 1];
    default:
      return null;
  }
}

/** Answers, oldest first, under one start record. Of certain answers to the same question, the newest counts. */
function answersFile(start: LogRecord, answers: readonly AskedStanding[]): string {
  const questionOf = ({ entry, from, constraint }: AskedStanding) =>
    from.evidence ? entry : JSON.stringify(rowsOf(constraint).map(String).sort());
  const newest = new Map(answers.map((answer) => [questionOf(answer), answer]));
  const records = [...newest.values()]
    .sort((a, b) => a.seq - b.seq)
    .flatMap((answer) => recordOf({ ...answer, by: answer.from.program ?? answer.by }, 1) ?? []);
  return [start, ...records.map((record, i) => ({ ...record, number: i + 1 }))].map(recordLine).join("");
}

type AskedStanding = Standing & { readonly from: { readonly kind: "asked" } };

/* The exports of a project. */

type Exported = RouteReply<"export">;

export async function exportFile(
  project: OpenProject,
  stored: StoredProject,
  { kind, run: number }: RouteRequest<"export">,
): Promise<Exported> {
  if (kind === "constraints") return await exportConstraints(project, stored, number);
  if (kind === "answers") return await exportAnswers(project, stored);
  const run = await runFor(project, number);
  const name = `${project.id}-run-${run.number}`;
  switch (kind) {
    case "labels":
      return { file: `${name}-labels.csv`, type: "text/csv", text: await labelsText(project, stored, run) };
    case "model":
      return { file: `${name}-model.json`, type: "application/json", text: await modelText(project, run) };
    case "report-json":
      return { file: `${name}-report.json`, type: "application/json", text: await reportText(project, run) };
    case "report-html":
      return { file: `${name}-report.html`, type: "text/html", text: await pageText(project, stored, run) };
    case "command":
      return { file: `${name}.sh`, type: "text/plain", text: asCommand(await copied(project, stored, run)) };
    case "typescript":
      return { file: `${name}.ts`, type: "text/plain", text: asTypeScript(await copied(project, stored, run)) };
  }
}

async function runFor({ context, id, runs }: OpenProject, number: number | undefined): Promise<RunReply> {
  const run = number === undefined ? ((await runs.newest())?.run ?? null) : await context.store.run(id, number);
  if (!run) throw notFound(number === undefined ? "There is no finished run yet." : `There is no run ${number}.`);
  if (run.state !== "done") throw conflict(`Run ${run.number} has no result: it is ${run.state}.`);
  return run;
}

async function exportConstraints(project: OpenProject, stored: StoredProject, number: number | undefined): Promise<Exported> {
  if (number !== undefined) await runFor(project, number);
  const active = number === undefined ? (await project.table(stored)).log.active : await project.runs.givenTo(number);
  const file = number === undefined ? `${stored.id}-constraints.csv` : `${stored.id}-run-${number}-constraints.csv`;
  return { file, type: "text/csv", text: constraintsFile(active) };
}

async function labelsText({ context, runs }: OpenProject, stored: StoredProject, run: RunReply): Promise<string> {
  const finished = await runs.withLabels(run);
  // The rows by the names that they had then, however the table is read since.
  const { ids, n } = await context.factsOf(await runs.asRead(stored, run.number));
  if (finished?.labels.length !== n) throw conflict("The table is read in another way since this run.", "Run again.");
  return labelsFile(finished.labels, ids, run.names);
}

async function modelText({ context, id }: OpenProject, run: RunReply): Promise<string> {
  const text = await context.store.artifact(id, run.number, "model");
  if (text === null)
    throw conflict(`${run.title} has no rule for new rows, so there is no model.`, "Take the labels, or run another method.");
  if (run.names === null) return text;
  return `${JSON.stringify({ ...JSON.parse(text), names: run.names })}\n`;
}

async function reportText({ runs }: OpenProject, run: RunReply): Promise<string> {
  const report = await runs.report(run.number);
  return `${JSON.stringify(run.names === null ? report : { ...report, names: run.names })}\n`;
}

async function pageText(project: OpenProject, stored: StoredProject, run: RunReply): Promise<string> {
  const { context, runs } = project;
  const { names } = run;
  return await context.run(await runs.asRead(stored, run.number), "page", {
    report: await runs.report(run.number),
    title: stored.name,
    command: asCommand(await copied(project, stored, run)).trim(),
    ...(names === null ? {} : { names: names.map((name) => name ?? "") }),
    active: await runs.givenTo(run.number),
  });
}

async function copied({ context, runs }: OpenProject, stored: StoredProject, run: RunReply): Promise<CopiedRun> {
  const { reading } = await runs.asRead(stored, run.number);
  const samples = await context.options.samples.list();
  const { file, sha256 } = stored.data;
  const sample = samples.find((each) => each.sha256 === sha256 && file === `${each.name}.csv`);
  return {
    data: sample?.name ?? file,
    reading,
    spec: run.spec,
    k: run.spec.choose ? ((await runs.report(run.number)).chosen?.k ?? run.k) : run.k,
    active: await runs.givenTo(run.number),
    file: `${stored.id}-run-${run.number}-constraints.csv`,
  };
}

/** How the table is read, in the words of the command line's flags. */
function readingWords({ types, weights, transforms, recognise: _, ...reading }: Reading): StartRecord["reading"] {
  const pairs = (all: Readonly<Record<string, string | number>> | undefined) =>
    Object.entries(all ?? {}).map(([name, value]) => `${name}=${value}`);
  const lists = Object.entries({ type: pairs(types), weight: pairs(weights), transform: pairs(transforms) }).filter(
    ([, list]) => list.length > 0,
  );
  const words = Object.entries(reading).map(([name, value]) => [name, Array.isArray(value) ? value : String(value)]);
  return Object.fromEntries([...words, ...lists]);
}

async function exportAnswers(project: OpenProject, stored: StoredProject): Promise<Exported> {
  const table = await project.table(stored);
  const { facts, log } = table;
  const isAsked = (standing: Standing): standing is AskedStanding => standing.from.kind === "asked";
  // Evidence that others outweigh goes along: whoever reads the log weighs the answers again.
  const asked = log
    .reply()
    .constraints.filter(isAsked)
    .filter(({ counts, from, constraint }) => counts || (from.evidence && rowsOf(constraint).every(table.hasRow)));
  const newest = asked.at(-1)?.from;
  const strategy = (newest && findStrategy(newest.strategy)) ?? findStrategy(DEFAULT_STRATEGY)!;
  const errorRate = asked.findLast(({ from }) => from.evidence)?.from.evidence;
  const none = [...writeConstraints(emptyConstraints(facts.n), undefined)].join("");
  const start: StartRecord = {
    record: "start",
    format: 1,
    version: project.context.options.version,
    data: stored.data.file,
    sha256: stored.data.sha256,
    rows: Math.max(1, facts.n),
    features: [...facts.features],
    strategy: strategy.name,
    options: strategy.options.parse({}) as StartRecord["options"],
    k: stored.k,
    budget: asked.length,
    seed: 0,
    reading: readingWords(stored.reading),
    constraints: [],
    known: await hashOf(new TextEncoder().encode(none)),
    ...(errorRate === undefined ? {} : { errorRate }),
  };
  return { file: `${stored.id}.answers.jsonl`, type: "application/jsonl", text: answersFile(start, asked) };
}
