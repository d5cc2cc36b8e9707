/** Test helpers: a normalised CSV turned back into the raw layout that it came from, and a writer of zip archives. */
import { deflateRawSync } from "node:zlib";
import type { Layout } from "../normalise.js";

/** Lines as the raw file lays them out, with `lead` made-up leading fields. */
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

/** A zip archive; entries are deflated unless `stored`. */
export function zip(
  entries: readonly { readonly name: string; readonly content: Uint8Array; readonly stored?: boolean }[],
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, stored = false } of entries) {
    const packed = stored ? Buffer.from(content) : deflateRawSync(content);
    const local = Buffer.alloc(30 + name.length);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(stored ? 0 : 8, 8);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt32LE(content.length, 22);
    local.writeUInt16LE(name.length, 26);
    local.write(name, 30, "latin1");
    const central = Buffer.alloc(46 + name.length);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(stored ? 0 : 8, 10);
    central.writeUInt32LE(packed.length, 20);
    central.writeUInt32LE(content.length, 24);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt32LE(offset, 42);
    central.write(name, 46, "latin1");
    parts.push(local, packed);
    directory.push(central);
    offset += local.length + packed.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listing.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listing, end]);
}
