/** Runs the missing trials, judges the claims, and writes the pages. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkFolder, showSample } from "@coterie/data";
import {
  type Clock,
  type Job,
  type Kept,
  type Line,
  lineOf,
  nameOf,
  type Progress,
  runJobs,
  startClock,
  type Trial,
  type TrialPool,
} from "@coterie/workbench/trials";
import { type Finding, findingOf, RULE } from "./judge.js";
import { type Chosen, choose } from "./list.js";
import { needsOf, type Page, type PageData, type Paper, type Size, type TrialTable, type Verdict } from "./paper.js";
import { type TableName, threadPool } from "./pool.js";
import { lockFolder, type Made, openStore, recordOf, type Store } from "./store.js";

const VERDICTS: readonly Verdict[] = ["holds", "holds in part", "does not hold", "not judged"];

export interface ReproduceOptions {
  /** The arguments of the command: papers, each optionally followed by its pages or claims. Empty: everything. */
  readonly words: readonly string[];
  readonly quick: boolean;
  /** Whether to run no trials, and only judge and draw again from the saved trials. */
  readonly draw?: boolean;
  readonly seed: number;
  readonly folder: string;
  readonly workers?: number;
  readonly pool?: TrialPool<TableName>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  readonly onNotice?: (sentence: string) => void;
}

export interface Reproduced {
  readonly pages: readonly PageRecord[];
  readonly claims: readonly (Pick<Finding, "verdict" | "ours" | "published"> & {
    readonly paper: string;
    readonly item: string;
    readonly claim: string;
  })[];
  readonly missing: readonly MissingSet[];
  readonly claimsPage: string;
}

interface Work {
  readonly store: Store;
  readonly program: Program;
  readonly missing: readonly MissingSet[];
  readonly options: ReproduceOptions;
}

export async function reproduce(papers: readonly Paper[], options: ReproduceOptions): Promise<Reproduced> {
  const chosen = choose(papers, options.words);
  await checkFolder(options.folder);
  // The lock prevents two runs at the same time from writing each trial twice.
  const unlock = lockFolder(options.folder);
  try {
    return await reproduceAlone(papers, chosen, options);
  } finally {
    unlock();
  }
}

async function reproduceAlone(
  papers: readonly Paper[],
  chosen: readonly Chosen[],
  options: ReproduceOptions,
): Promise<Reproduced> {
  const missing = await missingOf(papers.flatMap(({ pages }) => pages.flatMap(needsOf)));
  const work: Work = { store: openStore(options.folder), program: programOf(), missing, options };
  const records = options.draw ? await drawAll(papers, chosen, work) : await runAll(papers, chosen, work);
  return {
    pages: records,
    claims: records.flatMap(({ paper, page, findings }) =>
      findings.map(({ id, verdict, ours, published }) => ({ paper, item: page, claim: id, verdict, ours, published })),
    ),
    missing: missing.filter(({ name }) => records.some((record) => record.missing.includes(name))),
    claimsPage: join(options.folder, "claims.md"),
  };
}

/** Runs one paper after the other, so that the first pages are finished early. */
async function runAll(papers: readonly Paper[], chosen: readonly Chosen[], work: Work): Promise<PageRecord[]> {
  const { options } = work;
  const jobs = new Map<Chosen, TableJob[]>();
  for (const one of chosen) jobs.set(one, await jobsOf(one, work));
  const clock = startClock([...jobs.values()].flat().flatMap(({ trials }) => trials));
  const pool = options.pool ?? threadPool(options.workers ?? availableParallelism());
  const records: PageRecord[] = [];
  try {
    for (const [one, own] of jobs) {
      await runOne(own, work, pool, clock);
      records.push(...(await drawAll(papers, [one], work)));
    }
  } finally {
    await pool.close();
  }
  return records;
}

async function drawAll(papers: readonly Paper[], chosen: readonly Chosen[], work: Work): Promise<PageRecord[]> {
  const records: PageRecord[] = [];
  for (const { paper, pages } of chosen) {
    for (const page of pages) {
      const record = await writePage(paper, page, work);
      if (record) records.push(record);
    }
  }
  await writeFront(papers, work);
  return records;
}

interface TableJob extends Job<TableName> {
  readonly table: TrialTable;
}

