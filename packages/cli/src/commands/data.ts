/** `coterie data`: lists, shows and downloads the sample and benchmark sets, and makes synthetic sets. */

import { makePeople, makeSynthetic, randomFrom, SYNTHETIC_SETS, type SyntheticSet } from "@coterie/core/internal";
import { nearestName } from "@coterie/core/names";
import { getSample, listSamples, type SampleStatus, showSample } from "@coterie/data";
import type { Command, Io } from "../command.js";
import { type Flag, flagList, numberOf, type Parsed, seedOf, textOf, UsageError, type Values } from "../flags.js";
import { hanging } from "../help.js";
import { openOutputs } from "../outputs/outputs.js";
import { createProgress } from "../progress.js";
import { padded, widthOf, wrap } from "../text/width.js";

/* `coterie data make`: writes a synthetic set as CSV, with its classes in the last column. */

const MAKE_FLAGS: readonly Flag[] = flagList({
  "--rows, -n N": "make: number of rows (default: 200)",
  "--sources N": "make people: number of sources that the records come from (default: 4)",
  "--out, -o FILE": "make: write the table to FILE (default: standard output)",
});

async function makeSet(names: readonly string[], values: Values, io: Io): Promise<void> {
  const name = setNamed(names);
  const n = numberOf(values, "rows", { integer: true, least: 2 }) ?? 200;
  const out = textOf(values, "out") ?? "-";
  const outputs = openOutputs({ writes: [{ path: out, sided: false }], reads: [] }, io, values.quiet === true);
  const sources = numberOf(values, "sources", { integer: true, least: 1 });
  if (sources !== undefined && name !== "people")
    throw new UsageError("--sources is an option of `coterie data make people` only.");
  const pieces = name === "people" ? peopleCsv(n, sources ?? 4, seedOf(values)) : csvOf(name, n, seedOf(values));
  await outputs.write([{ path: out, pieces }]);
  if (out !== "-" && !values.quiet)
    io.say(
      `Written: ${out} (${n.toLocaleString("en")} rows; the classes are in the column "${name === "people" ? "person" : "class"}").`,
    );
}

const SETS = [...SYNTHETIC_SETS, "people"] as const;

function setNamed(names: readonly string[]): SyntheticSet | "people" {
  const known = SETS.join(", ");
  if (names.length !== 1) throw new UsageError(`Name one of ${known}: coterie data make circles -n 200.`);
  const name = SETS.find((set) => set === names[0]);
  if (name) return name;
  const near = nearestName(names[0]!, SETS);
  throw new UsageError(`There is no synthetic set "${names[0]}".${near ? ` Did you mean ${near}?` : ""} There are ${known}.`);
}

function* peopleCsv(n: number, sources: number, seed: number): Generator<string> {
  yield "id,source,name,email,city,born,person\n";
  for (const { id, source, name, email, city, born, person } of makePeople(n, sources, randomFrom(seed)))
    yield `${id},${source},${name.includes(",") ? `"${name}"` : name},${email},${city},${born},${person}\n`;
}

function* csvOf(name: SyntheticSet, n: number, seed: number): Generator<string> {
  const { points, truth } = makeSynthetic(name, n, randomFrom(seed));
  yield "x,y,class\n";
  for (let i = 0; i < n; i++) yield `${points.x[2 * i]},${points.x[2 * i + 1]},${truth.names[truth.codes[i]!]}\n`;
}

const JOBS = ["list", "show", "get", "make"] as const;

export const dataCommand: Command = {
  name: "data",
  summary: "Lists, shows and downloads sample data sets, and makes synthetic data sets.",
  usage: [
    "data list [--json]",
    "data show NAME [--json]",
    "data get NAME…",
    "data make circles|cellwalls|xor|stormclouds [-n N] [--seed S] [--out FILE]",
    "data make people [-n N] [--sources S] [--seed S] [--out FILE]",
  ],
  flags: [
    ...flagList({
      "--json": "list, show: print facts as JSON",
    }),
    ...MAKE_FLAGS,
  ],
  notes: [
    "Coterie looks for a set in the folder COTERIE_DATA, then in the package, then in the cache. `get` downloads a set from its public address, converts it to CSV, and keeps it only if its SHA-256 is the expected one.",
    "`make` draws a synthetic set with two columns and two classes. The classes are easy to see and hard for methods that look for round clusters: a disc in a ring (circles), two cells with nuclei (cellwalls), four squares (xor), two long clouds (stormclouds). The same seed gives the same rows.",
    "`make people` draws records of people from several sources, to find duplicates in. Names come in either order, with an initial or misspelt; some e-mail addresses and cities are missing. A source has at most one record of each person (--exclusive source). The column person holds the true person.",
  ],
  examples: {
    "list all sets": "coterie data list",
    "facts about one set": "coterie data show wine",
    "download a set that is not in the package": "coterie data get yeast",
    "a disc in a ring, 500 rows": "coterie data make circles -n 500 --seed 1 --out circles.csv",
  },
  run: dataJob,
};

