/**
 * The engine for files larger than memory. DuckDB decodes the files, and Coterie's kernels process each block of rows once per pass.
 *
 * DuckDB's memory limit does not limit the process, because fetched chunks stay in memory until a finalizer runs. Therefore a minor garbage
 * collection is requested after every few chunks. Only the memory for the labels grows with the number of rows.
 */

import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { badInput, type InstanceId } from "@coterie/core/internal";
import {
  BLOCK_ROWS,
  type EngineRows,
  type OpenPassKernel,
  openPlainPass,
  type PassModel,
  type PassTotals,
  type Statistics,
} from "@coterie/core/scale";
import type { DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api";
import type { Engine } from "../engine.js";
import { orderOf } from "../labels.js";
import { unknownId } from "../memory/memory-engine.js";
import { openSource, quotedText, type Source, type SourceOptions, wrongType } from "./source.js";

/** After this number of chunks, memory is freed: 64 chunks of 2,048 rows with 16 doubles are 16 MB. */
const CHUNKS = 64;

let found: Collect | undefined;

export interface DuckdbOptions extends SourceOptions {
  readonly kernel?: OpenPassKernel | undefined;
  readonly threads?: number | undefined;
  /** Memory limit of DuckDB, in bytes. */
  readonly memory?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onRows?: ((done: number, total: number) => void) | undefined;
}

export interface DuckdbEngine extends Engine {
  readonly source: Source;
  total(): number;
  /** The known class of each row of the table; null for a row without a class. */
  classes(): Promise<(string | null)[]>;
}

const DEFAULT_MEMORY = 300 * 2 ** 20;
/** With less memory DuckDB cannot read a CSV file with two threads. */
const LEAST_MEGABYTES = 200;

export async function createDuckdbEngine(file: string, options: DuckdbOptions = {}): Promise<DuckdbEngine> {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:", {
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    memory_limit: `${Math.max(LEAST_MEGABYTES, Math.floor((options.memory ?? DEFAULT_MEMORY) / 2 ** 20))}MiB`,
    temp_directory: tmpdir(),
    ...(options.threads === undefined ? {} : { threads: String(options.threads) }),
  });
  const connection = await instance.connect();
  const interrupt = (): void => connection.interrupt();
  options.signal?.addEventListener("abort", interrupt);
  const close = async (): Promise<void> => {
    options.signal?.removeEventListener("abort", interrupt);
    connection.closeSync();
    instance.closeSync();
  };
  try {
    const source = await translated(file, options, () => openSource(connection, file, options));
    return new Duckdb(connection, source, options, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function translated<R>(file: string, { signal }: DuckdbOptions, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof Error) || error.name !== "Error") throw error;
    const said = error.message.split("\n")[0]!;
    const remedy = said.startsWith("Out of Memory")
      ? "Give it more (--memory 1GB), or use fewer threads (--workers 1)."
      : "Check that the files are complete and have the same columns.";
    throw badInput(`The files could not be read: ${said}`, { file, remedy });
  }
}

/** Number of columns in one query for statistics. More columns take more memory; fewer columns read the files more often. */
const COLUMNS_AT_ONCE = 256;

class Duckdb implements DuckdbEngine {
  readonly name = "duckdb";
  readonly path = "stream";
  readonly source: Source;
  readonly close: () => Promise<void>;
  readonly #connection: DuckDBConnection;
  readonly #options: DuckdbOptions;
  readonly #kernel: OpenPassKernel;
  /** #total: number of rows of the table. #kept: number of rows without missing cells. */
  #total = 0;
  #kept = 0;
  #asked = new Int32Array(0);
  #labels = new Int32Array(0);

  constructor(connection: DuckDBConnection, source: Source, options: DuckdbOptions, close: () => Promise<void>) {
    this.#connection = connection;
    this.source = source;
    this.#options = options;
    this.#kernel = options.kernel ?? openPlainPass;
    this.close = close;
  }

  total(): number {
    return this.#total;
  }

