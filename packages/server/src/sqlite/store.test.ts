import { createHash } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  existsSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { once } from "@coterie/workbench";
import { createClient } from "@libsql/client";
import { expect, test } from "vitest";
import { newEntry, project, storedRun, storeSuite } from "../../../workbench/src/testing/store-suite.js";
import { temporaryFolder } from "../testing/folders.js";
import { PROJECT_FILE } from "./folder.js";
import { APPLICATION_ID, createCommits, MIGRATIONS, openDatabase, openStore } from "./store.js";

storeSuite("SQLite", async () => await openStore(temporaryFolder()));

const AT = "2026-01-01T00:00:00.000Z";
const hashOf = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

test("what was kept is there after closing and opening; commits are flushed in full", async () => {
  const folder = temporaryFolder();
  const store = await openStore(folder);
  await store.addProject(project("p"));
  await store.append("p", [newEntry("one")], AT);
  await store.close();
  const again = await openStore(folder);
  expect(await again.entries("p", 0)).toHaveLength(1);
  await again.close();
  const client = await openDatabase(join(folder, PROJECT_FILE));
  const settings = await Promise.all(
    ["journal_mode", "synchronous", "foreign_keys"].map((each) => client.execute(`PRAGMA ${each}`)),
  );
  expect(settings.map(({ rows }) => rows[0]![0])).toEqual(["wal", 2, 1]);
  client.close();
});

test("one studio at a time has a folder", async () => {
  const folder = temporaryFolder();
  const first = await openStore(folder);
  await expect(openStore(folder)).rejects.toThrow(/Process \d+ on .* has this project file open/);
  await first.close();
  await (await openStore(folder)).close();
});

async function filled(): Promise<{ folder: string; file: string }> {
  const folder = temporaryFolder();
  const store = await openStore(folder);
  await store.addProject(project("p"));
  for (let i = 0; i < 300; i++) await store.append("p", [newEntry(`number-${i}`, i, i + 1)], AT);
  await store.close();
  return { folder, file: join(folder, PROJECT_FILE) };
}

test.each([
  ["cut in the middle", (file: string) => cut(file)],
  ["overwritten inside", (file: string) => scribble(file, 4096 * 2 + 100)],
  ["no SQLite file", (file: string) => writeFileSync(file, "this is a letter to my aunt\n".repeat(200))],
  ["a SQLite file of another program", (file: string) => foreign(file)],
])("a project file that is %s is reported and never written to", async (_, damage) => {
  const { folder, file } = await filled();
  await damage(file);
  const before = hashOf(file);
  await expect(openStore(folder)).rejects.toMatchObject({ name: "StoreError", trouble: "damaged" });
  await expect(openStore(folder)).rejects.toThrow(/is damaged \(.+\)\. It was left as it is\./s);
  expect(hashOf(file)).toBe(before);
});

function cut(file: string): void {
  const handle = openSync(file, "r+");
  ftruncateSync(handle, Math.floor(statSync(file).size / 2));
  closeSync(handle);
}

function scribble(file: string, at: number): void {
  const handle = openSync(file, "r+");
  for (let page = at; page < statSync(file).size; page += 4096) writeSync(handle, Buffer.alloc(64, 0xa5), 0, 64, page - 90);
  closeSync(handle);
}

async function foreign(file: string): Promise<void> {
  for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
  const client = createClient({ url: pathToFileURL(file).href });
  await client.execute("CREATE TABLE mine (x)");
  client.close();
}

test("a data file whose content changed is reported", async () => {
  const { folder } = await filled();
  const store = await openStore(folder);
  const sha256 = createHash("sha256").update("x\n1\n").digest("hex");
  await store.hold(once(Buffer.from("x\n1\n")));
  await store.addProject(project("q", AT, sha256));
  writeFileSync(join(folder, "data", sha256), "x\n2\n");
  await expect(store.blob(sha256)).rejects.toMatchObject({ trouble: "damaged" });
  await store.close();
});

