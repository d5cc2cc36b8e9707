export { memoryRemedy } from "./arena.js";
export { expansionOf, LEAST_SQUARE, NEAR_SHARE, sampledNear } from "./distance-matrix.js";
export * from "./kernels.js";
export { plainKernels } from "./plain.js";
export { memoryOf, rowMemory } from "./row-memory.js";
