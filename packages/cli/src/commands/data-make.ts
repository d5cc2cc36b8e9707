/** `coterie data make`: writes a synthetic set as CSV, with its classes in the last column. */
import { makePeople, makeSynthetic, randomFrom, SYNTHETIC_SETS, type SyntheticSet } from "@coterie/core/internal";
import { nearestName } from "@coterie/core/names";
import type { Io } from "../command.js";
import { type Flag, numberOf, seedOf, textOf, UsageError, type Values } from "../flags.js";
import { openOutputs } from "../outputs/outputs.js";

export const MAKE_FLAGS: readonly Flag[] = [
  { name: "rows", short: "n", value: "N", kind: "integer", description: "make: number of rows (default: 200)" },
  {
    name: "sources",
    value: "N",
    kind: "integer",
    description: "make people: number of sources that the records come from (default: 4)",
  },
  { name: "out", short: "o", value: "FILE", kind: "file", description: "make: write the table here (default: standard output)" },
];

export async function makeSet(names: readonly string[], values: Values, io: Io): Promise<void> {
  const name = setNamed(names);
  const n = numberOf(values, "rows", { integer: true, least: 2 }) ?? 200;
  const out = textOf(values, "out") ?? "-";
  const outputs = openOutputs({ writes: [{ path: out, sided: false }], reads: [] }, io, values.quiet === true);
  const sources = numberOf(values, "sources", { integer: true, least: 1 });
  if (sources !== undefined && name !== "people") throw new UsageError("--sources belongs to data make people.");
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
