import { plainArena } from "./arena.js";
import { plainDistanceMatrix } from "./distance-matrix.js";
import { plainDistances, plainSquares } from "./distances.js";
import { plainFarthest } from "./farthest.js";
import type { Kernels, PairKernels } from "./kernels.js";
import { plainKMeans, plainSeeding } from "./kmeans.js";
import { plainChainLinkage, plainHeapLinkage, plainTreeLinkage } from "./linkage-chain.js";
import { plainDetours, plainMinPlus, plainMinPlusBoth } from "./min-plus.js";
import { plainMoments } from "./moments.js";
import { plainProducts, plainProjections } from "./products.js";

export { memoryOf, memoryRemedy, rowMemory } from "./arena.js";
export { expansionOf, LEAST_SQUARE, NEAR_SHARE, sampledNear } from "./distance-matrix.js";
export * from "./kernels.js";

/** The kernels in plain TypeScript: no threads, no separate memory, bit-identical results. */
export const plainKernels: Kernels = {
  name: "plain",
  threads: 1,
  arena: plainArena,
  moments: (x, n, d) => plainMoments(x.view(), n, d),
  products: plainProducts,
  projections: plainProjections,
  screen: () => null,
  screening: () => null,
  seeding: plainSeeding,
  squares: plainSquares,
  farthest: plainFarthest,
  kmeans: plainKMeans,
};

const plainPairs: PairKernels = {
  distances: plainDistances,
  distanceMatrix: plainDistanceMatrix,
  minPlus: plainMinPlus,
  minPlusBoth: plainMinPlusBoth,
  detours: plainDetours,
  chainLinkage: plainChainLinkage,
  heapLinkage: plainHeapLinkage,
  treeLinkage: plainTreeLinkage,
  screenedLinkage: () => null,
};

/** The kernels over pairs of rows. A set for methods of the k-means family has none of its own. */
export function pairKernelsOf(kernels: Kernels): PairKernels {
  return kernels.pairs ?? plainPairs;
}
