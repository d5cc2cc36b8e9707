/** Shows progress: a bar on a terminal, otherwise one line for each long phase, nothing with `--quiet`. */
import { drive, type Step, type Steps } from "@coterie/core/internal";
import { everyTurn } from "@coterie/workbench";
import type { Io } from "./command.js";
import { pause } from "./host.js";
import { fitted } from "./text/width.js";

export interface Progress {
  /** Called at every step. A terminal is redrawn at most ten times a second. Elsewhere each phase gets a line after 5 s of silence. */
  show(step: Step): void;
  clear(): void;
}

export async function runSteps<R>(steps: Steps<R>, { signal }: Io, progress: Progress): Promise<R> {
  return await drive(steps, { pause, due: everyTurn(), signal, onStep: progress.show }).finally(progress.clear);
}

const SILENT: Progress = { show: () => {}, clear: () => {} };

export function createProgress(io: Io, quiet: boolean): Progress {
  if (quiet) return SILENT;
  let last = performance.now();
  let shown = "";
  let drawn = false;
  const phases = new Set<string>();
  // A dumb terminal cannot erase lines.
  const erases = io.terminal && io.env.TERM !== "dumb";
  const wait = erases ? 100 : 5000;
  return {
    show(step) {
      const now = performance.now();
      if (now - last < wait || (!erases && phases.has(step.phase))) return;
      last = now;
      phases.add(step.phase);
      const line = erases ? barOf(step, Math.min(100, io.columns - 1)) : lineOf(step);
      if (line === shown) return;
      shown = line;
      if (erases) io.sketch(line);
      else io.say(line);
      drawn = erases;
    },
    clear() {
      if (drawn) io.sketch("");
      if (erases) shown = "";
      drawn = false;
    },
  };
}

function lineOf({ phase, done, total, objective }: Step): string {
  const count = total === null ? done.toLocaleString("en") : `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  return `${phase}: ${count}${objective === undefined ? "" : `, objective ${objective.toPrecision(6)}`}`;
}

function barOf(step: Step, columns: number): string {
  const text = lineOf(step);
  if (!step.total || columns < 40) return fitted(text, columns);
  const width = 24;
  const filled = Math.round((width * Math.min(step.done, step.total)) / step.total);
  return fitted(`${"█".repeat(filled)}${"░".repeat(width - filled)} ${text}`, columns);
}
