export * from "./distances";
export * from "./kmeans";
export { kmeansAssign } from "./kmeans-assign";
export { kmeansFarthest, kmeansScatter } from "./kmeans-metrics";
export * from "./linkage-chain";
export * from "./linkage-heap";
export * from "./linkage-tree";
export * from "./min-plus";
export { pack } from "./tiles";
