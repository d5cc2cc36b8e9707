import { existsSync } from "node:fs";
import { join } from "node:path";
import { once } from "@coterie/workbench";
import { expect, test } from "vitest";
import { newEntry, project, storedRun } from "../../../workbench/src/testing/store-suite.js";
import { temporaryFolder } from "../testing/folders.js";
import { PROJECT_FILE } from "./folder.js";
import { moveProjects, openStore } from "./store.js";

const AT = "2026-01-01T00:00:00.000Z";

async function folderOf(ids: readonly string[], value: number) {
  const folder = temporaryFolder();
  const store = await openStore(folder);
  const { sha256 } = await store.hold(once(Uint8Array.of(value)));
  for (const id of ids) {
    await store.addProject(project(id, AT, sha256));
    await store.append(id, [newEntry(`${id}-one`), newEntry(`${id}-two`)], AT);
    const number = await store.takeRunNumber(id);
    await store.putRun(id, storedRun(number));
    await store.putArtifact(id, number, "report", `{"of":"${id} ${value}"}`);
  }
  await store.release(sha256);
  await store.close();
  return { folder, sha256 };
}

test("projects of an earlier folder come with all that is theirs, once, beside those that have their names", async () => {
  const [old, now] = [await folderOf(["iris", "wine"], 1), await folderOf(["iris"], 2)];
  expect(await moveProjects(old.folder, now.folder)).toBe(2);
  expect(await moveProjects(old.folder, now.folder)).toBe(0);
  expect([existsSync(join(old.folder, PROJECT_FILE)), existsSync(join(old.folder, `${PROJECT_FILE}.moved`))]).toEqual([
    false,
    true,
  ]);
  const store = await openStore(now.folder);
  expect((await store.projects()).map(({ id }) => id).sort()).toEqual(["iris", "iris-2", "wine"]);
  expect((await store.project("iris-2"))!.data.sha256).toBe(old.sha256);
  expect([...(await store.blob(old.sha256))!]).toEqual([1]);
  expect((await store.entries("iris-2", 0)).map(({ seq, id, at }) => [seq, id, at])).toEqual([
    [1, "entry-iris-one", AT],
    [2, "entry-iris-two", AT],
  ]);
  expect(await store.artifact("iris-2", 1, "report")).toBe('{"of":"iris 1"}');
  expect(await store.artifact("iris", 1, "report")).toBe('{"of":"iris 2"}');
  expect(await store.runs("wine")).toEqual([storedRun(1)]);
  expect(await store.takeRunNumber("wine")).toBe(2);
  await store.close();
});

test("where there is no earlier folder, or it is the one in use, nothing happens", async () => {
  const { folder } = await folderOf(["iris"], 1);
  expect(await moveProjects(temporaryFolder(), folder)).toBe(0);
  expect(await moveProjects(folder, folder)).toBe(0);
  const store = await openStore(folder);
  await expect(moveProjects(folder, temporaryFolder())).rejects.toThrow(/has this project file open/);
  expect(await store.projects()).toHaveLength(1);
  await store.close();
});
