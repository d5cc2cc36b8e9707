/**
 * The engine for a table in Spark. The rows stay on the Spark cluster, and each pass over them is one query. A pass runs in one of two
 * ways:
 * - path "aggregate": a pass is an aggregate function of a small jar. The jar is uploaded to this session only.
 * - path "sql": if the server refuses the jar, a pass is plain SQL.
 *
 * Rows in Spark have no order, so they need ids. Columns and ids are cached during a run. The cache belongs to the whole server and
 * outlives the session, so the engine always drops it at the end.
 */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { badInput, type CoterieError, type InstanceId, nearestName } from "@coterie/core/internal";
import type { EngineRows, Grid, PassModel, PassTotals, Statistics } from "@coterie/core/scale";
import { momentCount, openPassTotals, setUnits } from "@coterie/core/scale";
import { withoutToken } from "@coterie/core/shell";
import type { Engine, Labelled } from "../engine.js";
import { unknownId } from "../memory/memory-engine.js";
import { type Address, addressOf, type Column, SparkConnect, SparkError, STATUS } from "./connect.js";

const METRICS = { plain: 0, diagonal: 1, full: 2 } as const;

const MOMENTS = { none: 0, diagonal: 1, full: 2 } as const;

export interface SparkOptions {
  readonly connect: string;
  readonly table?: string | undefined;
  readonly path?: string | undefined;
  readonly id: string;
  readonly features?: readonly string[] | undefined;
  readonly ignore?: readonly string[] | undefined;
  /** Whether to upload the jar with Coterie's functions. If it is not uploaded, or if the server refuses it, passes are plain SQL. */
  readonly jar?: boolean | undefined;
  readonly cache?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SparkEngine extends Engine {
  readonly notices: readonly string[];
}

export async function createSparkEngine(options: SparkOptions): Promise<SparkEngine> {
  const address = addressOf(options.connect, process.env);
  if (!address)
    throw badInput(`"${withoutToken(options.connect)}" is not an address of Spark Connect.`, {
      remedy: "Write it as sc://HOST:PORT.",
    });
  const client = await SparkConnect.open(address, options.signal);
  try {
    await asked(address, options, () => client.version());
    const notices: string[] = [];
    const isAggregate = options.jar !== false && (await offerJar(client, options, notices));
    const source = await asked(address, options, () => openTable(client, options));
    return new Spark(client, options, source, isAggregate ? "aggregate" : "sql", notices);
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** The jar with Coterie's functions. It is found by the name of the package, so that the same code works in the build and in a bundle. */
const JAR = join(dirname(createRequire(import.meta.url).resolve("@coterie/engines/package.json")), "spark/coterie.jar");

async function offerJar(client: SparkConnect, { signal }: SparkOptions, notices: string[]): Promise<boolean> {
  try {
    await client.addArtifact("jars/coterie.jar", await readFile(JAR));
    await client.set({ "spark.sql.catalog.coterie": "coterie.Functions" });
    const [first] = await client.rows(`SELECT coterie.\`${modelName("label", PROBE)}\`(x) AS c FROM VALUES (1.0D) AS t(x)`);
    return first?.c === 0;
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof SparkError)) throw error;
    notices.push(`Spark refuses Coterie's jar (${error.errorClass ?? error.message}), so passes are plain SQL, which is slower.`);
    return false;
  }
}

const GRID = { coarseUnit: 1, fineUnit: 1, coarseRound: 2 ** 52, fineRound: 2 ** 52 };
const PROBE: PassModel = {
  d: 1,
  k: 1,
  metric: "plain",
  centres: new Float64Array(1),
  maps: new Float64Array(0),
  several: false,
  bias: new Float64Array(1),
  moments: "none",
  scaling: null,
  sumGrids: [GRID],
  momentGrids: [],
  costGrid: GRID,
};

interface Source {
  readonly name: string;
  readonly features: readonly string[];
  /** What SQL queries select from: an SQL expression with the columns id and x0, x1, … (the features). */
  readonly relation: string;
  /** Whether all ids are whole numbers. If so, they are sorted as numbers, not as texts. */
  readonly numbered: boolean;
}

const columnsOf = ({ features }: Source): string[] => features.map((_, j) => `x${j}`);
const quoted = (name: string): string => `\`${name.replaceAll("`", "``")}\``;

const NAMES: ReadonlySet<string> = new Set(["byte", "short", "integer", "long", "string"]);

async function openTable(client: SparkConnect, { table, path, id, features, ignore = [] }: SparkOptions): Promise<Source> {
  const name = table ?? path!;
  const format = /\.csv(\.gz)?$/i.test(name) ? "csv" : "parquet";
  const from = table === undefined ? `${format}.${quoted(path!)}` : table.split(".").map(quoted).join(".");
  const columns = await client.schema(`SELECT * FROM ${from}`);
  const known = columns.map((column) => column.name);
  for (const [flag, word] of [
    ["--id", id] as const,
    ...[...(features ?? [])].map((each) => ["--features", each] as const),
    ...ignore.map((each) => ["--ignore", each] as const),
  ]) {
    if (known.includes(word)) continue;
    const near = nearestName(word, known);
    throw badInput(`There is no column "${word}" (${flag}).`, {
      file: name,
      remedy: `${near === undefined ? "" : `Did you mean "${near}"? `}The columns are ${known.slice(0, 30).join(", ")}.`,
    });
  }
  const idColumn = columns.find((column) => column.name === id)!;
  if (!NAMES.has(idColumn.type))
    throw badInput(`Column "${id}" holds ${idColumn.type} values, which are not reliable ids.`, {
      file: name,
      remedy: "Name a column of texts or whole numbers with --id.",
    });
  const chosen = (features ?? known).filter((each) => each !== id && !ignore.includes(each));
  if (chosen.length === 0)
    throw badInput("No column is left as a feature.", { file: name, remedy: "Name some with --features." });
  refuseTypes(chosen, columns, name);
  const casts = chosen.map((each, j) => `CAST(${quoted(each)} AS DOUBLE) AS x${j}`).join(", ");
  const relation = `(SELECT ${quoted(id)} AS id, ${casts} FROM ${from})`;
  return { name, features: chosen, relation, numbered: idColumn.type !== "string" };
}

const NUMBERS: ReadonlySet<string> = new Set(["byte", "short", "integer", "long", "float", "double", "decimal"]);

function refuseTypes(chosen: readonly string[], columns: readonly Column[], file: string): void {
  for (const name of chosen) {
    const { type } = columns.find((column) => column.name === name)!;
    if (!NUMBERS.has(type))
      throw badInput(`Column "${name}" holds ${type} values; an engine clusters numeric columns.`, {
        file,
        remedy: `Leave it out (--ignore ${name}).`,
      });
  }
}

async function asked<R>(address: Address, { signal, table, path }: SparkOptions, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof SparkError ? inWords(error, address, table ?? path ?? "") : error;
  }
}

