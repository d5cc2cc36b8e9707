/** Small functions that look up facts in the state of a project. */
import type { Project, RunReply } from "@coterie/workbench/protocol";
import type { Problem, ProjectState, RowId, RowIndex } from "./model.js";
import { spoken } from "./spoken.js";

export function newestDone(runs: readonly RunReply[]): RunReply | null {
  return runs.reduce<RunReply | null>(
    (best, run) => (run.state === "done" && (best === null || run.number > best.number) ? run : best),
    null,
  );
}

/** Finds rows by their ids, which are given as text. If the ids are row numbers, no index is needed. */
export function rowIndex(n: number, ids: readonly RowId[] | null): RowIndex {
  if (ids !== null) return idIndex(ids);
  return {
    get: (word) => {
      const row = Number(word);
      return Number.isInteger(row) && row >= 0 && row < n && String(row) === word ? row : undefined;
    },
  };
}

/** An index from ids to rows. A search adds ids only up to the searched id, so nothing is built on a page without searches. */
function idIndex(ids: readonly RowId[]): RowIndex {
  const rows = new Map<string, number>();
  let next = 0;
  return {
    get: (word) => {
      while (next < ids.length && !rows.has(word)) rows.set(String(ids[next]), next++);
      return rows.get(word);
    },
  };
}

export function idOf({ ids }: Pick<ProjectState, "ids">, row: number): RowId {
  return ids?.[row] ?? row;
}

/**
 * The labels of the rows in the table. If `labels` has a null entry for each row that was left out of the table, these entries are removed.
 */
export function clusteredLabels(
  labels: readonly (number | null)[],
  { rows, leftOut }: Pick<Project, "rows" | "leftOut">,
): Int32Array {
  const kept = labels.length === rows + leftOut ? labels.filter((label) => label !== null) : labels;
  return Int32Array.from(kept, (label) => label ?? -1);
}

/** The row numbers for these ids. Ids that are not in the table are skipped. */
export function rowsOf({ rowOf }: Pick<ProjectState, "rowOf">, ids: readonly RowId[]): number[] {
  return ids.flatMap((id) => rowOf.get(String(id)) ?? []);
}

/** The run that the page shows: the run that colours the map, or the newest run if the map is not coloured by a run. */
export function shownRun({ colouring, runs }: Pick<ProjectState, "colouring" | "runs">) {
  const number = colouring.by === "run" ? colouring.run : newestDone(runs)?.number;
  return runs.find((run) => run.number === number) ?? null;
}

/** False if the rows of the shown run are known to differ from the current rows of the table. */
export function isShown(state: Pick<ProjectState, "colouring" | "runs" | "results">): boolean {
  const run = shownRun(state);
  return run === null || state.results.get(run.number)?.current !== false;
}

export function shownReport(state: Pick<ProjectState, "colouring" | "runs" | "results">) {
  const run = shownRun(state);
  const result = run ? state.results.get(run.number) : undefined;
  return result?.current ? result.report : undefined;
}

/** The reason why a file or request was refused, without the advice about what to do. */
export function faultOf({ message, file, line, remedy }: Problem): string {
  const where = file === undefined ? "" : `${file}${line === undefined ? "" : `, line ${line}`}: `;
  const said = remedy && message.endsWith(remedy) ? message.slice(0, -remedy.length).trim() : message;
  return spoken(`${said.startsWith(where) ? "" : where}${said}`).words;
}

export function wordsOf(problem: Problem): string {
  return [faultOf(problem), problem.remedy ? spoken(problem.remedy).words : ""].filter((text) => text !== "").join(" ");
}
