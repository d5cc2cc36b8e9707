/** Runs: started, followed, cancelled, named, cut elsewhere; what they found, and two of them side by side. */
import { badOption, checkedOptions, methodNamed, type Report, titleOf } from "@coterie/core/internal";
import type { ClusterOutput } from "../compute/cluster.js";
import { type ComparedRun, SCORE_TITLES } from "../compute/compare.js";
import { presetOf } from "../exports/copy.js";
import { priced, type Said } from "../knowledge/constraint-set.js";
import type { RouteReply, RouteRequest } from "../protocol/routes.js";
import type { RunReply } from "../protocol/runs.js";
import { checkableOf } from "../protocol/tally.js";
import { fewerStarts, startsNotice } from "../starts.js";
import type { StoredProject } from "../store/store.js";
import { int32Text } from "./base64.js";
import {
  artifactJson,
  type Desk,
  type FinishedRun,
  finishedRun,
  newestRun,
  projectOf,
  setNewest,
  sourceOf,
  standsIn,
} from "./desk.js";
import { conflict, notFound, replyTo } from "./problems.js";
import { asRead, checkRows, currentRun, isAboutTheseRows } from "./run-rows.js";

/** Runs that are under way, by project and number. */
export interface UnderWay {
  readonly controller: AbortController;
  run: RunReply;
  readonly done: Promise<void>;
}

const underWay = new WeakMap<Desk, Map<string, UnderWay>>();

export function runsUnderWay(desk: Desk): Map<string, UnderWay> {
  const all = underWay.get(desk) ?? new Map<string, UnderWay>();
  underWay.set(desk, all);
  return all;
}

export async function runs(desk: Desk, { project: id }: RouteRequest<"runs">): Promise<RunReply[]> {
  await projectOf(desk, id);
  const kept = await desk.store.runs(id);
  return await Promise.all(kept.map((run) => current(desk, id, run)));
}

/** A run as it is now; one that was under way when the studio ended is told to have ended with it. */
async function current(desk: Desk, id: string, run: RunReply): Promise<RunReply> {
  if (run.state !== "waiting" && run.state !== "running") return run;
  const live = runsUnderWay(desk).get(`${id} ${run.number}`);
  if (live) return live.run;
  const ended: RunReply = { ...run, state: "failed", progress: null, problem: "The studio ended while this run was under way." };
  await desk.store.putRun(id, ended);
  return ended;
}

async function runOf(desk: Desk, id: string, number: number): Promise<RunReply> {
  await projectOf(desk, id);
  const run = await desk.store.run(id, number);
  if (!run) throw notFound(`There is no run ${number}.`);
  return await current(desk, id, run);
}

async function finishedOf(desk: Desk, id: string, number: number): Promise<FinishedRun> {
  const run = await runOf(desk, id, number);
  const finished = run.state === "done" ? await finishedRun(desk, id, run) : null;
  if (!finished) throw conflict(`Run ${number} has no result: it is ${run.state}.`);
  return finished;
}

export async function startRun(desk: Desk, request: RouteRequest<"startRun">): Promise<RunReply> {
  const { algorithm, seed, choose, price } = request;
  const options = choose === undefined ? request.options : { ...request.options, k: choose.from };
  const project = await projectOf(desk, request.project);
  const told = { algorithm, seed, ...(price === undefined || price === 1 ? {} : { price }) };
  if (choose === undefined) return await begin(desk, project, { ...told, options: withK(algorithm, options, project) });
  if (choose.from > choose.to)
    throw badOption("choose", `${choose.from}..${choose.to}`, "a range of numbers, the smaller one first");
  return await begin(desk, project, { ...told, options, choose });
}

/** The project's k, where the method wants one and the request names none. */
function withK(algorithm: string, options: Readonly<Record<string, unknown>>, { k }: StoredProject): Record<string, unknown> {
  if (k === null || ["k", "height", "stopBeforeViolation"].some((name) => options[name] !== undefined)) return { ...options };
  methodNamed(algorithm);
  return { k, ...options };
}

