/** What stands above the pages: the front page with its counts, and the page of all claims. */
import { RULE } from "./judge.js";
import { table } from "./markdown.js";
import type { MissingSet } from "./needs.js";
import { claimText, type PageRecord } from "./page.js";
import { needsOf, type Page, type Paper, type Verdict } from "./paper.js";

const VERDICTS: readonly Verdict[] = ["holds", "holds in part", "does not hold", "not judged"];

/** The record of a page, null where it was not run. */
export type FindRecord = (paper: string, page: string) => PageRecord | null;

export function frontPage(papers: readonly Paper[], find: FindRecord, missing: readonly MissingSet[]): string {
  const parts = [
    "# The papers, re-run",
    "Every claim of the five papers that we could put to the test, with the paper's words, what was published, what we saw, and a verdict. What is ours is marked as ours. [All claims](claims.md).",
    countTable(papers, find),
    ...quickParts(papers, find),
    ...papers.flatMap((paper) => [`## ${paper.title}`, pageTable(paper, find)]),
    "## The rule",
    RULE,
    ...missingParts(papers, missing),
  ];
  return `${parts.join("\n\n")}\n`;
}

function quickParts(papers: readonly Paper[], find: FindRecord): string[] {
  const isQuick = papers.some(({ name, pages }) => pages.some((page) => find(name, page.name)?.size === "quick"));
  return isQuick
    ? [
        "Pages marked *quick run* have fewer trials than they are meant for, and say how many: `coterie reproduce`, without `--quick` and with the same `--out`, runs the others. With few trials fewer cells are certain, and a claim that would hold may come out as one that does not.",
      ]
    : [];
}

/** Verdicts by paper: the papers' own claims; how many of ours there are beside them. */
function countTable(papers: readonly Paper[], find: FindRecord): string {
  const rows = papers.map((paper) => {
    const verdicts = verdictsOf(paper, find);
    const count = (verdict: Verdict): number => verdicts.filter((one) => one.verdict === verdict && !one.own).length;
    return [paper.name, ...VERDICTS.map(count), `${verdicts.filter(({ own }) => own).length} more of ours`];
  });
  return table(["paper", ...VERDICTS, ""], rows);
}

function verdictsOf({ name, pages }: Paper, find: FindRecord): { readonly verdict: Verdict; readonly own: boolean }[] {
  return pages.flatMap((page) => {
    const record = find(name, page.name);
    return page.claims.map(({ id, quote }) => ({
      verdict: record?.findings.find((finding) => finding.id === id)?.verdict ?? "not judged",
      own: quote === undefined,
    }));
  });
}

function pageTable({ name, pages }: Paper, find: FindRecord): string {
  const rows = pages.map((page) => {
    const record = find(name, page.name);
    const title = record ? `[${page.title}](${name}/${page.name}.md)` : page.title;
    const size = record ? (record.size === "quick" ? "quick run" : "") : "not run";
    const verdicts = page.claims.map(({ id }) => record?.findings.find((finding) => finding.id === id)?.verdict ?? "not judged");
    const counts = VERDICTS.flatMap((verdict) => {
      const count = verdicts.filter((one) => one === verdict).length;
      return count === 0 ? [] : [`${count} ${verdict}`];
    });
    return [title, counts.join(", ") || "no claim", size];
  });
  return table(["page", "claims", ""], rows);
}

/** Which sets are not here, how to get them, and what waits for them. */
function missingParts(papers: readonly Paper[], missing: readonly MissingSet[]): string[] {
  if (missing.length === 0) return [];
  const lines = missing.map(({ name, remedy }) => `- \`${name}\`: ${remedy} For: ${waitingFor(papers, name).join("; ")}.`);
  return ["## Data that are not here", lines.join("\n")];
}

function waitingFor(papers: readonly Paper[], set: string): string[] {
  return papers.flatMap((paper) => {
    const pages = paper.pages.filter((page) => needsOf(page).includes(set)).map(({ name }) => name);
    return pages.length === 0 ? [] : [`${paper.name} ${pages.join(", ")}`];
  });
}

export function claimsPage(papers: readonly Paper[], find: FindRecord): string {
  const parts = [
    "# All claims",
    "In the order of the papers and their pages; each page has the pictures and the tables. [How claims are judged](README.md#the-rule).",
  ];
  for (const paper of papers) {
    parts.push(`## ${paper.title}`);
    for (const page of paper.pages) {
      if (page.claims.length === 0) continue;
      const record = find(paper.name, page.name);
      parts.push(...(record ? claimsOfPage(paper, page, record) : notRun(page)));
    }
  }
  return `${parts.join("\n\n")}\n`;
}

function claimsOfPage({ name }: Paper, { name: page, title }: Page, { size, findings }: PageRecord): string[] {
  const quick = size === "quick" ? " (quick run)" : "";
  return [`*[${title}](${name}/${page}.md)${quick}*`, ...findings.flatMap(claimText)];
}

function notRun({ title, claims }: Page): string[] {
  return [`*${title}*: not run.`, claims.map(({ id, quote, tested }) => `- ${id}: ${quote ? `“${quote}”` : tested}`).join("\n")];
}
