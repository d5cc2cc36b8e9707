/** Constraints: build, check, close, generate, and compare with a clustering. */

export type { Lists } from "../structures/components.js";
export { type BuiltConstraints, type ConstraintLists, constraints } from "./build.js";
export { ConstraintBuilder, type Place, type Tidied } from "./builder.js";
export { type Closure, closeAsSet, closeConstraints, type Pricing, type WeightedClosure, weighClosure } from "./closure.js";
export type { Cliques, Edges } from "./component-graph.js";
export type { Contradiction } from "./contradictions.js";
export { contradictionFacts, contradictions, isContradictory, refuseContradictions } from "./contradictions.js";
export { brokenCount, type CountedViolations, countConstraints, keptInWords, violationCount } from "./counts.js";
export { constraintsFromGeometry, type GeometryOptions, MOST_CANNOT_LINKS } from "./from-geometry.js";
export {
  type Hierarchy,
  hierarchyOfClasses,
  informativeTriplets,
  informativeTripletsOfClasses,
  type RandomTripletOptions,
  randomTriplets,
  undividedLevel,
} from "./from-tree.js";
export { type GenerateOptions, generateBalanced, generateConstraints, labelConstraints, type Mix } from "./generate.js";
export { groupBeyond, type LargeGroup, refuseLargeGroups } from "./large-groups.js";
export { meetingPlaces } from "./meeting.js";
export { emptyConstraints, entriesWhere, noConstraints } from "./sets.js";
export { violationsOf } from "./violations.js";
