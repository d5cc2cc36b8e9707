/** Progress for people: a bar on a terminal, a plain line now and then elsewhere, nothing when quiet. */
import type { Step } from "@coterie/core";
import type { Io } from "./command.js";

export interface Progress {
  /** Called as often as one likes; draws at most ten times a second on a terminal, every five seconds elsewhere. */
  show(step: Step): void;
  /** Takes the bar away. */
  clear(): void;
}

const SILENT: Progress = { show: () => {}, clear: () => {} };

export function createProgress(io: Io, quiet: boolean): Progress {
  if (quiet) return SILENT;
  let last = performance.now();
  let drawn = false;
  const wait = io.terminal ? 100 : 5000;
  return {
    show(step) {
      const now = performance.now();
      if (now - last < wait) return;
      last = now;
      io.err(io.terminal ? `\r\u001b[K${barOf(step, Math.min(100, io.columns - 1))}` : `${lineOf(step)}\n`);
      drawn = io.terminal;
    },
    clear() {
      if (drawn) io.err("\r\u001b[K");
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
  if (!step.total || columns < 40) return text.slice(0, columns);
  const width = 24;
  const filled = Math.round((width * Math.min(step.done, step.total)) / step.total);
  return `${"█".repeat(filled)}${"░".repeat(width - filled)} ${text}`.slice(0, columns);
}
