/** Diagnosis: whether a constraint set is satisfiable, what to drop if not, how many clusterings it allows, how useful it is. */

export { type ChromaticNumber, type Colouring, type Core, chromaticNumber, colour } from "../colouring/colouring.js";
export { type Count, type CountOptions, countClusterings, type FeasibleClusterings } from "../colouring/counting/counting.js";
export { type ConstraintGraph, constraintGraph, type Graph, graphOf, rowsOf } from "../colouring/graphs/graph.js";
export { type IncrementalColouring, type KeepColouring, type KeepOptions, keepColouring } from "../colouring/kept-colouring.js";
export type { EffortOptions } from "../steps/budget.js";
export { type Coherence, coherence, informativeness } from "./informativeness.js";
export type { Reason } from "./repair/conflict.js";
export type { GivenKind } from "./repair/given.js";
export { type DroppedConstraint, type Repair, repair } from "./repair/repair.js";