async function dataJob({ values, positionals }: Parsed, io: Io): Promise<number> {
  const [name, ...names] = positionals;
  const job = JOBS.find((known) => known === name);
  if (!job)
    throw new UsageError(
      name === undefined ? `Say what to do: ${JOBS.join(", ")}.` : `data cannot "${name}"; it can ${JOBS.join(", ")}.`,
    );
  const stray = job === "make" ? undefined : MAKE_FLAGS.find((flag) => values[flag.name] !== undefined);
  if (stray) throw new UsageError(`--${stray.name} belongs to data make.`);
  if (job === "list") {
    if (names.length > 0) throw new UsageError("data list takes no name; data show NAME does.");
    await list(values.json === true, io);
  } else if (job === "make") await makeSet(names, values, io);
  else {
    if (names.length === 0 || (job === "show" && names.length > 1))
      throw new UsageError(`Name ${job === "show" ? "one set" : "a set"}: coterie data ${job} NAME.`);
    for (const set of names) await (job === "show" ? show(set, values.json === true, io) : get(set, values.quiet === true, io));
  }
  return 0;
}

async function list(json: boolean, io: Io): Promise<void> {
  const samples = await listSamples();
  if (json) return await io.out(`${JSON.stringify(samples)}\n`);
  const rows = samples.map((sample) => [
    sample.name,
    String(sample.instances),
    String(sample.features),
    String(sample.classes),
    sample.featureTypes,
    sample.place,
  ]);
  await io.print(table([["name", "rows", "columns", "classes", "kind", "where"], ...rows], [1, 2, 3]));
}

function table(rows: readonly (readonly string[])[], right: readonly number[]): string[] {
  const widths = rows[0]!.map((_, c) => Math.max(...rows.map((row) => widthOf(row[c]!))));
  return rows.map((row) =>
    row
      .map((cell, c) => padded(cell, widths[c]!, right.includes(c) ? "start" : "end"))
      .join("  ")
      .trimEnd(),
  );
}

async function show(name: string, json: boolean, io: Io): Promise<void> {
  const sheet = await showSample(name);
  if (json) return await io.out(`${JSON.stringify(sheet)}\n`);
  const lines = [
    ["rows", sheet.instances],
    ["columns", `${sheet.features} (${sheet.featureTypes}) and class`],
    ["classes", sheet.classes],
    ["missing cells", sheet.missing],
    ["where", placeOf(sheet)],
    ["SHA-256", sheet.sha256],
    ["origin", sheet.origin],
    ["notes", sheet.notes],
    ...(sheet.download?.files ?? []).map(({ url }) => ["source", url]),
    ...(sheet.remedy ? [["get it", sheet.remedy]] : []),
  ];
  const width = Math.max(60, Math.min(110, io.columns)) - 20;
  await io.print([
    sheet.name,
    ...lines.flatMap(([head, text]) => hanging(`  ${String(head).padEnd(18)}`, wrap(String(text), width))),
  ]);
}

function placeOf({ place, path }: SampleStatus): string {
  return path === null ? place : `${place}: ${path}`;
}

async function get(name: string, quiet: boolean, io: Io): Promise<void> {
  const progress = createProgress(io, quiet);
  const got = await getSample(name, {
    signal: io.signal,
    onProgress: ({ bytes, total }) => progress.show({ phase: `${name} (bytes)`, done: bytes, total }),
  }).finally(progress.clear);
  if (got.downloaded) io.written.push(got.path);
  if (!quiet) {
    for (const notice of got.notices) io.say(`Note: ${notice}`);
    io.say(got.downloaded ? `${name} is now here:` : `${name} was here already:`);
  }
  await io.out(`${got.path}\n`);
}
