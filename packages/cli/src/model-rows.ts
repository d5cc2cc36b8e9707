/** Reads new rows as the table of a saved model was read, for `coterie predict` and for other programs. */
import { badInput, badOption, CoterieError, type Model, type ModelSource, neededColumns } from "@coterie/core/internal";
import type { ReadTableOptions, TableInstances } from "@coterie/data";

/** `read` reads the table with the given options. `asked` are the options of the user. */
export async function rowsForModel(
  model: Model,
  asked: ReadTableOptions,
  read: (options: ReadTableOptions) => Promise<TableInstances>,
): Promise<TableInstances> {
  const { missing: rule = model.missing, ...others } = asked;
  const sources = sourcesOf(model);
  const fills = new Map(sources.flatMap(({ name, fill }) => (fill === undefined ? [] : [[name, fill] as const])));
  // By default missing cells are filled with the fill values of the model's own table. Principal components (--reduce) have no fill values.
  const byDefault = fills.size === sources.length ? "impute" : "error";
  const missing = rule === "auto" ? byDefault : rule;
  if (missing === "impute" && fills.size < sources.length) {
    throw badOption(
      "--missing",
      "impute",
      `error or drop: the model was made with --missing ${model.missing} and has no values to fill in`,
    );
  }
  const options: ReadTableOptions = {
    ...others,
    missing,
    ...readingOf(sources),
    model: { fills, ...(model.reduction ? { reduction: model.reduction } : {}) },
    forDistances: false,
  };
  return await read(options).catch((error: unknown) => {
    throw withRemedy(error, missing === "error" ? model : null);
  });
}

function sourcesOf(model: Model): ModelSource[] {
  const needed = new Set(neededColumns(model));
  const { sources } = model;
  if (!sources) {
    return [...needed].map((j) => {
      const { name, kind, fill } = model.columns[j]!;
      const type = kind === "nominal" ? ("nominal" as const) : ("number" as const);
      return { name, type, features: 1, ...(fill === undefined ? {} : { fill }) };
    });
  }
  if (model.reduction) return [...sources];
  let from = 0;
  return sources.filter(({ features }) => {
    from += features;
    return Array.from({ length: features }, (_, i) => from - 1 - i).some((j) => needed.has(j));
  });
}

function readingOf(sources: readonly ModelSource[]): ReadTableOptions {
  const ofAll = <V>(value: (source: ModelSource) => V | undefined): Record<string, V> =>
    Object.fromEntries(
      sources.flatMap((source) => {
        const found = value(source);
        return found === undefined ? [] : [[source.name, found] as const];
      }),
    );
  return {
    features: sources.map(({ name }) => name),
    types: ofAll(({ type }) => (type === "number" ? undefined : type)),
    dateOrders: ofAll(({ order }) => order),
    cyclic: ofAll(({ cycles }) => cycles),
  };
}

/** Replaces the remedy of an error: a model needs all its columns, so "leave the column out" does not apply. */
function withRemedy(error: unknown, fillable: Model | null): unknown {
  if (!(error instanceof CoterieError) || error.problem.code !== "bad-input") return error;
  const { code: _, message, remedy, ...facts } = error.problem;
  if (!remedy?.includes("--ignore")) return error;
  const isMissing = remedy.includes("--missing");
  const fill = fillable?.columns.every((column) => column.fill !== undefined) ? ", or fill the cells (--missing impute)" : "";
  return badInput(message, {
    ...facts,
    remedy: isMissing
      ? `Drop those rows (--missing drop)${fill}.`
      : "Correct the cells: the model needs this column with the same type.",
  });
}
