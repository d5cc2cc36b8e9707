/**
 * Writes the explanation of a clustering as one HTML file: tree, rules with coverage and precision, and rows that the rules place
 * elsewhere.
 */
import { type Explanation, type Instances, idOf } from "@coterie/core/internal";
import { counted, formatCount, formatShare } from "../layout/text.js";
import { featureMeansFigure } from "../marks/feature-means.js";
import { type Html, html } from "../theme/html.js";
import { rulesSection, treeSection } from "./report-learned.js";
import { FIGURE, facts, figure, makingOf, pageOf, section } from "./report-parts.js";
import { clusterBadge, cut } from "./report-violations.js";
import { noticesOf, withoutFolders } from "./shareable.js";

export interface HtmlExplanationOptions {
  readonly explanation: Explanation;
  readonly instances: Instances;
  /** The cluster of each row in the clustering that is explained; -1 for a row in no cluster. */
  readonly labels: Int32Array;
  readonly names?: readonly string[];
  readonly title?: string;
  readonly command?: string;
  readonly notices?: readonly string[];
  /** Paths that can occur in notices. The page shows only the last part of each path, without its folders. */
  readonly files?: readonly string[];
  readonly version: string;
  readonly theme?: "auto" | "light" | "dark";
}

const MOST_MISSED = 200;

export function htmlExplanation(options: HtmlExplanationOptions): string {
  const { explanation, instances, labels, names, title = "Clusters", theme = "auto", version, notices = [] } = options;
  const { clusters, fidelity, rules, tree } = explanation;
  const ruleOf = rules.map((text, c) => explanation.conditions[c] ?? text);
  const rows = clusters.reduce((sum, { size }) => sum + size, 0);
  const right = Math.round(fidelity * rows);
  const { forReaders, forMakers } = noticesOf(notices, options.files);
  const missed = [...labels.keys()].filter((i) => labels[i]! >= 0 && labels[i] !== explanation.labels[i]);
  const lead = html`<div class="lead"><h1>The rules describe ${counted(clusters.length, "cluster")} and put ${
    right === rows ? `all ${counted(rows, "row")}` : `${formatCount(right)} of ${counted(rows, "row")}`
  } into their own cluster.</h1>${facts(
    [
      ["rows", formatCount(rows)],
      ["clusters", formatCount(clusters.length)],
      ["leaves", formatCount(tree.leaves)],
      ["fidelity", formatShare(fidelity)],
    ],
    forReaders,
  )}</div>`;
  const quality = {
    heads: ["rows", "coverage", "precision"],
    note: "Fidelity is the share of all rows that the rules put into their own cluster. Coverage is the same share among the rows of one cluster. Precision is the share of the rows that a rule selects that are in its cluster.",
    cells: (c: number) => [
      formatCount(clusters[c]!.size),
      formatShare(clusters[c]!.coverage),
      formatShare(clusters[c]!.precision),
    ],
  };
  return pageOf({ title: `${title}: rules for ${counted(clusters.length, "cluster")}`, what: title, theme, version }, [
    lead,
    treeSection(tree, names),
    rulesSection(ruleOf, { names, notations: tree.notations }, quality),
    missed.length > 0 ? missedSection(missed, options) : null,
    section(
      "Columns by cluster",
      counted(instances.d, "column"),
      figure(featureMeansFigure({ ...FIGURE, points: instances, labels, ...(names ? { names } : {}) })),
    ),
    options.command === undefined && forMakers.length === 0
      ? null
      : section(
          "How this was made",
          null,
          makingOf([], forMakers, options.command && withoutFolders(options.command, options.files)),
        ),
  ]);
}

function missedSection(missed: readonly number[], { explanation, instances, labels, names }: HtmlExplanationOptions): Html {
  const rows = missed
    .slice(0, MOST_MISSED)
    .map(
      (row) =>
        html`<tr><th scope="row">${cut(String(idOf(instances, row)))}</th><td>${clusterBadge(labels[row]!, names)}</td><td>${clusterBadge(explanation.labels[row]!, names)}</td></tr>`,
    );
  const more =
    missed.length > MOST_MISSED ? html`<p class="note">The first ${MOST_MISSED} of ${formatCount(missed.length)}.</p>` : null;
  return section(
    "Rows that the rules put elsewhere",
    formatCount(missed.length),
    html`<div class="scroll" tabindex="0"><table><thead><tr><th>row</th><th>cluster</th><th>by the rules</th></tr></thead><tbody>${rows}</tbody></table></div>${more}`,
  );
}
