/**
 * The report as one HTML file: no request leaves it, and whatever comes from the data is text. No script runs in it but the one by
 * which a large tree is zoomed; without it the page is whole.
 *
 * Timings are left out, so that the same run gives the same bytes.
 */
import {
  type ConstraintSet,
  findMethod,
  findStrategy,
  type InstanceId,
  type Instances,
  type Report,
  titleOf,
  type Violations,
} from "@coterie/core";
import { countBroken, countStatements } from "../layout/constraint-links.js";
import { type Profile, profiles } from "../layout/profile.js";
import { clusterSizesFigure } from "../marks/cluster-sizes.js";
import { dendrogramFigure } from "../marks/dendrogram.js";
import { markedRows } from "../marks/dendrogram-marks.js";
import { featureMeansFigure, MOST_CLUSTERS } from "../marks/feature-means.js";
import { historyFigure } from "../marks/history.js";
import { scatterFigure } from "../marks/scatter.js";
import { clusterTitle } from "../theme/frame.js";
import { type Html, type HtmlValue, html } from "../theme/html.js";
import { counted, formatCount, formatNumber, formatShare } from "../theme/text.js";
import { MOST_ZOOMED, ZOOM_HASH, ZOOM_SCRIPT, zoomTree } from "./dendrogram-zoom.js";
import { rulesSection, treeRules, treeSection, weightsSection } from "./report-learned.js";
import { details, FIGURE, facts, figure, MOST_ROWS, makingOf, pageOf, section } from "./report-parts.js";
import { labelsOfRows, violationsInRows } from "./report-rows.js";
import { clusterBadge, violationsTable } from "./report-violations.js";

export interface HtmlReportOptions {
  readonly report: Report;
  readonly instances: Instances;
  readonly constraints?: ConstraintSet;
  /** What the data are called; default `Clusters`. */
  readonly title?: string;
  /** The command that gives this result again. */
  readonly command?: string;
  /** Names of the clusters, shown after their letters. */
  readonly names?: readonly string[];
  /** `auto` (the default) follows the reader's system. */
  readonly theme?: "auto" | "light" | "dark";
}

/** What the sections share. */
interface Matter extends HtmlReportOptions {
  readonly labels: Int32Array;
  readonly violations: Violations;
  readonly columns: readonly Profile[];
  readonly given: number;
  readonly broken: number;
}

export function htmlReport(options: HtmlReportOptions): string {
  const { report, instances, constraints, title = "Clusters", theme = "auto" } = options;
  const labels = labelsOfRows(report, instances);
  const violations = violationsInRows(report, instances);
  const broken = countBroken(violations);
  const matter: Matter = {
    ...options,
    labels,
    violations,
    columns: profiles(instances, labels, report.sizes.length),
    given: Math.max(countStatements(constraints), broken),
    broken,
  };
  return pageOf(
    {
      title: `${title}: ${methodName(report)}, ${counted(report.k, "cluster")}`,
      what: title,
      theme,
      version: report.version,
      ...(isZoomed(report) ? { script: { text: ZOOM_SCRIPT, hash: ZOOM_HASH } } : {}),
    },
    [
      lead(matter),
      section("Map", counted(instances.n, "row"), map(matter)),
      section("Clusters", null, sizes(matter)),
      brokenSection(matter),
      report.tree ? treeSection(report.tree, matter.names) : null,
      report.rules ? rulesSection(report.tree ? treeRules(report.tree, report.rules) : report.rules, matter.names) : null,
      report.metric ? weightsSection(report.metric, instances, matter.names) : null,
      instances.d === 0 ? null : section("What sets the clusters apart", counted(instances.d, "column"), means(matter)),
      report.merges && report.merges.length > 0 ? section("How rows join", null, tree(matter)) : null,
      report.history && report.history.length > 1
        ? section("Objective", counted(report.history.length, "iteration"), history(report.history))
        : null,
      report.scores ? section("Scores", "against the known classes; 1 is full agreement", scores(report.scores)) : null,
      section("How this was made", null, making(matter)),
    ],
  );
}

function methodName({ algorithm, options }: Report): string {
  const method = findMethod(algorithm);
  return method ? titleOf(method, options) : (findStrategy(algorithm)?.title ?? algorithm);
}

