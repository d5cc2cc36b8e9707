/**
 * Writes the report as one HTML file. The page sends no requests, and inserts all data as text. Its only script zooms a large dendrogram;
 * without the script, the page is still complete. The page contains no times, so that the same run gives the same bytes.
 */
import {
  badInput,
  brokenCount,
  type ConstraintSet,
  choiceName,
  countConstraints,
  drain,
  type Instances,
  type Kernels,
  keptInWords,
  matchCounts,
  type Report,
  type RunInRows,
  type Steps,
  type TextsInClusters,
  textsInClustersSteps,
  type Violations,
  violationCount,
} from "@coterie/core/internal";
import { comparisonOf, type RowComparison } from "@coterie/core/layout";
import { faintClusters, layOut } from "../layout/dendrogram.js";
import { type MapAxes, type MapKind, mapAxesSteps } from "../layout/map-axes.js";
import { brokenByCluster, clustersInColumns, highest, MANY_CLUSTERS, meanDistances } from "../layout/notable-clusters.js";
import { type NumericProfile, type Profile, profilesSteps } from "../layout/profile.js";
import { counted, cutMiddle, formatCount, formatMean, formatNumber, formatShare, formatValue } from "../layout/text.js";
import { barsFigure } from "../marks/bars.js";
import { clusterSizesFigure } from "../marks/cluster-sizes.js";
import { dendrogramFigure } from "../marks/dendrogram.js";
import { AXIS_TITLE, cutLine } from "../marks/dendrogram-axis.js";
import type { DendrogramOptions } from "../marks/dendrogram-canvas.js";
import { markedRows } from "../marks/dendrogram-marks.js";
import { featureMeansFigure } from "../marks/feature-means.js";
import { historyFigure } from "../marks/history.js";
import { scatterFigure } from "../marks/scatter.js";
import { type Html, type HtmlValue, html, trusted } from "../theme/html.js";
import { duplicatesSections } from "./report-duplicates.js";
import { methodName, rulesSection, treeRules, treeSection, weightsSection, withRowsOfMatrices } from "./report-learned.js";
import { details, FIGURE, facts, figure, MOST_ROWS, makingOf, pageOf, scrolled, section } from "./report-parts.js";
import { clusterBadge, cut, violationsTable } from "./report-violations.js";
import { noticesOf, withoutFolders } from "./shareable.js";
import { ZOOM_HASH, ZOOM_SCRIPT } from "./zoom-script.js";

export interface HtmlReportOptions {
  /** The report of the run. It has a label for each row, and the name of the method. */
  readonly report: RunInRows;
  readonly instances: Instances;
  readonly constraints?: ConstraintSet;
  /** The name of the data, which is the page's title; by default `Clusters`. */
  readonly title?: string;
  /** The command that makes this result again. The page shows it. */
  readonly command?: string;
  /** How numeric columns were scaled: none, zscore or minmax. */
  readonly scale?: string;
  /** Names of the clusters, shown after their numbers. */
  readonly names?: readonly string[];
  /** Paths that can occur in notices. The page shows only the last part of each path. */
  readonly files?: readonly string[];
  /** `auto` (the default) uses the theme of the reader's system. */
  readonly theme?: "auto" | "light" | "dark";
  /** The kind of map, default components. auto: neighbourhoods if there are more than 30 columns and at most 100,000 rows. */
  readonly map?: MapKind;
  /** The kernels for computing the map. The page is the same with any kernels. */
  readonly kernels?: Kernels;
}

interface Matter extends HtmlReportOptions {
  readonly labels: Int32Array;
  readonly violations: Violations;
  readonly seen: RowComparison;
  /** The axes of the map; null if the page has no map. */
  readonly axes: MapAxes | null;
  readonly columns: readonly Profile[];
  /** The texts of the rows, and typical rows of each cluster; null if the report has no words of clusters. */
  readonly texts: TextsInClusters | null;
  readonly given: number;
  readonly broken: number;
}

/**
 * Writes a run as one HTML file: map, sizes, scores, broken constraints, and figures for its method.
 *
 * ```ts
 * const report = { ...ccl(points, known, { k: 3 }), algorithm: "ccl" };
 * writeFileSync("report.html", htmlReport({ report, instances: points, constraints: known }));
 * ```
 */