function inWords(
  { code, errorClass = "", message }: SparkError,
  { host, port, token, tls }: Address,
  table: string,
): CoterieError {
  const place = `${host}:${port}`;
  if (code === STATUS.unauthenticated || code === STATUS.denied || /token|authenticat/i.test(message)) {
    return badInput(
      token === undefined ? `Spark at ${place} asks for a token.` : `Spark at ${place} does not accept the token.`,
      {
        remedy: `Append it to the address, --connect "sc://${place}/;token=…", or set the variable SPARK_CONNECT_AUTHENTICATE_TOKEN.`,
      },
    );
  }
  if (/SESSION_NOT_FOUND|SESSION_CLOSED|SESSION_CHANGED/.test(errorClass + message)) {
    return badInput(`Spark at ${place} has lost the session, because it was restarted.`, {
      remedy: "Run again; with --checkpoint DIR, add --resume to continue from the saved state.",
    });
  }
  if (code === STATUS.unavailable || code === STATUS.deadline) {
    const secure = tls
      ? " Perhaps the server does not use TLS, or this machine does not trust its certificate: set GRPC_DEFAULT_SSL_ROOTS_FILE_PATH to a file with other root certificates."
      : " If the server uses TLS, add /;use_ssl=true.";
    return badInput(`No Spark Connect server answers at ${place}.`, {
      remedy: `Check --connect, and that the server runs.${secure} A run with --checkpoint DIR continues with --resume.`,
    });
  }
  if (/TABLE_OR_VIEW_NOT_FOUND|PATH_NOT_FOUND|SCHEMA_NOT_FOUND/.test(errorClass))
    return badInput("Spark does not know this table or path.", {
      file: table,
      remedy: "Check --table. A path must be readable for Spark.",
    });
  return badInput(`Spark says: ${message}`, {
    ...(table === "" ? {} : { file: table }),
    remedy: errorClass === "" ? "" : `(${errorClass})`,
  });
}

