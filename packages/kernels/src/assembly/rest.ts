/** The other routines: distances of all pairs of rows, linkages, and passes over the rows of an engine. */
export * from "./detours";
export { distances32, distances64, scaleRows } from "./distances";
export { centredNorms, copyRows, countNear, estimateRows, unitRows } from "./estimates";
export { contractRows, nearestRows, writeNearest } from "./estimates-joined";
export { chainAdvance, chainBytes, chainOpen } from "./linkage/chain";
export * from "./linkage/heap";
export * from "./linkage/tree";
export { matrixPack32, matrixRows32, matrixRows64, matrixRows64To32 } from "./matrix";
export * from "./min-plus";
export * from "./pass";
export { screenedChain, screenedHeights, screenedOpen, screenedTree } from "./screened-linkage";
export { pack } from "./tiles";
