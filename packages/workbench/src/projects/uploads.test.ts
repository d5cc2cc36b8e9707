/** Uploads that become no project: how long and how many. Events: which replace older events. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { once } from "../store/bytes.js";
import { createMemoryStore } from "../store/memory-store.js";
import { createProjectEvents, createUploads } from "./context.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const bytes = (length: number, value = 0) => once(new Uint8Array(length).fill(value));
const isThere = (uploads: ReturnType<typeof createUploads>, id: string) => uploads.use(id, async () => true);

test("an upload goes after its time, but not while a project is made of it", async () => {
  const store = createMemoryStore();
  const uploads = createUploads(store, { heldBytes: 100, heldFor: 1_000 });
  const [idle, used] = [await uploads.add("a", bytes(3, 1)), await uploads.add("b", bytes(3, 2))];
  await uploads.use(used.id, async () => {
    await vi.advanceTimersByTimeAsync(1_001);
    expect(await store.blob(idle.sha256)).toBe(null);
    expect(await store.blob(used.sha256)).not.toBe(null);
  });
  expect(await store.blob(used.sha256)).toBe(null);
  expect(await isThere(uploads, used.id)).toBe(null);
});

test("the oldest uploads make room for newer ones; files that are too much even so are refused and leave nothing", async () => {
  const store = createMemoryStore();
  const uploads = createUploads(store, { heldBytes: 100, heldFor: 1_000 });
  const [a, b, c] = [
    await uploads.add("a", bytes(40, 1)),
    await uploads.add("b", bytes(40, 2)),
    await uploads.add("c", bytes(40, 3)),
  ];
  expect([await isThere(uploads, a.id), await isThere(uploads, b.id), await isThere(uploads, c.id)]).toEqual([null, true, true]);
  await expect(uploads.add("d", bytes(101, 4))).rejects.toMatchObject({ status: 413 });
  const again = await uploads.add("e", bytes(100, 5));
  expect(await isThere(uploads, again.id)).toBe(true);
  await uploads.close();
  expect(await store.blob(again.sha256)).toBe(null);
});

test("progress of two runs in turn keeps one event for each run, behind the events between them", async () => {
  const events = createProjectEvents();
  const over = new AbortController();
  const received = events.subscribe("p", { type: "hello", upTo: 0 }, over.signal);
  await received.next();
  const next = received.next();
  for (let done = 0; done < 3_000; done++) {
    for (const run of [1, 2]) events.publish("p", { type: "progress", run, progress: { phase: "merging", done, total: 3_000 } });
    if (done === 0) events.publish("p", { type: "project" });
  }
  const first = await next;
  const rest = [first, await received.next(), await received.next()].map(({ value }) => value);
  expect(rest).toMatchObject([{ type: "project" }, { run: 1, progress: { done: 2_999 } }, { run: 2, progress: { done: 2_999 } }]);
  over.abort();
  expect((await received.next()).done).toBe(true);
});
