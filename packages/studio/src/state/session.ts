/** An open project in the page: its state, which events from the server keep up to date, and all actions of the user. */
import { nextTurn } from "@coterie/data/browser";
import { type Project, type ProjectEvent, ReplyError, type RunReply } from "@coterie/workbench/protocol";
import { type Actions, createActions, type Tell } from "./actions.js";
import { rememberedAxes } from "./app-state.js";
import type { Client } from "./client.js";
import { clusteredLabels, newestDone, rowIndex } from "./lookups.js";
import type { Axes, Colouring, Layout, ProjectState, RowId, RunResult } from "./model.js";
import { floatsFrom } from "./numbers.js";
import { isAbort, isOffline, problemOf } from "./problems.js";
import { createStore, type Store } from "./store.js";
import { boundsOf } from "./view.js";

export interface Session {
  readonly id: string;
  readonly store: Store<ProjectState>;
  readonly actions: Actions;
  readonly client: Client;
  close(): void;
  retry(): void;
}

export type Loading = ReturnType<typeof loader>;

export interface Person {
  readonly me: () => string;
  readonly tell: Tell;
}

export async function openSession(client: Client, id: string, { me, tell }: Person): Promise<Session> {
  const ending = new AbortController();
  const { signal } = ending;
  const { call } = client;
  const [project, columns, { ids }, knowledge, runs] = await Promise.all([
    call("project", { project: id }, { signal }),
    call("columns", { project: id }, { signal }),
    call("ids", { project: id }, { signal }),
    call("knowledge", { project: id, by: me() }, { signal }),
    call("runs", { project: id }, { signal }),
  ]);
  const store = createStore<ProjectState>(firstState(project, columns, ids, knowledge, runs));
  const loading = loader(client, id, store, me, signal);
  let line = new AbortController();
  // A connection for events can look open but be dead. If an entry cannot be sent, the connection is closed, so that `follow` opens it
  // again.
  const actions = createActions({ loading, me, tell, onOffline: () => line.abort() });
  let retryNow = new AbortController();
  let isGreeted = false;
  void follow();

  async function follow(): Promise<void> {
    for (let wait = 500; !signal.aborted; wait = Math.min(wait * 2, 15_000)) {
      line = new AbortController();
      try {
        for await (const event of client.events(id, AbortSignal.any([signal, line.signal]))) {
          if (event.type === "hello") {
            wait = 500;
            store.set({ link: { state: "open", retryAt: 0 } });
            void actions.flush();
            // A second "hello" means that events were missed: the connection broke, or another host took over.
            if (isGreeted) catchUp(loading);
            isGreeted = true;
          }
          hear(event, loading);
        }
      } catch {
        // Every error means that the connection is lost. The code after this block reports it and tries again.
      }
      if (signal.aborted || store.get().gone) return;
      store.set({ link: { state: "lost", retryAt: Date.now() + wait } });
      retryNow = new AbortController();
      await pause(wait, AbortSignal.any([signal, retryNow.signal]));
    }
  }

  void loading.refresh.layout();
  void loading.refresh.diagnosis();
  void loading.refresh.advice();
  const colouring = store.get().colouring;
  if (colouring.by === "run") void loading.loadResult(colouring.run);
  return { id, store, actions, client, close: () => ending.abort(), retry: () => retryNow.abort() };
}

function firstState(
  project: Project,
  columns: ProjectState["columns"],
  ids: readonly RowId[] | null,
  knowledge: ProjectState["knowledge"],
  runs: readonly RunReply[],
): ProjectState {
  const shown = newestDone(runs);
  return {
    project,
    columns,
    ids,
    rowOf: rowIndex(project.rows, ids),
    axes: rememberedAxes(project.id, columns),
    layout: null,
    drawing: null,
    knowledge,
    diagnosis: null,
    advice: null,
    checking: true,
    runs,
    results: new Map(),
    values: new Map(),
    colouring: shown === null ? { by: "nothing" } : { by: "run", run: shown.number },
    tool: "select",
    picks: [],
    third: false,
    labelling: false,
    cursor: null,
    hovered: null,
    chosen: null,
    lit: null,
    only: null,
    marks: false,
    table: false,
    filter: "all",
    method: null,
    waiting: 0,
    link: { state: "open", retryAt: 0 },
    gone: false,
    problem: null,
    ask: null,
    answered: null,
    moves: new Map(),
  };
}

