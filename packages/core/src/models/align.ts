/** Brings new rows into the columns of a model: matched by name, scaled by the model, levels in the model's codes. */
import { badInput } from "../errors.js";
import { nearestName } from "../model/names.js";
import type { Instances, Scaling } from "../model/points.js";
import { notFinite } from "../rows.js";
import { sameScaling, scale, unscale } from "../structures/column-scaling.js";
import { type Model, type ModelColumn, neededColumns } from "./model.js";

/** A nominal column with levels that are not in the model. */
export interface UnseenLevels {
  readonly column: string;
  readonly levels: readonly string[];
  /** Number of rows with a level that is not in the model. */
  readonly rows: number;
}

export interface Aligned {
  /** The rows in the model's columns. Unseen levels get codes after the model's levels. */
  readonly points: Instances;
  readonly unseen: readonly UnseenLevels[];
}

/** Brings points into the columns of a model. Columns are matched by name, or by position if the points have no column names. */
export function alignPoints(model: Model, points: Instances, file?: string): Aligned {
  const needed = neededColumns(model);
  const columns = needed.map((j) => model.columns[j]!);
  const scaling = model.scaling && {
    offset: needed.map((j) => model.scaling!.offset[j]!),
    factor: needed.map((j) => model.scaling!.factor[j]!),
    ...(model.scaling.transforms ? { transforms: needed.map((j) => model.scaling!.transforms![j]!) } : {}),
  };
  const place = file === undefined ? {} : { file };
  const sources = columns.map((column, c) => sourceOf(column, needed[c]!, model, points, place));
  const { n } = points;
  const d = columns.length;
  const x = new Float64Array(n * d);
  const unseen: UnseenLevels[] = [];
  const levels = columns.map((column, j) => {
    if (column.kind === "numeric") {
      copyNumbers(points, sources[j]!, x, j, d, scaling);
      return null;
    }
    const known = column.kind === "nominal" ? column.levels : [];
    const coded = copyCodes(points, sources[j]!, x, j, d, known);
    if (column.kind === "text") return coded.fresh;
    if (coded.fresh.length > 0) unseen.push({ column: column.name, levels: coded.fresh, rows: coded.rows });
    return [...column.levels, ...coded.fresh];
  });
  return {
    points: {
      n,
      d,
      x,
      names: columns.map(({ name }) => name),
      ...(columns.some(({ kind }) => kind !== "numeric")
        ? { nominal: Uint8Array.from(columns, ({ kind }) => (kind === "numeric" ? 0 : 1)), levels }
        : {}),
      ...(scaling ? { scaling } : {}),
    },
    unseen,
  };
}

interface Place {
  readonly file?: string;
}

function sourceOf(column: ModelColumn, j: number, { columns }: Model, points: Instances, place: Place): number {
  const { names, d, nominal } = points;
  if (!names && d !== columns.length) {
    throw badInput(`The rows have ${d} columns, the model has ${columns.length}.`, {
      ...place,
      remedy: `Give the columns of the model in their order: ${listed(columns.map(({ name }) => name))}.`,
    });
  }
  const at = names ? names.indexOf(column.name) : j;
  if (at < 0) {
    const others = names!.filter((name) => !columns.some((own) => own.name === name));
    const near = nearestName(column.name, others);
    throw badInput(`The model needs the column "${column.name}", which is missing.`, {
      ...place,
      remedy: `${near === undefined ? "" : `Did you mean it by "${near}"? `}The model's columns are ${listed(columns.map(({ name }) => name))}.`,
    });
  }
  const isNominal = nominal?.[at] === 1;
  if (isNominal !== (column.kind !== "numeric")) {
    throw badInput(
      `The column "${column.name}" holds ${isNominal ? "text" : "numbers"}; the model was made with ${isNominal ? "numbers" : "text"} there.`,
      { ...place, remedy: "Give the column as it was when the model was made." },
    );
  }
  return at;
}

function listed(names: readonly string[]): string {
  return names.length <= 30 ? names.join(", ") : `${names.slice(0, 30).join(", ")}, … (${names.length} in all)`;
}

/** Values that already have the model's scaling are copied unchanged. */
function copyNumbers(points: Instances, at: number, x: Float64Array, j: number, d: number, wanted: Scaling | null): void {
  const { n, d: width, x: from, scaling } = points;
  const same = sameScaling(scaling ?? null, at, wanted, j);
  const original = (value: number): number => (scaling ? unscale(scaling, at, value) : value);
  for (let i = 0; i < n; i++) {
    const value = from[i * width + at]!;
    if (!Number.isFinite(value)) throw notFinite(points, at, i, value);
    x[i * d + j] = same ? value : wanted ? scale(wanted, j, original(value)) : original(value);
  }
}

function copyCodes(
  { n, d: width, x: from, levels }: Instances,
  at: number,
  x: Float64Array,
  j: number,
  d: number,
  known: readonly string[],
): { readonly fresh: readonly string[]; readonly rows: number } {
  const codeOf = new Map(known.map((level, code) => [level, code]));
  const translated = new Map<number, number>();
  const fresh: string[] = [];
  let rows = 0;
  for (let i = 0; i < n; i++) {
    const code = from[i * width + at]!;
    let own = translated.get(code);
    if (own === undefined) {
      const level = levels?.[at]?.[code] ?? String(code);
      own = codeOf.get(level) ?? known.length - 1 + fresh.push(level);
      translated.set(code, own);
    }
    if (own >= known.length) rows++;
    x[i * d + j] = own;
  }
  return { fresh, rows };
}
