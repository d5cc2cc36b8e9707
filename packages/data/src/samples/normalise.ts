/**
 * Converts a raw file to the normalised CSV: a header, features first, `class` last, missing cells empty, numbers in their shortest form
 * without exponent. Each set describes its layout as data; no set has code of its own.
 */
import { badInput } from "@coterie/core/internal";

export interface Layout {
  readonly columns: readonly string[];
  readonly separator: "comma" | "blank";
  /** Where a line has its class: in the first field, in the last field, or in several leading fields that are joined by a space. */
  readonly classAt: "first" | "last" | readonly number[];
  readonly classes: Readonly<Record<string, string>>;
  /** For each column, the texts for the codes 0, 1, 2, …; absent if the cells have no codes. */
  readonly levels?: readonly (readonly string[])[];
}

export interface RawFile {
  readonly name: string;
  readonly text: string;
  /** How many fields to drop at the beginning of each line. */
  readonly lead?: number;
}

export function normaliseSample(files: readonly RawFile[], layout: Layout): string {
  const lines = [[...layout.columns, "class"].join(",")];
  for (const file of files) appendRows(file, layout, lines);
  return `${lines.join("\n")}\n`;
}

/**
 * Appends the rows of a raw file to `out`. Lines before the first row are a heading and are skipped. After the first row, every line must
 * be a row or blank.
 */
function appendRows({ name, text, lead = 0 }: RawFile, layout: Layout, out: string[]): void {
  const classes = new Map(Object.entries(layout.classes));
  const { classAt } = layout;
  const fieldCount = lead + layout.columns.length + (typeof classAt === "string" ? 1 : 0);
  const before = out.length;
  text.split(/\r\n|\n|\r/).forEach((line, index) => {
    if (line.trim() === "") return;
    const fields = splitFields(line, layout.separator);
    const rawClass = rawClassOf(fields, classAt, lead, fieldCount);
    const className = rawClass === undefined ? undefined : classes.get(rawClass);
    if (fields.length !== fieldCount || className === undefined) {
      if (out.length === before) return;
      const found = fields.length === fieldCount ? `the class "${rawClass}"` : `${fields.length} fields`;
      throw badInput(`Expected ${fieldCount} fields and a known class, but found ${found}.`, { file: name, line: index + 1 });
    }
    const start = classAt === "first" ? lead + 1 : lead;
    const cells = layout.columns.map((_, j) => normaliseCell(fields[start + j]!, layout.levels?.[j], name, index + 1));
    out.push([...cells, className].join(","));
  });
  if (out.length === before) throw badInput("No row has the expected layout.", { file: name });
}

function rawClassOf(fields: readonly string[], classAt: Layout["classAt"], lead: number, fieldCount: number): string | undefined {
  if (typeof classAt !== "string") return classAt.map((place) => fields[place]).join(" ");
  return fields[classAt === "first" ? lead : fieldCount - 1];
}

function splitFields(line: string, separator: Layout["separator"]): readonly string[] {
  return separator === "comma"
    ? line.split(",").map((field) => field.trim().replace(/^"(.*)"$/, "$1"))
    : line.trim().split(/\s+/);
}

function normaliseCell(raw: string, levels: readonly string[] | undefined, file: string, line: number): string {
  if (raw === "?" || raw === "") return "";
  if (levels) {
    const text = /^\d+$/.test(raw) ? levels[Number(raw)] : undefined;
    if (text === undefined) throw badInput(`The code "${raw}" is not one of 0 … ${levels.length - 1}.`, { file, line });
    return text;
  }
  const value = Number(raw);
  return Number.isFinite(value) ? plainNumber(value) : raw;
}

/** The shortest digits that give the same number, written without exponent: 1.5e-8 becomes 0.000000015. */
function plainNumber(value: number): string {
  const [, sign = "", whole = "", fraction = "", exponent] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value))!;
  if (exponent === undefined) return String(value);
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return sign + digits.padEnd(point, "0");
}
