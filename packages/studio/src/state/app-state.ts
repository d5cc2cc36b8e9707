/** The state of the page outside any project: the user's name, and the projects and samples that can be opened. */
import type { Client } from "./client.js";
import type { AppState, Axes, ProjectState } from "./model.js";
import { problemOf } from "./problems.js";
import type { Store } from "./store.js";

const NAME = "coterie.name";
const LETTERS = "coterie.letters";

export function firstAppState(): AppState {
  return {
    info: null,
    projects: null,
    problem: null,
    toasts: [],
    overlay: null,
    me: read(NAME) ?? "me",
    letters: read(LETTERS) !== "off",
  };
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The browser can forbid storage. Then the choice is lost when the page is closed.
  }
}

const AXES = "coterie.axes ";

/** The axes that this browser showed last for a project. Axes of a run are not remembered, because runs can be deleted. */
export function rememberedAxes(project: string, columns: ProjectState["columns"]): Axes {
  const [space, ...names] = JSON.parse(read(AXES + project) ?? "[]") as string[];
  if (space === "features") return { space };
  if (space === "neighbourhoods") return { space, by: names[0] === "knowledge" ? "knowledge" : "rows" };
  const [x, y] = names;
  const isColumn = (name: string | undefined) => columns.some((column) => column.name === name);
  return space === "columns" && isColumn(x) && isColumn(y) ? { space, x: x!, y: y! } : { space: "auto" };
}

export function rememberAxes(project: string, axes: Axes): void {
  const { space } = axes;
  if (space === "run" || space === "auto") return;
  const names = space === "columns" ? [axes.x, axes.y] : space === "neighbourhoods" ? [axes.by] : [];
  write(AXES + project, JSON.stringify([space, ...names]));
}

export function setName(app: Store<AppState>, me: string): void {
  const name = me.trim() === "" ? "me" : me.trim();
  write(NAME, name);
  app.set({ me: name });
}

export function setLetterKeys(app: Store<AppState>, letters: boolean): void {
  write(LETTERS, letters ? "on" : "off");
  app.set({ letters });
}

export async function loadApp({ call }: Client, app: Store<AppState>): Promise<void> {
  try {
    const [info, projects] = await Promise.all([call("info", {}), call("listProjects", {})]);
    app.set({ info, projects, problem: null });
  } catch (error) {
    app.set({ problem: problemOf(error) });
  }
}