async function jobsOf({ paper, pages }: Chosen, work: Work): Promise<TableJob[]> {
  const { quick, seed } = work.options;
  const jobs: TableJob[] = [];
  for (const table of new Set(pages.flatMap(({ tables }) => tables))) {
    const kept = await work.store.read(paper.name, table, seed);
    const wanted = table.trials(quick ? "quick" : "full", seed);
    const trials = wanted.filter((trial) => isAtHand(trial, work) && !kept.has(nameOf(table, trial.key)));
    if (trials.length === 0) continue;
    const append = (line: string) => work.store.append(paper.name, table, line);
    jobs.push({ work: { paper: paper.name, table: table.name }, title: `${paper.name} ${table.name}`, table, trials, append });
  }
  return jobs;
}

async function runOne(jobs: readonly TableJob[], work: Work, pool: TrialPool<TableName>, clock: Clock): Promise<void> {
  const { store, options } = work;
  const { seed, signal, onProgress } = options;
  for (const job of jobs) await noteMade(job.work.paper, job.table, work);
  try {
    await runJobs(jobs, pool, { signal, onProgress, clock });
  } finally {
    for (const { work: named, table } of jobs) {
      const { paper } = named;
      await store.tidy(paper, table, table.trials("full", seed));
      await noteMade(paper, table, work);
    }
  }
}

function isAtHand({ needs }: Trial, { missing }: Pick<Work, "missing">): boolean {
  return !needs.some((set) => missing.some(({ name }) => name === set));
}

/**
 * Writes the side file of a table: the seed, and the number of lines that each program made. Called before the first new line and after the
 * last new line.
 */
async function noteMade(paper: string, table: TrialTable, { store, program, options }: Work): Promise<void> {
  const before = await recordOf(store.text, paper, table);
  const { size } = await store.read(paper, table, options.seed);
  const made = countMade(before?.made ?? [], program, size);
  await store.write(`${JSON.stringify({ seed: options.seed, made }, null, 2)}\n`, paper, `${table.name}.csv.json`);
}

/**
 * Writes a page from the full trials if all of them exist, otherwise from the quick trials. Returns null if quick trials are missing too.
 */
async function writePage(paper: Paper, page: Page, work: Work): Promise<PageRecord | null> {
  const { store, options } = work;
  const seen = (await seenAt("full", paper, page, work)) ?? (await seenAt("quick", paper, page, work));
  if (!seen) {
    options.onNotice?.(`${paper.name} ${page.name} was not run: nothing to draw.`);
    return null;
  }
  const made: Record<string, readonly Made[]> = {};
  for (const table of page.tables) made[table.name] = (await recordOf(store.text, paper.name, table))?.made ?? [];
  const record = pageRecord(paper, page, seen, made);
  for (const { name, svg } of page.pictures?.(seen) ?? []) {
    options.signal?.throwIfAborted();
    await store.write(await svg(options.signal), paper.name, pictureFile(page.name, name));
  }
  await store.write(pageText(paper, page, seen, record), paper.name, `${page.name}.md`);
  await store.write(`${JSON.stringify(record, null, 2)}\n`, paper.name, `${page.name}.json`);
  return record;
}

/** The data of a page. Null if trials of this size are missing although their data sets are available. */
export async function seenAt(
  size: Size,
  { name }: Paper,
  page: Page,
  { store, options: { seed }, missing }: Pick<Work, "store" | "missing"> & { readonly options: { readonly seed: number } },
): Promise<PageData | null> {
  const kept = new Map<TrialTable, ReadonlyMap<string, Kept>>();
  const gone = new Set<string>();
  for (const table of page.tables) {
    const there = await store.read(name, table, seed);
    kept.set(table, there);
    const absent = table.trials(size, seed).filter(({ key }) => !there.has(nameOf(table, key)));
    if (absent.some((trial) => isAtHand(trial, { missing }))) return null;
    for (const { needs } of absent) for (const set of needs) if (missing.some((one) => one.name === set)) gone.add(set);
  }
  const linesOf = (table: TrialTable): Line[] =>
    table
      .trials(size, seed)
      .filter(({ needs }) => !needs.some((set) => gone.has(set)))
      .map((trial) => lineOf(table, trial, kept.get(table)!.get(nameOf(table, trial.key))!));
  const lines = new Map(page.tables.map((table) => [table, linesOf(table)]));
  return { size, seed, lines: (table) => lines.get(table) ?? [], missing: [...gone] };
}