test("a file of the first version opens, whatever comes later; a newer one is left alone", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "old.coterie");
  const old = await openDatabase(file, MIGRATIONS.slice(0, 1));
  await old.execute({ sql: "INSERT INTO projects (id, changed, sha256, body) VALUES ('p', ?, 'x', '{}')", args: [AT] });
  await old.execute({
    sql: "INSERT INTO entries (project, seq, id, at, body) VALUES ('p', 1, 'entry-one', ?, '{}')",
    args: [AT],
  });
  old.close();
  const later = [...MIGRATIONS, ["ALTER TABLE projects ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue'"]];
  const client = await openDatabase(file, later);
  expect((await client.execute("SELECT colour, (SELECT count(*) FROM entries) AS n FROM projects")).rows[0]).toMatchObject({
    colour: "blue",
    n: 1,
  });
  expect((await client.execute("PRAGMA user_version")).rows[0]![0]).toBe(later.length);
  client.close();
  const before = hashOf(file);
  await expect(openDatabase(file)).rejects.toMatchObject({ trouble: "newer" });
  expect(hashOf(file)).toBe(before);
});

test("a migration that fails leaves the version before", async () => {
  const file = join(temporaryFolder(), "old.coterie");
  (await openDatabase(file, MIGRATIONS.slice(0, 1))).close();
  await expect(
    openDatabase(file, [...MIGRATIONS.slice(0, 1), ["CREATE TABLE colours (x)", "CREATE TABLE colours (x)"]]),
  ).rejects.toThrow();
  const client = await openDatabase(file, MIGRATIONS.slice(0, 1));
  expect((await client.execute("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'colours'")).rows[0]!.n).toBe(0);
  client.close();
});

test("the first version, as it is on disk, opens for good", async () => {
  // A file of version 1, kept as bytes: what later versions change, this one must survive.
  const kept = new URL("../testing/version-1.coterie", import.meta.url);
  const folder = temporaryFolder();
  copyFileSync(kept, join(folder, PROJECT_FILE));
  const store = await openStore(folder);
  expect((await store.projects()).map((each) => [each.id, "name" in each && each.name])).toEqual([["p", "p"]]);
  expect((await store.entries("p", 0)).map(({ seq, id }) => [seq, id])).toEqual([
    [1, "entry-one"],
    [2, "entry-two"],
  ]);
  expect(await store.artifact("p", 1, "report")).toBe('{"labels":[0,1]}');
  await store.close();
  expect(APPLICATION_ID).toBe(0x434f5445);
});

test("a full disk gives an error and keeps the old state; when there is room again, all goes on", async () => {
  const folder = temporaryFolder();
  const file = join(folder, PROJECT_FILE);
  const client = await openDatabase(file);
  const commits = createCommits(client, file);
  await commits.write([{ sql: "INSERT INTO projects (id, changed, sha256, body) VALUES ('p', ?, 'x', '{}')", args: [AT] }]);
  const pages = Number((await client.execute("PRAGMA page_count")).rows[0]![0]);
  await client.execute(`PRAGMA max_page_count = ${pages}`);
  const large = { sql: "UPDATE projects SET body = ?", args: ["x".repeat(100_000)] };
  await expect(commits.write([large])).rejects.toMatchObject({ name: "StoreError", trouble: "full" });
  expect((await client.execute("SELECT body FROM projects")).rows[0]!.body).toBe("{}");
  await client.execute("PRAGMA max_page_count = 1000000");
  await commits.write([large]);
  expect(String((await client.execute("SELECT body FROM projects")).rows[0]!.body)).toHaveLength(100_000);
  client.close();
});