class Spark implements SparkEngine {
  readonly name = "spark";
  readonly path: "aggregate" | "sql";
  readonly notices: readonly string[];
  readonly #client: SparkConnect;
  readonly #options: SparkOptions;
  readonly #source: Source;
  /** What SQL queries select from, with the columns id, x0, x1, …: the source, or the cached table once it exists. */
  #from: string;
  #cells: { readonly list: string; readonly from: string };
  #cached: string | null = null;
  #ids: readonly InstanceId[] = [];
  #model: PassModel | null = null;
  #placed = new Int32Array(0);

  constructor(
    client: SparkConnect,
    options: SparkOptions,
    source: Source,
    path: "aggregate" | "sql",
    notices: readonly string[],
  ) {
    this.#client = client;
    this.#options = options;
    this.#source = source;
    this.#from = source.relation;
    this.#cells = { list: columnsOf(source).join(", "), from: source.relation };
    this.path = path;
    this.notices = notices;
  }

  async statistics(): Promise<Statistics> {
    const { features, name } = this.#source;
    // With this limit, Spark splits long expressions into methods that are small enough for the JVM to compile.
    await this.#asked(() => this.#client.set({ "spark.sql.codegen.hugeMethodLimit": "8000", "spark.sql.ansi.enabled": "true" }));
    if (this.#options.cache !== false) await this.#cache();
    const odd = (j: number): string => `isnan(x${j}) OR abs(x${j}) = double('infinity')`;
    const parts = features.flatMap((_, j) => [
      `count_if(x${j} IS NULL) AS n${j}`,
      `count_if(${odd(j)}) AS f${j}`,
      `min(x${j}) FILTER (WHERE NOT (${odd(j)})) AS a${j}`,
      `max(x${j}) FILTER (WHERE NOT (${odd(j)})) AS b${j}`,
    ]);
    const [found] = await this.#rows(
      `SELECT count(*) AS rows, count_if(id IS NULL) AS nameless, ${parts.join(", ")} FROM ${this.#from}`,
    );
    const rows = Number(found!.rows);
    if (rows === 0) throw badInput("The table has no rows.", { file: name, remedy: "Add at least one row." });
    for (const [j, feature] of features.entries()) {
      const [missing, strange] = [Number(found![`n${j}`]), Number(found![`f${j}`])];
      if (missing + strange === 0) continue;
      const [first] = await this.#rows(
        `SELECT CAST(id AS STRING) AS id FROM ${this.#from} WHERE x${j} IS NULL OR ${odd(j)} ORDER BY id LIMIT 1`,
      );
      const what = strange > 0 ? "is not a finite number" : "is missing";
      throw badInput(
        `Row ${first!.id}, column "${feature}": the cell ${what}, as one of ${(missing + strange).toLocaleString("en")} in this column.`,
        { file: name, remedy: `Correct the cell, or leave the column out (--ignore ${feature}).` },
      );
    }
    if (Number(found!.nameless) > 0) throw badInput("A row has no id.", { file: name, remedy: "Give every row a unique id." });
    // Distinct ids are counted by a separate query. In the query above, they would make Spark group all its aggregates by id.
    const [distinct] = await this.#rows(`SELECT count(DISTINCT id) AS names FROM ${this.#from}`);
    if (Number(distinct!.names) < rows) {
      const [twice] = await this.#rows(
        `SELECT CAST(id AS STRING) AS id FROM ${this.#from} GROUP BY id HAVING count(*) > 1 ORDER BY id LIMIT 1`,
      );
      throw badInput(`The id "${twice!.id}" is used twice.`, { file: name, remedy: "Give every row a unique id." });
    }
    return {
      rows,
      names: features,
      ranges: features.map((_, j) => ({ least: Number(found![`a${j}`]), most: Number(found![`b${j}`]) })),
    };
  }

  async #cache(): Promise<void> {
    const name = `coterie_${randomUUID().replaceAll("-", "")}`;
    this.#cached = name;
    const columns = columnsOf(this.#source);
    // The jar's functions are twice as fast if they get a row as one array instead of single columns.
    const isPacked = this.path === "aggregate";
    const list = isPacked ? `id, array(${columns.join(", ")}) AS x` : "*";
    await this.#asked(() => this.#client.command(`CACHE TABLE ${name} AS SELECT ${list} FROM ${this.#source.relation}`));
    this.#from = isPacked ? `(SELECT id, ${columns.map((column, j) => `x[${j}] AS ${column}`).join(", ")} FROM ${name})` : name;
    if (isPacked) this.#cells = { list: "x", from: name };
  }

  async rows(ids: readonly InstanceId[]): Promise<EngineRows> {
    const d = this.#source.features.length;
    this.#ids = ids;
    await this.#asked(async () =>
      this.#client.createView(
        "coterie_wanted",
        await arrowOf(
          ids,
          ids.map((_, i) => i),
        ),
      ),
    );
    const x = new Float64Array(ids.length * d);
    const seen = new Uint8Array(ids.length);
    const columns = columnsOf(this.#source)
      .map((column) => `t.${column}`)
      .join(", ");
    const text = `SELECT w.number AS number, ${columns} FROM ${this.#from} t JOIN coterie_wanted w ON CAST(t.id AS STRING) = w.id`;
    for (const row of await this.#rows(text)) {
      const i = Number(row.number);
      seen[i] = 1;
      for (let j = 0; j < d; j++) x[i * d + j] = Number(row[`x${j}`]);
    }
    const unknown = seen.indexOf(0);
    if (unknown >= 0) throw unknownId(ids[unknown]!);
    return { n: ids.length, x };
  }

  async sample(size: number, seed: number): Promise<EngineRows> {
    const d = this.#source.features.length;
    const columns = columnsOf(this.#source).join(", ");
    const rank = `sha2(concat('${seed}:', CAST(id AS STRING)), 256)`;
    const found = await this.#rows(
      `SELECT CAST(id AS STRING) AS id, ${columns}, ${rank} AS rank FROM ${this.#from} ORDER BY rank LIMIT ${size}`,
    );
    const x = new Float64Array(found.length * d);
    found.forEach((row, i) => {
      for (let j = 0; j < d; j++) x[i * d + j] = Number(row[`x${j}`]);
    });
    return { n: found.length, x, ids: found.map(({ id }) => String(id)) };
  }

  async pass(model: PassModel): Promise<PassTotals> {
    if (this.path === "sql") return totalsOfRows(model, await this.#rows(passQuery(model, this.#from)));
    const { list, from } = this.#cells;
    const [found] = await this.#rows(`SELECT coterie.\`${modelName("pass", model)}\`(${list}) AS units FROM ${from}`);
    return totalsOfUnits(model, [...(found!.units as Iterable<bigint>)]);
  }

  async label(model: PassModel, placed: Int32Array): Promise<PassTotals> {
    this.#model = model;
    this.#placed = placed.slice();
    return this.pass(model);
  }

  async labelled(): Promise<Labelled> {
    const rows = await this.#labelQuery();
    const order = await this.#rows(`SELECT cluster, min(id) AS first FROM (${rows}) GROUP BY cluster ORDER BY first`);
    const pages = () => this.#pages(rows);
    return { order: order.map(({ cluster }) => Number(cluster)), labels: null, placedRows: new Int32Array(0), rows: pages };
  }

  async #labelQuery(): Promise<string> {
    const model = this.#model!;
    const { list, from } = this.#cells;
    const nearest =
      this.path === "sql"
        ? `SELECT id, label FROM (${labelledRows(model, this.#from, ", id")})`
        : `SELECT id, coterie.\`${modelName("label", model)}\`(${list}) AS label FROM ${from}`;
    if (this.#ids.length === 0) return `SELECT id, label AS cluster FROM (${nearest})`;
    await this.#asked(async () => this.#client.createView("coterie_placed", await arrowOf(this.#ids, [...this.#placed])));
    return `SELECT r.id AS id, coalesce(p.number, r.label) AS cluster FROM (${nearest}) r LEFT JOIN coterie_placed p ON CAST(r.id AS STRING) = p.id`;
  }

  async *#pages(rows: string): AsyncGenerator<{ readonly ids: readonly InstanceId[]; readonly clusters: ArrayLike<number> }> {
    const text = `SELECT ${this.#source.numbered ? "CAST(id AS BIGINT)" : "id"} AS id, cluster FROM (${rows}) ORDER BY id`;
    try {
      for await (const table of this.#client.query(text)) {
        const ids = table.getChild("id")!;
        const clusters = table.getChild("cluster")!;
        yield { ids: Array.from(ids, (id) => String(id)), clusters: Array.from(clusters, Number) };
      }
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      throw error instanceof SparkError ? inWords(error, this.#client.address, this.#source.name) : error;
    }
  }

  async close(): Promise<void> {
    if (this.#cached !== null) await this.#drop(this.#cached);
    await this.#client.close();
  }

  /** Drops the cached table, even after an interruption. */
  async #drop(name: string): Promise<void> {
    try {
      await this.#client.command(`UNCACHE TABLE IF EXISTS ${name}`, "always");
    } catch (error) {
      // If the server is gone, its cache is gone too.
      if (!(error instanceof SparkError)) throw error;
    }
  }

  #asked<R>(work: () => Promise<R>): Promise<R> {
    return asked(this.#client.address, this.#options, work);
  }

  #rows(text: string): Promise<Record<string, unknown>[]> {
    return this.#asked(() => this.#client.rows(text));
  }
}

