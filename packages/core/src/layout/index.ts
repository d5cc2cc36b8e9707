/** Where rows lie on a plane: what a method measured them by, principal components, principal coordinates. */
export { expand, levelCounts, type RowView, readRow } from "./encoded-rows.js";
export {
  type PrincipalCoordinates,
  principalCoordinates,
  principalCoordinatesSteps,
  strongestColumns,
} from "./principal-axes.js";
export { type PrincipalComponents, principalComponents, principalComponentsSteps } from "./principal-components.js";
export { AS_THEY_ARE, type MeasuredRun, type Seen, seenBy } from "./seen.js";
