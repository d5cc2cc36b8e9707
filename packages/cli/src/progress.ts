/** Progress for people: a bar on a terminal, a plain line now and then elsewhere, nothing when quiet. */
import type { Step } from "@coterie/core/internal";
import type { Io } from "./command.js";
import { fitted } from "./text/width.js";

export interface Progress {
  /**
   * Called as often as one likes; draws at most ten times a second on a terminal, every five seconds elsewhere, and nothing that is
   * there already.
   */
  show(step: Step): void;
  /** Takes the bar away. */
  clear(): void;
}

const SILENT: Progress = { show: () => {}, clear: () => {} };

export function createProgress(io: Io, quiet: boolean): Progress {
  if (quiet) return SILENT;
  let last = performance.now();
  let shown = "";
  let drawn = false;
  // A dumb terminal takes nothing back.
  const erases = io.terminal && io.env.TERM !== "dumb";
  const wait = erases ? 100 : 5000;
  return {
    show(step) {
      const now = performance.now();
      if (now - last < wait) return;
      last = now;
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
