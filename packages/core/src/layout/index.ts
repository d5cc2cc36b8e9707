/** Rows on a plane: principal components, principal coordinates, neighbourhoods, and which distance a run used. */

export { cellTexts } from "./cell-texts.js";
export { columnComparison, comparisonOf, type MeasuredRun, type RowComparison } from "./comparison.js";
export { expand, levelCounts, type RowView, readRow } from "./encoded-rows.js";
export { type NeighbourhoodOptions, neighbourhoodsSteps, prefersNeighbourhoods } from "./neighbourhoods.js";
export { type PrincipalComponents, principalComponents, principalComponentsSteps } from "./principal-components.js";
export type { PrincipalCoordinates } from "./principal-coordinates.js";
export { principalCoordinates, principalCoordinatesSteps, strongestColumns } from "./principal-coordinates.js";
