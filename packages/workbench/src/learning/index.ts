/** Learning curves: compares the scores of methods over numbers of constraints, in several runs. */
export { LEAST_SCORING, mostGiven, type ScoredBy } from "./draws.js";
export { defaultMethods, type LearningPlan, type LearningWork, leastScoring, measureRun, RUNS, trialsOf } from "./measure.js";
export { learningPool } from "./pool.js";
export { type Compared, type Comparison, compareMethods, type MethodCurve } from "./verdicts.js";
