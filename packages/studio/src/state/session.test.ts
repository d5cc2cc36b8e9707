import { expect, onTestFinished, test, vi } from "vitest";
import { fixture } from "../testing/fixture.js";
import type { Client } from "./client.js";
import { openSession } from "./session.js";

/** A session over the made-up back end, some of whose replies are others by now. */
async function opened() {
  const back = fixture();
  const others: Record<string, (input: never) => unknown> = {};
  const call = (async (name: never, input: never) => {
    const known = await back.call(name, input).catch(() => null);
    return others[name] ? others[name](known as never) : known;
  }) as unknown as Client["call"];
  const session = await openSession({ ...back, call }, "penguins", { me: () => "ann", tell: () => () => {} });
  onTestFinished(() => session.close());
  return { ...session, emit: back.emit, others, start: back.call };
}

test("a line that opens again brings what no event reported in between: a run that ended, a search that is gone", async () => {
  const { store, emit, others, start } = await opened();
  await vi.waitFor(() => expect(store.get().layout).not.toBe(null));
  const run = await start("startRun", { project: "penguins", algorithm: "kmeans", options: { k: 3 } });
  await vi.waitFor(() => expect(store.get().results.size).toBe(1));
  store.set({
    runs: [{ ...run, state: "running" }],
    colouring: { by: "nothing" },
    advice: { upTo: 0, k: 3, state: "running", progress: null, problem: null, advised: null },
  });
  others.advice = () => null;
  emit({ type: "hello", upTo: 0 });
  await vi.waitFor(() => expect(store.get().colouring).toEqual({ by: "run", run: 1 }));
  expect(store.get().runs.map(({ state }) => state)).toEqual(["done"]);
  await vi.waitFor(() => expect(store.get().advice).toBe(null));
});

test("a table that is read in another way: what was picked by number is let go, and a run about other rows has no labels", async () => {
  const { store, emit, others, start, actions } = await opened();
  await start("startRun", { project: "penguins", algorithm: "kmeans", options: { k: 3 } });
  await vi.waitFor(() => expect(store.get().results.get(1)?.labels).toHaveLength(150));
  actions.pickAll([3, 4]);
  others.project = (known: { reading: object }) => ({ ...known, reading: { ...known.reading, missing: "impute" } });
  others.run = (known: object) => ({ ...known, current: false });
  emit({ type: "project" });
  await vi.waitFor(() => expect(store.get().results.get(1)).toMatchObject({ current: false }));
  expect(store.get().results.get(1)?.labels).toHaveLength(0);
  expect(store.get().picks).toEqual([]);
});
