/** The runs of a project: starts, follows, cancels, names and describes them, cuts their hierarchies again, and compares them. */
import { badOption, checkedOptions, methodNamed, type Report, takesK, titleOf } from "@coterie/core/internal";
import type { ClusterInput, ClusterOutput } from "../compute/cluster.js";
import { type ComparedRun, SCORE_TITLES } from "../compute/compare.js";
import type { Lettered } from "../compute/letters.js";
import { presetOf } from "../exports.js";
import type { ActiveConstraint, ConstraintLog } from "../log/constraint-log.js";
import { priced } from "../log/constraint-set.js";
import type { ProjectEvent } from "../protocol/events.js";
import type { Reading } from "../protocol/projects.js";
import type { RouteReply, RouteRequest } from "../protocol/routes.js";
import type { RunReply } from "../protocol/runs.js";
import { checkableOf } from "../protocol/tally.js";
import { fewerStarts, startsNotice } from "../starts.js";
import type { StoredProject } from "../store/store.js";
import { int32sFrom, int32Text } from "./base64.js";
import type { Context } from "./context.js";
import type { OpenProject } from "./open-project.js";
import { conflict, notFound, replyTo } from "./problems.js";

export interface FinishedRun extends Lettered {
  readonly run: RunReply;
}

interface LiveRun {
  readonly controller: AbortController;
  run: RunReply;
  done: Promise<void>;
}

/** Minimum time between two reports of progress, in milliseconds. */
const PROGRESS_MS = 250;

const CANCELLED = { state: "cancelled", problem: "Cancelled: nothing of it was kept." } as const;

export class Runs {
  readonly #project: OpenProject;
  readonly #context: Context;
  readonly #id: string;
  /** The runs that are running now, by number. */
  readonly #live = new Map<number, LiveRun>();
  /** Runs that are being repeated with other seeds, by the number of the original run. */
  readonly #repeated = new Map<number, { readonly controller: AbortController; readonly done: Promise<void> }>();
  /** The newest finished run. Null: there is none. Undefined: not read from the store yet. */
  #newest: FinishedRun | null | undefined;

  constructor(project: OpenProject) {
    this.#project = project;
    this.#context = project.context;
    this.#id = project.id;
  }

  async list(): Promise<RunReply[]> {
    const kept = await this.#context.store.runs(this.#id);
    return await Promise.all(kept.map((run) => this.#present(run)));
  }

  /** Returns a run in its present state. A run that was interrupted by the end of the studio becomes a failed run. */
  async #present(run: RunReply): Promise<RunReply> {
    if (run.state !== "waiting" && run.state !== "running") return run;
    const live = this.#live.get(run.number);
    if (live) return live.run;
    const problem = "The studio ended while this run was under way.";
    const ended: RunReply = { ...run, state: "failed", progress: null, problem };
    await this.#context.store.putRun(this.#id, ended);
    return ended;
  }

  async #run(number: number): Promise<RunReply> {
    const run = await this.#context.store.run(this.#id, number);
    if (!run) throw notFound(`There is no run ${number}.`);
    return await this.#present(run);
  }

