/** The routines that are not for rows and centres: distances of all pairs of rows, linkages, and passes over the rows of an engine. */
export { distances32, distances64, scaleRows } from "./distances";
export * from "./estimates";
export {
  chainAdvance,
  chainBytes,
  chainOpen,
  heapAdvance,
  heapBytes,
  heapOpen,
  treeAdvance,
  treeBytes,
  treeOpen,
} from "./linkage/linkages";
export { matrixPack32, matrixRows32, matrixRows64, matrixRows64To32 } from "./matrix";
export { neighboursAll, neighboursInGroups, neighboursJoin, neighboursPack } from "./neighbours";
export * from "./pass";
export * from "./paths";
// Exported only so that the compiler does not inline it into its single caller here, which would make the caller slower.
export { productsOfFive } from "./screen";
export { screenedChain, screenedHeights, screenedOpen, screenedTree } from "./screened-linkage";
export { pack } from "./tiles";
