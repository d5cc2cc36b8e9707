/** Rows on a plane: principal components, principal coordinates, and which distance a run used. */
export { expand, levelCounts, type RowView, readRow } from "./encoded-rows.js";
export type { PrincipalCoordinates } from "./principal-axes.js";
export { principalCoordinates, principalCoordinatesSteps, strongestColumns } from "./principal-axes.js";
export { type PrincipalComponents, principalComponents, principalComponentsSteps } from "./principal-components.js";
export { AS_THEY_ARE, type MeasuredRun, type Seen, seenBy } from "./seen.js";
