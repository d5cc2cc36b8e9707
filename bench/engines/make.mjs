/**
 * Tables for measuring engines: an id and 16 doubles around 16 centres, as Parquet, and 1,000 true constraints about their rows.
 *
 *     node bench/engines/make.mjs ROWS FILE.parquet [KNOWN.csv]
 */
import { writeFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";

const [rows, file, known] = process.argv.slice(2);
const D = 16;
const K = 16;
const connection = await (await DuckDBInstance.create(":memory:", { memory_limit: "1GB", threads: "2" })).connect();
/** Whole numbers that look random, the same on every run. */
const uniform = (j, turn) => `(hash(row * 64 + ${4 * j + turn}) % 1048576) / 1048576.0`;
const noise = (j) => [0, 1, 2].map((turn) => uniform(j, turn)).join(" + ");
const column = (j) => `CAST(6 * sin((hash(row) % ${K}) * ${j + 1} * 1.37 + ${j}) + 2 * (${noise(j)} - 1.5) AS DOUBLE) AS x${j}`;
const columns = Array.from({ length: D }, (_, j) => column(j)).join(", ");
await connection.run("SET preserve_insertion_order = true");
await connection.run(
  `COPY (SELECT row AS id, ${columns} FROM range(${Number(rows)}) t(row)) TO '${file}' (FORMAT parquet, COMPRESSION uncompressed, DICTIONARY_SIZE_LIMIT 1)`,
);
if (known) {
  const picked = `SELECT row, hash(row) % ${K} AS c FROM range(${Number(rows)}) t(row) WHERE hash(row + 7) % ${Math.floor(Number(rows) / 2200)} = 0 ORDER BY row LIMIT 2000`;
  const found = (await connection.runAndReadAll(picked)).getRowsJS();
  const lines = Array.from({ length: Math.floor(found.length / 2) }, (_, p) => {
    const [[a, ca], [b, cb]] = [found[2 * p], found[2 * p + 1]];
    return `${ca === cb ? "must-link" : "cannot-link"},${a},${b}`;
  });
  writeFileSync(known, `type,a,b\n${lines.join("\n")}\n`);
}
connection.closeSync();
