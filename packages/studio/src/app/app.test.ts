import { expect, test } from "vitest";
import { worthWords } from "../ask/ask.js";
import { isSingle, keyName } from "../page/keys.js";
import { addressOf, parseRoute } from "../page/router.js";
import { isAnswers, linesAround, nameOf, withoutLine } from "../start/start.js";
import { createOutbox } from "../state/actions.js";
import { rowIndex } from "../state/lookups.js";
import { coalesce } from "../state/session.js";
import { createStore, isEqual } from "../state/store.js";
import { nextIndex } from "../ui/virtual-list.js";

const press = (key: string, more: Partial<Record<"ctrlKey" | "metaKey" | "altKey" | "shiftKey", boolean>> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});

test("names of key presses", () => {
  expect(keyName(press("s"))).toBe("s");
  expect(keyName(press("S", { shiftKey: true }))).toBe("Shift+S");
  expect(keyName(press("k", { ctrlKey: true }))).toBe("Ctrl+K");
  expect(keyName(press("k", { metaKey: true }))).toBe("Ctrl+K");
  expect(keyName(press("Z", { ctrlKey: true, shiftKey: true }))).toBe("Ctrl+Shift+Z");
  expect(keyName(press("?", { shiftKey: true }))).toBe("?");
  expect(keyName(press(" "))).toBe("Space");
  expect([isSingle(press("s")), isSingle(press("s", { ctrlKey: true })), isSingle(press("Escape"))]).toEqual([
    true,
    false,
    false,
  ]);
});

test("addresses lead to pages and back", () => {
  for (const address of ["#/", "#/projects/penguins/map", "#/projects/penguins/compare?before=1&after=7"])
    expect(addressOf(parseRoute(address))).toBe(address);
  expect(parseRoute("#/projects/penguins/nowhere")).toMatchObject({ view: "map" });
  expect(parseRoute("")).toEqual({ page: "start" });
});

test("a file of answers is distinguished from a table of rows", () => {
  expect(isAnswers("type,a,b\nmust-link,1,2\n")).toBe(true);
  expect(isAnswers('{"ask":[1,2],"answer":"same"}\n')).toBe(true);
  expect(isAnswers("bill_length_mm,class\n38.1,Adelie\n")).toBe(false);
  expect([nameOf("penguins.csv"), nameOf("a.b.parquet"), nameOf(".csv")]).toEqual(["penguins", "a.b", ".csv"]);
});

test("a bad line is shown with the one before it, and can be left out", () => {
  const text = "a,b\n1,2\n3\n4,5\n";
  expect(linesAround(text, 3)).toEqual([
    [2, "1,2"],
    [3, "3"],
  ]);
  expect(linesAround(text.replaceAll("\n", "\r\n"), 3)[1]).toEqual([3, "3"]);
  expect(withoutLine(text, 3)).toBe("a,b\n1,2\n4,5\n");
});

test("work that is asked for while it runs is done once more, never twice at a time", async () => {
  let [active, most, times] = [0, 0, 0];
  const work = coalesce(async () => {
    active++;
    times++;
    most = Math.max(most, active);
    await Promise.resolve();
    active--;
  });
  await Promise.all([work(), work(), work()]);
  expect([most, times]).toEqual([1, 2]);
});

const entry = (id: string) => ({
  id,
  by: "me",
  from: { kind: "drawn" } as const,
  change: { type: "drop", entry: "12345678" } as const,
});

test("what a lost line held up is sent again, in order, and each entry once", async () => {
  let online = false;
  const sent: string[] = [];
  const waiting: number[] = [];
  let lost = false;
  const outbox = createOutbox({
    key: "k",
    send: async (entries) => {
      if (!online) throw new TypeError("fetch failed");
      sent.push(...entries.map(({ id }) => id));
    },
    onWaiting: (count) => waiting.push(count),
    onOffline: () => {
      lost = true;
    },
    onRefused: () => {},
  });
  const both = Promise.all([outbox.post([entry("one-one-1")]), outbox.post([entry("two-two-2")])]);
  await Promise.resolve();
  expect(sent).toEqual([]);
  expect(lost).toBe(true);
  online = true;
  await outbox.flush();
  expect(await both).toEqual([true, true]);
  expect(sent).toEqual(["one-one-1", "two-two-2"]);
  expect(waiting.at(-1)).toBe(0);
});

