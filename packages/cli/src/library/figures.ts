/** `coterie/figures`: a result as SVG or as one HTML file. */
import { asPoints, type Instances, type Rows } from "@coterie/core/internal";
import { type HtmlReportOptions, htmlReport as pageOf, type ScatterOptions, scatterFigure as scatterOf } from "@coterie/figures";

export { clusterTreeFigure, dendrogramFigure } from "@coterie/figures";

/**
 * A map of the rows as SVG, with clusters, classes and constraints.
 *
 * ```ts
 * writeFileSync("map.svg", scatterFigure({ points, labels: result.labels }));
 * ```
 */
export function scatterFigure(options: Omit<ScatterOptions, "points"> & { readonly points: Instances | Rows }): string {
  return scatterOf({ ...options, points: asPoints(options.points) });
}

/**
 * A run as one HTML file: map, sizes, scores, broken constraints, and figures for its method, such as a dendrogram.
 *
 * ```ts
 * const report = { ...ccl(points, known, { k: 3 }), algorithm: "ccl" };
 * writeFileSync("report.html", htmlReport({ report, instances: points, constraints: known }));
 * ```
 */
export function htmlReport(options: Omit<HtmlReportOptions, "instances"> & { readonly instances: Instances | Rows }): string {
  return pageOf({ ...options, instances: asPoints(options.instances) });
}
