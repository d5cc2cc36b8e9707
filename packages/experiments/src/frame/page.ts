/** Writes a page as Markdown, with its provenance; and its record, from which the page of all claims is made. */
import { type Finding, findingOf } from "./judge.js";
import { quotation, table } from "./markdown.js";
import type { Page, PageData, Paper, Size, TrialTable } from "./paper.js";
import { madeInWords } from "./provenance.js";
import type { Made } from "./store.js";

/** The side file of a page. */
export interface PageRecord {
  readonly paper: string;
  readonly page: string;
  readonly size: Size;
  readonly seed: number;
  /** For each table, the programs that ran its trials. */
  readonly made: Readonly<Record<string, readonly Made[]>>;
  readonly missing: readonly string[];
  readonly findings: readonly Finding[];
}

export function recordOf(paper: Paper, page: Page, seen: PageData, made: PageRecord["made"]): PageRecord {
  const findings = page.claims.map((claim) => findingOf(claim, seen));
  return { paper: paper.name, page: page.name, size: seen.size, seed: seen.seed, made, missing: seen.missing, findings };
}

function commandOf({ paper, page, size, seed }: Pick<PageRecord, "paper" | "page" | "size" | "seed">): string {
  return `coterie reproduce ${paper} ${page}${size === "quick" ? " --quick" : ""} --seed ${seed}`;
}

export function pictureFile(page: string, picture: string): string {
  return `${page}-${picture}.svg`;
}

export function pageText(paper: Paper, page: Page, seen: PageData, record: PageRecord): string {
  const parts = [`# ${page.title}`, paper.title, originOf(page, record, seen)];
  if (record.missing.length > 0)
    parts.push(`**Data that are not here**: ${record.missing.join(", ")}. What needs them is left out.`);
  parts.push(page.protocol(seen));
  if (record.findings.length > 0) {
    parts.push("## Claims", "How claims are judged, and what ✓, ✗ and ○ mean: [the rule](../README.md#the-rule).");
    for (const finding of record.findings) parts.push(...claimText(finding));
  }
  for (const { name, caption } of page.pictures?.(seen) ?? []) {
    parts.push(`![${caption}](${pictureFile(page.name, name)})`, `*${caption}*`);
  }
  for (const { title, columns, rows } of page.results?.(seen) ?? []) parts.push(`## ${title}`, table(columns, rows));
  return `${parts.join("\n\n")}\n`;
}

/** The provenance of a page: command, programs and files. */
function originOf({ tables }: Page, record: PageRecord, seen: PageData): string {
  const raw = tables.map(({ name }) => `[${name}.csv](${name}.csv)`).join(", ");
  const made = [...new Set(Object.values(record.made).map(madeInWords))].join("; ");
  const count = (trials: (table: TrialTable) => number): string =>
    tables.reduce((sum, table) => sum + trials(table), 0).toLocaleString("en");
  const size =
    record.size === "quick"
      ? ` **A quick run**: ${count((table) => seen.lines(table).length)} of the ${count((table) => table.trials("full", record.seed).length)} trials that the page is meant for; \`${commandOf({ ...record, size: "full" })}\`, with the same \`--out\`, runs the others.`
      : "";
  return `Made by \`${commandOf(record)}\` (${made}). Raw numbers, with the seed of each trial: ${raw}.${size}`;
}

export function claimText(finding: Finding): string[] {
  const { id, quote, section, tested, published, about, verdict, ours, because, cells } = finding;
  const head = quote === null ? `**Ours** (${section}): ${tested}` : `${quotation(`“${quote}” (${section})`)}`;
  return [
    `### ${id}: ${verdict}`,
    head,
    ...(quote !== null && tested !== null ? [`Tested: ${tested}`] : []),
    table(["published", `ours (claim about ${about})`, "verdict"], [[published, ours, `**${verdict}**`]]),
    ...(cells.length > 1 ? [cellTable(cells)] : []),
    ...(because === null ? [] : [`Cause: ${because}`]),
  ];
}

/** The cells of a claim as a table; each cell begins with its mark. */
function cellTable(cells: Finding["cells"]): string {
  const rows = [...new Set(cells.map(({ row }) => row))];
  const columns = [...new Set(cells.map(({ column }) => column))];
  const at = (row: string, column: string): string =>
    cells
      .filter((cell) => cell.row === row && cell.column === column)
      .map(({ mark, said }) => `${mark} ${said}`)
      .join("; ");
  return table(
    ["", ...columns],
    rows.map((row) => [row, ...columns.map((column) => at(row, column))]),
  );
}
