/** Forms from schemas: each option of a method as a field with a name, a help line and its bounds. */

interface Property {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Property[];
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
}

export type FieldKind = "choice" | "switch" | "whole" | "number" | "share" | "text" | "list";

export interface OptionField {
  readonly name: string;
  readonly title: string;
  readonly help: string;
  readonly kind: FieldKind;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly preset: unknown;
  /** Shown at once; the others wait under "More". */
  readonly first: boolean;
}

/** The words of readers for options that many methods share. */
const TITLES: Readonly<Record<string, string>> = {
  k: "Clusters",
  metrics: "Metric",
  matrix: "Metric’s shape",
  costs: "Prices are",
  init: "Starts from",
  maxIterations: "Rounds at most",
  gamma: "Weight of answers",
  minLeaf: "Smallest leaf",
  maxLeaves: "Leaves at most",
  linkage: "Linkage",
  stopBeforeViolation: "Stop before a break",
  learnedMetric: "Learned metric",
  keep: "Start that is kept",
};

const LABELS: Readonly<Record<string, string>> = {
  "metrics single": "One for all",
  "metrics multiple": "One per cluster",
  "costs relative": "Relative",
  "costs unit": "One",
  "labelRule linked": "Linked",
  "labelRule any": "Any",
};

const FIRST = new Set(["k", "metrics", "costs", "gamma", "linkage", "distance"]);

export function fieldsOf(schema: Readonly<Record<string, unknown>>): readonly OptionField[] {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Property>>;
  return Object.entries(properties).flatMap(([name, property]) => fieldOf(name, property) ?? []);
}

function fieldOf(name: string, property: Property): OptionField | null {
  const choices = property.enum ?? property.anyOf?.find((kind) => kind.enum)?.enum ?? [];
  const kind = kindOf(property, choices);
  if (kind === null) return null;
  return {
    name,
    title: TITLES[name] ?? titleOf(name),
    help: sentence(property.description ?? ""),
    kind,
    choices: choices.map((value) => ({ value, label: LABELS[`${name} ${value}`] ?? value })),
    min: property.minimum ?? (property.exclusiveMinimum === undefined ? undefined : property.exclusiveMinimum),
    max: bounded(property.maximum ?? property.exclusiveMaximum),
    preset: property.default,
    first: FIRST.has(name),
  };
}

function kindOf(property: Property, choices: readonly string[]): FieldKind | null {
  if (choices.length > 0) return "choice";
  if (property.type === "boolean") return "switch";
  if (property.type === "integer") return "whole";
  if (property.type === "number")
    return property.minimum === 0 && bounded(property.maximum ?? property.exclusiveMaximum) === 1 ? "share" : "number";
  if (property.anyOf?.some(({ type }) => type === "array")) return "list";
  return property.type === "string" || property.anyOf ? "text" : null;
}

function bounded(limit: number | undefined): number | undefined {
  return limit === undefined || limit >= Number.MAX_SAFE_INTEGER ? undefined : limit;
}

/** "maxIterations" becomes "Max iterations". */
export function titleOf(name: string): string {
  const words = name.replaceAll(/([A-Z])/g, " $1").toLowerCase();
  return `${words[0]!.toUpperCase()}${words.slice(1)}`;
}

function sentence(words: string): string {
  return words === "" ? "" : `${words[0]!.toUpperCase()}${words.slice(1)}`;
}

/** The options that differ from what the method takes by itself, for "10 restarts, seed 0, diagonal". */
export function summaryOf(fields: readonly OptionField[], options: Readonly<Record<string, unknown>>, seed: number): string {
  const parts: string[] = [];
  for (const field of fields) {
    if (field.first) continue;
    const value = options[field.name] ?? field.preset;
    if (field.name === "restarts" && typeof value === "number") parts.push(`${value} ${value === 1 ? "start" : "restarts"}`);
    else if (options[field.name] !== undefined && options[field.name] !== field.preset)
      parts.push(`${field.title.toLowerCase()} ${String(value)}`);
  }
  return [...parts, `seed ${seed}`].join(", ");
}

/** A field's text as the value of its option; undefined takes what the method takes by itself. */
export function valueFrom({ kind }: Pick<OptionField, "kind">, text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  if (kind === "whole" || kind === "number" || kind === "share")
    return Number.isFinite(Number(trimmed)) ? Number(trimmed) : undefined;
  if (kind === "list") return trimmed.split(",").map((part) => part.trim());
  return trimmed;
}