interface KnownThen {
  readonly upTo: number;
  /** With the run's price in their weights. */
  readonly said: readonly Said[];
}

async function knownNow(desk: Desk, project: StoredProject, price: number | undefined): Promise<KnownThen> {
  const { knowledge, said } = await standsIn(desk, project);
  return { upTo: knowledge.upTo, said: price === undefined ? said : priced(said, price) };
}

async function begin(desk: Desk, project: StoredProject, asked: RunReply["spec"], known?: KnownThen): Promise<RunReply> {
  const method = methodNamed(asked.algorithm);
  const { k, height, stopBeforeViolation, init } = asked.options;
  if (k === undefined && height === undefined && !stopBeforeViolation)
    throw badOption("k", undefined, "given: say how many clusters");
  const starts = fewerStarts(asked.options, !Array.isArray(init) && presetOf(asked.algorithm, "restarts") !== undefined);
  const spec = starts === undefined ? asked : { ...asked, options: { ...asked.options, restarts: starts } };
  const checked = checkedOptions(method.options, spec.options) as Readonly<Record<string, unknown>>;
  const { upTo, said } = known ?? (await knownNow(desk, project, spec.price));
  const number = await desk.store.takeRunNumber(project.id);
  const run: RunReply = {
    number,
    spec,
    title: titleOf(method, checked),
    state: "waiting",
    created: desk.now(),
    version: desk.version,
    upTo,
    used: 0,
    given: checkableOf(said),
    progress: null,
    problem: null,
    milliseconds: null,
    k: null,
    sizes: null,
    letters: null,
    names: null,
    broken: null,
    objective: null,
    scores: null,
  };
  await desk.store.putRun(project.id, run);
  follow(desk, project, run, said, starts === undefined ? [] : [startsNotice(starts, Number(k))]);
  return run;
}

/** Progress is told at most four times a second. */
const PROGRESS_MS = 250;

function follow(desk: Desk, project: StoredProject, begun: RunReply, said: readonly Said[], notices: readonly string[]): void {
  const key = `${project.id} ${begun.number}`;
  const controller = new AbortController();
  const all = runsUnderWay(desk);
  const tell = (run: RunReply) => desk.events.publish(project.id, { type: "run", run });
  let told = -Infinity;
  const onStep = ({ phase, done, total }: { phase: string; done: number; total: number | null }) => {
    const live = all.get(key);
    if (!live || performance.now() - told < PROGRESS_MS) return;
    told = performance.now();
    const progress = { phase, done, total };
    const first = live.run.state === "waiting";
    live.run = { ...live.run, state: "running", progress };
    if (first) tell(live.run);
    desk.events.publish(project.id, { type: "progress", run: begun.number, progress });
  };
  const work = async () => {
    // The caller hears of the run before it ends.
    await Promise.resolve();
    let ended: RunReply;
    try {
      const before = await currentRun(desk, project);
      const input = {
        said,
        spec: begun.spec,
        before: before ? { labels: before.labels, letters: before.letters, names: before.run.names } : null,
        sha256: project.data.sha256,
        notices,
      };
      const output = await desk.compute.run(sourceOf(desk, project), "cluster", input, { signal: controller.signal, onStep });
      await desk.store.putArtifact(project.id, begun.number, "reading", JSON.stringify(project.reading));
      ended = await keepOutput(desk, project.id, begun, output, said);
    } catch (error) {
      const reached = all.get(key)?.run.progress ?? null;
      ended = { ...begun, ...(controller.signal.aborted ? { ...CANCELLED, progress: reached } : failureOf(error)) };
      await desk.store.putRun(project.id, ended).catch(() => undefined);
    } finally {
      all.delete(key);
    }
    tell(ended);
    desk.events.publish(project.id, { type: "project" });
  };
  const live: UnderWay = { controller, run: begun, done: Promise.resolve() };
  all.set(key, live);
  Object.assign(live, { done: work().catch(() => undefined) });
  tell(begun);
}

