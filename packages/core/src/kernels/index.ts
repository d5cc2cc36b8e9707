export { memoryRemedy } from "./arena.js";
export * from "./kernels.js";
export { plainKernels } from "./plain.js";
