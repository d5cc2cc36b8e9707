/** All actions of a user in a project. Each action adds log entries, changes the project, or starts a run. */
import {
  askedBy,
  type Constraint,
  constraintOf,
  type ErrorRate,
  type GivenAnswer,
  type NewEntry,
  ODD_KEYS,
  type QuestionReply,
  type ReadingChange,
  type Standing,
} from "@coterie/workbench/protocol";
import { rememberAxes } from "./app-state.js";
import { changeWords, newsOf } from "./knowledge.js";
import type { Axes, Colouring, Lit, MethodChoice, ProjectState, Toast } from "./model.js";

import { isAbort, isOffline, problemOf } from "./problems.js";
import type { Loading } from "./session.js";

const MOST = 5_000;

let stamps = 0;

type Change = NewEntry["change"];
type Origin = NewEntry["from"];

export type Actions = ReturnType<typeof createActions>;

export interface ProjectChange {
  readonly name?: string;
  readonly reading?: ReadingChange;
  readonly k?: number | null;
  readonly policy?: ProjectState["project"]["policy"];
}

function newId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

/** Shows a message for a while; the returned function removes it. */
export type Tell = (text: string, more?: Partial<Pick<Toast, "tone" | "button" | "about">>) => () => void;

interface ActionsOptions {
  readonly loading: Loading;
  readonly me: () => string;
  readonly tell: Tell;
  /** Called when a log entry could not be sent, because the server cannot be reached. */
  readonly onOffline: () => void;
}