function loader(client: Client, id: string, store: Store<ProjectState>, me: () => string, signal: AbortSignal) {
  const { call } = client;
  const quiet = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (signal.aborted || isAbort(error) || isOffline(error)) return;
      store.set({ problem: problemOf(error) });
    }
  };
  const diagnosis = coalesce(() => quiet(() => diagnose(client, id, store, signal)));
  const advice = () => quiet(async () => store.set({ advice: await call("advice", { project: id }, { signal }) }));
  const knowledge = coalesce(() =>
    quiet(async () => {
      const known = await call("knowledge", { project: id, by: me() }, { signal });
      if (known.upTo < store.get().knowledge.upTo) return;
      store.set({ knowledge: known });
      void diagnosis();
      const { axes } = store.get();
      if (axes.space === "neighbourhoods" && axes.by === "knowledge") void layout();
    }),
  );
  /** Whether somebody stopped the map: components are shown instead. */
  let stopped = false;
  const layout: () => Promise<void> = coalesce(() =>
    quiet(async () => {
      const { axes } = store.get();
      const reply = await call("map", { project: id, ...mapInput(axes) }, { signal }).catch((error: unknown) => {
        stopped = isStopped(error);
        if (stopped) return null;
        throw error;
      });
      if (reply === null) return;
      // Pause before each step over all rows, so that the page can respond.
      await nextTurn();
      const xy = floatsFrom(reply.xy);
      await nextTurn();
      boundsOf(xy);
      await nextTurn();
      if (store.get().axes !== axes) return;
      const chosen = axes.space === "auto" ? { axes: axesOfSpace(reply.space) } : {};
      store.set({ ...chosen, layout: { ...reply, xy } satisfies Layout });
    }).then(() => {
      if (!stopped) return;
      stopped = false;
      store.set({ axes: { space: "features" }, drawing: null });
      void layout();
    }),
  );
  const project = coalesce(() =>
    quiet(async () => {
      const [next, columns, { ids }] = await Promise.all([
        call("project", { project: id }, { signal }),
        call("columns", { project: id }, { signal }),
        call("ids", { project: id }, { signal }),
      ]);
      const { project: before, ids: idsBefore, colouring } = store.get();
      const isSameTable = JSON.stringify(before.reading) === JSON.stringify(next.reading) && before.rows === next.rows;
      const areSameRows = isSameTable || (before.rows === next.rows && JSON.stringify(idsBefore) === JSON.stringify(ids));
      store.set({
        project: next,
        columns,
        ids,
        rowOf: rowIndex(next.rows, ids),
        // Row numbers now mean other rows, so all state that refers to row numbers is cleared.
        ...(isSameTable ? {} : { picks: [], lit: null, cursor: null, results: new Map(), values: new Map() }),
        ...(areSameRows ? {} : { layout: null, hovered: null, ask: null, answered: null }),
      });
      if (!isSameTable) {
        void layout();
        if (colouring.by === "run") void loadResult(colouring.run);
        if (colouring.by === "column") void loadValues(colouring.column);
      }
      if (!isSameTable || before.policy !== next.policy) void advice();
      void knowledge();
      void diagnosis();
    }),
  );
  const loadResult = async (run: number): Promise<RunResult | null> => {
    const known = store.get().results.get(run);
    if (known) return known;
    let result: RunResult | null = null;
    await quiet(async () => {
      const { reading } = store.get().project;
      const { report, current } = await call("run", { project: id, run }, { signal });
      if (report === null) return;
      const now = store.get().project;
      // Meanwhile the reading of the table has changed. The labels would be shown on the wrong rows, so they are loaded again.
      if (JSON.stringify(now.reading) !== JSON.stringify(reading)) {
        result = await loadResult(run);
        return;
      }
      const labels = current ? clusteredLabels(report.labels as (number | null)[], now) : new Int32Array(0);
      result = { run, labels, report, current };
      store.set(({ results }) => ({ results: new Map(results).set(run, result!) }));
    });
    return result;
  };
  const loadValues = (column: string): Promise<void> =>
    quiet(async (): Promise<void> => {
      const { reading } = store.get().project;
      const { values, levels } = await call("values", { project: id, column }, { signal });
      if (JSON.stringify(store.get().project.reading) !== JSON.stringify(reading)) return await loadValues(column);
      store.set((state) => ({ values: new Map(state.values).set(column, { values: floatsFrom(values), levels }) }));
    });
  const runs = coalesce(() =>
    quiet(async () => {
      const found = await call("runs", { project: id }, { signal });
      const before = newestDone(store.get().runs)?.number ?? 0;
      store.set({ runs: found });
      const newest = newestDone(found)?.number ?? 0;
      if (newest > before) await showWhenNewest(newest, store, loadResult);
    }),
  );
  const refresh = { knowledge, diagnosis, advice, project, layout, runs };
  return { signal, client, id, store, refresh, loadResult, loadValues };
}

