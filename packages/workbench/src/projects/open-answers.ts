/**
 * A workbench for a client in the same process. It has one table in memory, and one project. The project is stored in a log of answers.
 *
 * The questions continue where the log ended. A new stretch of the log begins if the settings changed, or if the session now asks other
 * questions. Then all earlier answers become known constraints.
 */
import { type ConstraintSet, DEFAULT_STRATEGY, type Instances } from "@coterie/core/internal";
import type { LoadedInstances, StartRecord, Stretch } from "@coterie/data/browser";
import type { ComputeHost } from "../compute/compute.js";
import { inIds } from "../compute/known.js";
import { createLocalCompute } from "../compute/local-compute.js";
import type { Watch } from "../pool.js";
import type { AskPlan, AskState } from "../protocol/asking.js";
import { reading } from "../protocol/projects.js";
import type { Call } from "../protocol/routes.js";
import {
  type AnswersLog,
  type AnswersStore,
  continuationOf,
  createAnswersStore,
  type LoggedAnswers,
} from "../store/answers-store.js";
import { type LoadedTable, rowsById } from "../tables/loaded-table.js";
import { createWorkbench } from "./workbench.js";

export interface AnswersTable {
  readonly instances: Instances &
    Omit<LoadedInstances, "instances" | "notices"> &
    Pick<LoadedTable["table"], "file" | "contentHash">;
  /** Constraints that are known before the first question. They must not contradict each other. */
  readonly constraints: ConstraintSet;
  readonly k: number | null;
  /** Returns notices about the table. isAnew: whether a new stretch of the log begins. */
  readonly notices: (isAnew: boolean) => readonly string[];
}

export interface AnswersHost extends Omit<ComputeHost, "load"> {
  /** Runs a task and shows its progress. Cancels the task if its result is no longer needed. */
  readonly watched: <R>(work: (watch: Watch) => Promise<R>) => Promise<R>;
}

export interface OpenAnswers {
  readonly call: Call;
  readonly store: AnswersStore;
  readonly plan: AskPlan & { readonly project: string };
  readonly state: AskState;
  /** Whether a new stretch of the log was begun, because the log had answers under other settings. */
  readonly isAnew: boolean;
}

/** log: the log of answers to continue. start: the start record to write if a new stretch begins. */
export interface ContinuedLog {
  readonly log: AnswersLog & { readonly stretches: readonly Stretch[] };
  readonly start: StartRecord;
}

/**
 * Opens the workbench and asks for the first question. If `continued` is null, answers are not saved. All answers in the log count for the
 * budget of the plan.
 */
export async function openAnswers(
  table: AnswersTable,
  plan: AskPlan,
  continued: ContinuedLog | null,
  host: AnswersHost,
): Promise<OpenAnswers> {
  const { strategy = DEFAULT_STRATEGY, errorRate = 0 } = plan;
  if (!continued) {
    const last = { start: { strategy, errorRate }, answers: [] };
    return { ...(await openAt(table, plan, { earlier: [], last }, null, host, false)), isAnew: false };
  }
  const { log, start } = continued;
  const { stretches } = log;
  const last = stretches.at(-1);
  if (last && continuationOf(stretches, start).kind === "continue") {
    const going = { ...last, start: { ...last.start, budget: start.budget } };
    const open = await openAt(table, plan, { earlier: stretches.slice(0, -1), last: going }, log, host, false);
    // If the budget is spent, no session was opened. Then `open.state.taken` is null, and the taken answers are counted here.
    const taken = open.state.taken ?? (last.answers.length === 0 ? 0 : (await open.call("asked", open.plan)).taken);
    if (taken === last.answers.length) {
      if (last.start.budget !== start.budget) log.append({ record: "budget", budget: start.budget });
      return { ...open, isAnew: false };
    }
  }
  const isAnew = stretches.some(({ answers }) => answers.length > 0);
  const open = await openAt(table, plan, { earlier: stretches, last: { start, answers: [] } }, log, host, isAnew);
  log.append(start);
  return { ...open, isAnew };
}

async function openAt(
  { instances, constraints, k, notices }: AnswersTable,
  { budget = 0, ...wanted }: AskPlan,
  logged: LoggedAnswers,
  log: AnswersLog | null,
  { watched, ...host }: AnswersHost,
  isAnew: boolean,
): Promise<Omit<OpenAnswers, "isAnew">> {
  const now = () => new Date().toISOString();
  const { file, rows, total, dropped, imputed, sources, early, dominance, contentHash } = instances;
  const table: LoadedTable = {
    ...{ instances, rows, total, dropped, imputed, sources, early, ...(dominance === undefined ? {} : { dominance }) },
    notices: notices(isAnew),
    table: { n: instances.n, file, columns: [], notices: [], contentHash },
    reading: reading.parse({}),
    rowOf: rowsById(instances),
    given: inIds(constraints, instances),
  };
  const project = { id: "answers", name: "answers", created: now(), changed: now(), data: { file, sha256: "", bytes: 0 } };
  const store = await createAnswersStore({ ...project, reading: table.reading, k, policy: "latest" }, logged, log, wanted.by);
  const local = createLocalCompute({ ...host, load: async () => table });
  const { call } = createWorkbench({
    store: store.store,
    compute: { ...local, run: (source, name, input) => watched((watch) => local.run(source, name, input, watch)) },
    samples: { list: async () => [], open: async () => null },
    version: host.version,
    now,
    keeps: "memory",
  });
  const plan = { ...wanted, project: project.id, budget: Math.max(0, budget - store.begun) };
  return { call, store, plan, state: await call("ask", plan) };
}