  async statistics(): Promise<Statistics> {
    const { features, id } = this.source;
    const found: Record<string, unknown> = {};
    for (let from = 0; from < features.length; from += COLUMNS_AT_ONCE)
      Object.assign(found, await this.#countsAndRanges(from, Math.min(features.length, from + COLUMNS_AT_ONCE)));
    this.#total = Number(found.rows);
    if (this.#total === 0)
      throw badInput("The file has no data rows.", { file: this.source.file, remedy: "Add at least one row." });
    await this.#refuseBadCells(found);
    await this.#refuseBadIds(id === null ? 0 : this.#total - Number(found.named));
    const holed = features.some((_, j) => Number(found[`c${j}`]) < this.#total);
    const kept = holed ? await this.#withoutHoles() : found;
    this.#kept = Number(kept.rows);
    if (this.#kept === 0)
      throw badInput("Every row has a missing cell, so none is left.", {
        file: this.source.file,
        remedy: "Leave out the emptiest columns (--ignore).",
      });
    const ranges = features.map((_, j) => ({ least: Number(kept[`a${j}`]), most: Number(kept[`b${j}`]) }));
    return { rows: this.#kept, names: features.map(({ name }) => name), ranges };
  }

  /**
   * Counts the cells and computes the value ranges of the columns `from` to `to` - 1. The query has no FILTER, because DuckDB copies all
   * columns for each aggregate with a FILTER. Memory would then grow with the square of the number of columns.
   */
  async #countsAndRanges(from: number, to: number): Promise<Record<string, unknown>> {
    const { features, relation, id } = this.source;
    const [cells, parts] = [[`${id ?? "0"} AS id`], ["count(*) AS rows", "count(id) AS named"]];
    for (let j = from; j < to; j++) {
      const { expression, text, wrong } = features[j]!;
      cells.push(`${expression} AS x${j}`, ...(wrong === null ? [] : [`${text} AS t${j}`]));
      parts.push(
        `count(x${j}) AS c${j}, min(x${j}) AS a${j}, max(x${j}) AS b${j}`,
        ...(wrong === null ? [] : [`count(t${j}) AS t${j}`]),
      );
    }
    return (await this.#read(`SELECT ${parts.join(", ")} FROM (SELECT ${cells.join(", ")} FROM ${relation})`))[0]!;
  }

  /** The number of rows without missing cells, and the ranges of the columns over these rows. */
  async #withoutHoles(): Promise<Record<string, unknown>> {
    const { features, relation } = this.source;
    const ranges = features.map(({ expression }, j) => `min(${expression}) AS a${j}, max(${expression}) AS b${j}`).join(", ");
    return (await this.#read(`SELECT count(*) AS rows, ${ranges} FROM ${relation} WHERE ${this.#whole()}`))[0]!;
  }

  /** Checks that all cells are finite numbers. If not, throws an error for the first wrong cell of the first wrong column. */
  async #refuseBadCells(found: Record<string, unknown>): Promise<void> {
    const { features, relation, file } = this.source;
    const dropping = this.#options.missing === "drop";
    for (const [j, column] of features.entries()) {
      const [numbers, texts] = [Number(found[`c${j}`]), column.wrong === null ? null : Number(found[`t${j}`])];
      if (texts !== null && texts > numbers) {
        const at = await this.#firstRow(column.wrong!, column.text);
        if (numbers === 0) throw wrongType(column.name, `holds text, such as "${at.cell}"`, file);
        throw badInput(
          `Row ${at.row}, column "${column.name}": "${at.cell}" is not a number, as ${times(texts - numbers)} in this column.`,
          {
            file,
            remedy: `An engine reads plain numbers only, without currencies, percent signs or thousands separators. Correct the cell, leave the column out (--ignore ${column.name}), or run without --engine.`,
          },
        );
      }
      // DuckDB orders NaN above all numbers, so the maximum is NaN if any value is NaN.
      if (numbers > 0 && ![found[`a${j}`], found[`b${j}`]].every((end) => Number.isFinite(Number(end)))) {
        const odd = `NOT isfinite(${column.expression})`;
        const at = await this.#firstRow(odd, column.text);
        const [count] = await this.#read(`SELECT count(*) AS odd FROM ${relation} WHERE ${odd}`);
        throw badInput(
          `Row ${at.row}, column "${column.name}": ${at.cell} is not a finite number, as ${times(Number(count!.odd))} in this column.`,
          { file, remedy: `Correct the cell, or leave the column out (--ignore ${column.name}).` },
        );
      }
      if (numbers < this.#total && !dropping) {
        const at = await this.#firstRow(`${column.expression} IS NULL`, column.text);
        throw badInput(
          `Row ${at.row}, column "${column.name}": the cell is missing, as ${times(this.#total - numbers)} in this column.`,
          { file, remedy: `Drop such rows (--missing drop), or leave the column out (--ignore ${column.name}).` },
        );
      }
    }
  }

  async #refuseBadIds(nameless: number): Promise<void> {
    const { id, relation, file } = this.source;
    if (id === null) return;
    if (nameless > 0) {
      const { row } = await this.#firstRow(`${id} IS NULL`, "''");
      throw badInput(`Row ${row} has no id.`, { file, remedy: "Give every row a unique id." });
    }
    const [twice] = await this.#read(`SELECT ${id} AS id FROM ${relation} GROUP BY 1 HAVING count(*) > 1 ORDER BY 1 LIMIT 1`);
    if (twice) throw badInput(`The id "${twice.id}" is used twice.`, { file, remedy: "Give every row a unique id." });
  }

  async #firstRow(condition: string, cell: string): Promise<{ readonly row: string; readonly cell: string }> {
    const { relation } = this.source;
    const text = `SELECT r, cell FROM (SELECT row_number() OVER () - 1 AS r, ${cell} AS cell, ${condition} AS hit FROM ${relation}) WHERE hit LIMIT 1`;
    const [first] = await this.#read(text);
    return { row: Number(first!.r).toLocaleString("en"), cell: String(first!.cell).slice(0, 60) };
  }

  /** The SQL condition for rows without missing cells. */
  #whole(): string {
    return this.source.features.map(({ expression }) => `${expression} IS NOT NULL`).join(" AND ");
  }

  /** The SQL query that selects all kept rows: their position in the table, their id, and their numbers as x0, x1, … */
  #numbered(): string {
    const { features, relation, id, truth } = this.source;
    const columns = features.map(({ expression }, j) => `${expression} AS x${j}`).join(", ");
    const roles = `${id === null ? "" : `, ${id} AS id`}${truth === null ? "" : `, ${truth} AS class`}`;
    const all = `SELECT row_number() OVER () - 1 AS r, ${columns}${roles} FROM ${relation}`;
    const named = id === null ? `SELECT *, CAST(r AS VARCHAR) AS id FROM (${all})` : all;
    return this.#kept < this.#total
      ? `SELECT * FROM (${named}) WHERE ${features.map((_, j) => `x${j} IS NOT NULL`).join(" AND ")}`
      : named;
  }