function lead({ report, instances, violations, given, broken, labels }: Matter): Html {
  const shared = violations.exclusive.length;
  const kept =
    given === 0
      ? html`No constraints were given.`
      : broken === 0
        ? html`${allOf(given)} kept.`
        : html`<span class="bad">${formatCount(broken)} of ${counted(given, "constraint")} ${broken === 1 ? "is" : "are"} broken.</span>`;
  const groups =
    shared === 0
      ? null
      : html` <span class="bad">${counted(shared, "exclusive group")} ${shared === 1 ? "shares" : "share"} a cluster.</span>`;
  const none = labels.reduce((count, label) => count + (label < 0 ? 1 : 0), 0);
  const left = none > 0 ? ` ${counted(none, "row")} ${none === 1 ? "is" : "are"} in no cluster.` : "";
  const told: [string, string][] = [
    ["rows", formatCount(instances.n)],
    ["columns", formatCount(report.features.length)],
    ["clusters", formatCount(report.sizes.length)],
    ["constraints kept", given === 0 ? "–" : `${formatCount(given - broken)} of ${formatCount(given)}`],
  ];
  if (report.objective !== undefined) told.push(["objective", formatNumber(report.objective, 6)]);
  if (report.iterations !== undefined) told.push(["iterations", formatCount(report.iterations)]);
  if (report.stopped !== undefined) told.push(["stopped", report.stopped.replaceAll("-", " ")]);
  if (report.scores) told.push(["adjusted Rand", report.scores.adjustedRand.toFixed(3)]);
  return html`<div class="lead"><h1>${methodName(report)} put ${counted(instances.n - none, "row")} into ${counted(report.sizes.length, "cluster")}.${left} ${kept}${groups}</h1>
${facts(told, report.notices)}</div>`;
}

function map({ instances, labels, constraints, violations, names }: Matter): Html {
  return figure(
    scatterFigure({
      ...FIGURE,
      points: instances,
      labels,
      violations,
      ...(constraints ? { constraints } : {}),
      ...(names ? { names } : {}),
    }),
  );
}

function sizes({ report, labels, names, instances }: Matter): Html {
  const none = labels.reduce((count, label) => count + (label < 0 ? 1 : 0), 0);
  const total = instances.n || 1;
  const classes = instances.truth ? commonClasses(instances.truth, labels, report.sizes.length) : undefined;
  const rows = report.sizes
    .slice(0, MOST_ROWS)
    .map(
      (size, cluster) =>
        html`<tr><th scope="row">${clusterBadge(cluster)}${names?.[cluster] ? ` ${names[cluster]}` : ""}</th><td class="num">${cluster}</td><td class="num">${formatCount(size)}</td><td class="num">${formatShare(size / total)}</td>${
          classes ? html`<td class="wide">${classes[cluster]}</td>` : null
        }</tr>`,
    );
  return html`${figure(clusterSizesFigure({ ...FIGURE, sizes: report.sizes, none, ...(names ? { names } : {}) }))}${details(
    "As a table, with the number of each cluster in the labels file",
    html`<table><thead><tr><th>cluster</th><th class="num">number</th><th class="num">rows</th><th class="num">share</th>${
      classes ? html`<th>known classes</th>` : null
    }</tr></thead><tbody>${rows}</tbody></table>`,
  )}`;
}

/** `Adelie 129, Chinstrap 4`: the known classes inside each cluster, the largest four. */
function commonClasses(truth: NonNullable<Instances["truth"]>, labels: Int32Array, k: number): string[] {
  const counts = Array.from({ length: k }, () => new Map<number, number>());
  labels.forEach((label, row) => {
    const code = truth.codes[row]!;
    if (label >= 0 && code >= 0) counts[label]!.set(code, (counts[label]!.get(code) ?? 0) + 1);
  });
  return counts.map((cluster) => {
    const sorted = [...cluster].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const shown = sorted.slice(0, 4).map(([code, count]) => `${truth.names[code] ?? code} ${formatCount(count)}`);
    return sorted.length > 4 ? `${shown.join(", ")}, …` : shown.join(", ");
  });
}

function allOf(given: number): string {
  if (given === 1) return "The one constraint is";
  return `${given === 2 ? "Both" : `All ${formatCount(given)}`} constraints are`;
}

function brokenSection({ instances, labels, violations, columns, broken, given }: Matter): Html | null {
  const shared = violations.exclusive.length;
  if (given === 0 && shared === 0) return null;
  if (broken + shared === 0) {
    return section("Constraints", null, html`<p class="good">${allOf(given)} kept.</p>`);
  }
  const aside = html`<small>${broken > 0 ? `${formatCount(broken)} of ${formatCount(given)}` : ""}${broken > 0 && shared > 0 ? ", and " : ""}${
    shared > 0 ? counted(shared, "exclusive group") : ""
  }</small>`;
  return html`<section><h2 class="bad">Broken constraints ${aside}</h2>${violationsTable(instances, labels, violations, columns)}</section>`;
}

