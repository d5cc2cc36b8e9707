/** Writes a run as a command line and as TypeScript. Both give the same labels again from the same data. */
import { badInput, methodNamed, z } from "@coterie/core/internal";
import { shellFile, shellFlag, shellListFlag, shellWord } from "@coterie/core/shell";
import type { ActiveConstraint } from "./log/constraint-log.js";
import type { Constraint } from "./protocol/knowledge.js";
import type { Reading } from "./protocol/projects.js";
import type { RunSpec } from "./run-spec.js";

export interface CopiedRun {
  readonly data: string;
  readonly reading: Reading;
  readonly spec: RunSpec;
  readonly active: readonly ActiveConstraint[];
  readonly k: number | null;
  readonly file: string;
}

function optionsOf({ spec, active }: CopiedRun): Record<string, unknown> {
  const sizes = of(active, "sizes").at(-1);
  const bounds = spec.algorithm === "cop-kmeans" && sizes ? { minSize: sizes.min, maxSize: sizes.max } : {};
  return Object.fromEntries(Object.entries({ ...bounds, ...spec.options }).filter(([, value]) => value !== undefined));
}

/** The options of a run as flags. If the run chose k from a range, the flag contains the range. So the command chooses again. */
function optionFlags(run: CopiedRun): string[] {
  const { algorithm, choose } = run.spec;
  const range = choose ? { k: `${choose.from}..${choose.to}` } : {};
  return Object.entries({ ...optionsOf(run), ...range }).flatMap(([option, value]) => optionFlag(algorithm, option, value));
}

function of<T extends Constraint["type"]>(active: readonly ActiveConstraint[], type: T): Extract<Constraint, { type: T }>[] {
  return active.flatMap(({ constraint }) => (constraint.type === type ? [constraint as Extract<Constraint, { type: T }>] : []));
}

function exclusiveOf(active: readonly ActiveConstraint[]): string[] {
  return [...new Set(of(active, "exclusive").map(({ column }) => column))];
}

function hasLines(active: readonly ActiveConstraint[]): boolean {
  return active.some(({ constraint }) => ["must-link", "cannot-link", "relative", "label"].includes(constraint.type));
}

/** The run as one command line, for any shell. It names a file of constraints, which the studio saves under the same name. */
export function asCommand(run: CopiedRun): string {
  const { data, reading, spec, active, file } = run;
  const words = [
    "npx coterie cluster",
    shellFile(data),
    shellFlag("--algorithm", spec.algorithm),
    ...optionFlags(run),
    ...readingFlags(reading),
    ...exclusiveOf(active).map((column) => shellListFlag("--exclusive", column)),
    ...(hasLines(active) ? [`--constraints ${shellFile(file)}`] : []),
    shellFlag("--seed", String(spec.seed)),
    `--out ${shellFile(file.replace(/-constraints\.csv$/, "-labels.csv"))}`,
  ];
  return `${words.join(" ")}\n`;
}

function readingFlags(reading: Reading): string[] {
  const { id, truth, features, ignore, nominal, types, weights, transforms, scale, missing, delimiter, decimal } = reading;
  const list = (flag: string, names: readonly string[] | undefined) => (names ?? []).map((name) => shellListFlag(flag, name));
  return [
    ...(id !== undefined ? [shellFlag("--id", id)] : isIdOpen(reading) ? [] : [shellFlag("--id", "none")]),
    ...(truth === undefined ? [] : [shellFlag("--truth", truth)]),
    ...list("--features", features),
    ...list("--ignore", ignore),
    ...list("--nominal", nominal),
    ...Object.entries(types ?? {}).map(([name, type]) => shellListFlag("--type", `${name}=${type}`)),
    ...Object.entries(weights ?? {}).map(([name, weight]) => shellListFlag("--weight", `${name}=${weight}`)),
    ...Object.entries(transforms ?? {}).map(([name, how]) => shellListFlag("--transform", `${name}=${how}`)),
    shellFlag("--scale", scale),
    shellFlag("--missing", missing),
    ...(delimiter === undefined ? [] : [shellFlag("--delimiter", delimiter)]),
    ...(decimal === undefined ? [] : [shellFlag("--decimal", decimal)]),
  ];
}

