/** Test helpers: a normalised CSV turned back into the raw layout that it came from. */
import type { Layout } from "../normalise.js";

/** The lines of the raw file, with `lead` invented leading fields. */
export function rawText(csv: string, layout: Layout, lead = 0): string {
  const rawClass = new Map(Object.entries(layout.classes).map(([raw, name]) => [name, raw]));
  const separator = layout.separator === "comma" ? "," : "  ";
  const lines = csv
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((row, i) => {
      const cells = row.split(",");
      const name = rawClass.get(cells.pop()!)!;
      const features = cells.map((cell, j) => rawCell(cell, layout.levels?.[j]));
      const leading = Array.from({ length: lead }, (_, j) => `id${i}_${j}`);
      if (typeof layout.classAt !== "string") {
        const parts = name.split(" ");
        layout.classAt.forEach((place, p) => {
          leading[place] = `"${parts[p]}"`;
        });
        return [...leading, ...features].join(separator);
      }
      return (layout.classAt === "first" ? [...leading, name, ...features] : [...leading, ...features, name]).join(separator);
    });
  return lines.map((line) => `${line}\n`).join("");
}

function rawCell(cell: string, levels: readonly string[] | undefined): string {
  if (cell === "") return "?";
  if (levels) return String(levels.indexOf(cell));
  if (/^-?0\.000000/.test(cell)) return String(Number(cell)).toUpperCase();
  return /^-?\d+\.\d$/.test(cell) ? `${cell}0` : cell;
}
