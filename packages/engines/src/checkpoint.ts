/** States of a run on disk: one file, put in its place whole after every iteration. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { badInput, type ConstraintSet } from "@coterie/core/internal";
import type { PlanInput, PlanState, Statistics } from "@coterie/core/scale";
import { putInPlace, removeStaleParts, stage } from "@coterie/data";

const NAME = "state.json";

/** A run is the same if all that decides its answer is. */
export function fingerprintOf(input: PlanInput, { rows, names, ranges }: Statistics): string {
  const { method, options, constraints, ids, seed, scale } = input;
  const facts = [method, options, plain(constraints), ids, seed, scale, rows, names, ranges];
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex");
}

function plain({ mustLinks, cannotLinks, relative, labels }: ConstraintSet): unknown {
  const arrays = (of: object): unknown => Object.values(of).map((part) => Array.from(part as ArrayLike<unknown>, String));
  return [mustLinks, cannotLinks, relative, labels].map(arrays);
}

export interface Checkpoint {
  readonly folder: string;
  keep(state: PlanState, fingerprint: string): Promise<void>;
  /** The state that is there, and whose it is. */
  read(): { readonly state: PlanState; readonly fingerprint: string };
}

export function openCheckpoint(folder: string): Checkpoint {
  const file = join(folder, NAME);
  try {
    mkdirSync(folder, { recursive: true });
    removeStaleParts(folder);
  } catch (error) {
    throw badInput(`The folder cannot be made (${(error as NodeJS.ErrnoException).code}).`, {
      file: folder,
      remedy: "Name another with --checkpoint.",
    });
  }
  return {
    folder,
    async keep(state, fingerprint) {
      try {
        const { error } = putInPlace([await stage(file, [written(state, fingerprint)], {})]);
        if (error !== undefined) throw error;
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code;
        if (code === undefined) throw error;
        const full =
          code === "ENOSPC" || code === "EDQUOT"
            ? "The disk is full: make room, or name another folder."
            : "Name another folder.";
        throw badInput(`The state could not be written (${code}).`, { file, remedy: full });
      }
    },
    read: () => readBack(file),
  };
}

/** Numbers go through JSON as the shortest text that gives them again, to the bit. */
function written(state: PlanState, fingerprint: string): string {
  return `${JSON.stringify({ format: "coterie-checkpoint", version: 1, fingerprint, state }, (_, value) => (ArrayBuffer.isView(value) ? { [value.constructor.name]: Array.from(value as Float64Array, (number) => (Number.isFinite(number) ? number : String(number))) } : value))}\n`;
}

function readBack(file: string): { readonly state: PlanState; readonly fingerprint: string } {
  if (!existsSync(file)) throw badInput("There is no state to go on from.", { file, remedy: "Run without --resume first." });
  try {
    const { format, version, fingerprint, state } = JSON.parse(readFileSync(file, "utf8"), (_, value) => {
      if (value?.Float64Array) return Float64Array.from(value.Float64Array, Number);
      return value?.Int32Array ? Int32Array.from(value.Int32Array) : value;
    });
    if (format !== "coterie-checkpoint" || version !== 1 || !(state?.centres instanceof Float64Array))
      throw new Error("another format");
    return { state, fingerprint };
  } catch {
    throw badInput("This is no state of a run.", { file, remedy: "Remove it, and run without --resume." });
  }
}