const CANCELLED = { state: "cancelled", problem: "Cancelled: nothing of it was kept." } as const;

function failureOf(error: unknown): Pick<RunReply, "state" | "problem"> {
  const reply = replyTo(error);
  return { state: "failed", problem: reply?.message ?? "This is a bug in Coterie, please report it." };
}

/** What a run left behind goes to disk before the run counts as done. */
async function keepOutput(
  desk: Desk,
  id: string,
  run: RunReply,
  output: ClusterOutput,
  said: readonly Said[],
): Promise<RunReply> {
  const { report, labels, letters, names, title, used, broken, model, milliseconds } = output;
  const { store } = desk;
  await store.putArtifact(id, run.number, "report", JSON.stringify(report));
  await store.putArtifact(id, run.number, "labels", int32Text(labels));
  await store.putArtifact(id, run.number, "said", JSON.stringify(said));
  if (model !== null) await store.putArtifact(id, run.number, "model", model);
  const done: RunReply = {
    ...run,
    state: "done",
    title,
    used,
    milliseconds,
    k: report.k,
    sizes: [...report.sizes],
    letters: [...letters],
    names: names === null ? null : [...names],
    broken,
    objective: report.objective ?? null,
    scores: report.scores ?? null,
    ...(report.scoresOverClustered ? { scoresOverClustered: report.scoresOverClustered } : {}),
  };
  await store.putRun(id, done);
  const newest = await newestRun(desk, id);
  if ((newest?.run.number ?? 0) <= run.number) setNewest(desk, id, { run: done, labels, letters });
  return done;
}

export async function run(desk: Desk, { project: id, run: number }: RouteRequest<"run">): Promise<RouteReply<"run">> {
  const found = await runOf(desk, id, number);
  const report = found.state === "done" ? await artifactJson<Record<string, unknown>>(desk, id, number, "report") : null;
  if (report === null) return { run: found, report, current: true };
  return { run: found, report, current: await isAboutTheseRows(desk, await projectOf(desk, id), number) };
}

export async function nameClusters(
  desk: Desk,
  { project: id, run: number, names }: RouteRequest<"nameClusters">,
): Promise<RunReply> {
  const { run: before, labels, letters } = await finishedOf(desk, id, number);
  if (names.length !== letters.length)
    throw badOption("names", names.length, `a name, or null, for each of the ${letters.length} clusters`);
  const cleaned = names.map((name) => (name === null || name.trim() === "" ? null : name.trim()));
  const after: RunReply = { ...before, names: cleaned.some((name) => name !== null) ? cleaned : null };
  await desk.store.putRun(id, after);
  const newest = await newestRun(desk, id);
  if (newest?.run.number === number) setNewest(desk, id, { run: after, labels, letters });
  desk.events.publish(id, { type: "run", run: after });
  return after;
}

export async function cancelRun(desk: Desk, { project: id, run: number }: RouteRequest<"cancelRun">): Promise<RunReply> {
  const found = await runOf(desk, id, number);
  const live = runsUnderWay(desk).get(`${id} ${number}`);
  if (!live) throw conflict(`Run ${number} is not under way: it is ${found.state}.`);
  live.controller.abort();
  await live.done;
  return await runOf(desk, id, number);
}

/** What a run knew when it began, as it was kept. */
export async function saidIn(desk: Desk, id: string, number: number): Promise<readonly Said[]> {
  return (await artifactJson<Said[]>(desk, id, number, "said")) ?? [];
}

export async function reportOfRun(desk: Desk, id: string, number: number): Promise<Report> {
  const report = await artifactJson<Report>(desk, id, number, "report");
  if (report === null) throw notFound(`Run ${number} has no report.`);
  return report;
}

