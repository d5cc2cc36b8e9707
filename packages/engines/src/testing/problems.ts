/** Tables with groups, constraints about some rows, and files with these tables. */
import { type ConstraintSet, constraints, type InstanceId, randomFrom } from "@coterie/core/internal";
import { type PlanInput, type PlanOptions, planSteps } from "@coterie/core/scale";
import type { DuckDBConnection } from "@duckdb/node-api";
import { drivePlan } from "../checkpoint.js";
import type { Engine } from "../engine.js";
import type { MemoryRows } from "../memory/memory-engine.js";

export interface Blobs extends Omit<MemoryRows, "ids"> {
  readonly classes: Int32Array;
}

/** n rows around k centres, with columns in different units. */
export function blobs(n: number, d: number, k: number, seed: number): Blobs {
  const random = randomFrom(seed).split("blobs");
  const centres = Float64Array.from({ length: k * d }, () => 4 * random.normal());
  const x = new Float64Array(n * d);
  const classes = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const c = random.int(k);
    classes[i] = c;
    for (let j = 0; j < d; j++) x[i * d + j] = (j + 1) * (centres[c * d + j]! + random.normal());
  }
  return { n, d, x, names: Array.from({ length: d }, (_, j) => `x${j}`), classes };
}

/** Constraints about random rows; one in ten contradicts the classes. */
export function known({ n, classes }: Blobs, pairs: number, seed: number): { set: ConstraintSet; ids: number[] } {
  const random = randomFrom(seed).split("pairs");
  const rows = [...random.sample(n, Math.min(n, 2 * pairs))];
  const [mustLink, cannotLink]: [number, number][][] = [[], []];
  for (let p = 0; 2 * p + 1 < rows.length; p++) {
    const isSame = classes[rows[2 * p]!] === classes[rows[2 * p + 1]!];
    const said = random.int(10) === 0 ? !isSame : isSame;
    (said ? mustLink! : cannotLink!).push([2 * p, 2 * p + 1]);
  }
  return { set: constraints({ n: rows.length }, { mustLink: mustLink!, cannotLink: cannotLink! }), ids: rows };
}

export interface Answer {
  readonly labels: Int32Array;
  readonly centres: readonly Float64Array[];
  readonly history: readonly number[];
  readonly sizes: Float64Array;
  readonly maps: readonly Float64Array[];
}

/** The result of a run as numbers that must be equal to the bit on all engines. */
export async function answerOf(
  engine: Engine,
  method: string,
  options: PlanOptions,
  { set, ids }: { readonly set: ConstraintSet; readonly ids: readonly InstanceId[] },
  more: Partial<PlanInput> = {},
): Promise<Answer> {
  const plan = planSteps({ method, options, constraints: set, ids, seed: 7, scale: "none", ...more });
  const { outcome } = await drivePlan(plan, engine, {});
  return {
    labels: await labelsOf(engine),
    centres: outcome.centres,
    history: outcome.history,
    sizes: outcome.sizes,
    maps: outcome.metric?.matrices ?? [],
  };
}

/** The labels in the order of the rows; engines without labels per row return them by id, which is the row number. */
async function labelsOf(engine: Engine): Promise<Int32Array> {
  const { labels, rows } = await engine.labelled();
  if (labels) return labels;
  const found: number[] = [];
  for await (const { ids, clusters } of rows()) {
    ids.forEach((id, i) => {
      found[Number(id)] = clusters[i]!;
    });
  }
  return Int32Array.from(found);
}

/** Writes the table to one or several files, as Parquet or CSV by their names. */
export async function writeFiles(
  connection: DuckDBConnection,
  { n, d, x, names }: MemoryRows,
  files: readonly string[],
  extra = "",
): Promise<void> {
  await connection.run(`CREATE OR REPLACE TABLE t (row INTEGER, ${names.map((name) => `${name} DOUBLE`).join(", ")})`);
  const appender = await connection.createAppender("t");
  for (let i = 0; i < n; i++) {
    appender.appendInteger(i);
    for (let j = 0; j < d; j++) appender.appendDouble(x[i * d + j]!);
    appender.endRow();
  }
  appender.closeSync();
  const share = Math.ceil(n / files.length);
  for (const [part, file] of files.entries()) {
    const rows = `SELECT ${names.join(", ")}${extra} FROM t WHERE row >= ${part * share} AND row < ${(part + 1) * share} ORDER BY row`;
    const format = file.endsWith(".parquet") ? "(FORMAT parquet, ROW_GROUP_SIZE 2048)" : "(FORMAT csv, HEADER)";
    await connection.run(`COPY (${rows}) TO '${file}' ${format}`);
  }
}
