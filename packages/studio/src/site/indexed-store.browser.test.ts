/** The browser's storage keeps what every store keeps, and says in words when it cannot. */
import { expect, test } from "vitest";
import { newEntry, project, storeSuite } from "../../../workbench/src/testing/store-suite.js";
import { openIndexedStore, storageProblem } from "./worker.js";

let serial = 0;

storeSuite("IndexedDB", () => openIndexedStore(`suite-${performance.timeOrigin}-${++serial}`));

test("a second connection to the same storage sees what the first one wrote", async () => {
  const name = `connections-${performance.timeOrigin}`;
  const first = await openIndexedStore(name);
  await first.addProject(project("penguins"));
  await first.append("penguins", [newEntry("one-1"), newEntry("two-2")], "2026-01-01T00:00:00.000Z");
  const second = await openIndexedStore(name);
  expect((await second.entries("penguins", 1)).map(({ seq }) => seq)).toEqual([2]);
  await second.close();
  await first.close();
});

test("a full storage is a sentence with a remedy, and what was there stays", async () => {
  expect(storageProblem(new DOMException("", "QuotaExceededError")).problem).toMatchObject({
    message: "The browser's storage is full: nothing was changed.",
    remedy: expect.stringContaining("delete it"),
  });
  const store = await openIndexedStore(`full-${performance.timeOrigin}`);
  await store.addProject(project("penguins"));
  const put = IDBObjectStore.prototype.put;
  IDBObjectStore.prototype.put = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  try {
    await expect(store.replaceProject({ ...project("penguins"), name: "other" })).rejects.toThrow("storage is full");
  } finally {
    IDBObjectStore.prototype.put = put;
  }
  expect((await store.project("penguins"))!.name).toBe("penguins");
  await store.close();
});

test("a storage that may not be opened, as in private browsing, is refused in words", async () => {
  const closed = {
    open: () => {
      const request = { error: new DOMException("denied", "SecurityError") } as IDBOpenDBRequest;
      queueMicrotask(() => request.onerror?.(new Event("error")));
      return request;
    },
  } as unknown as IDBFactory;
  await expect(openIndexedStore("any", closed)).rejects.toThrow("The browser's storage refused: denied.");
});
