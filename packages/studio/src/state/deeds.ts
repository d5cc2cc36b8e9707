/** Everything a person can do in a project. Each deed is an entry of the log, a change of the project, or a run. */
import type { Constraint, NewEntry, ReadingChange, Standing } from "@coterie/workbench/protocol";
import type { Axes, Colouring, Lit, MethodChoice, ProjectState } from "./model.js";
import { createOutbox } from "./outbox.js";
import { isAbort, problemOf } from "./problems.js";
import type { Loading } from "./session.js";

type Change = NewEntry["change"];
type Origin = NewEntry["from"];

export interface Deeds {
  say(constraints: readonly Constraint[], from?: Origin): Promise<boolean>;
  drop(entries: readonly string[]): Promise<boolean>;
  weigh(entry: string, weight: number | "inf"): Promise<boolean>;
  undo(): Promise<boolean>;
  redo(): Promise<boolean>;
  flush(): Promise<void>;
  pick(row: number, add: boolean): void;
  pickAll(rows: readonly number[]): void;
  clear(): void;
  choose(standing: Standing | null): void;
  light(lit: Lit | null): void;
  colour(colouring: Colouring): Promise<void>;
  look(axes: Axes): Promise<void>;
  change(change: ProjectChange): Promise<boolean>;
  run(choice: MethodChoice): Promise<number | null>;
  cancel(run: number): Promise<void>;
  /** Tries methods on answers that are held out. */
  advise(k: number): Promise<void>;
  stopAdvice(): Promise<void>;
  name(run: number, names: readonly (string | null)[]): Promise<void>;
  importFile(file: File, kind: "constraints" | "answers" | "taxonomy"): Promise<{ added: number; notices: string[] } | null>;
  /** Brings a run's labels and report to the page. */
  load(run: number): Promise<unknown>;
  fail(error: unknown): void;
  dismiss(): void;
}

export interface ProjectChange {
  readonly name?: string;
  readonly reading?: ReadingChange;
  readonly k?: number | null;
  readonly policy?: ProjectState["project"]["policy"];
}

/** A fresh id of an entry. */
export function newId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

interface DeedsOptions {
  readonly loading: Loading;
  readonly me: () => string;
  /** An entry could not be sent. */
  readonly onOffline: () => void;
}

export function createDeeds({ loading, me, onOffline }: DeedsOptions): Deeds {
  const { store, client, id, refresh, signal } = loading;
  const { call } = client;
  const fail = (error: unknown) => {
    if (!isAbort(error) && !signal.aborted) store.set({ problem: problemOf(error) });
  };
  const outbox = createOutbox({
    key: `coterie.outbox.${id}`,
    keep: globalThis.localStorage,
    send: async (entries) => {
      await call("append", { project: id, entries: [...entries] }, { signal });
      await refresh.knowledge();
    },
    onWaiting: (waiting) => store.set({ waiting }),
    onOffline,
    onRefused: fail,
  });
  const post = (changes: readonly Change[], from: Origin = { kind: "drawn" }) =>
    changes.length === 0
      ? Promise.resolve(true)
      : outbox.post(changes.map((change) => ({ id: newId(), by: me(), from, change })));
  return {
    ...rowDeeds(loading),
    ...runDeeds(loading, me, fail),
    say: (constraints, from) =>
      post(
        constraints.map((constraint) => ({ type: "add", constraint })),
        from,
      ),
    drop: (entries) => post(entries.map((entry) => ({ type: "drop", entry }))),
    weigh: (entry, weight) => post([{ type: "weigh", entry, weight }]),
    undo: () => post(changeOf("undo", store.get().knowledge.undo)),
    redo: () => post(changeOf("redo", store.get().knowledge.redo)),
    flush: outbox.flush,
    load: loading.loadResult,
    fail,
    dismiss: () => store.set({ problem: null }),
    change: async (change) => {
      try {
        await call("changeProject", { project: id, ...change }, { signal });
        await refresh.project();
        return true;
      } catch (error) {
        fail(error);
        return false;
      }
    },
  };
}

function changeOf(type: "undo" | "redo", entry: string | null): Change[] {
  return entry === null ? [] : [{ type, entry }];
}

const NO_PICKS = { picks: [], third: false, labelling: false } as const;

type RowDeeds = Pick<Deeds, "pick" | "pickAll" | "clear" | "choose" | "light" | "colour" | "look">;

function rowDeeds({ store, refresh, loadResult, loadValues }: Loading): RowDeeds {
  return {
    pick: (row, add) =>
      store.set(({ picks, third }) => ({ ...NO_PICKS, picks: pickedWith(picks, row, add || third), cursor: row })),
    pickAll: (rows) => store.set({ ...NO_PICKS, picks: rows }),
    clear: () => store.set({ ...NO_PICKS, lit: null, chosen: null }),
    choose: (standing) => store.set({ chosen: standing?.entry ?? null, lit: null }),
    light: (lit) => store.set({ lit }),
    colour: async (colouring) => {
      store.set({ colouring, only: null });
      if (colouring.by === "run") await loadResult(colouring.run);
      if (colouring.by !== "column" || store.get().values.has(colouring.column)) return;
      await loadValues(colouring.column);
    },
    look: async (axes) => {
      store.set({ axes });
      await refresh.layout();
    },
  };
}

/** Two picks make a pair; a third joins only when it is meant to. */
export function pickedWith(picks: readonly number[], row: number, add: boolean): readonly number[] {
  if (picks.includes(row)) return picks.filter((other) => other !== row);
  if (picks.length < 2 || add) return [...picks, row];
  return [row];
}

type RunDeeds = Pick<Deeds, "run" | "advise" | "stopAdvice" | "cancel" | "name" | "importFile">;

function runDeeds({ store, client, id, refresh, signal }: Loading, me: () => string, fail: (error: unknown) => void): RunDeeds {
  const { call } = client;
  const put = (run: ProjectState["runs"][number]) =>
    store.set(({ runs }) => ({
      runs: [...runs.filter(({ number }) => number !== run.number), run].sort((a, b) => a.number - b.number),
    }));
  return {
    run: async ({ algorithm, options, seed, choose, price }) => {
      try {
        const spec = { algorithm, options, seed, ...(choose ? { choose } : {}), ...(price === undefined ? {} : { price }) };
        const run = await call("startRun", { project: id, ...spec }, { signal });
        if (!store.get().runs.some(({ number }) => number === run.number)) put(run);
        return run.number;
      } catch (error) {
        fail(error);
        return null;
      }
    },
    cancel: (run) => call("cancelRun", { project: id, run }, { signal }).then(put, fail),
    advise: (k) => call("advise", { project: id, k }, { signal }).then((advice) => store.set({ advice }), fail),
    stopAdvice: () => call("stopAdvice", { project: id }, { signal }).then(refresh.advice, fail),
    name: (run, names) => call("nameClusters", { project: id, run, names: [...names] }, { signal }).then(put, fail),
    importFile: async (file, kind) => {
      try {
        const reply = await call("importConstraints", { project: id, name: file.name, by: me(), kind, bytes: file }, { signal });
        await refresh.knowledge();
        return reply;
      } catch (error) {
        fail(error);
        return null;
      }
    },
  };
}
