/** The section about the clusters themselves: how large they are, and of very many those worth a look. */
import type { Instances, Report, Violations } from "@coterie/core/internal";
import type { Seen } from "@coterie/core/layout";
import { brokenByCluster, highest, meanDistances } from "../layout/notable-clusters.js";
import { clusterSizesFigure } from "../marks/cluster-sizes.js";
import { type Html, html } from "../theme/html.js";
import { MANY_CLUSTERS } from "../theme/legend.js";
import { counted, cutMiddle, formatCount, formatNumber, formatShare } from "../theme/text.js";
import { details, FIGURE, figure, MOST_ROWS, section } from "./report-parts.js";
import { clusterBadge } from "./report-violations.js";

export interface ClusterMatter {
  readonly report: Pick<Report, "sizes">;
  readonly instances: Instances;
  readonly labels: Int32Array;
  readonly violations: Violations;
  readonly seen: Seen;
  readonly names?: readonly string[];
}

/** Clusters of each kind that are named, of very many. */
const MOST_NAMED = 8;

export function clustersSection(matter: ClusterMatter): Html {
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
  return details("As a table", left > 0 ? html`${table}<p class="note">${formatCount(left)} more are in the report.</p>` : table);
}

/** Three lists one under the other, with the same columns. */
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
  }</tr></thead>${bodies}</table></div><p class="note">“Mean distance” is that between two rows of the cluster${by}; of large clusters it is taken from an even sample of their rows. A constraint that is broken between two clusters counts for both.</p>`;
}

/** `Adelie (129), Chinstrap (4)`: the known classes inside each cluster, the largest four. */
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