export function htmlReport(options: HtmlReportOptions): string {
  return drain(htmlReportSteps(options));
}

/** Like `htmlReport`, but in steps with pauses, because the map of many rows and columns takes long. */
export function* htmlReportSteps(options: HtmlReportOptions): Steps<string> {
  const { report, title = "Clusters", theme = "auto" } = options;
  const matter = yield* matterOf(options);
  const contents: (Html | null)[] = [];
  const parts = sectionsOf(matter);
  for (const part of parts) {
    contents.push(part());
    yield { phase: "page", done: contents.length, total: parts.length };
  }
  return pageOf(
    {
      title: `${title}: ${methodName(report)}, ${counted(report.k, "cluster")}`,
      what: title,
      theme,
      ...(report.version === undefined ? {} : { version: report.version }),
      ...(isZoomed(report) ? { script: { text: ZOOM_SCRIPT, hash: ZOOM_HASH } } : {}),
    },
    contents,
  );
}

function* matterOf(options: HtmlReportOptions): Steps<Matter> {
  const { instances, constraints } = options;
  const report = withRowsOfMatrices(options.report);
  const { labels, violations } = report;
  if (labels.length !== instances.n) {
    throw badInput(`The report is about ${labels.length} rows, the data have ${instances.n}.`, {
      remedy: "Give the report and the data of the same run.",
    });
  }
  const names = options.names?.map((name, cluster) => (name === "" ? String(cluster) : `${cluster} ${name}`));
  const broken = brokenCount(violations);
  const seen = comparisonOf({ ...report, options: report.options ?? {} }, instances);
  // Pages about duplicates have no map: a group of duplicates is one point, and profiles of thousands of clusters say nothing.
  const axes = report.matches ? null : yield* mapAxesSteps(instances, seen, options.kernels, options.map);
  const columns = report.matches ? [] : yield* profilesSteps(instances, labels, report.sizes.length);
  const texts = report.words ? yield* textsInClustersSteps(instances, labels, report.sizes.length) : null;
  return {
    ...options,
    report,
    ...(names ? { names } : {}),
    labels,
    violations,
    seen,
    axes,
    columns,
    texts,
    given: Math.max(constraints ? countConstraints(constraints) : 0, broken),
    broken,
  };
}

/** The objective is drawn only if there are at least this number of iterations. */
const LEAST_ITERATIONS = 4;

function sectionsOf(matter: Matter): readonly (() => Html | null)[] {
  const { report, instances, axes } = matter;
  const { matches } = report;
  const duplicates = matches ? [() => html`${duplicatesSections({ ...matter, matches })}`] : [];
  return [
    () => lead(matter),
    () => (axes ? section("Map", mapAside(matter), map(matter, axes)) : null),
    ...(matches ? duplicates : [() => clustersSection(matter)]),
    () => (matter.texts ? wordsSection({ ...matter, texts: matter.texts }) : null),
    () => (report.chosen && report.chosen.evidence.length > 1 ? chosenSection(report.chosen) : null),
    () => brokenSection(matter),
    () => (report.tree ? treeSection(report.tree, matter.names) : null),
    () => rules(matter),
    () => (report.metric ? weightsSection(report.metric, instances, report.sizes, matter.names) : null),
    () => (instances.d === 0 || matches ? null : section("Columns by cluster", counted(instances.d, "column"), means(matter))),
    () => (report.merges && report.merges.length > 0 ? section("Dendrogram", null, tree(matter)) : null),
    () =>
      report.history && report.history.length >= LEAST_ITERATIONS
        ? section("Objective", counted(report.history.length, "iteration"), history(report.history))
        : null,
    () =>
      report.scores
        ? section("Scores", "against the known classes; 1 is full agreement", scores(report.scores, report.scoresOverClustered))
        : null,
    () => section("How this was made", null, making(matter)),
  ];
}

