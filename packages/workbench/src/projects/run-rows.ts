/** Which rows and columns a run is about: a table may be read in another way since. */
import type { Reading } from "../protocol/projects.js";
import type { StoredProject } from "../store/store.js";
import { artifactJson, type Desk, type FinishedRun, factsOf, finishedRun, newestRun } from "./desk.js";
import { conflict } from "./problems.js";

/** The project as a run read its table. */
export async function asRead(desk: Desk, project: StoredProject, run: number): Promise<StoredProject> {
  const reading = await artifactJson<Reading>(desk, project.id, run, "reading");
  return reading === null ? project : { ...project, reading };
}

/** Whether a run speaks of the rows that the table has now, in their order, by the names that they have now. */
export async function isAboutTheseRows(desk: Desk, project: StoredProject, run: number): Promise<boolean> {
  const then = await asRead(desk, project, run);
  if (then.reading.id !== project.reading.id) return false;
  const [before, now] = await Promise.all([factsOf(desk, then), factsOf(desk, project)]);
  if (before.n !== now.n || before.total !== now.total) return false;
  return before.rows === null || now.rows === null
    ? before.rows === now.rows
    : before.rows.every((row, i) => row === now.rows![i]);
}

export async function checkRows(desk: Desk, project: StoredProject, run: number): Promise<void> {
  if (!(await isAboutTheseRows(desk, project, run)))
    throw conflict(`Run ${run} is about other rows: the table is read in another way since.`, "Run again.");
}

/** A finished run, if it is about the rows that the table has now. */
export async function runOfTheseRows(desk: Desk, project: StoredProject, number: number): Promise<FinishedRun | null> {
  const run = (await desk.store.runs(project.id)).find((each) => each.number === number && each.state === "done");
  return run && (await isAboutTheseRows(desk, project, number)) ? await finishedRun(desk, project.id, run) : null;
}

/** The newest finished run, if it is about the rows that the table has now. */
export async function currentRun(desk: Desk, project: StoredProject): Promise<FinishedRun | null> {
  const newest = await newestRun(desk, project.id);
  return newest && (await isAboutTheseRows(desk, project, newest.run.number)) ? newest : null;
}