test("an entry that the log refuses does not hold up the next", async () => {
  const refused: unknown[] = [];
  const outbox = createOutbox({
    key: "k",
    send: async ([first]) => {
      if (first!.id === "bad-bad-1") throw new Error("no such row");
    },
    onWaiting: () => {},
    onOffline: () => {},
    onRefused: (error) => refused.push(error),
  });
  expect(await Promise.all([outbox.post([entry("bad-bad-1")]), outbox.post([entry("good-good")])])).toEqual([false, true]);
  expect(refused).toHaveLength(1);
});

/** What a browser keeps. */
function storage() {
  const kept = new Map<string, string>();
  const keep = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
    key: (i: number) => [...kept.keys()][i] ?? null,
    get length() {
      return kept.size;
    },
  } as unknown as Storage;
  return { kept, keep };
}

const QUIET = { key: "k", onWaiting: () => {}, onOffline: () => {}, onRefused: () => {} };

test("two tabs do not overwrite what waits in the other, an interrupted sending stays, and other projects are left alone", async () => {
  const { kept, keep } = storage();
  kept.set("k", JSON.stringify([entry("old-old-0")]));
  kept.set("k-2/1/other", JSON.stringify([entry("other-9")]));
  const offline = () => Promise.reject(new TypeError("offline"));
  void createOutbox({ ...QUIET, keep, send: offline }).post([entry("one-one-1")]);
  const leaving = () => Promise.reject(new DOMException("left the page", "AbortError"));
  void createOutbox({ ...QUIET, keep, send: leaving }).post([entry("two-two-2")]);
  await new Promise((resolve) => setTimeout(resolve));
  const sent: string[] = [];
  await createOutbox({ ...QUIET, keep, send: async (entries) => sent.push(...entries.map(({ id }) => id)) }).flush();
  expect(sent).toEqual(["old-old-0", "one-one-1", "two-two-2"]);
  expect([...kept.keys()]).toEqual(["k-2/1/other"]);
});

test("entries that wait outlive a reload", async () => {
  const { kept, keep } = storage();
  const options = { ...QUIET, keep };
  void createOutbox({ ...options, send: () => Promise.reject(new TypeError("offline")) }).post([entry("one-one-1")]);
  await Promise.resolve();
  const sent: string[] = [];
  await createOutbox({ ...options, send: async (entries) => sent.push(...entries.map(({ id }) => id)) }).flush();
  expect(sent).toEqual(["one-one-1"]);
  expect(kept.size).toBe(0);
});

test("ids lead to rows, whichever is asked for first", () => {
  const rows = rowIndex(4, ["a", "b", 7, "d"]);
  expect([rows.get("7"), rows.get("a"), rows.get("none"), rows.get("d")]).toEqual([2, 0, undefined, 3]);
  const numbers = rowIndex(3, null);
  expect([numbers.get("2"), numbers.get("3"), numbers.get("02")]).toEqual([2, undefined, undefined]);
});

test("the store merges changes and reports them; parts are compared by their entries", () => {
  const store = createStore({ a: 1, b: 2 });
  let reports = 0;
  const stop = store.subscribe(() => reports++);
  store.set({ a: 3 });
  store.set(({ a }) => ({ b: a }));
  stop();
  store.set({ a: 0 });
  expect([store.get(), reports]).toEqual([{ a: 0, b: 3 }, 2]);
  expect([isEqual({ a: 1 }, { a: 1 }), isEqual([1, 2], [1, 3]), isEqual(new Map(), new Map())]).toEqual([true, false, false]);
});

test("keys of lists skip what cannot be chosen", () => {
  const isChoice = (index: number) => index !== 0 && index !== 3;
  expect(nextIndex("ArrowDown", -1, 6, isChoice)).toBe(1);
  expect(nextIndex("ArrowDown", 2, 6, isChoice)).toBe(4);
  expect(nextIndex("ArrowUp", 1, 6, isChoice)).toBeNull();
  expect(nextIndex("End", 1, 6, isChoice)).toBe(5);
  expect(nextIndex("a", 1, 6, isChoice)).toBeNull();
});

test("how many questions are worth asking is never more than are left", () => {
  for (const worth of [0, 1, 2, 19, 20, 21, 732, 1_000_000])
    for (const left of [1, 2, 20]) {
      const number = Number(
        worthWords(worth, left)
          .match(/[\d,]+/)?.[0]
          .replaceAll(",", "") ?? 0,
      );
      expect(number, `${worth} of ${left}`).toBeLessThanOrEqual(Math.min(worth, left));
    }
  expect(worthWords(732, 20)).toBe("all 20 remaining questions are worth asking");
  expect(worthWords(3, 20)).toBe("about 3 more questions are worth asking");
  expect(worthWords(732, 1)).toBe("the last question is worth asking");
});
