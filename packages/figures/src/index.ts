/** Draws results as SVG figures or as single HTML files. */
export type { MeasuredRun, PrincipalComponents, RowComparison } from "@coterie/core/layout";
export { comparisonOf, principalComponents } from "@coterie/core/layout";

export type { MergeRow } from "./layout/dendrogram.js";
export { type NominalProfile, type NumericProfile, type Profile, type ProfiledPoints, profiles } from "./layout/profile.js";
export { type Bar, type BarGroup, type BarPanel, type BarsOptions, barsFigure } from "./marks/bars.js";
export { type ClusterSizesOptions, clusterSizesFigure } from "./marks/cluster-sizes.js";
export { type ClusterTreeOptions, clusterTreeFigure } from "./marks/cluster-tree.js";
export { type ConflictGraphOptions, conflictGraphFigure } from "./marks/conflict-graph.js";
export { type ChainsOptions, contradictionChains } from "./marks/contradiction-chains.js";
export { type CurvePanel, type CurvePoint, type CurveSeries, type CurvesOptions, curvesFigure } from "./marks/curves.js";
export { dendrogramFigure } from "./marks/dendrogram.js";
export type { DendrogramOptions } from "./marks/dendrogram-canvas.js";
export { type FeatureMeansOptions, featureMeansFigure } from "./marks/feature-means.js";
export { featureWeightsFigure } from "./marks/feature-weights.js";
export { type HistoryOptions, historyFigure } from "./marks/history.js";
export { metricMatrixFigure } from "./marks/metric-matrix.js";
export type { MetricFigureOptions } from "./marks/metric-panels.js";
export { scatterFigure } from "./marks/scatter.js";
export type { ScatterOptions } from "./marks/scatter-scene.js";
export { type HtmlAdviceOptions, htmlAdvice } from "./pages/advice-html.js";
export { type DiagnosisHtmlOptions, diagnosisHtml } from "./pages/diagnosis-html.js";
export { type HtmlExplanationOptions, htmlExplanation } from "./pages/explanation-html.js";
export { type HtmlLearningOptions, htmlLearning, learningFigure } from "./pages/learning-html.js";
export { type HtmlReportOptions, htmlReport, htmlReportSteps } from "./pages/report-html.js";
export type { FigureSize } from "./theme/frame.js";
export { clusterName, type Theme } from "./theme/theme.js";
