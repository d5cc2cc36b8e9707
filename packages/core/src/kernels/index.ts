export * from "./kernels.js";
export { plainKernels } from "./plain.js";
