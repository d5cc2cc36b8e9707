/** What every store promises, as tests: each implementation runs this suite. */
import { expect, test } from "vitest";
import type { NewEntry } from "../protocol/knowledge.js";
import type { RunReply } from "../protocol/runs.js";
import type { Store, StoredProject } from "../store/store.js";

/** The SHA-256 of the bytes 1, 2, 3. */
const ONE_TWO_THREE = "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81";

export function project(id: string, changed = "2026-01-01T00:00:00.000Z", sha256 = ONE_TWO_THREE): StoredProject {
  return {
    id,
    name: id,
    created: changed,
    changed,
    data: { file: `${id}.csv`, sha256, bytes: 3 },
    reading: { scale: "none", missing: "drop" },
    k: 3,
    policy: "latest",
  };
}

export function newEntry(id: string, a = 1, b = 2): NewEntry {
  return {
    id: `entry-${id}`,
    by: "ann",
    from: { kind: "drawn" },
    change: { type: "add", constraint: { type: "must-link", a, b } },
  };
}

const run = (number: number): RunReply => ({
  number,
  spec: { algorithm: "ccl", options: { k: 3 }, seed: 0 },
  title: "Constrained complete linkage",
  state: "done",
  created: "2026-01-01T00:00:00.000Z",
  version: "0.1.0",
  upTo: 0,
  used: 0,
  given: 0,
  progress: null,
  problem: null,
  milliseconds: 1,
  k: 3,
  sizes: [1, 1, 1],
  letters: [0, 1, 2],
  names: null,
  broken: 0,
  objective: null,
  scores: null,
});

export function storeSuite(what: string, open: () => Promise<Store>): void {
  test(`${what}: projects are listed by their newest change, replaced and deleted`, async () => {
    const store = await open();
    await store.putProject(project("old", "2026-01-01T00:00:00.000Z"));
    await store.putProject(project("new", "2026-02-01T00:00:00.000Z"));
    expect((await store.projects()).map(({ id }) => id)).toEqual(["new", "old"]);
    await store.putProject({ ...project("old", "2026-03-01T00:00:00.000Z"), name: "other", k: null });
    expect((await store.projects()).map(({ name }) => name)).toEqual(["other", "new"]);
    expect(await store.project("old")).toEqual({ ...project("old", "2026-03-01T00:00:00.000Z"), name: "other", k: null });
    await store.deleteProject("old");
    expect(await store.project("old")).toBe(null);
    await store.close();
  });

  test(`${what}: entries get numbers in order, and one that is sent twice is kept once`, async () => {
    const store = await open();
    await store.putProject(project("p"));
    const first = await store.append("p", [newEntry("one"), newEntry("two")], "2026-01-01T00:00:00.000Z");
    expect(first.map(({ seq }) => seq)).toEqual([1, 2]);
    const again = await store.append("p", [newEntry("two"), newEntry("three")], "2026-01-02T00:00:00.000Z");
    expect(again.map(({ seq, at }) => [seq, at.slice(0, 10)])).toEqual([
      [2, "2026-01-01"],
      [3, "2026-01-02"],
    ]);
    expect(await store.entries("p", 0)).toEqual([first[0], first[1], again[1]]);
    expect((await store.entries("p", 2)).map(({ id }) => id)).toEqual(["entry-three"]);
    await store.close();
  });

  test(`${what}: many appends at once get different numbers, none is lost`, async () => {
    const store = await open();
    await store.putProject(project("p"));
    const kept = await Promise.all(
      Array.from({ length: 60 }, (_, i) => store.append("p", [newEntry(`number-${i}`)], "2026-01-01T00:00:00.000Z")),
    );
    expect(kept.map(([entry]) => entry!.seq).sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
    expect(await store.entries("p", 0)).toHaveLength(60);
    await store.close();
  });

  test(`${what}: logs of projects are apart, and an unknown project is refused`, async () => {
    const store = await open();
    await store.putProject(project("p"));
    await store.putProject(project("q"));
    await store.append("p", [newEntry("one")], "2026-01-01T00:00:00.000Z");
    expect(await store.entries("q", 0)).toEqual([]);
    expect((await store.append("q", [newEntry("one")], "2026-01-01T00:00:00.000Z"))[0]!.seq).toBe(1);
    await expect(store.append("nobody", [newEntry("one")], "2026-01-01T00:00:00.000Z")).rejects.toThrow("no project");
    await store.close();
  });

  test(`${what}: blobs by their hash, gone with the last project that has them`, async () => {
    const store = await open();
    await store.putBlob(ONE_TWO_THREE, Uint8Array.of(1, 2, 3));
    await store.putProject(project("p"));
    await store.putProject(project("q"));
    expect([...(await store.blob(ONE_TWO_THREE))!]).toEqual([1, 2, 3]);
    await store.deleteProject("p");
    expect(await store.blob(ONE_TWO_THREE)).not.toBe(null);
    await store.deleteProject("q");
    expect(await store.blob(ONE_TWO_THREE)).toBe(null);
    await store.close();
  });

  test(`${what}: runs and what they left behind`, async () => {
    const store = await open();
    await store.putProject(project("p"));
    expect(await Promise.all([store.takeRunNumber("p"), store.takeRunNumber("p")])).toEqual([1, 2]);
    await store.putRun("p", run(2));
    await store.putRun("p", { ...run(1), state: "cancelled" });
    expect((await store.runs("p")).map(({ number, state }) => [number, state])).toEqual([
      [1, "cancelled"],
      [2, "done"],
    ]);
    expect(await store.run("p", 2)).toEqual(run(2));
    expect(await store.run("p", 3)).toBe(null);
    await store.putArtifact("p", 2, "report", `{"labels":[0,1]}`);
    expect(await store.artifact("p", 2, "report")).toBe(`{"labels":[0,1]}`);
    expect(await store.artifact("p", 1, "report")).toBe(null);
    await store.close();
  });
}