test("in a group of commits nobody pays for another's fault", async () => {
  const file = join(temporaryFolder(), "x.coterie");
  const client = await openDatabase(file);
  const commits = createCommits(client, file);
  const insert = (id: string) =>
    commits.write([{ sql: "INSERT INTO projects (id, changed, sha256, body) VALUES (?, '', '', '')", args: [id] }]);
  const outcomes = await Promise.allSettled([insert("a"), insert("b"), insert("a"), insert("c")]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  expect((await client.execute("SELECT count(*) AS n FROM projects")).rows[0]!.n).toBe(3);
  client.close();
});

test("uploads and parts that a killed studio left are removed; other files stay", async () => {
  const folder = temporaryFolder();
  await (await openStore(folder)).close();
  const [part, upload, kept, other] = [
    `${"a".repeat(64)}.part-1-0`,
    "01234567-89ab-cdef-0123-456789abcdef.upload",
    "b".repeat(64),
    "notes.upload",
  ].map((name) => join(folder, "data", name)) as [string, string, string, string];
  for (const file of [part, upload, kept, other]) writeFileSync(file, "half");
  await (await openStore(folder)).close();
  expect([part, upload, kept, other].map((file) => existsSync(file))).toEqual([false, false, true, true]);
});

/** A folder with two projects, each with an answer, a run and a report, and the names of its texts by where they are kept. */
async function twoProjects(): Promise<string> {
  const folder = temporaryFolder();
  const store = await openStore(folder);
  const { sha256 } = await store.hold(once(Uint8Array.of(1, 2, 3)));
  for (const id of ["bad", "good"]) {
    await store.addProject(project(id, AT, sha256));
    await store.append(id, [newEntry("one")], AT);
    await store.putRun(id, storedRun(1));
    await store.putArtifact(id, 1, "report", `{"labels":[0,1]}`);
  }
  await store.release(sha256);
  await store.close();
  return folder;
}

const NOT_UTF8 = "cast(x'7bff7d' AS TEXT)";

test.each([
  ["project", `UPDATE projects SET body = ${NOT_UTF8} WHERE id = 'bad'`, "a byte that is no UTF-8"],
  ["project", "UPDATE projects SET body = '{' WHERE id = 'bad'", "no JSON"],
  ["project", "UPDATE projects SET body = '{}' WHERE id = 'bad'", "id: "],
  ["answer", `UPDATE entries SET body = ${NOT_UTF8} WHERE project = 'bad'`, "a byte that is no UTF-8"],
  ["answer", `UPDATE entries SET at = ${NOT_UTF8} WHERE project = 'bad'`, "a byte that is no UTF-8"],
  ["answer", "UPDATE entries SET body = '{\"id\":\"entry-one\"}' WHERE project = 'bad'", "by: "],
  ["report", `UPDATE artifacts SET body = ${NOT_UTF8} WHERE project = 'bad'`, "a byte that is no UTF-8"],
])("a damaged %s is reported in words, and the other project stays whole (%s)", async (what, damage, why) => {
  const folder = await twoProjects();
  const client = createClient({ url: pathToFileURL(join(folder, PROJECT_FILE)).href });
  await client.execute(damage);
  client.close();
  const store = await openStore(folder);
  const read = {
    project: () => store.project("bad"),
    answer: () => store.entries("bad", 0),
    report: () => store.artifact("bad", 1, "report"),
  };
  await expect(read[what as keyof typeof read]()).rejects.toMatchObject({
    name: "StoreError",
    trouble: "damaged",
    message: expect.stringContaining(why),
  });
  const projects = await store.projects();
  expect(projects.map(({ id }) => id)).toEqual(["bad", "good"]);
  expect(projects.map((each) => "problem" in each)).toEqual([what === "project", false]);
  expect(await store.entries("good", 0)).toHaveLength(1);
  expect(await store.artifact("good", 1, "report")).toBe(`{"labels":[0,1]}`);
  if (what === "answer") await expect(store.append("bad", [newEntry("one")], AT)).rejects.toMatchObject({ trouble: "damaged" });
  await store.deleteProject("bad");
  expect((await store.projects()).map(({ id }) => id)).toEqual(["good"]);
  expect(await store.blob(project("good").data.sha256)).not.toBe(null);
  await store.close();
});

test("a damaged run is shown as failed, with the reason", async () => {
  const folder = await twoProjects();
  const client = createClient({ url: pathToFileURL(join(folder, PROJECT_FILE)).href });
  await client.execute(`UPDATE runs SET body = ${NOT_UTF8} WHERE project = 'bad'`);
  client.close();
  const store = await openStore(folder);
  expect(await store.runs("bad")).toMatchObject([
    { number: 1, state: "failed", problem: expect.stringContaining("Run 1 is damaged") },
  ]);
  expect(await store.run("good", 1)).toEqual(storedRun(1));
  await store.close();
});

test("a project file whose tables lack a column is damaged", async () => {
  const folder = await twoProjects();
  const client = createClient({ url: pathToFileURL(join(folder, PROJECT_FILE)).href });
  await client.execute("ALTER TABLE runs RENAME COLUMN body TO cody");
  client.close();
  await expect(openStore(folder)).rejects.toMatchObject({ trouble: "damaged" });
});

test("bytes that arrive are on disk before more are taken, so that none of them stay in memory", async () => {
  const folder = temporaryFolder();
  const store = await openStore(folder);
  const onDisk = () =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".upload"))
      .map((name) => statSync(join(folder, name)).size);
  const sizes: number[][] = [];
  async function* chunks() {
    for (let sent = 0; sent < 4; sent++) {
      sizes.push(onDisk());
      yield new Uint8Array(100_000);
    }
    sizes.push(onDisk());
  }
  expect((await store.hold(chunks())).bytes).toBe(400_000);
  expect(sizes.slice(1)).toEqual([[100_000], [200_000], [300_000], [400_000]]);
  await store.close();
});