export async function understanding(
  desk: Desk,
  { project: id, run: number }: RouteRequest<"understanding">,
): Promise<RouteReply<"understanding">> {
  const project = await projectOf(desk, id);
  const { labels, letters } = await finishedOf(desk, id, number);
  const report = await reportOfRun(desk, id, number);
  await checkRows(desk, project, number);
  const { said } = await standsIn(desk, project);
  const { merges, metric } = report;
  // The clusters are told by the columns that made them.
  const found = await desk.compute.run(sourceOf(desk, await asRead(desk, project, number)), "understand", {
    run: { labels, letters },
    report: { ...(merges ? { merges } : {}), ...(metric ? { metric } : {}) },
    said,
  });
  return { run: number, ...found };
}

/** The hierarchy that people see, cut elsewhere: with what the run knew and how it read the table, whatever was said since. */
export async function cut(desk: Desk, { project: id, run: number, k }: RouteRequest<"cut">): Promise<RunReply> {
  const project = await projectOf(desk, id);
  const { run: before } = await finishedOf(desk, id, number);
  const method = methodNamed(before.spec.algorithm);
  if (method.family !== "hierarchy") throw conflict(`${before.title} makes no hierarchy that could be cut elsewhere.`);
  const { height: _, stopBeforeViolation: __, ...options } = before.spec.options;
  const { choose: ___, ...spec } = before.spec;
  await checkRows(desk, project, number);
  const known = { upTo: before.upTo, said: await saidIn(desk, id, number) };
  return await begin(desk, await asRead(desk, project, number), { ...spec, options: { ...options, k } }, known);
}

/** The same run with the next seeds, one after the other; the scores are kept, and whoever looks is told when they are there. */
export async function spread(
  desk: Desk,
  { project: id, run: number, seeds }: RouteRequest<"spread">,
): Promise<RouteReply<"spread">> {
  const project = await projectOf(desk, id);
  const { run: before, labels, letters } = await finishedOf(desk, id, number);
  const said = await saidIn(desk, id, number);
  const source = sourceOf(desk, await asRead(desk, project, number));
  const key = `${id} spread ${number}`;
  const all = runsUnderWay(desk);
  if (all.has(key)) return { ok: true };
  const controller = new AbortController();
  const work = async () => {
    const values: Record<string, number[]> = {};
    for (let seed = 0; seed < seeds; seed++) {
      const spec = { ...before.spec, seed: before.spec.seed + seed };
      const input = { said, spec, before: { labels, letters, names: null }, sha256: project.data.sha256, notices: [] };
      const { report } = await desk.compute.run(source, "cluster", input, { signal: controller.signal });
      for (const [score, title] of SCORE_TITLES)
        if (report.scores) values[title] = [...(values[title] ?? []), report.scores[score]];
    }
    await desk.store.putArtifact(id, number, "spread", JSON.stringify(values));
    desk.events.publish(id, { type: "run", run: before });
  };
  const done = work()
    .catch(() => undefined)
    .finally(() => all.delete(key));
  all.set(key, { controller, run: before, done });
  return { ok: true };
}

export async function compare(desk: Desk, request: RouteRequest<"compare">): Promise<RouteReply<"compare">> {
  const { project: id, before, after } = request;
  const project = await projectOf(desk, id);
  for (const number of [before, after]) await checkRows(desk, project, number);
  const { said } = await standsIn(desk, project);
  const found = await desk.compute.run(sourceOf(desk, project), "compare", {
    said,
    before: await comparedRun(desk, id, before),
    after: await comparedRun(desk, id, after),
  });
  return { before, after, ...found };
}

async function comparedRun(desk: Desk, id: string, number: number): Promise<ComparedRun> {
  const { run: found, labels, letters } = await finishedOf(desk, id, number);
  const { scores, scoresOverClustered } = found;
  return {
    labels,
    k: letters.length,
    scores: scores as ComparedRun["scores"],
    clustered: (scoresOverClustered ?? null) as ComparedRun["clustered"],
    spread: await artifactJson(desk, id, number, "spread"),
  };
}