async function arrowOf(ids: readonly InstanceId[], numbers: readonly number[]): Promise<Uint8Array> {
  const arrow = await import("apache-arrow");
  const table = new arrow.Table({
    id: arrow.vectorFromArray(ids.map(String), new arrow.Utf8()),
    number: arrow.vectorFromArray([...numbers], new arrow.Int32()),
  });
  return arrow.tableToIPC(table, "stream");
}

/*
 * A model is passed to Spark as the name of an SQL function, which encodes its numbers (little-endian). The class Functions in the jar
 * decodes the name.
 */

function modelName(kind: "pass" | "label", model: PassModel): string {
  const { d, k, metric, moments, several, scaling, centres, maps, bias, sumGrids, momentGrids, costGrid } = model;
  const whole = Int32Array.of(d, k, METRICS[metric], MOMENTS[moments], several ? 1 : 0, scaling ? 1 : 0);
  const numbers = [
    ...centres,
    ...maps,
    ...bias,
    ...(scaling ? [...scaling.offset, ...scaling.factor] : []),
    ...sumGrids.flatMap(facts),
    ...momentGrids.flatMap(facts),
    ...facts(costGrid),
  ];
  const bytes = Buffer.alloc(4 * whole.length + 8 * numbers.length);
  whole.forEach((value, i) => {
    bytes.writeInt32LE(value, 4 * i);
  });
  numbers.forEach((value, i) => {
    bytes.writeDoubleLE(value, 4 * whole.length + 8 * i);
  });
  return `${kind}_${bytes.toString("base64url")}`;
}