  async rows(ids: readonly InstanceId[]): Promise<EngineRows> {
    const connection = this.#connection;
    const d = this.source.features.length;
    await connection.run("CREATE OR REPLACE TEMP TABLE wanted (id VARCHAR, place INTEGER)");
    const appender = await connection.createAppender("wanted");
    ids.forEach((id, i) => {
      appender.appendVarchar(String(id));
      appender.appendInteger(i);
      appender.endRow();
    });
    appender.closeSync();
    const x = new Float64Array(ids.length * d);
    this.#asked = new Int32Array(ids.length).fill(-1);
    const columns = Array.from({ length: d }, (_, j) => `s.x${j}`).join(", ");
    const text = `SELECT w.place, s.r, ${columns} FROM (${this.#numbered()}) s JOIN wanted w ON s.id = w.id`;
    await this.#stream(text, (chunk) => {
      const places = chunk.getColumnValues(0) as number[];
      const rows = chunk.getColumnValues(1) as bigint[];
      for (let j = 0; j < d; j++) {
        const values = itemsOf(chunk, j + 2);
        for (let i = 0; i < places.length; i++) x[places[i]! * d + j] = values[i]!;
      }
      for (let i = 0; i < places.length; i++) this.#asked[places[i]!] = Number(rows[i]);
    });
    const unknown = this.#asked.indexOf(-1);
    if (unknown >= 0) throw unknownId(ids[unknown]!);
    return { n: ids.length, x };
  }

  /**
   * Draws the rows with the lowest hashes. First a query selects only their ids, because sorting whole rows would keep all columns in
   * memory.
   */
  async sample(size: number, seed: number): Promise<EngineRows> {
    const { features, id, truth } = this.source;
    const d = features.length;
    const columns = Array.from({ length: d }, (_, j) => `s.x${j}`).join(", ");
    const lowest = `SELECT id FROM (${this.#numbered()}) ORDER BY sha256(${quotedText(`${seed}:`)} || id) LIMIT ${size}`;
    const chosen = `SELECT id, row_number() OVER () - 1 AS place FROM (${lowest})`;
    const text = `SELECT w.place, ${columns}, s.id${truth === null ? "" : ", s.class"} FROM (${this.#numbered()}) s JOIN (${chosen}) w ON s.id = w.id`;
    const x = new Float64Array(Math.min(size, this.#kept) * d);
    const ids: InstanceId[] = [];
    const classes: (string | null)[] = [];
    await this.#stream(text, (chunk) => {
      const places = (chunk.getColumnValues(0) as bigint[]).map(Number);
      for (let j = 0; j < d; j++) {
        const values = itemsOf(chunk, j + 1);
        for (const [i, place] of places.entries()) x[place * d + j] = values[i]!;
      }
      const names = chunk.getColumnValues(d + 1) as string[];
      const known = truth === null ? [] : (chunk.getColumnValues(d + 2) as (string | null)[]);
      for (const [i, place] of places.entries()) {
        ids[place] = id === null ? Number(names[i]) : names[i]!;
        if (truth !== null) classes[place] = known[i]!;
      }
    });
    return { n: ids.length, x, ids, ...(truth === null ? {} : { classes }) };
  }

  pass(model: PassModel): Promise<PassTotals> {
    return this.#run(model, () => {});
  }

  async label(model: PassModel, placed: Int32Array): Promise<PassTotals> {
    const drops = this.#kept < this.#total;
    this.#labels = new Int32Array(this.#total).fill(drops ? -1 : 0);
    let done = 0;
    const totals = await this.#run(
      model,
      (rows, labels, chunk) => {
        if (!drops) this.#labels.set(labels.subarray(0, rows), done);
        else {
          const places = chunk.getColumnValues(model.d) as bigint[];
          for (let i = 0; i < rows; i++) this.#labels[Number(places[i])] = labels[i]!;
        }
        done += rows;
      },
      drops,
    );
    this.#asked.forEach((row, i) => {
      this.#labels[row] = placed[i]!;
    });
    return totals;
  }

  async labelled() {
    const labels = this.#labels;
    const { id, relation } = this.source;
    const ofIds = () => this.#chunks(`SELECT ${id} AS id FROM ${relation}`);
    const signal = this.#options.signal;
    async function* rows() {
      let done = 0;
      const page = function* (ids: readonly InstanceId[], from: number) {
        const kept = ids.map((_, i) => i).filter((i) => labels[from + i]! >= 0);
        yield { ids: kept.map((i) => ids[i]!), clusters: kept.map((i) => labels[from + i]!) };
      };
      if (id === null) {
        for (; done < labels.length; done += BLOCK_ROWS) {
          signal?.throwIfAborted();
          const from = done;
          yield* page(
            Array.from({ length: Math.min(BLOCK_ROWS, labels.length - from) }, (_, i) => from + i),
            from,
          );
        }
        return;
      }
      for await (const chunk of ofIds()) {
        yield* page(chunk.getColumnValues(0) as string[], done);
        done += chunk.rowCount;
      }
    }
    return { order: orderOf(labels), labels, placedRows: this.#asked, rows };
  }

  async classes(): Promise<(string | null)[]> {
    const found: (string | null)[] = [];
    await this.#stream(`SELECT ${this.source.truth} FROM ${this.source.relation}`, (chunk) => {
      for (const value of chunk.getColumnValues(0)) found.push(value as string | null);
    });
    return found;
  }

  async #run(
    model: PassModel,
    each: (rows: number, labels: Int32Array, chunk: DuckDBDataChunk) => void,
    places = false,
  ): Promise<PassTotals> {
    const { features, relation } = this.source;
    const { onRows } = this.#options;
    const columns = features.map(({ expression }) => expression).join(", ");
    const plain = `SELECT ${columns} FROM ${relation}${this.#kept < this.#total ? ` WHERE ${this.#whole()}` : ""}`;
    const text = places ? `SELECT ${features.map((_, j) => `x${j}`).join(", ")}, r FROM (${this.#numbered()})` : plain;
    const pass = this.#kernel(model);
    let done = 0;
    try {
      await this.#stream(text, (chunk) => {
        const rows = chunk.rowCount;
        for (let j = 0; j < model.d; j++) pass.column(j).set(itemsOf(chunk, j).subarray(0, rows));
        pass.assign(rows);
        each(rows, pass.labels(), chunk);
        done += rows;
        onRows?.(done, this.#kept);
      });
      if (done !== this.#kept)
        throw badInput(`The files had ${this.#kept} rows and now have ${done}.`, {
          file: this.source.file,
          remedy: "Do not change the files during the run.",
        });
      return pass.totals();
    } finally {
      pass.close();
    }
  }

  async #stream(text: string, each: (chunk: DuckDBDataChunk) => void): Promise<void> {
    for await (const chunk of this.#chunks(text)) each(chunk);
  }

  async *#chunks(text: string): AsyncGenerator<DuckDBDataChunk> {
    const { signal } = this.#options;
    const collect = collector();
    const begin = () => this.#connection.stream(text);
    const result = await translated(this.source.file, this.#options, begin);
    for (;;) {
      const chunk = await translated(this.source.file, this.#options, () => result.fetchChunk());
      signal?.throwIfAborted();
      if (chunk === null || chunk.rowCount === 0) return;
      yield chunk;
      collect();
    }
  }

  async #read(text: string): Promise<Record<string, unknown>[]> {
    return translated(this.source.file, this.#options, async () =>
      (await this.#connection.runAndReadAll(text)).getRowObjectsJS(),
    );
  }
}

function itemsOf(chunk: DuckDBDataChunk, j: number): Float64Array {
  return (chunk.getColumnVector(j) as unknown as { readonly items: Float64Array }).items;
}

function times(count: number): string {
  return count === 1 ? "the only one" : `one of ${count.toLocaleString("en")}`;
}

/*
 * DuckDB's chunks are freed by finalizers, which run only after a garbage collection. JavaScript does not see the memory behind a chunk, so
 * it collects garbage too late. A minor collection after every few chunks keeps the process small.
 */

type Collect = (options?: { readonly type: "minor" }) => void;

/** Returns Node's garbage collector, which is only accessible after a flag is set. */
function collectorOfNode(): Collect {
  if (found) return found;
  setFlagsFromString("--expose-gc");
  found = runInNewContext("gc") as Collect;
  return found;
}

/** Returns a function that must be called once per chunk. It collects garbage after every `CHUNKS` calls. */
function collector(): () => void {
  let chunks = 0;
  return () => {
    chunks++;
    if (chunks % CHUNKS === 0) collectorOfNode()({ type: "minor" });
  };
}

/* Writes labels as a Parquet file with ids and clusters. DuckDB makes it from a temporary CSV file in the same folder. */

/** pieces: the text of a CSV file with the header id,cluster. named: whether ids are texts; otherwise they are row numbers. */
export async function writeParquetLabels(
  part: string,
  pieces: AsyncIterable<string>,
  { named, signal }: { readonly named: boolean; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const text = `${part}.csv`;
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:", {
    memory_limit: "200MB",
    threads: "1",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  try {
    await writeFile(text, pieces, signal ? { signal } : {});
    const columns = `columns = {'id': '${named ? "VARCHAR" : "BIGINT"}', 'cluster': 'INTEGER'}`;
    const source = `read_csv(${quotedText(text)}, header = true, delim = ',', quote = '"', auto_detect = false, ${columns})`;
    await connection.run(`COPY (FROM ${source}) TO ${quotedText(part)} (FORMAT parquet)`);
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof Error) || error.name !== "Error" || "code" in error) throw error;
    throw badInput(`The labels could not be written: ${error.message.split("\n")[0]}`, {
      remedy: "Free some space on the disk, or choose another path.",
    });
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(text, { force: true });
  }
}
