/** Writes tables and quotes in Markdown. */

export function table(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(columns), `|${"---|".repeat(columns.length)}`, ...rows.map((row) => line(row.map(cellText)))].join("\n");
}

function cellText(cell: string | number): string {
  return typeof cell === "number" ? String(Number(cell.toPrecision(4))) : cell;
}

export function quotation(text: string): string {
  return `> ${text.replaceAll("\n", " ")}`;
}