function lead({ report, instances, violations, given, broken, labels, files }: Matter): Html {
  const words = `${keptInWords(given, violations)}.`;
  const kept = broken === 0 ? words : html`<span class="bad">${words}</span>`;
  const none = labels.reduce((count, label) => count + (label < 0 ? 1 : 0), 0);
  const left = none > 0 ? ` ${counted(none, "row")} ${none === 1 ? "is" : "are"} in no cluster.` : "";
  const shown: [string, string][] = [
    ["rows", formatCount(instances.n)],
    ["columns", formatCount(report.features?.length ?? instances.d)],
    ["clusters", formatCount(report.sizes.length)],
    ["constraints kept", given === 0 ? "–" : `${formatCount(given - broken)} of ${formatCount(given)}`],
  ];
  const { silhouette, daviesBouldin, calinskiHarabasz } = report.internal ?? {};
  if (typeof silhouette === "number") shown.push(["silhouette", formatNumber(silhouette, 3)]);
  if (typeof daviesBouldin === "number") shown.push(["Davies-Bouldin", formatNumber(daviesBouldin, 3)]);
  if (typeof calinskiHarabasz === "number") shown.push(["Calinski-Harabasz", formatNumber(calinskiHarabasz, 4)]);
  if (report.matches) {
    const { groups, rows, doubtful } = matchCounts(report.matches, report.sizes);
    shown.push(["clusters of two or more", formatCount(groups)], ["rows with a duplicate", formatCount(rows)]);
    shown.push(["pairs compared", formatCount(report.matches.a.length)], ["doubtful pairs", formatCount(doubtful)]);
  } else if (report.objective !== undefined) shown.push(["objective", formatNumber(report.objective, 6)]);
  if (report.iterations !== undefined) shown.push(["iterations", formatCount(report.iterations)]);
  if (report.stopped !== undefined) shown.push(["stopped", report.stopped.replaceAll("-", " ")]);
  if (report.scores) shown.push(["adjusted Rand", report.scores.adjustedRand.toFixed(3)]);
  return html`<div class="lead"><h1>${methodName(report)} put ${counted(instances.n - none, "row")} into ${counted(report.sizes.length, "cluster")}.${left} ${kept}</h1>
${facts(shown, noticesOf(report.notices, files).forReaders)}</div>`;
}

function mapAside({ instances, seen }: Matter): string {
  return `${counted(instances.n, "row")}${seen.by === "" ? "" : `, by ${seen.by}`}`;
}

function map({ instances, labels, constraints, violations, names, seen }: Matter, axes: MapAxes): Html {
  return figure(
    scatterFigure({
      ...FIGURE,
      points: instances,
      labels,
      violations,
      seen,
      axes,
      ...(constraints ? { constraints } : {}),
      ...(names ? { names } : {}),
    }),
  );
}

function brokenSection({ instances, labels, violations, columns, broken, given, names }: Matter): Html | null {
  if (given === 0) return null;
  if (broken === 0) return section("Constraints", null, html`<p class="good">${keptInWords(given, violations)}.</p>`);
  const entries = violationCount(violations);
  const places = entries > broken ? `${formatCount(entries)} violations; ` : "";
  const aside = html`<small>${places}${formatCount(broken)} of ${formatCount(given)}</small>`;
  return html`<section><h2 class="bad">Broken constraints ${aside}</h2>${violationsTable(instances, labels, violations, columns, names)}</section>`;
}

function means({ instances, labels, columns, report, names }: Matter): Html {
  const clusters = clustersInColumns(report.sizes);
  const head = clusters.map((cluster) => html`<th class="num">${clusterBadge(cluster, names)}</th>`);
  const rows = columns.slice(0, MOST_ROWS).map((column) => {
    const cells: HtmlValue[] = clusters.map((cluster) => html`<td class="num">${meanText(column, cluster)}</td>`);
    const overall =
      column.kind === "numeric"
        ? html`<td class="num">${formatMean(column.mean, column.notation, column.deviation, 5)}</td><td class="num">${deviationText(column)}</td>`
        : html`<td></td><td></td>`;
    return html`<tr><th scope="row">${cut(column.name)}</th>${cells}${overall}<td class="num">${column.tellsApart.toFixed(2)}</td></tr>`;
  });
  const drawn = featureMeansFigure({ ...FIGURE, points: instances, labels, columns, ...(names ? { names } : {}) });
  return html`${figure(drawn)}<p class="note">“Separation” is the share of a column’s spread that lies between the clusters: 0 for none, 1 for all.</p>${missingNote(columns)}${details(
    "As a table",
    html`<table><thead><tr><th>column</th>${head}<th class="num">all rows</th><th class="num">deviation</th><th class="num">separation</th></tr></thead><tbody>${rows}</tbody></table>`,
  )}`;
}