export function createActions({ loading, me, tell, onOffline }: ActionsOptions) {
  const { store, client, id, refresh, signal } = loading;
  const { call } = client;
  const fail = (error: unknown) => {
    if (!isAbort(error) && !signal.aborted) store.set({ problem: problemOf(error) });
  };
  const rows = rowActions(loading);
  const log = logActions({ loading, me, tell, onOffline }, fail);
  return {
    ...rows,
    ...runActions(loading, me, fail),
    ...log,
    /** Adds an answer about the picked rows. The picks are cleared first, so that a second key press does not answer again. */
    sayOfPicks: (constraints: readonly Constraint[]): void => {
      void log.say(constraints);
      rows.clear();
    },
    load: loading.loadResult,
    fail,
    dismiss: (): void => store.set({ problem: null }),
    change: async (change: ProjectChange): Promise<boolean> => {
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

/** The log entries of one action of the user, such as one label for fifty rows. Undo takes back all of them together. */
interface Step {
  readonly entries: readonly string[];
  readonly words: string;
}

function logActions({ loading, me, tell, onOffline }: ActionsOptions, fail: (error: unknown) => void) {
  const { store, client, id, refresh, signal } = loading;
  const { call } = client;
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
  const stepOf = new Map<string, Step>();
  /** Steps that were not undone and whose entries are not yet in the log. These steps are newer than all entries of the log. */
  let underway: readonly Step[] = [];
  const entriesOf = (changes: readonly Change[], from: Origin) =>
    changes.map((change): NewEntry => ({ id: newId(), by: me(), from, change }));

  const post = async (changes: readonly Change[], from: Origin = { kind: "drawn" }, send?: Parameters<typeof outbox.post>[1]) => {
    if (changes.length === 0) return true;
    const entries = entriesOf(changes, from);
    const words = changeWords(changes, store.get().knowledge.constraints);
    const step: Step = { entries: entries.map((entry) => entry.id), words };
    for (const entry of step.entries) stepOf.set(entry, step);
    underway = [...underway, step];
    const forget = tell(words, { about: "answer", button: { label: "Undo", act: () => void takeBack(step) } });
    const arrived = await outbox.post(entries, send);
    underway = underway.filter((other) => other !== step);
    if (!arrived) forget();
    return arrived;
  };
  const takeBack = (step: Step) => {
    underway = underway.filter((other) => other !== step);
    store.set({ answered: null });
    tell(`Took back: ${step.words}`, { about: "answer" });
    return outbox.post(
      entriesOf(
        step.entries.map((entry) => ({ type: "undo", entry })),
        { kind: "drawn" },
      ),
    );
  };
  const known = (entry: string | null): Step | null => {
    if (entry === null) return null;
    const standing = store.get().knowledge.constraints.find((each) => each.entry === entry);
    const words = standing ? changeWords([{ type: "add", constraint: standing.constraint }], []) : "the last change";
    return stepOf.get(entry) ?? { entries: [entry], words };
  };
  return {
    say: (constraints: readonly Constraint[], from?: Origin): Promise<boolean> => {
      const news = newsOf(constraints, store.get().knowledge.constraints, me());
      if (news.length === 0) tell("You already gave this constraint", { about: "answer" });
      return post(
        news.map((constraint) => ({ type: "add", constraint })),
        from,
      );
    },
    /** Sends the answer to a question. The reply has the next question. `errorRate`: expected share of wrong answers. */
    answer: (question: QuestionReply, strategy: string, given: GivenAnswer, errorRate: ErrorRate): Promise<boolean> => {
      const constraint = constraintOf(question.kind, question.ids, given)!;
      const odd = ODD_KEYS.find((key) => key === given);
      const evidence = errorRate === 0 ? {} : { evidence: errorRate };
      const from = { kind: "asked", strategy, number: question.number, ...(odd ? { odd } : {}), ...evidence } as const;
      return post([{ type: "add", constraint }], from, async ([entry]) => {
        const input = { project: id, question: question.question, answer: given, by: entry!.by, id: entry!.id, ...evidence };
        const answered = await call("answer", input, { signal });
        await refresh.knowledge();
        const isTakenBack = !underway.some(({ entries }) => entries.includes(entry!.id));
        const moves = new Map(store.get().moves).set(entry!.id, answered.moved.length);
        store.set({ answered: isTakenBack ? null : answered, ask: answered.next, moves });
      });
    },
    revise: ({ entry, constraint, from }: Standing, given: GivenAnswer) => {
      const { kind, ask } = askedBy(constraint, from.kind === "asked" ? from.odd : undefined)!;
      return post([{ type: "revise", entry, constraint: constraintOf(kind, ask, given)! }]);
    },
    drop: (entries: readonly string[]) => post(entries.map((entry) => ({ type: "drop", entry }))),
    weigh: (entry: string, weight: number | "inf") => post([{ type: "weigh", entry, weight }]),
    undo: async (): Promise<boolean> => {
      const step = underway.at(-1) ?? known(store.get().knowledge.undo);
      if (step) return await takeBack(step);
      tell("There is nothing to undo", { about: "answer" });
      return false;
    },
    redo: async (): Promise<boolean> => {
      const step = known(store.get().knowledge.redo);
      if (!step) return false;
      tell(`Again: ${step.words}`, { about: "answer", button: { label: "Undo", act: () => void takeBack(step) } });
      return await outbox.post(
        entriesOf(
          step.entries.map((entry) => ({ type: "redo", entry })),
          { kind: "drawn" },
        ),
      );
    },
    flush: outbox.flush,
  };
}

const NO_PICKS = { picks: [], third: false, labelling: false } as const;

function rowActions({ store, id, refresh, loadResult, loadValues }: Loading) {
  return {
    pick: (row: number, add: boolean): void =>
      store.set(({ picks, third }) => ({ ...NO_PICKS, picks: pickedWith(picks, row, add || third), cursor: row })),
    pickAll: (rows: readonly number[]): void => store.set({ ...NO_PICKS, picks: rows }),
    clear: (): void => store.set({ ...NO_PICKS, lit: null, chosen: null }),
    choose: (standing: Standing | null): void => store.set({ chosen: standing?.entry ?? null, lit: null }),
    light: (lit: Lit | null): void => store.set({ lit }),
    colour: async (colouring: Colouring): Promise<void> => {
      store.set({ colouring, only: null });
      if (colouring.by === "run") await loadResult(colouring.run);
      if (colouring.by !== "column" || store.get().values.has(colouring.column)) return;
      await loadValues(colouring.column);
    },
    look: async (axes: Axes): Promise<void> => {
      store.set({ axes });
      rememberAxes(id, axes);
      await refresh.layout();
    },
  };
}

/**
 * Returns the picked rows after a click on a row. If the row was picked already, it is removed. If two rows are picked and `add` is false,
 * a new pair begins.
 */
export function pickedWith(picks: readonly number[], row: number, add: boolean): readonly number[] {
  if (picks.includes(row)) return picks.filter((other) => other !== row);
  if (picks.length < 2 || add) return [...picks, row];
  return [row];
}

function runActions({ store, client, id, refresh, signal }: Loading, me: () => string, fail: (error: unknown) => void) {
  const { call } = client;
  const put = (run: ProjectState["runs"][number]) =>
    store.set(({ runs }) => ({
      runs: [...runs.filter(({ number }) => number !== run.number), run].sort((a, b) => a.number - b.number),
    }));
  return {
    run: async ({ algorithm, options, seed, choose, price }: MethodChoice): Promise<number | null> => {
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
    cancel: (run: number) => call("cancelRun", { project: id, run }, { signal }).then(put, fail),
    advise: (k: number) => call("advise", { project: id, k }, { signal }).then((advice) => store.set({ advice }), fail),
    stopMap: () => call("stopMap", { project: id }, { signal }).then(() => undefined, fail),
    stopAdvice: () => call("stopAdvice", { project: id }, { signal }).then(refresh.advice, fail),
    name: (run: number, names: readonly (string | null)[]) =>
      call("nameClusters", { project: id, run, names: [...names] }, { signal }).then(put, fail),
    importFile: async (file: File, kind: "constraints" | "answers" | "taxonomy") => {
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

/*
 * The outbox: log entries that the server has not confirmed yet. Entries are sent in order, and kept until the server confirms that they
 * are on disk. After an interruption or a reload, they are sent again. Each entry has its own id, so the server stores an entry only once.
 */

type Send = (entries: readonly NewEntry[]) => Promise<unknown>;

interface OutboxOptions {
  readonly send: Send;
  readonly onWaiting: (waiting: number) => void;
  /** Called when the server cannot be reached. The entries stay in the outbox until `flush` is called again. */
  readonly onOffline: () => void;
  /** Called when the log rejects entries. They are then removed from the outbox. */
  readonly onRefused: (error: unknown, entries: readonly NewEntry[]) => void;
  readonly keep?: Storage | undefined;
  readonly key: string;
}

interface Batch {
  readonly entries: readonly NewEntry[];
  readonly send: Send;
  readonly resolve: (arrived: boolean) => void;
  /** The storage key of the batch in the browser. Each batch has its own key, so that two tabs do not overwrite each other's entries. */
  readonly place: string;
}

export function createOutbox({ send, onWaiting, onOffline, onRefused, keep, key }: OutboxOptions) {
  let batches: Batch[] = restored(keep, key).map(([place, entries]) => ({ place, entries, send, resolve: () => {} }));
  let sending = false;
  const count = () => onWaiting(batches.reduce((sum, { entries }) => sum + entries.length, 0));
  const leave = (batch: Batch, arrived: boolean) => {
    batches = batches.filter((other) => other !== batch);
    keep?.removeItem(batch.place);
    batch.resolve(arrived);
  };
  const flush = async (): Promise<void> => {
    if (sending) return;
    sending = true;
    try {
      while (batches.length > 0) {
        const batch = batches[0]!;
        try {
          for (let at = 0; at < batch.entries.length; at += MOST) await batch.send(batch.entries.slice(at, at + MOST));
          leave(batch, true);
        } catch (error) {
          if (isOffline(error)) return onOffline();
          // The user left the project before the reply came. It is not known whether the entries arrived, so they stay in the storage.
          if (isAbort(error)) return;
          leave(batch, false);
          onRefused(error, batch.entries);
        }
        count();
      }
    } finally {
      sending = false;
    }
  };
  return {
    /**
     * Adds entries to the outbox. Resolves to true when they are on disk, to false if the log rejects them. `own`: a function that sends
     * these entries instead of `send`.
     */
    post: (entries: readonly NewEntry[], own: Send = send): Promise<boolean> =>
      new Promise((resolve) => {
        const batch = { entries, send: own, resolve, place: `${key}/${stamp()}/${entries[0]?.id}` };
        store(keep, batch);
        batches.push(batch);
        count();
        void flush();
      }),
    flush,
  };
}

/** A part of a storage key that grows with time: later keys sort after earlier keys, even after a reload of the page. */
function stamp(): string {
  return `${String(Date.now()).padStart(15, "0")}-${String(stamps++).padStart(6, "0")}`;
}

/**
 * The batches of entries that earlier pages left in the storage, oldest first. Older versions kept all entries under the key `key` alone.
 */
function restored(keep: Storage | undefined, key: string): [string, NewEntry[]][] {
  const places = Array.from({ length: keep?.length ?? 0 }, (_, i) => keep!.key(i)!)
    .filter((place) => place === key || place.startsWith(`${key}/`))
    .sort();
  return places.flatMap((place): [string, NewEntry[]][] => {
    try {
      return [[place, JSON.parse(keep!.getItem(place) ?? "[]") as NewEntry[]]];
    } catch {
      return [];
    }
  });
}

function store(keep: Storage | undefined, { place, entries }: Pick<Batch, "place" | "entries">): void {
  try {
    keep?.setItem(place, JSON.stringify(entries));
  } catch {
    // The storage is full or forbidden. The entries are kept only in memory until they are sent.
  }
}