async function writeFront(papers: readonly Paper[], { store, missing }: Work): Promise<void> {
  const records = new Map<string, PageRecord>();
  for (const { name, pages } of papers) {
    for (const page of pages) {
      const text = await store.text(name, `${page.name}.json`);
      if (text !== null) records.set(`${name} ${page.name}`, JSON.parse(text) as PageRecord);
    }
  }
  const find: FindRecord = (paper, page) => records.get(`${paper} ${page}`) ?? null;
  const needed = new Set([...records.values()].flatMap((record) => record.missing));
  const absent = missing.filter(({ name }) => needed.has(name));
  await store.write(frontPage(papers, find, absent), "README.md");
  await store.write(claimsPage(papers, find), "claims.md");
}

type FindRecord = (paper: string, page: string) => PageRecord | null;

export function frontPage(papers: readonly Paper[], find: FindRecord, missing: readonly MissingSet[]): string {
  const parts = [
    "# The papers, re-run",
    "Every claim of the five papers that we could put to the test, and a published benchmark, with the paper's words, what was published, what we saw, and a verdict. What is ours is marked as ours. [All claims](claims.md).",
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

interface MissingSet {
  readonly name: string;
  readonly remedy: string;
}

export async function missingOf(names: Iterable<string>): Promise<MissingSet[]> {
  const sheets = await Promise.all([...new Set(names)].map(async (name) => await showSample(name)));
  return sheets.flatMap(({ name, remedy }) => (remedy === null ? [] : [{ name, remedy }]));
}

export interface PageRecord {
  readonly paper: string;
  readonly page: string;
  readonly size: Size;
  readonly seed: number;
  readonly made: Readonly<Record<string, readonly Made[]>>;
  readonly missing: readonly string[];
  readonly findings: readonly Finding[];
}

export function pageRecord(paper: Paper, page: Page, seen: PageData, made: PageRecord["made"]): PageRecord {
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

function claimText(finding: Finding): string[] {
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

/* Describes the program that made the numbers: its version, its commit if it runs from a checkout, and the version of Node. */

export type Program = Omit<Made, "trials">;

const folder = fileURLToPath(new URL(".", import.meta.url));

function programOf(): Program {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
  return { commit: commitOf(), version, node: process.versions.node };
}

/** The commit of the checkout, followed by "+" if tracked files were changed; "none" if the program does not run from a checkout. */
function commitOf(): string {
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    // The package can be installed inside the repository of another project. The commit of that repository says nothing about this program.
    if (git("ls-files", "../../package.json") === "") return "none";
    const changed = git("status", "--porcelain", "--untracked-files=no", "--", ":/packages") !== "";
    return `${git("rev-parse", "--short=10", "HEAD")}${changed ? "+" : ""}`;
  } catch {
    return "none";
  }
}

/** Updates how many lines of a table each program made. made: the counts so far. Lines beyond these counts are counted for `program`. */
function countMade(made: readonly Made[], program: Program, lines: number): Made[] {
  const same = (one: Program): boolean =>
    one.commit === program.commit && one.version === program.version && one.node === program.node;
  const others = made.filter((one) => !same(one) && one.trials > 0);
  const earlier = others.reduce((sum, { trials }) => sum + trials, 0);
  const own = Math.max(0, lines - earlier);
  return own === 0 ? others : [...others, { ...program, trials: own }];
}

function madeInWords(made: readonly Made[]): string {
  if (made.length === 0) return "by which version is not known";
  const words = made.map(({ commit, version, node, trials }) => {
    const count = made.length === 1 ? "" : `${trials.toLocaleString("en")} trials by `;
    return `${count}Coterie ${version}${commit === "none" ? "" : `, commit ${commit}`}, Node ${node}`;
  });
  return words.join("; ");
}

/* Writes tables and quotes in Markdown. */

function table(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(columns), `|${"---|".repeat(columns.length)}`, ...rows.map((row) => line(row.map(cellText)))].join("\n");
}

function cellText(cell: string | number): string {
  return typeof cell === "number" ? String(Number(cell.toPrecision(4))) : cell;
}

function quotation(text: string): string {
  return `> ${text.replaceAll("\n", " ")}`;
}