function axesOfSpace(space: string): Axes {
  return space === "neighbourhoods" ? { space, by: "rows" } : { space: "features" };
}

function isStopped(error: unknown): boolean {
  return error instanceof ReplyError && error.problem.code === "cancelled";
}

function mapInput(axes: Axes) {
  if (axes.space === "columns") return { space: axes.space, x: axes.x, y: axes.y };
  if (axes.space === "neighbourhoods") return { space: axes.space, by: axes.by };
  return axes.space === "run" ? { space: axes.space, run: axes.run } : { space: axes.space };
}

/**
 * Requests the diagnosis until it is complete. The first reply has only the results of quick checks. Later replies add the results of slow
 * checks.
 */
async function diagnose({ call }: Client, project: string, store: Store<ProjectState>, signal: AbortSignal): Promise<void> {
  store.set({ checking: true });
  try {
    for (let wait = 100; !signal.aborted; wait = Math.min(wait * 2, 2_000)) {
      const { k } = store.get().project;
      const diagnosis = await call("diagnosis", { project, ...(k === null ? {} : { k }) }, { signal });
      store.set({ diagnosis, checking: diagnosis.partial });
      if (!diagnosis.partial || diagnosis.upTo < store.get().knowledge.upTo) return;
      await pause(wait, signal);
    }
  } finally {
    store.set({ checking: false });
  }
}

/** Loads everything again that missed events could have changed. */
function catchUp({ refresh }: Loading): void {
  void refresh.project();
  void refresh.runs();
  void refresh.advice();
}

function hear(event: ProjectEvent, { store, refresh, loadResult }: Loading): void {
  const state = store.get();
  switch (event.type) {
    case "hello":
    case "knowledge":
      if (event.upTo > state.knowledge.upTo) void refresh.knowledge();
      return;
    case "project":
      void refresh.project();
      return;
    case "gone":
      store.set({ gone: true });
      return;
    case "progress":
      store.set({
        runs: state.runs.map((run) => (run.number === event.run ? { ...run, state: "running", progress: event.progress } : run)),
      });
      return;
    case "advice":
      store.set({ advice: event.advice });
      return;
    case "map":
      store.set({ drawing: event.progress });
      return;
    case "run": {
      const runs = [...state.runs.filter(({ number }) => number !== event.run.number), event.run].sort(
        (a, b) => a.number - b.number,
      );
      const before = state.runs.find(({ number }) => number === event.run.number);
      store.set({ runs });
      if (event.run.state === "done" && before?.state !== "done") void showWhenNewest(event.run.number, store, loadResult);
    }
  }
}

/** Shows a new run on the map as soon as its result is loaded, unless the map is coloured by a column or a newer run exists. */
async function showWhenNewest(run: number, store: Store<ProjectState>, loadResult: Loading["loadResult"]): Promise<void> {
  const result = await loadResult(run);
  const { colouring, runs } = store.get();
  const isNewest = newestDone(runs)?.number === run;
  if (result && isNewest && colouring.by !== "column") store.set({ colouring: { by: "run", run } satisfies Colouring });
}

/** Wraps work so that it never runs twice at the same time. If it is requested while it runs, it runs once more afterwards. */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let again = false;
  const start = async (): Promise<void> => {
    do {
      again = false;
      await work();
    } while (again);
  };
  return () => {
    if (running !== null) {
      again = true;
      return running;
    }
    running = start().finally(() => {
      running = null;
    });
    return running;
  };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(finish, milliseconds);
    function finish() {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    }
    signal.addEventListener("abort", finish);
  });
}