const MOST_MISSING = 10;

function missingNote(columns: readonly Profile[]): Html | null {
  const holed = columns.filter(({ missing }) => missing > 0).sort((a, b) => b.missing - a.missing || a.column - b.column);
  if (holed.length === 0) return null;
  const named = holed.slice(0, MOST_MISSING).map(({ name, missing }) => `${cutMiddle(name, 40)} ${formatCount(missing)}`);
  const more = holed.length > MOST_MISSING ? `, and ${counted(holed.length - MOST_MISSING, "column")} more` : "";
  return html`<p class="note">Missing cells are left out here, although the method may have filled them: ${named.join(", ")}${more}.</p>`;
}

function meanText(column: Profile, cluster: number): string {
  if (column.kind === "numeric") return formatMean(column.means[cluster]!, column.notation, column.deviation, 5);
  const common = column.common[cluster];
  return common ? `${cutMiddle(common.level, 40)} ${Math.round(100 * common.share)}%` : "–";
}

/** Writes the standard deviation of a column: in days for dates, in hours for times of day. */
function deviationText({ deviation, notation }: NumericProfile): string {
  if (notation?.kind === "date") return counted(Number(deviation.toPrecision(3)), "day");
  if (notation?.kind === "time") return counted(Number((24 * deviation).toPrecision(3)), "hour");
  return formatValue(deviation, notation);
}

/** For more rows than this, the dendrogram cannot be zoomed, because its data would take several megabytes. */
const MOST_ZOOMED = 30_000;

/** Whether the dendrogram gets the script for zooming. With up to 200 rows it needs none, because the picture shows all rows. */
function isZoomed({ merges }: RunInRows): boolean {
  return merges !== undefined && merges.length >= 200 && merges.length < MOST_ZOOMED;
}

function tree({ report, instances, labels, constraints, names }: Matter): Html {
  const shown = {
    merges: report.merges!,
    labels,
    k: report.sizes.length,
    marks: markedRows(instances.n, constraints),
    ...(instances.ids ? { leafNames: instances.ids } : {}),
    ...(names ? { names } : {}),
  };
  const picture = figure(dendrogramFigure({ ...FIGURE, ...shown }));
  return isZoomed(report) ? zoomTree(picture, shown) : picture;
}

function rules({ report: { rules: texts, tree: grown }, names }: Matter): Html | null {
  if (!texts) return null;
  return rulesSection(grown ? treeRules(grown, texts) : texts, { names, notations: grown?.notations });
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

function scores(values: NonNullable<RunInRows["scores"]>, clustered: RunInRows["scoresOverClustered"]): Html {
  const shown = [
    ["adjusted Rand", "adjustedRand", "pairs of rows that agree, corrected for chance"],
    ["Rand", "rand", "pairs of rows that agree"],
    ["constrained Rand", "constrainedRand", "the same over pairs that no constraint decides"],
    ["pairwise F", "pairwiseF", "precision and recall of pairs in one cluster"],
    ["normalised mutual information", "normalizedMutualInformation", "shared information of clusters and classes"],
  ] as const;
  const cell = (value: number): Html => html`<td class="num">${value.toFixed(4).replace("-", "−")}</td>`;
  const rows = shown.map(
    ([name, score, meaning]) =>
      html`<tr><th scope="row">${name}</th>${cell(values[score])}${clustered ? cell(clustered[score]) : null}<td class="dim wide">${meaning}</td></tr>`,
  );
  const head = clustered
    ? html`<thead><tr><th></th><th class="num">all rows, each noise row as a cluster</th><th class="num">${clustered.rows.toLocaleString("en")} clustered rows</th><th></th></tr></thead>`
    : null;
  return scrolled(html`<table>${head}<tbody>${rows}</tbody></table>`);
}

function making({ report, command, files, scale }: Matter): Html {
  const rows: [string, string][] = [
    ["algorithm", report.algorithm],
    ...(report.seed === undefined ? [] : [["seed", String(report.seed)] as [string, string]]),
    ...(scale === undefined ? [] : [["scale", scale] as [string, string]]),
    ...Object.entries(report.options ?? {})
      .filter(([name, value]) => name !== "seed" && value !== undefined)
      .map(([name, value]): [string, string] => [
        name,
        withoutFolders(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), files),
      ]),
  ];
  return makingOf(
    rows,
    noticesOf(report.notices, files).forMakers,
    command === undefined ? undefined : withoutFolders(command, files),
  );
}

