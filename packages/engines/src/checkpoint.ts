/** Saves the state of a run after every iteration, so that a later run can resume it. The state is one file. It is replaced atomically. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { badInput, type ConstraintSet, type Step } from "@coterie/core/internal";
import type { EngineRequest, Plan, PlanInput, PlanState, Statistics } from "@coterie/core/scale";
import { DAMAGED_STATE, stateFile } from "@coterie/core/scale";
import { putInPlace, removeStaleParts, stage } from "@coterie/data";

import type { Engine, EngineFacts } from "./engine.js";
import { pauses } from "./pauses.js";

/** A hash of everything that determines the result. A state can be resumed only by a run with the same fingerprint. */
export function fingerprintOf(input: PlanInput, { rows, names, ranges }: Statistics): string {
  const { method, options, constraints, ids, seed, scale } = input;
  const facts = [method, options, plain(constraints), ids, seed, scale, rows, names, ranges];
  return sha256(JSON.stringify(facts));
}

function plain({ mustLinks, cannotLinks, relative, labels }: ConstraintSet): unknown {
  const arrays = (of: object): unknown => Object.values(of).map((part) => Array.from(part as ArrayLike<unknown>, String));
  return [mustLinks, cannotLinks, relative, labels].map(arrays);
}

export interface Checkpoint {
  readonly folder: string;
  readonly file: string;
  keep(state: PlanState, fingerprint: string): Promise<void>;
  read(): { readonly state: PlanState; readonly fingerprint: string };
}

const NAME = "state.json";

export function openCheckpoint(folder: string): Checkpoint {
  const file = join(folder, NAME);
  try {
    mkdirSync(folder, { recursive: true });
    removeStaleParts(folder);
  } catch (error) {
    throw badInput(`The folder cannot be created (${(error as NodeJS.ErrnoException).code}).`, {
      file: folder,
      remedy: "Name another with --checkpoint.",
    });
  }
  return {
    folder,
    file,
    async keep(state, fingerprint) {
      try {
        const { error } = putInPlace([await stage(file, [written(state, fingerprint)], {})]);
        if (error !== undefined) throw error;
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code;
        if (code === undefined) throw error;
        const full =
          code === "ENOSPC" || code === "EDQUOT"
            ? "The disk is full: free some space, or name another folder."
            : "Name another folder.";
        throw badInput(`The state could not be written (${code}).`, { file, remedy: full });
      }
    },
    read: () => readBack(file),
  };
}

const FORMAT = "coterie-checkpoint";
const VERSION = 2;

function written(state: PlanState, fingerprint: string): string {
  const body = JSON.stringify({ fingerprint, state }, (_, value) =>
    ArrayBuffer.isView(value) ? { [value.constructor.name]: Array.from(value as Float64Array) } : value,
  );
  return `${JSON.stringify({ format: FORMAT, version: VERSION, checksum: sha256(body) }).slice(0, -1)},${body.slice(1)}\n`;
}

function readBack(file: string): { readonly state: PlanState; readonly fingerprint: string } {
  if (!existsSync(file)) throw badInput("There is no state to continue from.", { file, remedy: "Run without --resume first." });
  const refuse = (what: string): Error => badInput(what, { file, remedy: DAMAGED_STATE });
  const found = parsed(file);
  if (found?.format !== FORMAT) throw refuse("This is not a state of a run.");
  const { format: _, version, checksum, ...body } = found;
  if (version !== VERSION) throw refuse("The state was written by another version of Coterie.");
  if (!hasChecksum(body, checksum)) throw refuse("The state is damaged: it does not match its checksum.");
  const checked = stateFile.safeParse(body);
  if (!checked.success) throw refuse("The state is damaged: some of its fields are wrong.");
  return checked.data;
}

/** Whether the checksum belongs to the body. A body that is nested too deeply for JSON.stringify counts as wrong. */
function hasChecksum(body: object, checksum: unknown): boolean {
  try {
    return sha256(JSON.stringify(body)) === checksum;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function parsed(file: string): Record<string, unknown> | null {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export interface DriveOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: ((step: Step) => void) | undefined;
  readonly onStatistics?: ((statistics: Statistics) => void) | undefined;
  readonly keep?: ((state: PlanState) => Promise<void>) | undefined;
}

export interface Driven<R> {
  readonly outcome: R;
  readonly facts: EngineFacts;
}

export async function drivePlan<R>(
  plan: Plan<R>,
  engine: Engine,
  { signal, onStep, onStatistics, keep }: DriveOptions,
): Promise<Driven<R>> {
  let passes = 0;
  let rowsRead = 0;
  let rows = 0;
  const pause = pauses(signal);
  const answer = async (request: EngineRequest): Promise<unknown> => {
    switch (request.ask) {
      case "statistics": {
        onStep?.({ phase: "looking at all rows", done: 0, total: null });
        const found = await engine.statistics();
        rows = found.rows;
        onStatistics?.(found);
        return found;
      }
      case "pause":
        return pause();
      case "rows":
        return engine.rows(request.ids);
      case "sample":
        return engine.sample(request.size, request.seed);
      case "pass":
        onStep?.({ phase: "iterating", done: request.iteration, total: null });
        passes++;
        rowsRead += rows;
        return engine.pass(request.model);
      case "labels":
        onStep?.({ phase: "labelling", done: 0, total: null });
        passes++;
        rowsRead += rows;
        return engine.label(request.model, request.placed);
      case "keep":
        onStep?.({ phase: "iterating", done: request.state.iteration, total: null, objective: request.state.history.at(-1)! });
        return keep?.(request.state);
    }
  };
  try {
    let turn = plan.next();
    while (!turn.done) {
      signal?.throwIfAborted();
      const reply = await answer(turn.value);
      signal?.throwIfAborted();
      turn = plan.next(reply);
    }
    return { outcome: turn.value, facts: { name: engine.name, path: engine.path, passes, rowsRead } };
  } finally {
    plan.return(undefined as never);
  }
}
