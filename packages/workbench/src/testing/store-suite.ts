/** What every store promises, as tests: each implementation runs this suite. */
import { expect, test } from "vitest";
import type { NewEntry } from "../protocol/knowledge.js";
import type { RunReply } from "../protocol/runs.js";
import type { Store, StoredProject } from "../store/store.js";

/** The SHA-256 of the bytes 1, 2, 3. */
const ONE_TWO_THREE = "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81";

async function* oneTwoThree() {
  yield Uint8Array.of(1);
  yield Uint8Array.of(2, 3);
}

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

export const storedRun = (number: number): RunReply => ({
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
    await store.addProject(project("old", "2026-01-01T00:00:00.000Z"));
    await store.addProject(project("new", "2026-02-01T00:00:00.000Z"));
    expect((await store.projects()).map(({ id }) => id)).toEqual(["new", "old"]);
    await store.replaceProject({ ...project("old", "2026-03-01T00:00:00.000Z"), name: "other", k: null });
    expect((await store.projects()).map((each) => "name" in each && each.name)).toEqual(["other", "new"]);
    expect(await store.project("old")).toEqual({ ...project("old", "2026-03-01T00:00:00.000Z"), name: "other", k: null });
    await store.deleteProject("old");
    expect(await store.project("old")).toBe(null);
    await store.close();
  });

  test(`${what}: entries get numbers in order, and one that is sent twice is kept once`, async () => {
    const store = await open();
    await store.addProject(project("p"));
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
    await store.addProject(project("p"));
    const kept = await Promise.all(
      Array.from({ length: 60 }, (_, i) => store.append("p", [newEntry(`number-${i}`)], "2026-01-01T00:00:00.000Z")),
    );
    expect(kept.map(([entry]) => entry!.seq).sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
    expect(await store.entries("p", 0)).toHaveLength(60);
    await store.close();
  });

  test(`${what}: logs of projects are apart, and an unknown project is refused`, async () => {
    const store = await open();
    await store.addProject(project("p"));
    await store.addProject(project("q"));
    await store.append("p", [newEntry("one")], "2026-01-01T00:00:00.000Z");
    expect(await store.entries("q", 0)).toEqual([]);
    expect((await store.append("q", [newEntry("one")], "2026-01-01T00:00:00.000Z"))[0]!.seq).toBe(1);
    await expect(store.append("nobody", [newEntry("one")], "2026-01-01T00:00:00.000Z")).rejects.toThrow("no project");
    await store.close();
  });

  test(`${what}: of projects that are added with one id at the same moment, one is there and the others fail`, async () => {
    const store = await open();
    const names = Array.from({ length: 12 }, (_, i) => `name ${i}`);
    const added = await Promise.all(names.map((name) => store.addProject({ ...project("p"), name })));
    expect(added.filter(Boolean)).toHaveLength(1);
    expect((await store.project("p"))!.name).toBe(names[added.indexOf(true)]);
    await store.append("p", [newEntry("one")], "2026-01-01T00:00:00.000Z");
    expect(await store.addProject({ ...project("p"), name: "late" })).toBe(false);
    expect((await store.project("p"))!.name).toBe(names[added.indexOf(true)]);
    expect(await store.entries("p", 0)).toHaveLength(1);
    await store.close();
  });

  test(`${what}: a project that is gone does not come back by a change`, async () => {
    const store = await open();
    await store.addProject(project("p"));
    await store.deleteProject("p");
    await expect(store.replaceProject(project("p"))).rejects.toThrow(`There is no project "p" in ${store.place}.`);
    expect(await store.projects()).toEqual([]);
    await store.close();
  });

  test(`${what}: bytes by their hash, held until they are released, and kept as long as a project is about them`, async () => {
    const store = await open();
    const [first, second] = [await store.hold(oneTwoThree()), await store.hold(oneTwoThree())];
    expect([first, second]).toEqual(Array(2).fill({ sha256: ONE_TWO_THREE, bytes: 3 }));
    const there = async () => [...((await store.blob(ONE_TWO_THREE)) ?? [])];
    await store.release(ONE_TWO_THREE);
    expect(await there()).toEqual([1, 2, 3]);
    await store.addProject(project("p"));
    await store.addProject(project("q"));
    await store.release(ONE_TWO_THREE);
    await store.deleteProject("p");
    expect(await there()).toEqual([1, 2, 3]);
    await store.deleteProject("q");
    expect(await store.blob(ONE_TWO_THREE)).toBe(null);
    await store.hold(oneTwoThree());
    await store.release(ONE_TWO_THREE);
    expect(await store.blob(ONE_TWO_THREE)).toBe(null);
    await store.close();
  });

  // A project is deleted at each moment of making another one from the same file, before, between and after the steps.
  test.each([0, 1, 2, 3, 4, 5])(
    `${what}: a project keeps its bytes while another one of the same file is deleted (%i)`,
    async (moment) => {
      const store = await open();
      await store.hold(oneTwoThree());
      await store.addProject(project("old"));
      await store.release(ONE_TWO_THREE);
      let deleted: Promise<void> | undefined;
      const steps = [
        () => store.hold(oneTwoThree()),
        () => store.blob(ONE_TWO_THREE),
        () => store.addProject(project("new")),
        () => store.release(ONE_TWO_THREE),
      ];
      for (const [i, step] of steps.entries()) {
        // Once it is begun just before a step and once just after, so that the two overlap both ways.
        if (moment === i) deleted = store.deleteProject("old");
        const stepped = step();
        if (moment === i + 2) deleted = store.deleteProject("old");
        await stepped;
      }
      await deleted;
      expect((await store.projects()).map(({ id }) => id)).toEqual(["new"]);
      expect([...(await store.blob(ONE_TWO_THREE))!]).toEqual([1, 2, 3]);
      await store.close();
    },
  );

  test(`${what}: runs and what they left behind`, async () => {
    const store = await open();
    await store.addProject(project("p"));
    expect(await Promise.all([store.takeRunNumber("p"), store.takeRunNumber("p")])).toEqual([1, 2]);
    await store.putRun("p", storedRun(2));
    await store.putRun("p", { ...storedRun(1), state: "cancelled" });
    expect((await store.runs("p")).map(({ number, state }) => [number, state])).toEqual([
      [1, "cancelled"],
      [2, "done"],
    ]);
    expect(await store.run("p", 2)).toEqual(storedRun(2));
    expect(await store.run("p", 3)).toBe(null);
    await store.putArtifact("p", 2, "report", `{"labels":[0,1]}`);
    expect(await store.artifact("p", 2, "report")).toBe(`{"labels":[0,1]}`);
    expect(await store.artifact("p", 1, "report")).toBe(null);
    await store.close();
  });
}
