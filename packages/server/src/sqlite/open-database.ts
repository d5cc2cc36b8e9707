/** A SQLite file, checked and brought to the newest version. Nothing is written to a file that is damaged. */
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type Client, createClient } from "@libsql/client";
import { damaged, StoreError, storeErrorFrom } from "../store-error.js";
import { APPLICATION_ID, MIGRATIONS } from "./migrations.js";

export async function openDatabase(file: string, migrations = MIGRATIONS): Promise<Client> {
  const existed = existsSync(file);
  let client: Client;
  try {
    // One connection: what is set on it holds for all that comes.
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
    const told = storeErrorFrom(error, file);
    if (told instanceof StoreError) throw told;
    const why = error instanceof Error ? error.message : String(error);
    throw new StoreError("unusable", `${file} cannot be opened (${why}). Name another folder with --folder.`, { cause: error });
  }
}

/** What is read and written: a file whose tables lack any of it is damaged. */
const USED = [
  "id, changed, sha256, body, taken FROM projects",
  "project, seq, id, at, body FROM entries",
  "project, number, body FROM runs",
  "project, run, name, body FROM artifacts",
];

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

/** All of it or nothing: a studio that is killed in between leaves the older version. */
async function migrate(client: Client, version: number, migrations: readonly (readonly string[])[]): Promise<void> {
  const missing = migrations.slice(version).flat();
  if (missing.length === 0) return;
  await client.batch(
    [...missing, `PRAGMA application_id = ${APPLICATION_ID}`, `PRAGMA user_version = ${migrations.length}`],
    "write",
  );
}
