/** Routines over rows and centres: all that methods of the k-means family need. */
export { productsWithLines, squaresToLines } from "./exact";
export * from "./farthest";
export * from "./kmeans";
export { kmeansAssign } from "./kmeans-assign";
export { kmeansFarthest, kmeansScatter } from "./kmeans-metrics";
export { screenCentres } from "./kmeans-screen";
export { matrixPack64 } from "./matrix";
export * from "./moments";
export { screenRows } from "./screen";
export { screenCandidates, seedChunk } from "./seeding";