/** The numbers that the jar needs to round to a grid. Units of a grid are powers of two, so multiplying by their inverse is exact. */
function facts({ coarseRound, fineRound, coarseUnit, fineUnit }: Grid): number[] {
  return [coarseRound, fineRound, 1 / coarseUnit, 1 / fineUnit];
}

/*
 * A pass in plain SQL, for servers that refuse the jar. It does the same arithmetic as the kernels, term by term, so it gives the same
 * bits. Sums are computed with integers. If a sum overflows, Spark throws an error (ANSI mode) and does not return a wrong number.
 */

/** A double as an SQL literal: the suffix D prevents the type decimal. */
export function literal(value: number): string {
  return value < 0 || Object.is(value, -0) ? `(-${literal(-value)})` : `${String(value).toUpperCase().replace("E+", "E")}D`;
}

/** The SQL query for the scaled columns x0, x1, … of `source`, and for each row its cluster (`label`) and the cost of the row. */
function labelledRows(model: PassModel, source: string, more = ""): string {
  const { d, k, scaling, bias } = model;
  const columns = Array.from({ length: d }, (_, j) =>
    scaling ? `(x${j} - ${literal(scaling.offset[j]!)}) / ${literal(scaling.factor[j]!)} AS x${j}` : `x${j}`,
  );
  const scaled = `SELECT ${columns.join(", ")}${more} FROM ${source}`;
  const squares = Array.from({ length: k }, (_, c) => `${squareOf(model, c)} AS s${c}`);
  const measured = `SELECT *, ${squares.join(", ")} FROM (${scaled})`;
  const score = (c: number): string => (bias[c] === 0 ? `s${c}` : `(s${c} + ${literal(bias[c]!)})`);
  const least = k === 1 ? score(0) : `least(${Array.from({ length: k }, (_, c) => score(c)).join(", ")})`;
  const judged = `SELECT *, ${least} AS least FROM (${measured})`;
  const cases = Array.from({ length: k - 1 }, (_, c) => `WHEN ${score(c)} = least THEN ${c}`).join(" ");
  const label = k === 1 ? "0" : `CASE ${cases} ELSE ${k - 1} END`;
  return `SELECT *, ${label} AS label FROM (${judged})`;
}

