/** From a log and a table to a dialogue that stands where it was left. */
import { createHash } from "node:crypto";
import {
  badInput,
  type ConstraintSet,
  closeConstraints,
  drive,
  type Kernels,
  refuseContradictions,
  type Session,
  type Step,
  type Steps,
  startAskingSteps,
} from "@coterie/core/internal";
import {
  type AnswerRecord,
  type AnswersLog,
  mergeConstraintSets,
  openBytes,
  type StartRecord,
  writeConstraints,
} from "@coterie/data";
import { Asking, type Continuation, continuationOf, everyTurn, knownFrom } from "@coterie/workbench";
import type { Io } from "../command.js";
import { listOf, textOf, type Values } from "../flags.js";
import { pause } from "../host.js";
import type { Inputs } from "../inputs.js";
import type { Progress } from "../progress.js";
import { VERSION } from "../version.js";
import type { AskRequest } from "./request.js";

export interface Dialogue {
  readonly asking: Asking;
  /** Answers from stretches of the log before this one. */
  readonly earlier: readonly AnswerRecord[];
  readonly notices: readonly string[];
}

export interface Opening {
  readonly request: AskRequest;
  readonly inputs: Inputs;
  readonly log: AnswersLog | null;
  readonly path: string;
  /** The table as the line names it. */
  readonly data: string | undefined;
  readonly kernels: Kernels;
  readonly acceptChanges: boolean;
}

export async function openDialogue(opening: Opening, io: Io, progress: Progress): Promise<Dialogue> {
  const { log, inputs, request } = opening;
  const checked = (answers: readonly AnswerRecord[]) =>
    refuseContradictions(closeConstraints(knownWith(answers, inputs).set), inputs.instances.ids);
  const open = async (earlier: readonly AnswerRecord[], known: ConstraintSet) => {
    const session = await openSession(opening, known, earlier, io, progress);
    const drive = (steps: Steps<void>) => driven(steps, io, progress);
    return new Asking(session, inputs.instances, log, { earlier, budget: request.budget, drive, check: checked });
  };
  if (!log) return { asking: await open([], inputs.constraints), earlier: [], notices: [] };
  const start = await startRecord(opening);
  const continuation = continuationOf(log.stretches, start);
  refuseChanges(continuation, opening);
  if (continuation.kind === "continue") {
    const { earlier, replay } = continuation;
    const asking = await open(earlier, knownWith(earlier, inputs).set);
    if (await asking.replay(replay)) {
      if (log.stretches.at(-1)!.start.budget !== request.budget) log.append({ record: "budget", budget: request.budget });
      return { asking, earlier, notices: [] };
    }
  }
  const earlier = continuation.kind === "begin" ? [] : allOf(continuation);
  const { set, lost } = knownWith(earlier, inputs);
  const asking = await open(earlier, set);
  log.append(start);
  return { asking, earlier, notices: noticesOf(continuation, earlier, lost) };
}

function allOf(continuation: Exclude<Continuation, { kind: "begin" }>): readonly AnswerRecord[] {
  return continuation.kind === "anew" ? continuation.earlier : [...continuation.earlier, ...continuation.replay];
}

/** What was given, and what was answered under other circumstances. */
function knownWith(earlier: readonly AnswerRecord[], { constraints, instances }: Inputs) {
  if (earlier.length === 0) return { set: constraints, lost: [] };
  const { set, lost } = knownFrom(earlier, instances);
  return { set: { ...mergeConstraintSets([constraints, set], instances).set, exclusive: constraints.exclusive }, lost };
}

async function openSession(
  { request: { strategy, options, k, budget, seed, errorRate }, inputs: { instances }, kernels }: Opening,
  constraints: ConstraintSet,
  earlier: readonly AnswerRecord[],
  io: Io,
  progress: Progress,
): Promise<Session> {
  const steps = startAskingSteps({
    points: instances,
    strategy: strategy.name,
    options,
    constraints,
    // The session gets questions that nobody could answer before as "unsure"; each costs it one question.
    budget: Math.max(0, budget - earlier.filter(({ answer }) => answer !== "unsure").length),
    seed,
    errorRate,
    kernels,
    ...(k === undefined ? {} : { k }),
  });
  return await driven(steps, io, progress);
}

/** Work of a session, with pauses, progress and an end at Ctrl-C. */
export async function driven<R>(steps: Steps<R>, { signal }: Pick<Io, "signal">, progress: Progress): Promise<R> {
  let shown = false;
  const onStep = (step: Step): void => {
    shown = true;
    progress.show(step);
  };
  // What was shown before is not taken away by work that has nothing to show.
  return await drive(steps, { pause, due: everyTurn(), signal, onStep }).finally(() => shown && progress.clear());
}

async function startRecord({ request, data, inputs: { instances, constraints } }: Opening): Promise<StartRecord> {
  const { strategy, options, k, budget, seed, reading, values, errorRate } = request;
  const distances = await distancesFacts(values);
  return {
    record: "start",
    format: 1,
    version: VERSION,
    data: data ?? instances.file,
    sha256: await instances.contentHash(),
    rows: instances.n,
    features: [...(instances.names ?? [])],
    strategy: strategy.name,
    options: JSON.parse(JSON.stringify(options)),
    k: k ?? null,
    budget,
    seed,
    reading,
    constraints: listOf(values, "constraints") ?? [],
    known: hashOf(writeConstraints(constraints, instances.ids)),
    ...(errorRate === 0 ? {} : { errorRate }),
    ...(distances ? { distances } : {}),
  };
}

async function distancesFacts(values: Values): Promise<StartRecord["distances"]> {
  const file = textOf(values, "distances");
  if (file === undefined) return undefined;
  const hash = createHash("sha256");
  for await (const piece of (await openBytes(file)).chunks) hash.update(piece);
  return { file, sha256: hash.digest("hex") };
}

function hashOf(pieces: Iterable<string>): string {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
}

/** Other data under the same answers is never passed over in silence. */
function refuseChanges(continuation: Continuation, { inputs, path, acceptChanges }: Opening): void {
  if (continuation.kind !== "anew" || acceptChanges) return;
  const data = continuation.changed.filter((what) => ["the data", "the number of rows", "the distances"].includes(what));
  if (data.length === 0) return;
  throw badInput(
    `The answers were given about other data: since then ${data.join(" and ")} changed (${inputs.instances.file}).`,
    {
      file: path,
      remedy:
        "Bring the old file back, begin another log (--answers FILE), or keep the answers as knowledge about the new data (--accept-changes).",
    },
  );
}

function noticesOf(continuation: Continuation, earlier: readonly AnswerRecord[], lost: readonly AnswerRecord[]): string[] {
  if (earlier.length === 0) return [];
  const answers = earlier.length === 1 ? "the one answer so far is" : `the ${earlier.length} answers so far are`;
  const why =
    continuation.kind === "anew"
      ? `The log was begun with other settings (${continuation.changed.join(", ")})`
      : "The strategy asks other questions now than when the log was begun";
  return [
    `${why}: ${answers} kept as knowledge, and questions go on from there.`,
    ...(lost.length > 0 ? [`${lost.length} of them are about rows that are no longer there and are left out.`] : []),
  ];
}