/* Explains why this number of clusters, or this method and scale, was chosen: a table of the scores of all candidates. */

/** Up to this number of bars in a figure, each bar has space for its number. */
const MOST_BARS = 24;

function chosenSection(chosen: NonNullable<Report["chosen"]>): Html {
  const { by, evidence } = chosen;
  const ofK = evidence[0]?.k !== undefined;
  const own = choiceName(ofK && chosen.k !== undefined ? { k: chosen.k } : chosen);
  const at = Math.max(
    0,
    evidence.findIndex((each) => choiceName(each) === own),
  );
  const from = Math.max(0, Math.min(at - MOST_BARS / 2, evidence.length - MOST_BARS));
  const groups = evidence.slice(from, from + MOST_BARS).map((each) => ({
    name: choiceName(each) === own ? `→ ${own}` : choiceName(each),
    bars: [{ name: "score", value: each.score ?? 0 }],
  }));
  const drawn = barsFigure({
    ...FIGURE,
    title: `Scores by ${ofK ? "number of clusters" : "method"}; ${own} was chosen`,
    yLabel: "score",
    columns: 1,
    panels: [{ title: by, groups }],
  });
  const rows = evidence.map(
    (each) =>
      html`<tr><td class="num">${choiceName(each)}</td><td class="num">${each.score === null ? "not run" : formatNumber(each.score, 5)}</td><td class="num">${each.lost === undefined ? "" : formatNumber(each.lost, 4)}</td></tr>`,
  );
  const head = html`<thead><tr><th class="num">${ofK ? "clusters" : "method"}</th><th class="num">score</th><th class="num">${ofK ? "constraint weight lost" : ""}</th></tr></thead>`;
  return section(
    ofK ? "Number of clusters" : "Method",
    by,
    html`${figure(drawn)}${details("As a table", html`<table>${head}<tbody>${rows}</tbody></table>`)}`,
  );
}

/*
 * The dendrogram of many rows is a picture of the last merges. If scripts are enabled, a canvas with the whole tree replaces the picture,
 * which the reader can zoom and move with mouse, touch or keys. The page holds the data of the tree as JSON for zoom-script.ts.
 */

interface ZoomTree extends Pick<DendrogramOptions, "merges" | "labels" | "k" | "leafNames" | "names"> {
  readonly marks: Uint8Array;
}

const LONGEST_NAME = 40;

export function zoomTree(picture: Html, { merges, labels, k, leafNames, names, marks }: ZoomTree): Html {
  const n = merges.length + 1;
  const short = (name: string | number) => cutMiddle(String(name), LONGEST_NAME);
  const cut = cutLine({ merges, labels, k });
  const data = {
    title: AXIS_TITLE,
    left: merges.map(([left]) => left),
    right: merges.map(([, right]) => right),
    height: merges.map(([, , height]) => (height === null || !Number.isFinite(height) ? null : Number(height.toPrecision(6)))),
    labels: Array.from({ length: n }, (_, row) => labels[row] ?? -1),
    marks: [...marks],
    faint: [...faintClusters(layOut(merges, labels).tips)],
    ...(cut ? { cut: { height: cut.height === null ? null : Number(cut.height.toPrecision(6)), words: cut.text } } : {}),
    ...(names ? { clusters: names.map(short) } : {}),
    ...(leafNames ? { names: leafNames.map(short) } : {}),
  };
  // HTML ends a script element at the first "</script", even inside a JSON string, so "<" is escaped.
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  return html`<div class="zoom-tree"><div class="zoom-static">${picture}</div><div class="zoom-live" hidden>
<p class="zoom-bar"><button type="button" data-do="in">Zoom in</button><button type="button" data-do="out">Zoom out</button><button type="button" data-do="back" aria-label="Move left">←</button><button type="button" data-do="on" aria-label="Move right">→</button><button type="button" data-do="all">Whole tree</button> <span class="zoom-where" aria-live="polite"></span></p>
<canvas tabindex="0" role="img" aria-label="The whole dendrogram. Plus and minus zoom, arrow keys move, Home shows all."></canvas>
<p class="note">Drag to move, double-click to zoom in; + and − zoom, arrow keys move, Home shows all. The wheel zooms once the picture has the focus.</p></div><script type="application/json">${trusted(json)}</script></div>`;
}

