/** A result in, SVG or one-file HTML out. */
export { type Bar, type BarGroup, type BarPanel, type BarsOptions, barsFigure } from "./bars.js";
export { type ClusterSizesOptions, clusterSizesFigure } from "./cluster-sizes.js";
export { type ClusterTreeOptions, clusterTreeFigure } from "./cluster-tree.js";
export { type CurvePanel, type CurvePoint, type CurveSeries, type CurvesOptions, curvesFigure } from "./curves.js";
export { type DendrogramOptions, dendrogramFigure } from "./dendrogram.js";
export type { MergeRow } from "./dendrogram-layout.js";
export { type HtmlExplanationOptions, htmlExplanation } from "./explanation-html.js";
export { type FeatureMeansOptions, featureMeansFigure } from "./feature-means.js";
export { type FeatureWeightsOptions, featureWeightsFigure } from "./feature-weights.js";
export type { FigureSize } from "./frame.js";
export { type HistoryOptions, historyFigure } from "./history.js";
export { type MetricMatrixOptions, metricMatrixFigure } from "./metric-matrix.js";
export { type PrincipalComponents, principalComponents } from "./principal-components.js";
export { type NominalProfile, type NumericProfile, type Profile, type ProfiledPoints, profiles } from "./profile.js";
export { type HtmlReportOptions, htmlReport } from "./report-html.js";
export { scatterFigure } from "./scatter.js";
export type { ScatterOptions } from "./scatter-scene.js";
export { clusterLetter, type Theme } from "./theme.js";
