/** A figure that was run, as a page of Markdown; and the index of all pages, by paper and claim. */
import type { Figure, Finding, Paper, ResultTable, Seen, Setting } from "./experiment.js";

/** What a page's side file keeps, so that the index can be made without running anything. */
export interface Record {
  readonly paper: string;
  readonly paperTitle: string;
  readonly figure: string;
  readonly title: string;
  readonly quick: boolean;
  readonly seed: number;
  readonly findings: readonly Finding[];
}

export function recordOf(paper: Paper, figure: Figure, { quick, seed }: Setting, seen: Seen): Record {
  return {
    paper: paper.name,
    paperTitle: paper.title,
    figure: figure.name,
    title: figure.title,
    quick,
    seed,
    findings: seen.findings,
  };
}

export function pageOf(record: Record, seen: Seen): string {
  const command = `npm run experiment -- ${record.paper} ${record.figure}${record.quick ? " --quick" : ""} --seed ${record.seed}`;
  const parts = [`# ${record.title}`, `${record.paperTitle}. Made by \`${command}\`.`];
  if (seen.protocol) parts.push(seen.protocol);
  if (seen.findings.length > 0) {
    parts.push(
      "## Claims",
      markdownTable(
        ["claim", "published", "ours", "verdict"],
        seen.findings.map((finding) => [finding.claim, finding.published, finding.ours, verdictOf(finding)]),
      ),
    );
  }
  for (const { name, caption } of seen.pictures ?? [])
    parts.push(`![${caption}](${pictureFile(record.figure, name)})`, `*${caption}*`);
  for (const table of seen.tables ?? []) parts.push(`## ${table.title}`, tableOf(table));
  return `${parts.join("\n\n")}\n`;
}

export function indexOf(records: readonly Record[]): string {
  const parts = [
    "# The papers, re-run",
    "Every claim that we could put to the test, with what was published, what we saw, and a verdict. Each page names the command that made it.",
  ];
  for (const paper of [...new Set(records.map((record) => record.paper))]) {
    const own = records.filter((record) => record.paper === paper);
    parts.push(`## ${own[0]!.paperTitle}`);
    for (const record of own) {
      parts.push(
        `### [${record.title}](${record.paper}/${record.figure}.md)${record.quick ? " (quick run)" : ""}`,
        record.findings.map((finding) => `- **${finding.verdict}**: ${finding.claim}`).join("\n") || "No claim.",
      );
    }
  }
  return `${parts.join("\n\n")}\n`;
}

export function pictureFile(figure: string, picture: string): string {
  return `${figure}-${picture}.svg`;
}

function tableOf({ columns, rows }: ResultTable): string {
  return markdownTable(
    columns,
    rows.map((row) => row.map((cell) => (typeof cell === "number" ? String(Number(cell.toPrecision(4))) : cell))),
  );
}

function markdownTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(columns), `|${"---|".repeat(columns.length)}`, ...rows.map(line)].join("\n");
}

function verdictOf({ verdict, because }: Finding): string {
  return `**${verdict}**${because ? `: ${because}` : ""}`;
}
