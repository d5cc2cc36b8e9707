/** The sections about what a method learned: the tree with its rules, the weights of a metric. */
import type { ClusterTree, Instances, Notations, Report, Rule, RunInRows } from "@coterie/core/internal";
import { featureWeights, findMethod, findStrategy, matrixRows, ruleLines, rulesOf, titleOf } from "@coterie/core/internal";
import { counted, formatNumber, formatShare } from "../layout/text.js";
import { clusterTreeFigure } from "../marks/cluster-tree.js";
import { featureWeightsFigure } from "../marks/feature-weights.js";
import { metricMatrixFigure } from "../marks/metric-matrix.js";
import { type Html, html } from "../theme/html.js";
import { details, FIGURE, figure, MOST_ROWS, section } from "./report-parts.js";
import { clusterBadge, cut } from "./report-violations.js";

export function treeSection(tree: ClusterTree, names?: readonly string[]): Html {
  const aside = `${counted(tree.leaves, "leaf", "leaves")}; yes above, no below`;
  return section("Tree", aside, figure(clusterTreeFigure({ theme: "inherit", tree, ...(names ? { names } : {}) })));
}

export interface RuleFacts {
  readonly heads: readonly string[];
  readonly cells: (cluster: number) => readonly string[];
  readonly note: string;
}

interface RuleWords {
  readonly names?: readonly string[] | undefined;
  readonly notations?: Notations | undefined;
}

/** If a tree has more leaves than this, its rules are shown as texts, because splitting rules into alternatives would take too long. */
const MOST_LEAVES = 500;

export function treeRules(tree: ClusterTree, texts: readonly string[]): readonly (Rule | string)[] {
  if (tree.leaves > MOST_LEAVES) return texts;
  const rules = rulesOf(tree);
  return texts.map((text, cluster) => rules[cluster] ?? text);
}

function ruleCell(rule: Rule | string, notations: Notations | undefined): Html {
  const lines = typeof rule === "string" ? [rule] : ruleLines(rule, notations);
  return html`${lines.map((line, at) => (at === 0 ? html`${line}` : html`<br><span class="dim">or</span> ${line}`))}`;
}

export function rulesSection(rules: readonly (Rule | string)[], { names, notations }: RuleWords, more?: RuleFacts): Html {
  const rows = rules
    .slice(0, MOST_ROWS)
    .map(
      (rule, cluster) =>
        html`<tr><th scope="row">${clusterBadge(cluster, names)}</th>${more
          ?.cells(cluster)
          .map((cell) => html`<td class="num">${cell}</td>`)}<td class="wide">${ruleCell(rule, notations)}</td></tr>`,
    );
  const left = rules.length > MOST_ROWS ? html`<p class="note">The first ${MOST_ROWS} of ${rules.length}.</p>` : null;
  return section(
    "Rules",
    "conditions of each cluster, in the units of the data",
    html`<div class="scroll" tabindex="0"><table><thead><tr><th>cluster</th>${more?.heads.map(
      (head) => html`<th class="num">${head}</th>`,
    )}<th>rule</th></tr></thead><tbody>${rows}</tbody></table></div>${left}${more ? html`<p class="note">${more.note}</p>` : null}`,
  );
}

export function weightsSection(
  metric: NonNullable<Report["metric"]>,
  instances: Instances,
  sizes: readonly number[],
  names?: readonly string[],
): Html {
  const drawing = { ...FIGURE, metric, points: instances, sizes, ...(names ? { names } : {}) };
  const count = metric.matrices.length;
  const aside = count === 1 ? "one metric for all clusters" : `${counted(count, "metric")}, one for each cluster`;
  const scaled = instances.scaling ? " The weights are weights of the scaled columns." : "";
  const note = `“Share” is the share of a column in the squared distances between rows: its weight times its variance. Unlike the weight, it does not depend on the unit of the column.${scaled}`;
  const full = metric.kind === "full" ? html`${figure(metricMatrixFigure(drawing))}<p class="note">${MATRIX_NOTE}</p>` : null;
  return section(
    "Weights of the columns",
    aside,
    html`${figure(featureWeightsFigure(drawing))}<p class="note">${note}</p>${full ? html`<br>${full}` : null}${weightsTable(metric, instances, names)}`,
  );
}

const MATRIX_NOTE =
  "The whole matrix: a filled square increases the distance of rows that differ in both columns in the same direction, a hollow square decreases it. Sizes are relative to the weights of the two columns.";

function weightsTable(metric: NonNullable<Report["metric"]>, instances: Instances, names: readonly string[] | undefined): Html {
  const shown = featureWeights(metric, instances);
  const rows = shown
    .flatMap((weights, cluster) =>
      weights.map(
        ({ name, weight, share }) =>
          html`<tr>${shown.length === 1 ? null : html`<td>${clusterBadge(cluster, names)}</td>`}<th scope="row">${cut(name)}</th><td class="num">${formatShare(share)}</td><td class="num">${formatNumber(weight, 5)}</td></tr>`,
      ),
    )
    .slice(0, MOST_ROWS);
  return details(
    "As a table",
    html`<table><thead><tr>${shown.length === 1 ? null : html`<th>cluster</th>`}<th>column</th><th class="num">share</th><th class="num">weight</th></tr></thead><tbody>${rows}</tbody></table>`,
  );
}

/** Returns the report with each full metric as an array of rows. In a result, each metric is one flat array. */
export function withRowsOfMatrices(report: RunInRows): RunInRows {
  const { metric } = report;
  if (metric?.kind !== "full") return report;
  const matrices = metric.matrices.map((matrix) => (matrix instanceof Float64Array ? matrixRows(matrix) : matrix));
  return { ...report, metric: { ...metric, matrices } };
}

export function methodName({ algorithm, options = {}, chosen }: RunInRows): string {
  const method = findMethod(chosen?.algorithm ?? algorithm);
  return method ? titleOf(method, options) : (findStrategy(algorithm)?.title ?? algorithm);
}
