/** What is taken away: files and words that others can go on with. */
import type { StartRecord } from "@coterie/data/browser";
import { asCommand, asTypeScript, type CopiedRun } from "../exports/copy.js";
import { answersFile, constraintsFile, labelsFile } from "../exports/files.js";
import type { Reading } from "../protocol/projects.js";
import type { RouteReply, RouteRequest } from "../protocol/routes.js";
import type { RunReply } from "../protocol/runs.js";
import type { StoredProject } from "../store/store.js";
import { type Desk, factsOf, finishedRun, newestRun, projectOf, sourceOf, standsIn } from "./desk.js";
import { conflict, notFound } from "./problems.js";
import { reportOfRun, saidIn } from "./run-routes.js";
import { asRead } from "./run-rows.js";

type Exported = RouteReply<"export">;

export async function exportFile(desk: Desk, request: RouteRequest<"export">): Promise<Exported> {
  const project = await projectOf(desk, request.project);
  const { kind } = request;
  if (kind === "constraints") return await exportConstraints(desk, project, request.run);
  if (kind === "answers") return await exportAnswers(desk, project);
  const run = await runFor(desk, project.id, request.run);
  const name = `${project.id}-run-${run.number}`;
  switch (kind) {
    case "labels":
      return { file: `${name}-labels.csv`, type: "text/csv", text: await labelsText(desk, project, run) };
    case "model":
      return { file: `${name}-model.json`, type: "application/json", text: await modelText(desk, project.id, run) };
    case "report-json":
      return { file: `${name}-report.json`, type: "application/json", text: await reportText(desk, project.id, run) };
    case "report-html":
      return { file: `${name}-report.html`, type: "text/html", text: await pageText(desk, project, run) };
    case "command":
      return { file: `${name}.sh`, type: "text/plain", text: asCommand(await copied(desk, project, run)) };
    case "typescript":
      return { file: `${name}.ts`, type: "text/plain", text: asTypeScript(await copied(desk, project, run)) };
  }
}

async function runFor(desk: Desk, id: string, number: number | undefined): Promise<RunReply> {
  const run = number === undefined ? ((await newestRun(desk, id))?.run ?? null) : await desk.store.run(id, number);
  if (!run) throw notFound(number === undefined ? "There is no finished run yet." : `There is no run ${number}.`);
  if (run.state !== "done") throw conflict(`Run ${run.number} has no result: it is ${run.state}.`);
  return run;
}

async function exportConstraints(desk: Desk, project: StoredProject, number: number | undefined): Promise<Exported> {
  if (number !== undefined) await runFor(desk, project.id, number);
  const said = number === undefined ? (await standsIn(desk, project)).said : await saidIn(desk, project.id, number);
  const file = number === undefined ? `${project.id}-constraints.csv` : `${project.id}-run-${number}-constraints.csv`;
  return { file, type: "text/csv", text: constraintsFile(said) };
}

async function labelsText(desk: Desk, project: StoredProject, run: RunReply): Promise<string> {
  const finished = await finishedRun(desk, project.id, run);
  // The rows by the names that they had then, however the table is read since.
  const { ids, n } = await factsOf(desk, await asRead(desk, project, run.number));
  if (finished?.labels.length !== n) throw conflict("The table is read in another way since this run.", "Run again.");
  return labelsFile(finished.labels, ids, run.names);
}

async function modelText({ store }: Desk, id: string, run: RunReply): Promise<string> {
  const text = await store.artifact(id, run.number, "model");
  if (text === null)
    throw conflict(`${run.title} has no rule for new rows, so there is no model.`, "Take the labels, or run another method.");
  if (run.names === null) return text;
  return `${JSON.stringify({ ...JSON.parse(text), names: run.names })}\n`;
}

async function reportText(desk: Desk, id: string, run: RunReply): Promise<string> {
  const report = await reportOfRun(desk, id, run.number);
  return `${JSON.stringify(run.names === null ? report : { ...report, names: run.names })}\n`;
}

async function pageText(desk: Desk, project: StoredProject, run: RunReply): Promise<string> {
  const { names } = run;
  return await desk.compute.run(sourceOf(desk, await asRead(desk, project, run.number)), "page", {
    report: await reportOfRun(desk, project.id, run.number),
    title: project.name,
    command: asCommand(await copied(desk, project, run)).trim(),
    ...(names === null ? {} : { names: names.map((name) => name ?? "") }),
    said: await saidIn(desk, project.id, run.number),
  });
}

async function copied(desk: Desk, project: StoredProject, run: RunReply): Promise<CopiedRun> {
  const { reading } = await asRead(desk, project, run.number);
  const samples = await desk.samples.list();
  const { file, sha256 } = project.data;
  const sample = samples.find((each) => each.sha256 === sha256 && file === `${each.name}.csv`);
  return {
    data: sample?.name ?? file,
    reading,
    spec: run.spec,
    k: run.spec.choose ? ((await reportOfRun(desk, project.id, run.number)).chosen?.k ?? run.k) : run.k,
    said: await saidIn(desk, project.id, run.number),
    file: `${project.id}-run-${run.number}-constraints.csv`,
  };
}

/** How the table is read, in the words of the command line's flags. */
function readingWords({ types, weights, recognise: _, ...reading }: Reading): StartRecord["reading"] {
  const pairs = (all: Readonly<Record<string, string | number>> | undefined) =>
    Object.entries(all ?? {}).map(([name, value]) => `${name}=${value}`);
  const lists = Object.entries({ type: pairs(types), weight: pairs(weights) }).filter(([, list]) => list.length > 0);
  const words = Object.entries(reading).map(([name, value]) => [name, Array.isArray(value) ? value : String(value)]);
  return Object.fromEntries([...words, ...lists]);
}

async function exportAnswers(desk: Desk, project: StoredProject): Promise<Exported> {
  const { knowledge } = await standsIn(desk, project);
  const facts = await factsOf(desk, project);
  const asked = knowledge.constraints.filter(({ from, counts }) => from.kind === "asked" && counts);
  const from = asked.at(-1)?.from;
  const start: StartRecord = {
    record: "start",
    format: 1,
    version: desk.version,
    data: project.data.file,
    sha256: project.data.sha256,
    rows: Math.max(1, facts.n),
    features: [...facts.features],
    strategy: from?.kind === "asked" ? from.strategy : "spreading",
    options: {},
    k: project.k,
    budget: asked.length,
    seed: 0,
    reading: readingWords(project.reading),
    constraints: [],
    known: "",
  };
  const text = answersFile(
    start,
    asked.map(({ constraint }) => constraint),
  );
  return { file: `${project.id}.answers.jsonl`, type: "application/jsonl", text };
}
