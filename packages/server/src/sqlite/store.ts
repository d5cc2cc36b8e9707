/** A store of projects in a folder: projects, logs and runs in one SQLite file, and data files, named by their hash, beside it. */
import { createHash, randomUUID } from "node:crypto";
import { createReadStream, existsSync, realpathSync, renameSync } from "node:fs";
import { type FileHandle, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type HeldBytes, noProject, type Store, type StoredProject, storedProjectSchema } from "@coterie/workbench";
import {
  type Entry,
  type NewEntry,
  newEntry as newEntrySchema,
  type RunReply,
  run as runSchema,
} from "@coterie/workbench/protocol";
import { type Client, createClient, type InStatement, type ResultSet, type Row } from "@libsql/client";
import { damaged, damagedPart, StoreError, storeErrorFrom } from "../store-error.js";
import { makeFolder, openFolder, PROJECT_FILE, unusable } from "./folder.js";

/** Names of files that are deleted when the store opens: uploads of a killed studio, and unfinished files of earlier versions. */
const LEFTOVER = /^(?:[0-9a-f-]{36}\.upload|[0-9a-f]{64}\.part-.*)$/;

/**
 * The migrations of the project file. List i brings a file from version i to version i + 1. Never change a list: every version is in use.
 */
export const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE projects (
      id TEXT PRIMARY KEY,
      changed TEXT NOT NULL,
      sha256 TEXT NOT NULL,
      body TEXT NOT NULL,
      taken INTEGER NOT NULL DEFAULT 0
    ) STRICT`,
    `CREATE TABLE entries (
      project TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      seq INTEGER NOT NULL,
      id TEXT NOT NULL,
      at TEXT NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (project, seq),
      UNIQUE (project, id)
    ) STRICT`,
    `CREATE TABLE runs (
      project TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (project, number)
    ) STRICT`,
    `CREATE TABLE artifacts (
      project TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      run INTEGER NOT NULL,
      name TEXT NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (project, run, name)
    ) STRICT`,
  ],
];

/** The SQLite application id of project files: the bytes "COTE". */
export const APPLICATION_ID = 0x434f5445;

/** All tables and columns that the store uses. A project file that lacks one of these is damaged. */
const USED = [
  "id, changed, sha256, body, taken FROM projects",
  "project, seq, id, at, body FROM entries",
  "project, number, body FROM runs",
  "project, run, name, body FROM artifacts",
];

/** Maximum number of SQL statements in one transaction. */
const MOST_STATEMENTS = 20_000;

/** Opens a store. Only one studio at a time can use a folder, because a studio would not notice entries that another studio adds. */
export async function openStore(folder: string): Promise<Store> {
  return storeOver(await openParts(folder));
}

async function openParts(folder: string): Promise<Parts> {
  const { file, data, unlock } = openFolder(folder);
  let client: Client | undefined;
  try {
    const opened = await openDatabase(file);
    client = opened;
    const isNeeded = async (sha256: string): Promise<boolean> =>
      (await opened.execute({ sql: "SELECT 1 FROM projects WHERE sha256 = ? LIMIT 1", args: [sha256] })).rows.length > 0;
    const blobs = await openBlobs(data, isNeeded);
    return { client, file, blobs, commits: createCommits(client, file), unlock };
  } catch (error) {
    client?.close();
    unlock();
    throw error;
  }
}

export interface Parts {
  readonly client: Client;
  readonly file: string;
  readonly blobs: Awaited<ReturnType<typeof openBlobs>>;
  readonly commits: ReturnType<typeof createCommits>;
  readonly unlock: () => void;
}

function storeOver({ client, file, blobs, commits, unlock }: Parts): Store {
  const read = async (sql: string, args: (string | number)[]): Promise<Row[]> => {
    try {
      return (await client.execute({ sql, args })).rows;
    } catch (error) {
      throw storeErrorFrom(error, file);
    }
  };
  const exists = async (id: string): Promise<void> => {
    if ((await read("SELECT 1 FROM projects WHERE id = ?", [id])).length === 0) throw noProject(id, { place: file });
  };
  return {
    place: file,
    projects: async () =>
      (await read(`SELECT ${ID}, ${BODY} FROM projects ORDER BY changed DESC, projects.id`, [])).map((row) => {
        const id = new TextDecoder().decode(row.id as ArrayBuffer);
        try {
          return projectFrom(row, id, file);
        } catch (error) {
          return { id, problem: (error as Error).message };
        }
      }),
    async project(id) {
      const [row] = await read(`SELECT ${BODY} FROM projects WHERE id = ?`, [id]);
      return row ? projectFrom(row, id, file) : null;
    },
    async addProject(project) {
      await blobs.keep(project.data.sha256);
      const [result] = await commits.write([
        {
          sql: "INSERT INTO projects (id, changed, sha256, body) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
          args: [project.id, project.changed, project.data.sha256, JSON.stringify(project)],
        },
      ]);
      return result!.rowsAffected === 1;
    },
    async replaceProject(project) {
      const [result] = await commits.write([
        {
          sql: "UPDATE projects SET changed = ?2, sha256 = ?3, body = ?4 WHERE id = ?1",
          args: [project.id, project.changed, project.data.sha256, JSON.stringify(project)],
        },
      ]);
      if (result!.rowsAffected === 0) throw noProject(project.id, { place: file });
    },
    async deleteProject(id) {
      const [gone] = await read("SELECT CAST(sha256 AS BLOB) AS sha256 FROM projects WHERE id = ?", [id]);
      await commits.write(
        ["artifacts", "runs", "entries"]
          .map((table) => ({ sql: `DELETE FROM ${table} WHERE project = ?`, args: [id] }))
          .concat({ sql: "DELETE FROM projects WHERE id = ?", args: [id] }),
      );
      const sha256 = gone && new TextDecoder().decode(gone.sha256 as ArrayBuffer);
      if (sha256 && isHash(sha256)) await blobs.removeUnneeded(sha256);
    },
    async append(id, entries, at) {
      await exists(id);
      const results = await commits.write(entries.flatMap((entry) => appending(id, entry, at)));
      return entries.map((_, i) => entryFrom(results[2 * i + 1]!.rows[0]!, id, file));
    },
    entries: async (id, since) => {
      const rows = await read(`SELECT seq, ${AT}, ${BODY} FROM entries WHERE project = ? AND seq > ? ORDER BY seq`, [id, since]);
      if (rows.length === 0) await exists(id);
      return rows.map((row) => entryFrom(row, id, file));
    },
    hold: (chunks) => blobs.hold(chunks),
    release: (sha256) => blobs.release(sha256),
    blob: (sha256) => blobs.get(sha256),
    hasBlob: (sha256) => blobs.has(sha256),
    async takeRunNumber(id) {
      await exists(id);
      const [result] = await commits.write([
        { sql: "UPDATE projects SET taken = taken + 1 WHERE id = ? RETURNING taken", args: [id] },
      ]);
      return Number(result!.rows[0]!.taken);
    },
    async putRun(id, run) {
      await commits.write([
        {
          sql: "INSERT INTO runs (project, number, body) VALUES (?1, ?2, ?3) ON CONFLICT (project, number) DO UPDATE SET body = ?3",
          args: [id, run.number, JSON.stringify(run)],
        },
      ]);
    },
    runs: async (id) =>
      (await read(`SELECT number, ${BODY} FROM runs WHERE project = ? ORDER BY number`, [id])).map((row) => runFrom(row, file)),
    async run(id, number) {
      const [row] = await read(`SELECT number, ${BODY} FROM runs WHERE project = ? AND number = ?`, [id, number]);
      return row ? runFrom(row, file) : null;
    },
    async putArtifact(id, run, name, text) {
      await commits.write([
        {
          sql: `INSERT INTO artifacts (project, run, name, body) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (project, run, name) DO UPDATE SET body = ?4`,
          args: [id, run, name, text],
        },
      ]);
    },
    async artifact(id, run, name) {
      const [row] = await read(`SELECT ${BODY} FROM artifacts WHERE project = ? AND run = ? AND name = ?`, [id, run, name]);
      return row ? decoded(row.body, `The ${name} of run ${run} of project "${id}"`, file, (text) => text) : null;
    },
    async close() {
      await commits.flushed();
      // Write the write-ahead log into the file. Then the file alone is a complete copy.
      await client.execute("PRAGMA wal_checkpoint(TRUNCATE)").catch(() => undefined);
      client.close();
      unlock();
    },
  };
}

function appending(project: string, entry: NewEntry, at: string): InStatement[] {
  return [
    {
      sql: `INSERT INTO entries (project, seq, id, at, body)
        SELECT ?1, coalesce((SELECT max(seq) FROM entries WHERE project = ?1), 0) + 1, ?2, ?3, ?4
        WHERE NOT EXISTS (SELECT 1 FROM entries WHERE project = ?1 AND id = ?2)`,
      args: [project, entry.id, at, JSON.stringify(entry)],
    },
    { sql: `SELECT seq, ${AT}, ${BODY} FROM entries WHERE project = ?1 AND entries.id = ?2`, args: [project, entry.id] },
  ];
}

/** Texts are read as bytes, because the SQLite library ends the whole process at a byte that is not valid UTF-8. */
const [ID, BODY, AT] = ["id", "body", "at"].map((column) => `CAST(${column} AS BLOB) AS ${column}`);
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decoded<T>(bytes: Row[string] | undefined, what: string, file: string, read: (text: string) => T): T {
  try {
    return read(UTF8.decode(bytes as ArrayBuffer));
  } catch (error) {
    throw damagedPart(what, file, error);
  }
}

function projectFrom({ body }: Row, id: string, file: string): StoredProject {
  return decoded(body, `Project "${id}"`, file, (text) => {
    const project = storedProjectSchema.parse(JSON.parse(text));
    if (project.id !== id) throw new Error(`it calls itself "${project.id}"`);
    return project as StoredProject;
  });
}

function entryFrom({ seq, at, body }: Row, project: string, file: string): Entry {
  const what = `Answer ${seq} of project "${project}"`;
  const entry = decoded(body, what, file, (text) => newEntrySchema.parse(JSON.parse(text)));
  return { ...entry, seq: Number(seq), at: decoded(at, what, file, (text) => text) };
}

/** Reads a run. A damaged run becomes a failed run, so that the rest of the project stays usable. */
function runFrom({ number, body }: Row, file: string): RunReply {
  try {
    return decoded(body, `Run ${number}`, file, (text) => runSchema.parse(JSON.parse(text)));
  } catch (error) {
    const nothing = { progress: null, milliseconds: null, k: null, sizes: null, letters: null, names: null, objective: null };
    return {
      ...nothing,
      number: Number(number),
      spec: { algorithm: "unknown", options: {}, seed: 0 },
      title: "Damaged run",
      state: "failed",
      created: "",
      version: "",
      upTo: 0,
      used: 0,
      given: 0,
      problem: (error as Error).message,
      broken: null,
      scores: null,
    };
  }
}

/*
 * Group commit: requests that arrive while the disk is busy are written together, in one transaction with one flush. Each caller gets its
 * result when its data are on disk. If a group fails, its requests are tried one by one, so that only the faulty request fails.
 */

interface Part {
  readonly statements: readonly InStatement[];
  resolve(results: ResultSet[]): void;
  reject(error: unknown): void;
}

export function createCommits(client: Client, file: string) {
  const waiting: Part[] = [];
  let working: Promise<void> | null = null;

  const flush = async (): Promise<void> => {
    // Wait for one turn of the event loop, so that more requests join the group.
    await new Promise((resume) => setImmediate(resume));
    while (waiting.length > 0) await commit(client, file, takeGroup(waiting));
  };
  const work = () => {
    working ??= flush().finally(() => {
      working = null;
      if (waiting.length > 0) work();
    });
  };
  return {
    write: (statements: readonly InStatement[]): Promise<ResultSet[]> =>
      new Promise((resolve, reject) => {
        waiting.push({ statements, resolve, reject });
        work();
      }),
    async flushed(): Promise<void> {
      while (working) await working;
    },
  };
}

function takeGroup(waiting: Part[]): Part[] {
  let [count, parts] = [0, 0];
  while (parts < waiting.length && (parts === 0 || count + waiting[parts]!.statements.length <= MOST_STATEMENTS))
    count += waiting[parts++]!.statements.length;
  return waiting.splice(0, parts);
}

async function commit(client: Client, file: string, group: readonly Part[]): Promise<void> {
  try {
    const results = await client.batch(
      group.flatMap(({ statements }) => [...statements]),
      "write",
    );
    let at = 0;
    for (const { statements, resolve } of group) {
      resolve(results.slice(at, at + statements.length));
      at += statements.length;
    }
  } catch (error) {
    if (group.length === 1) return group[0]!.reject(storeErrorFrom(error, file));
    for (const part of group) await commit(client, file, [part]);
  }
}

/* Opens a SQLite file, checks it, and migrates it to the newest version. A damaged file is never written to. */

export async function openDatabase(file: string, migrations = MIGRATIONS): Promise<Client> {
  const existed = existsSync(file);
  let client: Client;
  try {
    // Use a single connection, so that its settings apply to all statements.
    client = createClient({ url: pathToFileURL(file).href, concurrency: 1, timeout: 0 } as Parameters<typeof createClient>[0]);
  } catch (error) {
    throw storeErrorFrom(error, file);
  }
  try {
    const version = await numberOf(client, "user_version");
    if (existed) await check(client, file, version, migrations.length);
    await client.execute("PRAGMA journal_mode = WAL");
    await client.execute("PRAGMA synchronous = FULL");
    await client.execute("PRAGMA foreign_keys = ON");
    await migrate(client, version, migrations);
    for (const columns of USED)
      await client.execute(`SELECT ${columns} LIMIT 0`).catch((error: unknown) => rejectDamaged(file, error));
    return client;
  } catch (error) {
    client.close();
    const problem = storeErrorFrom(error, file);
    if (problem instanceof StoreError) throw problem;
    const why = error instanceof Error ? error.message : String(error);
    throw new StoreError("unusable", `${file} cannot be opened (${why}). Name another folder with --folder.`, { cause: error });
  }
}

function rejectDamaged(file: string, error: unknown): never {
  throw damaged(file, error);
}

async function numberOf(client: Client, pragma: string): Promise<number> {
  const { rows } = await client.execute(`PRAGMA ${pragma}`);
  return Number(rows[0]?.[0] ?? 0);
}

async function check(client: Client, file: string, version: number, newest: number): Promise<void> {
  const application = await numberOf(client, "application_id");
  const { rows: tables } = await client.execute("SELECT count(*) FROM sqlite_schema");
  const empty = Number(tables[0]?.[0] ?? 0) === 0;
  if (!empty && application !== APPLICATION_ID) throw damaged(file, "it is no project file of Coterie");
  if (version > newest)
    throw new StoreError(
      "newer",
      `${file} was written by a newer version of Coterie (${version}, this one knows ${newest}). Bring Coterie up to date.`,
    );
  const { rows } = await client.execute("PRAGMA quick_check(1)");
  const found = String(rows[0]?.[0] ?? "");
  if (found !== "ok") throw damaged(file, found);
}

/** Migrates a file in one transaction: if the studio is killed in between, the file keeps the older version. */
async function migrate(client: Client, version: number, migrations: readonly (readonly string[])[]): Promise<void> {
  const missing = migrations.slice(version).flat();
  if (missing.length === 0) return;
  await client.batch(
    [...missing, `PRAGMA application_id = ${APPLICATION_ID}`, `PRAGMA user_version = ${migrations.length}`],
    "write",
  );
}

/*
 * Data files, named by their SHA-256. Arriving bytes go to a file `….upload`. The caller holds the bytes until it releases them. When a
 * first project uses the bytes, the file is flushed and renamed. So a data file is always complete. Old uploads are deleted when the store
 * opens.
 *
 * Bytes are held, kept and removed one after the other, never at the same time. A file is removed only if nobody holds its bytes and no
 * project uses them. A project is added only while its bytes are held. So a file that is about to be used is never removed.
 */

function isHash(sha256: string): boolean {
  return /^[0-9a-f]{64}$/.test(sha256);
}

interface Held {
  /** The file of the upload; null after it was renamed to its SHA-256. */
  path: string | null;
  count: number;
}

/** Opens the folder of data files. isNeeded: says whether a project uses the bytes with this SHA-256. */
async function openBlobs(folder: string, isNeeded: (sha256: string) => Promise<boolean>) {
  try {
    makeFolder(folder);
    for (const name of await readdir(folder)) if (LEFTOVER.test(name)) await rm(join(folder, name), { force: true });
  } catch (error) {
    throw unusable(folder, error as NodeJS.ErrnoException);
  }
  const held = new Map<string, Held>();
  const inTurn = turns();
  const placeOf = (sha256: string): string => {
    if (!isHash(sha256)) throw new Error(`"${sha256}" is no SHA-256.`);
    return join(folder, sha256);
  };
  const pathNow = (sha256: string): string => held.get(sha256)?.path ?? placeOf(sha256);
  const removeUnneeded = async (sha256: string): Promise<void> => {
    if (!held.has(sha256) && !(await isNeeded(sha256))) await rm(placeOf(sha256), { force: true });
  };
  return {
    async hold(chunks: AsyncIterable<Uint8Array>): Promise<HeldBytes> {
      const path = join(folder, `${randomUUID()}.upload`);
      const { sha256, bytes } = await written(path, chunks);
      await inTurn(async () => {
        const known = held.get(sha256);
        if (known) known.count++;
        else held.set(sha256, { path, count: 1 });
        if (known) await rm(path, { force: true });
      });
      return { sha256, bytes };
    },
    keep: (sha256: string) =>
      inTurn(async () => {
        const known = held.get(sha256);
        if (!known || known.path === null) return;
        try {
          await flush(known.path);
          await rename(known.path, placeOf(sha256));
          await flush(folder).catch(() => undefined);
        } catch (error) {
          throw storeErrorFrom(error, placeOf(sha256));
        }
        known.path = null;
      }),
    release: (sha256: string) =>
      inTurn(async () => {
        const known = held.get(sha256);
        if (!known || --known.count > 0) return;
        held.delete(sha256);
        if (known.path === null) await removeUnneeded(sha256);
        else await rm(known.path, { force: true });
      }),
    async get(sha256: string): Promise<Uint8Array | null> {
      const path = pathNow(sha256);
      const bytes = await readWhole(await inTurn(() => opened(pathNow(sha256))), path);
      if (bytes && createHash("sha256").update(bytes).digest("hex") !== sha256)
        throw damaged(path, "its content is not what its name says");
      return bytes;
    },
    async has(sha256: string): Promise<boolean> {
      const handle = await inTurn(() => opened(pathNow(sha256)));
      await handle?.close();
      return handle !== null;
    },
    /** Removes the data file with this SHA-256 if nobody holds its bytes and no project uses them. */
    removeUnneeded: (sha256: string) => inTurn(() => removeUnneeded(sha256)),
  };
}

/** Returns a queue, which runs one piece of work after the other, in order of arrival. */
function turns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}

async function written(path: string, chunks: AsyncIterable<Uint8Array>): Promise<HeldBytes> {
  const hash = createHash("sha256");
  let bytes = 0;
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, "wx", 0o600).catch((error: unknown) => {
      throw storeErrorFrom(error, path);
    });
    for await (const chunk of chunks) {
      hash.update(chunk);
      await handle.writeFile(chunk).catch((error: unknown) => {
        throw storeErrorFrom(error, path);
      });
      bytes += chunk.length;
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle?.close();
  }
  return { sha256: hash.digest("hex"), bytes };
}

async function opened(path: string): Promise<FileHandle | null> {
  return await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw storeErrorFrom(error, path);
  });
}

async function readWhole(handle: FileHandle | null, path: string): Promise<Uint8Array | null> {
  try {
    return (await handle?.readFile()) ?? null;
  } catch (error) {
    throw storeErrorFrom(error, path);
  } finally {
    await handle?.close();
  }
}

async function flush(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/*
 * Moves projects from the folder of an earlier version into the present folder. Each project comes with its log, its runs and its data, and
 * gets the next free id. SQLite copies the rows as bytes. Afterwards the old project file is renamed, so that nothing is moved twice; the
 * old data files stay where they are.
 */

/** Moves all projects and returns their number. Returns 0 if the folder `from` has no projects, or if it is the same folder as `to`. */
export async function moveProjects(from: string, to: string): Promise<number> {
  if (!existsSync(join(from, PROJECT_FILE)) || (existsSync(to) && realpathSync(from) === realpathSync(to))) return 0;
  const old = await openParts(from);
  try {
    const projects = await storeOver(old).projects();
    const damaged = projects.find((each) => "problem" in each);
    if (damaged && "problem" in damaged) throw new Error(damaged.problem);
    await copyAll(projects as StoredProject[], old.file, join(from, "data"), await openParts(to));
    // Write the write-ahead log into the file, because only the file itself is renamed.
    await old.client.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    old.client.close();
    renameSync(old.file, `${old.file}.moved`);
    return projects.length;
  } finally {
    old.client.close();
    old.unlock();
  }
}

async function copyAll(projects: readonly StoredProject[], file: string, data: string, target: Parts): Promise<void> {
  const store = storeOver(target);
  try {
    await target.client.execute({ sql: "ATTACH DATABASE ? AS old", args: [file] });
    const taken = new Set((await store.projects()).map(({ id }) => id));
    for (const project of projects) {
      const path = join(data, project.data.sha256);
      const held = existsSync(path) ? await store.hold(createReadStream(path)) : null;
      let id = project.id;
      for (let number = 2; taken.has(id); number++) id = `${project.id}-${number}`;
      taken.add(id);
      await store.addProject({ ...project, id });
      await target.commits.write(copying(project.id, id));
      if (held) await store.release(held.sha256);
    }
    await target.client.execute("DETACH DATABASE old");
  } finally {
    await store.close();
  }
}

function copying(before: string, id: string): InStatement[] {
  return [
    "UPDATE projects SET taken = (SELECT taken FROM old.projects WHERE id = ?2) WHERE id = ?1",
    "INSERT INTO entries (project, seq, id, at, body) SELECT ?1, seq, id, at, body FROM old.entries WHERE project = ?2",
    "INSERT INTO runs (project, number, body) SELECT ?1, number, body FROM old.runs WHERE project = ?2",
    "INSERT INTO artifacts (project, run, name, body) SELECT ?1, run, name, body FROM old.artifacts WHERE project = ?2",
  ].map((sql) => ({ sql, args: [id, before] }));
}
