/** Projects in a folder: their words in one SQLite file, their data by hash beside it. */
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { lockLog } from "@coterie/data";
import type { Store, StoredProject } from "@coterie/workbench";
import type { Entry, NewEntry, RunReply } from "@coterie/workbench/protocol";
import type { Client, InStatement, Row } from "@libsql/client";
import { StoreError, storeErrorFrom } from "../store-error.js";
import { type Blobs, openBlobs, removeParts } from "./blobs.js";
import { type Commits, createCommits } from "./commits.js";
import { openDatabase } from "./open-database.js";

export const PROJECT_FILE = "projects.coterie";

export async function openStore(folder: string): Promise<Store> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, PROJECT_FILE);
  const unlock = locked(file);
  const client = await openDatabase(file).catch((error: unknown) => {
    unlock();
    throw error;
  });
  chmodSync(file, 0o600);
  const data = join(folder, "data");
  const blobs = openBlobs(data);
  await removeParts(data);
  return storeOver({ client, file, blobs, commits: createCommits(client, file), unlock });
}

/** One studio at a time: what it holds in memory would not hear of another's entries. */
function locked(file: string): () => void {
  try {
    return lockLog(file);
  } catch (error) {
    throw new StoreError("busy", `Another studio has ${file} open. Close it, or name another folder with --folder.`, {
      cause: error,
    });
  }
}

interface Parts {
  readonly client: Client;
  readonly file: string;
  readonly blobs: Blobs;
  readonly commits: Commits;
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
  const bodies = async <T>(sql: string, args: (string | number)[]): Promise<T[]> =>
    (await read(sql, args)).map(({ body }) => JSON.parse(String(body)) as T);
  const exists = async (id: string): Promise<void> => {
    if ((await read("SELECT 1 FROM projects WHERE id = ?", [id])).length === 0) throw new Error(`There is no project ${id}.`);
  };
  return {
    projects: () => bodies<StoredProject>("SELECT body FROM projects ORDER BY changed DESC, id", []),
    project: async (id) => (await bodies<StoredProject>("SELECT body FROM projects WHERE id = ?", [id]))[0] ?? null,
    async putProject(project) {
      await commits.write([
        {
          sql: `INSERT INTO projects (id, changed, sha256, body) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (id) DO UPDATE SET changed = ?2, sha256 = ?3, body = ?4`,
          args: [project.id, project.changed, project.data.sha256, JSON.stringify(project)],
        },
      ]);
    },
    async deleteProject(id) {
      const [gone] = await read("SELECT sha256 FROM projects WHERE id = ?", [id]);
      await commits.write(
        ["artifacts", "runs", "entries"]
          .map((table) => ({ sql: `DELETE FROM ${table} WHERE project = ?`, args: [id] }))
          .concat({ sql: "DELETE FROM projects WHERE id = ?", args: [id] }),
      );
      if (!gone) return;
      const sha256 = String(gone.sha256);
      const others = await read("SELECT 1 FROM projects WHERE sha256 = ? LIMIT 1", [sha256]);
      if (others.length === 0) await blobs.remove(sha256);
    },
    async append(id, entries, at) {
      await exists(id);
      const results = await commits.write(entries.flatMap((entry) => appending(id, entry, at)));
      return entries.map((_, i) => entryFrom(results[2 * i + 1]!.rows[0]!));
    },
    entries: async (id, since) => {
      const rows = await read("SELECT seq, at, body FROM entries WHERE project = ? AND seq > ? ORDER BY seq", [id, since]);
      if (rows.length === 0) await exists(id);
      return rows.map(entryFrom);
    },
    putBlob: (sha256, bytes) => blobs.put(sha256, bytes),
    blob: (sha256) => blobs.get(sha256),
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
    runs: (id) => bodies<RunReply>("SELECT body FROM runs WHERE project = ? ORDER BY number", [id]),
    run: async (id, number) =>
      (await bodies<RunReply>("SELECT body FROM runs WHERE project = ? AND number = ?", [id, number]))[0] ?? null,
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
      const [row] = await read("SELECT body FROM artifacts WHERE project = ? AND run = ? AND name = ?", [id, run, name]);
      return row ? String(row.body) : null;
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
    { sql: "SELECT seq, at, body FROM entries WHERE project = ?1 AND id = ?2", args: [project, entry.id] },
  ];
}

function entryFrom({ seq, at, body }: Row): Entry {
  return { ...(JSON.parse(String(body)) as NewEntry), seq: Number(seq), at: String(at) };
}