interface ClusterMatter {
  readonly report: Pick<Report, "sizes">;
  readonly instances: Instances;
  readonly labels: Int32Array;
  readonly violations: Violations;
  readonly seen: RowComparison;
  readonly names?: readonly string[];
}

function clustersSection(matter: ClusterMatter): Html {
  const { report, labels, names } = matter;
  const none = labels.reduce((count, label) => count + (label < 0 ? 1 : 0), 0);
  const drawn = figure(clusterSizesFigure({ ...FIGURE, sizes: report.sizes, none, ...(names ? { names } : {}) }));
  if (report.sizes.length > MANY_CLUSTERS) {
    return section("Clusters", counted(report.sizes.length, "cluster"), html`${drawn}${notable(matter)}${allSizes(matter)}`);
  }
  return section("Clusters", null, html`${drawn}${allSizes(matter)}`);
}

function allSizes({ report, instances, labels, names }: ClusterMatter): Html {
  const classes = instances.truth ? commonClasses(instances.truth, labels, report.sizes.length) : undefined;
  const rows = report.sizes
    .slice(0, MOST_ROWS)
    .map(
      (size, cluster) =>
        html`<tr><th scope="row">${clusterBadge(cluster, names)}</th><td class="num">${formatCount(size)}</td><td class="num">${formatShare(size / (instances.n || 1))}</td>${
          classes ? html`<td class="wide">${classes[cluster]}</td>` : null
        }</tr>`,
    );
  const table = html`<table><thead><tr><th>cluster</th><th class="num">rows</th><th class="num">share</th>${
    classes ? html`<th>known classes</th>` : null
  }</tr></thead><tbody>${rows}</tbody></table>`;
  const left = report.sizes.length - rows.length;
  return details(
    "As a table",
    left > 0 ? html`${table}<p class="note">${formatCount(left)} more clusters are in the report.</p>` : table,
  );
}

/** Maximum number of clusters that the page names as the largest, as the loosest, or as clusters with broken constraints. */
const MOST_NAMED = 8;

function notable({ report, instances, labels, violations, seen, names }: ClusterMatter): Html {
  const { sizes } = report;
  const k = sizes.length;
  const apart = meanDistances(instances, labels, k, seen);
  const broken = brokenByCluster(violations, labels, k);
  const classes = instances.truth ? commonClasses(instances.truth, labels, k) : undefined;
  const row = (cluster: number): Html =>
    html`<tr><th scope="row">${clusterBadge(cluster, names)}</th><td class="num">${formatCount(sizes[cluster]!)}</td><td class="num">${
      sizes[cluster]! < 2 ? "–" : formatNumber(apart[cluster]!)
    }</td><td class="num">${broken[cluster]! > 0 ? html`<span class="bad">${broken[cluster]}</span>` : "0"}</td>${
      classes ? html`<td class="wide">${classes[cluster]}</td>` : null
    }</tr>`;
  const lists = [
    ["largest", highest(sizes, MOST_NAMED)],
    ["loosest", highest(apart, MOST_NAMED)],
    ["with most broken constraints", highest(broken, MOST_NAMED)],
  ] as const;
  const width = classes ? 5 : 4;
  const bodies = lists
    .filter(([, clusters]) => clusters.length > 0)
    .map(
      ([title, clusters]) => html`<tbody><tr><td class="group" colspan="${width}">${title}</td></tr>${clusters.map(row)}</tbody>`,
    );
  const by = seen.by === "" ? "" : `, by ${seen.by}`;
  return html`<div class="scroll" tabindex="0"><table><thead><tr><th>cluster</th><th class="num">rows</th><th class="num">mean distance</th><th class="num">broken constraints</th>${
    classes ? html`<th>known classes</th>` : null
  }</tr></thead>${bodies}</table></div><p class="note">“Mean distance” is the mean distance of two rows of the cluster${by}. For large clusters it is computed from an even sample of rows. A broken constraint between two clusters counts for both.</p>`;
}

