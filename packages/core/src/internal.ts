/** The parts of core that other packages of Coterie use. Users import `coterie`; names in this list can disappear in any release. */

export { z } from "zod";
export { believed, LAW, weightOf } from "./algorithms/active/evidence/beliefs.js";
export { Journal } from "./algorithms/active/journal.js";
export { Knowledge, type Learned } from "./algorithms/active/knowledge.js";
export { movedRows } from "./algorithms/active/moved-rows.js";
export { dialogueOf } from "./algorithms/active/session.js";
export {
  type AskOptions,
  askFromLabels,
  DEFAULT_STRATEGY,
  findStrategy,
  startAsking,
  startAskingSteps,
  strategies,
} from "./algorithms/active/strategies/index.js";
export type { Change, EarlierAnswer, Session, SessionResult, Strategy, StrategyInput } from "./algorithms/active/strategy.js";
export { type Candidate, candidateOf, candidatesFor } from "./algorithms/auto/candidates.js";
export { chooseMethodSteps, type MethodChoice } from "./algorithms/auto/choose.js";
export { type Choosing, choosingK, isTrial, rangeOf, type Trial } from "./algorithms/choose-k.js";
export { secondsOf, USUAL_STARTS } from "./algorithms/cost.js";
export { withKernels, withNotices } from "./algorithms/define-method.js";
export { chooseMetric, METRICS } from "./algorithms/distance.js";
export { type Distances, distancesOf } from "./algorithms/distance-between.js";
export { alongAxes, type PrincipalAxes, principalAxes } from "./algorithms/embedding/principal-axes.js";
export { type EncodedColumn, encodedColumns, encodedVariances, hasMeans, ONE_HOT, oneHot } from "./algorithms/encode.js";
export { fillHoles } from "./algorithms/fill-holes.js";
export { finish, renumber, scoredBoth } from "./algorithms/finish.js";
export {
  type CondensedDistances,
  checkCondensed,
  condense,
  type DistanceFault,
  instancesFromDistances,
  rowsOfCondensed,
  selectDistances,
} from "./algorithms/given-distances.js";
export { countLinks, FOLDS, type HeldOut, NO_LINKS, partsOf, withoutImplied } from "./algorithms/held-out.js";
export { constrainProximities } from "./algorithms/hierarchical/ccl/constrain-proximities.js";
export { cutAtHeight, cutToK, orderMerges } from "./algorithms/hierarchical/cut/merges.js";
export { type Linkage, linkages } from "./algorithms/hierarchical/linkage.js";
export { recutRecon } from "./algorithms/hierarchical/recon/index.js";
export { internalScoreSteps } from "./algorithms/internal-scores.js";
export {
  type CallOptions,
  type Context,
  type Family,
  type Input,
  type KRange,
  LEARNED_METRICS,
  lowestOutcome,
  type Method,
  type MetricName,
  type NamedMethod,
  needsK,
  type Outcome,
  type Treatment,
  type Treatments,
  takesK,
  titleOf,
  treatmentsOf,
} from "./algorithms/method.js";
export type { LearnedMetricOptions } from "./algorithms/metric/learned.js";
export { learnMetricSteps } from "./algorithms/metric/learned.js";
export type { FeatureWeight, LinearMaps } from "./algorithms/metric/linear-maps.js";
export { featureWeights, mapPoints, matricesOf, matrixRows } from "./algorithms/metric/linear-maps.js";
export { type LearnedMetric, type RcaOptions, rca } from "./algorithms/metric/rca.js";
export type { LearnedWeights, WeightOptions } from "./algorithms/metric/schultz-joachims.js";
export { comparisons, learnWeightsSteps, weightColumns } from "./algorithms/metric/schultz-joachims.js";
export {
  EXACT_ROWS,
  type FlatRows,
  type NearestOptions,
  type NearestRows,
  nearestRowSteps,
} from "./algorithms/neighbours/nearest-rows.js";
export {
  comparedShare,
  levelWeights,
  type MatchGroup,
  matchCounts,
  matchGroups,
  nearMisses,
  signed,
  whyMatched,
} from "./algorithms/pairs/index.js";
export { checkedRun, resultOf } from "./algorithms/run.js";
export { SILHOUETTE_ROWS, silhouette } from "./algorithms/silhouette.js";
export { someRows } from "./algorithms/some-rows.js";
export { type TextsInClusters, textsInClustersSteps } from "./algorithms/text/cluster-words.js";
export { type ExplainOptions, type Explanation, explainLabels, explainSteps } from "./algorithms/tree/explain.js";
export type { ClusterFidelity } from "./algorithms/tree/fidelity.js";
export { type NamedRow, predictRows, predictTree } from "./algorithms/tree/rules/predict.js";
export {
  type Condition,
  conditionText,
  FOLDED,
  foldTree,
  holds,
  NO_RULE,
  parseRule,
  type Rule,
  ruleLines,
  rulesOf,
  ruleText,
  type Term,
  testText,
  treeLines,
} from "./algorithms/tree/rules/rules.js";
export { checkInput } from "./algorithms/values.js";
export type { ClusterOptions, MethodName, MethodOf, OptionsOf, ResultOf } from "./catalogue.js";
export { catalogue, cluster, defaultMethod, findMethod, methodNamed } from "./catalogue.js";
export { type ChromaticNumber, type Colouring, type Core, chromaticNumber, colour } from "./colouring/colouring.js";
export { type Count, type CountOptions, countClusterings, type FeasibleClusterings } from "./colouring/counting/counting.js";
export type { FractionalColouring, FractionalOptions, FractionalPart } from "./colouring/fractional/fractional.js";
export { fractionalColouring } from "./colouring/fractional/fractional.js";
export type * from "./colouring/fractional/lp-solver.js";
export { type ConstraintGraph, constraintGraph, type Graph, graphOf, rowsOf } from "./colouring/graphs/graph.js";
export { type IncrementalColouring, type KeepColouring, type KeepOptions, keepColouring } from "./colouring/kept-colouring.js";
export * from "./constraints/index.js";
export { DIAGNOSIS_EFFORT } from "./diagnose/diagnose.js";
export type {
  Diagnosis,
  DroppedConstraint,
  FractionalNumber,
  PointDiagnosis,
  Proof,
  RelativeDiagnosis,
  RepairDiagnosis,
} from "./diagnose/diagnosis.js";
export { type Coherence, coherence, informativeness } from "./diagnose/informativeness.js";
export { type Pruned, type PruneOptions, type PruneStep, pruneConstraints, pruneSteps } from "./diagnose/prune.js";
export type { Reason } from "./diagnose/repair/conflict.js";
export type { GivenKind } from "./diagnose/repair/given.js";
export { type Repair, repair } from "./diagnose/repair/repair.js";
export { type DiagnoseFullyOptions, type DiagnoseOptions, diagnose, diagnoseFully, diagnoseSteps } from "./diagnose/with-data.js";
export * from "./errors.js";
export * from "./kernels/index.js";
export { cos, exp, log, sin } from "./linalg/elementary.js";
export { evenly } from "./linalg/indices.js";
export { distanceSeen, goesByUnits, type MeasuredRun } from "./measured-by.js";
export * from "./measures/index.js";
export * from "./methods.js";
export type * from "./model/constraint-set.js";
export { editDistance, nearestName } from "./model/names.js";
export type { AmountNotation, Notation, Notations } from "./model/notation.js";
export { notationOf, roundedValue, writtenValue } from "./model/notation.js";
export * from "./model/points.js";
export type * from "./model/result.js";
export type * from "./model/tree.js";
export { choiceName, counted, quoted, withEnd } from "./model/wording.js";
export type { UnseenLevels } from "./models/align.js";
export type { CentreRule, MissingRule, Model, ModelColumn, ModelReduction, ModelSource, TreeRule } from "./models/model.js";
export { neededColumns } from "./models/model.js";
export { loadModel, type ModelFacts, modelOf, modelSteps, saveModel } from "./models/model-file.js";
export { type Prediction, type PredictOptions, predict, predictSteps } from "./models/predict.js";
export { checkedOptions, type OptionProperty } from "./options.js";
export * from "./random/index.js";
export { textHash } from "./random/key.js";
export { asPoints, pointsFromRows } from "./rows.js";
export type { EffortOptions } from "./steps/budget.js";
export * from "./steps/index.js";
export {
  commonRange,
  oneUnitNotice,
  originalValue,
  type Range,
  scale,
  scaledNotice,
  standardScaling,
  transform,
  unscale,
  withScaling,
} from "./structures/column-scaling.js";
export type { LargestTriplets, TripletConflict, TripletConsistency } from "./triplets/consistency.js";
export { largestConsistentTriplets, tripletConsistency } from "./triplets/consistency.js";
export type { LargestOptions } from "./triplets/largest.js";
