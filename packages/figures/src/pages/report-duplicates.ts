/**
 * The parts of a page about duplicates: groups of rows with the cells in which they differ, pairs that were nearly joined, and the weights
 * of columns.
 */
import {
  type Instances,
  idOf,
  levelWeights,
  type Matches,
  type MatchGroup,
  matchGroups,
  nearMisses,
  type RunInRows,
  signed,
} from "@coterie/core/internal";
import { cellTexts } from "@coterie/core/layout";
import { counted, cutMiddle, formatCount } from "../layout/text.js";
import { nearDifference } from "../layout/text-difference.js";
import { clusterSizesFigure } from "../marks/cluster-sizes.js";
import { type Html, type HtmlValue, html } from "../theme/html.js";
import { FIGURE, figure, scrolled, section } from "./report-parts.js";

interface DuplicatesMatter {
  readonly report: Pick<RunInRows, "sizes">;
  readonly matches: Matches;
  readonly instances: Instances;
  readonly labels: Int32Array;
}

/** Maximum number of groups on a page, and of rows shown of a group. The labels file has all of them. */
const MOST_GROUPS = 200;
const MOST_OF_GROUP = 30;

export function duplicatesSections({ report, matches, instances, labels }: DuplicatesMatter): (Html | null)[] {
  const groups = matchGroups(matches, { labels, sizes: report.sizes });
  const sizes = figure(clusterSizesFigure({ ...FIGURE, sizes: report.sizes, none: 0 }));
  const clusters = section("Clusters", counted(report.sizes.length, "cluster"), sizes);
  return [clusters, groupsSection(groups, instances), pairsSection(matches, instances, labels), levelsSection(matches)];
}

function groupsSection(groups: readonly MatchGroup[], instances: Instances): Html | null {
  if (groups.length === 0) return section("Groups", null, html`<p>No two rows were found to be the same thing.</p>`);
  const shown = groups.slice(0, MOST_GROUPS);
  const aside = `${counted(groups.length, "cluster")} with two or more rows${shown.length < groups.length ? `; the ${shown.length} least certain` : ""}`;
  const bodies = shown.map(({ cluster, rows, support }) => {
    const head = html`<tr><td class="group" colspan="${instances.d + 1}">cluster ${cluster} · ${counted(rows.length, "row")} · ${certainty(support)}</td></tr>`;
    const more =
      rows.length > MOST_OF_GROUP
        ? html`<tr><td colspan="${instances.d + 1}" class="dim">and ${counted(rows.length - MOST_OF_GROUP, "row")} more</td></tr>`
        : null;
    return html`<tbody>${head}${rowLines(rows.slice(0, MOST_OF_GROUP), instances)}${more}</tbody>`;
  });
  const note = html`<p class="note">The least certain groups come first. Marked letters differ from the most frequent value of the group.</p>`;
  return section("Groups", aside, html`${scrolled(html`<table>${tableHead(instances)}${bodies}</table>`)}${note}`);
}

function certainty(support: number): string {
  return support === 0 ? "joined by constraints" : `each row has a match with probability ${formatChance(support)} or more`;
}

/** Writes a probability with two digits, above 0.99 with four: 0.5, 0.98, 0.9995. */
function formatChance(chance: number): string {
  if (chance > 0.9999) return "above 0.9999";
  return String(chance > 0.99 ? Number(chance.toFixed(4)) : Number(chance.toFixed(2)));
}

function tableHead(instances: Instances): Html {
  const names = Array.from({ length: instances.d }, (_, f) => instances.names?.[f] ?? `column ${f + 1}`);
  return html`<thead><tr><th>id</th>${names.map((name) => html`<th>${cutMiddle(name, 40)}</th>`)}</tr></thead>`;
}

/**
 * Makes a line of the table for each row. Where a cell differs from the most frequent value of its column, the differing letters are
 * marked.
 */
function rowLines(rows: readonly number[], instances: Instances): Html[] {
  const columns = Array.from({ length: instances.d }, (_, f) => {
    const text = cellTexts(instances, f);
    const cells = rows.map(text);
    return { cells, usual: mostFrequent(cells.filter((cell) => cell !== null)) };
  });
  return rows.map((row, at) => {
    const cells = columns.map(({ cells: own, usual }) => html`<td>${markedCell(own[at]!, usual)}</td>`);
    return html`<tr><th scope="row">${idOf(instances, row)}</th>${cells}</tr>`;
  });
}

function mostFrequent(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best), ["", 0] as [string, number])[0];
}

const LONGEST_CELL = 60;

function markedCell(cell: string | null, usual: string): HtmlValue {
  if (cell === null) return html`<span class="dim">–</span>`;
  if (cell === usual) return cutMiddle(cell, LONGEST_CELL);
  if (cell.length > LONGEST_CELL) return html`<mark>${cutMiddle(cell, LONGEST_CELL)}</mark>`;
  const pieces = nearDifference(cell, usual);
  return pieces === null
    ? html`<mark>${cell}</mark>`
    : pieces.map(({ text, same }) => (same ? text : html`<mark>${text}</mark>`));
}

/** Maximum number of nearly joined pairs on a page. The file of --pairs-out has all of them. */
const MOST_PAIRS = 50;

function pairsSection(matches: Matches, instances: Instances, labels: Int32Array): Html | null {
  const pairs = nearMisses(matches, labels, MOST_PAIRS).filter((p) => matches.probability[p]! >= 0.1);
  if (pairs.length === 0) return null;
  const bodies = pairs.map((p) => {
    const head = html`<tr><td class="group" colspan="${instances.d + 1}">probability of a match ${formatChance(matches.probability[p]!)}</td></tr>`;
    return html`<tbody class="pair">${head}${rowLines([matches.a[p]!, matches.b[p]!], instances)}</tbody>`;
  });
  return section(
    "Nearly joined",
    `${counted(pairs.length, "pair")} of rows in different clusters, the most similar first`,
    scrolled(html`<table>${tableHead(instances)}${bodies}</table>`),
  );
}

function levelsSection({ evidence, a }: Matches): Html | null {
  if (!evidence) return null;
  const weights = levelWeights(evidence);
  const head = evidence.levelNames.map((name) => html`<th class="num">${name}</th>`);
  const rows = weights.map(({ column, levels }) => {
    const cells = Object.values(levels).map(
      (weight) => html`<td class="num">${weight === null ? "·" : signed(weight).replace("-", "−")}</td>`,
    );
    return html`<tr><th scope="row">${cutMiddle(column, 40)}</th>${cells}</tr>`;
  });
  return section(
    "What cells say about a match",
    `from ${formatCount(a.length)} compared pairs`,
    html`${scrolled(html`<table><thead><tr><th>column</th>${head}</tr></thead><tbody>${rows}</tbody></table>`)}<p class="note">Each number is added to the log odds of a match: above 0 speaks for a match, below 0 against it; 2.3 makes a match ten times as likely.</p>`,
  );
}
