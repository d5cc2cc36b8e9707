/** Routines over rows and centres: all routines that methods of the k-means family need. */
export * from "./farthest";
export { kmeansAssign, kmeansDistances, kmeansRebase, kmeansSums } from "./kmeans";
export { kmeansFarthest, kmeansScatter } from "./kmeans-metrics";
export { screenCentres } from "./kmeans-screen";
export { matrixPack64 } from "./matrix";
export { screenRows } from "./screen";
export { screenCandidates, seedChunk } from "./seeding";
export { addProducts, addSquares, columnSums32, columnSums64, productsWithLines, squaresToLines } from "./sums";