/** For each cluster, the four most frequent known classes of its rows: `Adelie (129), Chinstrap (4)`. */
function commonClasses(truth: NonNullable<Instances["truth"]>, labels: Int32Array, k: number): string[] {
  const counts = Array.from({ length: k }, () => new Map<number, number>());
  labels.forEach((label, row) => {
    const code = truth.codes[row]!;
    if (label >= 0 && code >= 0) counts[label]!.set(code, (counts[label]!.get(code) ?? 0) + 1);
  });
  return counts.map((cluster) => {
    const sorted = [...cluster].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const shown = sorted
      .slice(0, 4)
      .map(([code, count]) => `${cutMiddle(truth.names[code] ?? String(code), 40)} (${formatCount(count)})`);
    return sorted.length > 4 ? `${shown.join(", ")}, …` : shown.join(", ");
  });
}

/* What the texts of each cluster are about: its words, its most typical texts, and the texts that belong to it with the most doubt. */

interface WordsMatter {
  readonly report: Pick<RunInRows, "words" | "sizes" | "ownProbabilities">;
  readonly texts: TextsInClusters;
  readonly labels: Int32Array;
  readonly names?: readonly string[];
}

const LONGEST_TEXT = 160;
const MOST_DOUBTFUL = 3;
/** The cluster of a row is doubtful if its probability is below this. */
const SURE = 0.9;

function wordsSection({ report, texts: { texts, clusters }, labels, names }: WordsMatter): Html {
  const { words = [], ownProbabilities } = report;
  const doubtful = ownProbabilities ? doubtfulRows(texts, labels, ownProbabilities, words.length) : undefined;
  const rows = words.slice(0, MOST_ROWS).map((list, cluster) => {
    const typical = clusters[cluster]?.typical.map((row) => html`<li>${shortened(texts[row])}</li>`) ?? [];
    const open = doubtful?.[cluster]?.map(
      (row) => html`<li>${shortened(texts[row])} <span class="dim">(${formatShare(ownProbabilities![row]!)})</span></li>`,
    );
    return html`<tr><th scope="row">${clusterBadge(cluster, names)}</th><td class="wide">${list.join(", ")}</td><td class="wide"><ul class="texts">${typical}</ul></td>${
      open ? html`<td class="wide"><ul class="texts">${open}</ul></td>` : null
    }</tr>`;
  });
  const head = html`<thead><tr><th>cluster</th><th>words</th><th>most typical texts</th>${doubtful ? html`<th>most doubtful texts</th>` : null}</tr></thead>`;
  const left = words.length - rows.length;
  const more = left > 0 ? html`<p class="note">The words of ${counted(left, "more cluster")} are in the report.</p>` : null;
  const note = html`<p class="note">The words that are frequent in the texts of a cluster and rare in other texts, the strongest first.${
    doubtful ? " The number after a doubtful text is the probability of its cluster." : null
  }</p>`;
  return section("Words", null, html`${scrolled(html`<table>${head}<tbody>${rows}</tbody></table>`)}${note}${more}`);
}

/** For each cluster, the rows with a text that are least likely to belong to the cluster; undefined if no row is doubtful. */
function doubtfulRows(
  texts: TextsInClusters["texts"],
  labels: Int32Array,
  probabilities: Float64Array,
  k: number,
): readonly (readonly number[])[] | undefined {
  const rows = Array.from({ length: k }, (): number[] => []);
  labels.forEach((label, row) => {
    if (label >= 0 && texts[row] !== null && probabilities[row]! < SURE) rows[label]?.push(row);
  });
  if (rows.every((own) => own.length === 0)) return undefined;
  return rows.map((own) => own.sort((a, b) => probabilities[a]! - probabilities[b]! || a - b).slice(0, MOST_DOUBTFUL));
}

/** Returns the beginning of a text. The cut is never inside a character. */
function shortened(text: string | null | undefined): string {
  const signs = Array.from((text ?? "").slice(0, 2 * LONGEST_TEXT + 1));
  return signs.length > LONGEST_TEXT
    ? `${signs
        .slice(0, LONGEST_TEXT - 1)
        .join("")
        .trimEnd()}…`
    : signs.join("");
}
