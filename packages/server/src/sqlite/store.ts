/** Projects in a folder: their words in one SQLite file, their data by hash beside it. */
import { noProject, type Store, type StoredProject, storedProjectSchema } from "@coterie/workbench";
import {
  type Entry,
  type NewEntry,
  newEntry as newEntrySchema,
  type RunReply,
  run as runSchema,
} from "@coterie/workbench/protocol";
import type { Client, InStatement, Row } from "@libsql/client";
import { damagedPart, storeErrorFrom } from "../store-error.js";
import { type Blobs, isHash, openBlobs } from "./blobs.js";
import { type Commits, createCommits } from "./commits.js";
import { openFolder } from "./folder.js";
import { openDatabase } from "./open-database.js";

/** One studio at a time has a folder: what it holds in memory would not hear of another's entries. */
export async function openStore(folder: string): Promise<Store> {
  return storeOver(await openParts(folder));
}

export async function openParts(folder: string): Promise<Parts> {
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
  readonly blobs: Blobs;
  readonly commits: Commits;
  readonly unlock: () => void;
}

export function storeOver({ client, file, blobs, commits, unlock }: Parts): Store {
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
      // What is in the log of commits goes to the file itself, so that the file alone is a whole copy.
      await client.execute("PRAGMA wal_checkpoint(TRUNCATE)").catch(() => undefined);
      client.close();
      unlock();
    },
  };
}

/** The next number if the id is new; then the entry as it is kept, new or not. */
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

/** Texts are read as bytes: the library that reads them ends the whole process at a byte that is no UTF-8. */
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

/** A run that is damaged is shown as one that failed, so that the project is not lost with it. */
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