function squareOf({ d, metric, centres, maps, several }: PassModel, c: number): string {
  const g = several ? c : 0;
  const shift = (j: number): string => `(x${j} - ${literal(centres[c * d + j]!)})`;
  const terms = Array.from({ length: d }, (_, e) => {
    if (metric === "plain") return `${shift(e)} * ${shift(e)}`;
    if (metric === "diagonal") return `${shift(e)} * ${shift(e)} * ${literal(maps[g * d + e]!)}`;
    const part = Array.from({ length: d }, (_, j) => `${literal(maps[(g * d + e) * d + j]!)} * ${shift(j)}`).join(" + ");
    return `(${part}) * (${part})`;
  });
  return `(${terms.join(" + ")})`;
}

/**
 * The SQL query for a pass. It gives a row for each cluster: its number, its number of rows, and the sums u0, u1, … in units of the grid.
 */
export function passQuery(model: PassModel, source: string): string {
  const { d, k, moments, sumGrids, momentGrids, costGrid } = model;
  const terms: [string, Grid][] = Array.from({ length: d }, (_, j) => [`x${j}`, sumGrids[j]!]);
  const centre = (j: number): string =>
    k === 1
      ? literal(model.centres[j]!)
      : `CASE label ${Array.from({ length: k }, (_, c) => `WHEN ${c} THEN ${literal(model.centres[c * d + j]!)}`).join(" ")} END`;
  const shifts = moments === "none" ? "" : Array.from({ length: d }, (_, j) => `, x${j} - ${centre(j)} AS t${j}`).join("");
  if (moments === "diagonal") for (let j = 0; j < d; j++) terms.push([`t${j} * t${j}`, momentGrids[j]!]);
  if (moments === "full")
    for (let i = 0, at = 0; i < d; i++) for (let j = 0; j <= i; j++, at++) terms.push([`t${i} * t${j}`, momentGrids[at]!]);
  const cost = k === 1 ? "s0" : `CASE label ${Array.from({ length: k }, (_, c) => `WHEN ${c} THEN s${c}`).join(" ")} END`;
  terms.push(["cost", costGrid]);
  const rows = `SELECT *, ${cost} AS cost${shifts} FROM (${labelledRows(model, source)})`;
  const sums = terms.flatMap(([term, { coarseRound, fineRound, coarseUnit, fineUnit }], i) => {
    const coarse = `((${term}) + ${literal(coarseRound)} - ${literal(coarseRound)})`;
    const fine = `(((${term}) - ${coarse}) + ${literal(fineRound)} - ${literal(fineRound)})`;
    return [
      `sum(CAST(${coarse} * ${literal(1 / coarseUnit)} AS BIGINT)) AS u${2 * i}`,
      `sum(CAST(${fine} * ${literal(1 / fineUnit)} AS BIGINT)) AS u${2 * i + 1}`,
    ];
  });
  return `SELECT label, count(*) AS n, ${sums.join(", ")} FROM (${rows}) GROUP BY label`;
}

function totalsOfRows(model: PassModel, rows: readonly Record<string, unknown>[]): PassTotals {
  const { d } = model;
  const per = momentCount(model);
  const totals = openPassTotals(model);
  for (const row of rows) {
    const c = Number(row.label);
    totals.counts[c] = Number(row.n);
    const take = (of: PassTotals["sums"], at: number, term: number): void => {
      for (const half of [0, 1]) setUnits(of, 2 * at + half, BigInt(row[`u${2 * term + half}`] as bigint));
    };
    for (let j = 0; j < d; j++) take(totals.sums, c * d + j, j);
    for (let j = 0; j < per; j++) take(totals.moments, c * per + j, d + j);
    take(totals.costs, c, d + per);
  }
  return totals;
}

function totalsOfUnits(model: PassModel, units: ArrayLike<bigint>): PassTotals {
  const { k } = model;
  const totals = openPassTotals(model);
  for (let c = 0; c < k; c++) totals.counts[c] = Number(units[c]);
  let at = k;
  for (const part of [totals.sums, totals.moments, totals.costs]) {
    for (let i = 0; i < part.upper.length; i++) setUnits(part, i, BigInt(units[at++]!));
  }
  return totals;
}