/** Whether the command must look for an id column. This is not necessary if the reading lists the features. */
function isIdOpen({ features }: Reading): boolean {
  return features === undefined;
}

function optionFlag(algorithm: string, option: string, value: unknown): string[] {
  if (option === "k") return [`-k ${shellWord(String(value))}`];
  const flag = option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (typeof value === "boolean") {
    const preset = presetOf(algorithm, option);
    if (value === (preset ?? false)) return [];
    return [value ? `--${flag}` : `--no-${flag}`];
  }
  if (Array.isArray(value)) {
    if (value.some((each) => typeof each === "object"))
      throw badInput("First centres cannot be written on a command line.", { remedy: "Copy the run as TypeScript." });
    return value.map((each) => shellListFlag(`--${flag}`, String(each)));
  }
  return [shellFlag(`--${flag}`, String(value))];
}

export function presetOf(algorithm: string, option: string): unknown {
  const schema = z.toJSONSchema(methodNamed(algorithm).options, { io: "input" });
  const property = (schema.properties as Record<string, { default?: unknown }> | undefined)?.[option];
  return property?.default;
}

export function asTypeScript(run: CopiedRun): string {
  const { data, reading, spec, active } = run;
  const exclusive = exclusiveOf(active);
  const { recognise: _, ...named } = reading;
  const numbered = reading.id === undefined && !isIdOpen(reading) ? { id: null } : {};
  const options = { ...named, ...numbered, ...(exclusive.length > 0 ? { exclusive } : {}) };
  const lines = constraintLines(active);
  const known = hasLines(active)
    ? [`const known = constraints(rows, {`, ...lines.map((line) => `  ${line},`), `  ids: "ids",`, "});"]
    : ["const known = constraints(rows);"];
  const { choose } = spec;
  const found = choose && run.k !== null ? { k: run.k } : {};
  const call = Object.entries({ algorithm: spec.algorithm, ...optionsOf(run), ...found, seed: spec.seed });
  return `${[
    `import { cluster, constraints } from "coterie";`,
    `import { readTable } from "coterie/data";`,
    "",
    `const rows = await readTable(${JSON.stringify(data)}, ${objectText(Object.entries(options))});`,
    ...known,
    ...(choose
      ? [
          `// k = ${run.k} was the best of ${choose.from} to ${choose.to}: "coterie cluster -k ${choose.from}..${choose.to}" chooses it again.`,
        ]
      : []),
    `const result = cluster(rows, known, ${objectText(call)});`,
    "console.log(result.sizes, result.violations);",
  ].join("\n")}\n`;
}

function objectText(entries: readonly (readonly [string, unknown])[]): string {
  const parts = entries
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return `{ ${parts.join(", ")} }`;
}

function constraintLines(active: readonly ActiveConstraint[]): string[] {
  const weight = (value: number | "inf" | undefined) =>
    value === undefined || value === 1 ? "" : `, ${value === "inf" ? "Infinity" : value}`;
  const id = (value: string | number) => JSON.stringify(value);
  const lists = [
    ["mustLink", of(active, "must-link").map((each) => `[${id(each.a)}, ${id(each.b)}${weight(each.weight)}]`)],
    ["cannotLink", of(active, "cannot-link").map((each) => `[${id(each.a)}, ${id(each.b)}${weight(each.weight)}]`)],
    ["relative", of(active, "relative").map((each) => `[${id(each.a)}, ${id(each.b)}, ${id(each.c)}${weight(each.weight)}]`)],
    ["labels", of(active, "label").map((each) => `[${id(each.a)}, ${id(each.class)}${weight(each.weight)}]`)],
  ] as const;
  return lists.filter(([, items]) => items.length > 0).map(([name, items]) => `${name}: [${items.join(", ")}]`);
}