function means({ instances, labels, columns, report, names }: Matter): Html {
  const head = report.sizes
    .slice(0, MOST_CLUSTERS)
    .map((_, cluster) => html`<th class="num" title="${clusterTitle(cluster, names)}">${clusterBadge(cluster)}</th>`);
  const rows = columns.slice(0, MOST_ROWS).map((column) => {
    const cells: HtmlValue[] =
      column.kind === "numeric"
        ? column.means.slice(0, MOST_CLUSTERS).map((mean) => html`<td class="num">${formatNumber(mean, 5)}</td>`)
        : column.common
            .slice(0, MOST_CLUSTERS)
            .map((common) => html`<td class="num">${common ? `${common.level} ${Math.round(100 * common.share)}%` : "–"}</td>`);
    const overall =
      column.kind === "numeric"
        ? html`<td class="num">${formatNumber(column.mean, 5)}</td><td class="num">${formatNumber(column.deviation)}</td>`
        : html`<td></td><td></td>`;
    return html`<tr><th scope="row">${column.name}</th>${cells}${overall}<td class="num">${column.tellsApart.toFixed(2)}</td></tr>`;
  });
  return html`${figure(featureMeansFigure({ ...FIGURE, points: instances, labels }))}<p class="note">“Tells apart” is the share of a column’s spread that lies between the clusters: 0 says nothing, 1 everything.</p>${details(
    "As a table",
    html`<table><thead><tr><th>column</th>${head}<th class="num">all rows</th><th class="num">deviation</th><th class="num">tells apart</th></tr></thead><tbody>${rows}</tbody></table>`,
  )}`;
}

/** Up to 200 rows the picture shows them all. */
function isZoomed({ merges }: Report): boolean {
  return merges !== undefined && merges.length >= 200 && merges.length < MOST_ZOOMED;
}

function tree({ report, instances, labels, constraints }: Matter): Html {
  const ids: { leafNames?: readonly InstanceId[] } = instances.ids ? { leafNames: instances.ids } : {};
  const shown = { merges: report.merges!, labels, marks: markedRows(instances.n, constraints), ...ids };
  const picture = figure(dendrogramFigure({ ...FIGURE, ...shown, k: report.sizes.length }));
  return isZoomed(report) ? zoomTree(picture, shown) : picture;
}

function history(values: readonly (number | null)[]): Html {
  const rows = values
    .slice(0, MOST_ROWS)
    .map((value, at) => html`<tr><td class="num">${at + 1}</td><td class="num">${formatNumber(value, 8)}</td></tr>`);
  return html`${figure(historyFigure({ ...FIGURE, history: values }))}${details(
    "As a table",
    html`<table><thead><tr><th class="num">iteration</th><th class="num">objective</th></tr></thead><tbody>${rows}</tbody></table>`,
  )}`;
}

function scores(values: NonNullable<Report["scores"]>): Html {
  const shown: [string, number, string][] = [
    ["adjusted Rand", values.adjustedRand, "pairs of rows that agree, corrected for chance"],
    ["Rand", values.rand, "pairs of rows that agree"],
    ["constrained Rand", values.constrainedRand, "the same over pairs that no constraint settles"],
    ["pairwise F", values.pairwiseF, "precision and recall of pairs in one cluster"],
    ["normalised mutual information", values.normalizedMutualInformation, "how much clusters tell about classes"],
  ];
  return html`<table><tbody>${shown.map(
    ([name, value, meaning]) =>
      html`<tr><th scope="row">${name}</th><td class="num">${value.toFixed(4).replace("-", "−")}</td><td class="dim wide">${meaning}</td></tr>`,
  )}</tbody></table>`;
}

function making({ report, command }: Matter): Html {
  const rows: [string, string][] = [
    ["algorithm", report.algorithm],
    ["seed", String(report.seed)],
    ...Object.entries(report.options)
      .filter(([name, value]) => name !== "seed" && value !== undefined)
      .map(([name, value]): [string, string] => [name, typeof value === "string" ? value : (JSON.stringify(value) ?? "")]),
  ];
  return makingOf(rows, command);
}