  async #finished(number: number): Promise<FinishedRun> {
    const run = await this.#run(number);
    const finished = run.state === "done" ? await this.withLabels(run) : null;
    if (!finished) throw conflict(`Run ${number} has no result: it is ${run.state}.`);
    return finished;
  }

  /** Adds the labels of its rows to a run; null if the run saved no labels. */
  async withLabels(run: RunReply): Promise<FinishedRun | null> {
    const labels = await this.#context.store.artifact(this.#id, run.number, "labels");
    return labels === null || run.letters === null ? null : { run, labels: int32sFrom(labels), letters: run.letters };
  }

  /** The newest finished run; null if no run has finished yet. The table can have other rows now than in this run. */
  async newest(): Promise<FinishedRun | null> {
    if (this.#newest !== undefined) return this.#newest;
    const run = (await this.#context.store.runs(this.#id)).filter(({ state }) => state === "done").at(-1);
    const found = run ? await this.withLabels(run) : null;
    this.#newest ??= found;
    return this.#newest;
  }

  /** The newest finished run; null if it clusters other rows than the table has now. */
  async current(stored: StoredProject): Promise<FinishedRun | null> {
    const newest = await this.newest();
    return newest && (await this.#isAboutTheseRows(stored, newest.run.number)) ? newest : null;
  }

  /** The finished run with this number; null if it clusters other rows than the table has now. */
  async ofTheseRows(stored: StoredProject, number: number): Promise<FinishedRun | null> {
    const run = (await this.#context.store.runs(this.#id)).find((each) => each.number === number && each.state === "done");
    return run && (await this.#isAboutTheseRows(stored, number)) ? await this.withLabels(run) : null;
  }

  /** Returns the project with the reading of the table that the run used. It can differ from the present reading. */
  async asRead(stored: StoredProject, run: number): Promise<StoredProject> {
    const reading = await this.#artifact<Reading>(run, "reading");
    return reading === null ? stored : { ...stored, reading };
  }

  /** Whether a run clustered the rows that the table has now, in the same order and with the same names. */
  async #isAboutTheseRows(stored: StoredProject, run: number): Promise<boolean> {
    const then = await this.asRead(stored, run);
    if (then.reading.id !== stored.reading.id) return false;
    const [before, now] = await Promise.all([this.#context.factsOf(then), this.#context.factsOf(stored)]);
    if (before.n !== now.n || before.total !== now.total) return false;
    return before.rows === null || now.rows === null
      ? before.rows === now.rows
      : before.rows.every((row, i) => row === now.rows![i]);
  }

  async checkRows(stored: StoredProject, run: number): Promise<void> {
    if (!(await this.#isAboutTheseRows(stored, run)))
      throw conflict(`Run ${run} is about other rows: the table is read in another way since.`, "Run again.");
  }

  async start(stored: StoredProject, request: RouteRequest<"startRun">): Promise<RunReply> {
    const { algorithm, seed, choose, price } = request;
    const options = choose === undefined ? request.options : { ...request.options, k: choose.from };
    const asked = { algorithm, seed, ...(price === undefined || price === 1 ? {} : { price }) };
    if (choose === undefined) return await this.#begin(stored, { ...asked, options: withK(algorithm, options, stored) });
    if (choose.from > choose.to)
      throw badOption("choose", `${choose.from}..${choose.to}`, "a range of numbers, the smaller one first");
    return await this.#begin(stored, { ...asked, options, choose });
  }

  async #begin(
    stored: StoredProject,
    asked: RunReply["spec"],
    given?: Pick<ConstraintLog, "upTo" | "active">,
  ): Promise<RunReply> {
    const { store, options: host } = this.#context;
    const method = methodNamed(asked.algorithm);
    const { k, height, stopBeforeViolation, init } = asked.options;
    if (takesK(method) && k === undefined && height === undefined && !stopBeforeViolation)
      throw badOption("k", undefined, "given: say how many clusters");
    const starts = fewerStarts(asked.options, !Array.isArray(init) && presetOf(asked.algorithm, "restarts") !== undefined);
    const spec = starts === undefined ? asked : { ...asked, options: { ...asked.options, restarts: starts } };
    const checked = checkedOptions(method.options, spec.options) as Readonly<Record<string, unknown>>;
    const { upTo, active: known } = given ?? (await this.#project.table(stored)).log;
    // `given`: constraints of an earlier run. Their weights already include the price.
    const active = given || spec.price === undefined ? known : priced(known, spec.price);
    const number = await store.takeRunNumber(this.#id);
    const run: RunReply = {
      number,
      spec,
      title: titleOf(method, checked),
      state: "waiting",
      created: host.now(),
      version: host.version,
      upTo,
      used: 0,
      given: checkableOf(active),
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
    await store.putRun(this.#id, run);
    this.#follow(stored, run, active, starts === undefined ? [] : [startsNotice(starts, Number(k))]);
    return run;
  }

  #follow(stored: StoredProject, begun: RunReply, active: readonly ActiveConstraint[], notices: readonly string[]): void {
    const { number } = begun;
    const live: LiveRun = { controller: new AbortController(), run: begun, done: Promise.resolve() };
    const { signal } = live.controller;
    let reported = -Infinity;
    const onStep = ({ phase, done, total }: { phase: string; done: number; total: number | null }) => {
      if (this.#live.get(number) !== live || performance.now() - reported < PROGRESS_MS) return;
      reported = performance.now();
      const progress = { phase, done, total };
      const isFirst = live.run.state === "waiting";
      live.run = { ...live.run, state: "running", progress };
      if (isFirst) this.#publish({ type: "run", run: live.run });
      this.#publish({ type: "progress", run: number, progress });
    };
    const work = async () => {
      // Wait once, so that the caller receives the running run before the run can end.
      await Promise.resolve();
      let ended: RunReply;
      try {
        const before = await this.current(stored);
        const output = await this.#context.run(
          stored,
          "cluster",
          {
            active,
            spec: begun.spec,
            before: before ? { labels: before.labels, letters: before.letters, names: before.run.names } : null,
            sha256: stored.data.sha256,
            notices,
          },
          { signal, onStep },
        );
        await this.#context.store.putArtifact(this.#id, number, "reading", JSON.stringify(stored.reading));
        ended = await this.#keepOutput(begun, output, active);
      } catch (error) {
        ended = { ...begun, ...(signal.aborted ? { ...CANCELLED, progress: live.run.progress } : failureOf(error)) };
        await this.#context.store.putRun(this.#id, ended).catch(() => undefined);
      } finally {
        this.#live.delete(number);
      }
      this.#publish({ type: "run", run: ended });
      this.#publish({ type: "project" });
    };
    this.#live.set(number, live);
    live.done = work().catch(() => undefined);
    this.#publish({ type: "run", run: begun });
  }

  /** Saves the output of a run. The run counts as done only after that. */
  async #keepOutput(run: RunReply, output: ClusterOutput, active: readonly ActiveConstraint[]): Promise<RunReply> {
    const { report, labels, letters, names, title, used, broken, model, milliseconds } = output;
    const { store } = this.#context;
    await store.putArtifact(this.#id, run.number, "report", JSON.stringify(report));
    await store.putArtifact(this.#id, run.number, "labels", int32Text(labels));
    await store.putArtifact(this.#id, run.number, "said", JSON.stringify(active));
    if (model !== null) await store.putArtifact(this.#id, run.number, "model", model);
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
    await store.putRun(this.#id, done);
    const newest = await this.newest();
    if ((newest?.run.number ?? 0) <= run.number) this.#newest = { run: done, labels, letters };
    return done;
  }

  async reply(stored: StoredProject, number: number): Promise<RouteReply<"run">> {
    const run = await this.#run(number);
    const report = run.state === "done" ? await this.#artifact<Record<string, unknown>>(number, "report") : null;
    return { run, report, current: report === null || (await this.#isAboutTheseRows(stored, number)) };
  }

  async nameClusters({ run: number, names }: RouteRequest<"nameClusters">): Promise<RunReply> {
    const { run: before, labels, letters } = await this.#finished(number);
    if (names.length !== letters.length)
      throw badOption("names", names.length, `a name, or null, for each of the ${letters.length} clusters`);
    const cleaned = names.map((name) => (name === null || name.trim() === "" ? null : name.trim()));
    const after: RunReply = { ...before, names: cleaned.some((name) => name !== null) ? cleaned : null };
    await this.#context.store.putRun(this.#id, after);
    if ((await this.newest())?.run.number === number) this.#newest = { run: after, labels, letters };
    this.#publish({ type: "run", run: after });
    return after;
  }

  async cancel(number: number): Promise<RunReply> {
    const found = await this.#run(number);
    const live = this.#live.get(number);
    if (!live) throw conflict(`Run ${number} is not under way: it is ${found.state}.`);
    live.controller.abort();
    await live.done;
    return await this.#run(number);
  }

  /** The constraints with which a run began. The run saved them. */
  async givenTo(number: number): Promise<readonly ActiveConstraint[]> {
    return (await this.#artifact<ActiveConstraint[]>(number, "said")) ?? [];
  }

  async report(number: number): Promise<Report> {
    const report = await this.#artifact<Report>(number, "report");
    if (report === null) throw notFound(`Run ${number} has no report.`);
    return report;
  }

  async understanding(stored: StoredProject, number: number): Promise<RouteReply<"understanding">> {
    const { labels, letters } = await this.#finished(number);
    const { merges, metric } = await this.report(number);
    await this.checkRows(stored, number);
    const { log } = await this.#project.table(stored);
    // The table is read as the run read it, so that clusters are described by the columns of the run.
    const found = await this.#context.run(await this.asRead(stored, number), "understand", {
      run: { labels, letters },
      report: { ...(merges ? { merges } : {}), ...(metric ? { metric } : {}) },
      active: log.active,
    });
    return { run: number, ...found };
  }

  /**
   * Cuts the hierarchy of a finished run at another number of clusters, as a new run. It uses the constraints and the reading of the
   * original run, even if the project has changed since.
   */
  async cut(stored: StoredProject, { run: number, k }: RouteRequest<"cut">): Promise<RunReply> {
    const { run: before } = await this.#finished(number);
    const method = methodNamed(before.spec.algorithm);
    if (method.family !== "hierarchy") throw conflict(`${before.title} makes no hierarchy that could be cut elsewhere.`);
    const { height: _, stopBeforeViolation: __, ...options } = before.spec.options;
    const { choose: ___, ...spec } = before.spec;
    await this.checkRows(stored, number);
    const given = { upTo: before.upTo, active: await this.givenTo(number) };
    return await this.#begin(await this.asRead(stored, number), { ...spec, options: { ...options, k } }, given);
  }

  /** Repeats a run with several seeds, one after the other, beginning with its own seed. Saves all scores, then publishes an event. */
  async spread(stored: StoredProject, { run: number, seeds }: RouteRequest<"spread">): Promise<RouteReply<"spread">> {
    const { run: before, labels, letters } = await this.#finished(number);
    const active = await this.givenTo(number);
    const read = await this.asRead(stored, number);
    if (this.#repeated.has(number)) return { ok: true };
    const controller = new AbortController();
    const work = async () => {
      const values: Record<string, number[]> = {};
      for (let seed = 0; seed < seeds; seed++) {
        const input: ClusterInput = {
          active,
          spec: { ...before.spec, seed: before.spec.seed + seed },
          before: { labels, letters, names: null },
          sha256: stored.data.sha256,
          notices: [],
        };
        const { report } = await this.#context.run(read, "cluster", input, { signal: controller.signal });
        for (const [score, title] of SCORE_TITLES)
          if (report.scores) values[title] = [...(values[title] ?? []), report.scores[score]];
      }
      await this.#context.store.putArtifact(this.#id, number, "spread", JSON.stringify(values));
      this.#publish({ type: "run", run: before });
    };
    const done = work()
      .catch(() => undefined)
      .finally(() => this.#repeated.delete(number));
    this.#repeated.set(number, { controller, done });
    return { ok: true };
  }

  async compare(stored: StoredProject, { before, after }: RouteRequest<"compare">): Promise<RouteReply<"compare">> {
    for (const number of [before, after]) await this.checkRows(stored, number);
    const table = await this.#project.table(stored);
    const found = await table.run("compare", {
      active: table.log.active,
      before: await this.#compared(before),
      after: await this.#compared(after),
    });
    return { before, after, ...found };
  }

  async #compared(number: number): Promise<ComparedRun> {
    const { run, labels, letters } = await this.#finished(number);
    return {
      labels,
      k: letters.length,
      scores: run.scores as ComparedRun["scores"],
      clustered: (run.scoresOverClustered ?? null) as ComparedRun["clustered"],
      spread: await this.#artifact(number, "spread"),
    };
  }

  /** Cancels all running runs. */
  async close(): Promise<void> {
    const all = [...this.#live.values(), ...this.#repeated.values()];
    for (const { controller } of all) controller.abort();
    await Promise.all(all.map(({ done }) => done));
  }

  #publish(event: ProjectEvent): void {
    this.#context.events.publish(this.#id, event);
  }

  #artifact<T>(run: number, name: string): Promise<T | null> {
    return this.#context.artifact<T>(this.#id, run, name);
  }
}

/** Adds the project's number of clusters to the options, if the method needs k and the request gives none. */
function withK(algorithm: string, options: Readonly<Record<string, unknown>>, { k }: StoredProject): Record<string, unknown> {
  if (
    !takesK(methodNamed(algorithm)) ||
    k === null ||
    ["k", "height", "stopBeforeViolation"].some((name) => options[name] !== undefined)
  )
    return { ...options };
  return { k, ...options };
}

function failureOf(error: unknown): Pick<RunReply, "state" | "problem"> {
  const reply = replyTo(error);
  return { state: "failed", problem: reply?.message ?? "This is a bug in Coterie, please report it." };
}
