import { expect, test } from "vitest";
import { project, storeSuite } from "../testing/store-suite.js";
import { createMemoryStore } from "./memory-store.js";

// What every store promises is asserted there.
storeSuite("memory", async () => createMemoryStore());

test("two stores in memory know nothing of each other", async () => {
  const [first, second] = [createMemoryStore(), createMemoryStore()];
  await first.addProject(project("one"));
  expect(await first.projects()).toHaveLength(1);
  expect(await second.projects()).toHaveLength(0);
});
