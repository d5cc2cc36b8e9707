// biome-ignore-all format: made by a tool, one line for one option
/** Made from the schemas of the methods by `node tools/api-report.mjs`, so that editors show what an option is for. A test compares. */

/** Options that several methods have. */
interface SharedOptions {
  /** Number of clusters. */
  k: number;
  /** First centres: k-means++, random rows, or a file with k rows of the same columns. Default: `"k-means++"`. */
  init?: "k-means++" | "random" | number[][] | undefined;
  /** Number of starts, of which one is kept (1 with given centres). Default: `10`. */
  restarts?: number | undefined;
  /** Maximum number of iterations per start. Default: `100`. */
  maxIterations?: number | undefined;
  /** Stop when the objective changes by less than this share of itself (0: when nothing moves). Default: `0`. */
  tolerance?: number | undefined;
  /** Skip rows whose cluster cannot change; the result is the same. Default: `true`. */
  bounds?: boolean | undefined;
  /** Learn a metric first and use its distances: rca from must-links and labels, svm from relative constraints. */
  learnedMetric?: "rca" | "svm" | undefined;
  /** rca: number of rows for which the covariance of all rows counts, beside the linked rows (0: RCA as published; default: the number of features while there are few must-links, else 0). */
  prior?: number | undefined;
  /** svm: penalty of a relative constraint that the metric breaks (default: 1). */
  cost?: number | undefined;
  /** svm: relative = the penalty is relative to the median variance of the columns; unit = as published, it depends on the units of the columns (default: relative). */
  costScale?: "relative" | "unit" | undefined;
  /** Unit of constraint weights: relative is the mean squared distance of rows to the overall mean, unit is 1; ignored with a learned metric. Default: `"relative"`. */
  costs?: "relative" | "unit" | undefined;
  /** Maximum number of rounds per start that place all constrained rows anew before the descent; the best round is kept. Default: `20`. */
  search?: number | undefined;
  /** The search of the paper: constrained rows only move one by one, without rounds before the descent. Default: `false`. */
  faithful?: boolean | undefined;
  /** Euclidean, or cosine: rows are scaled to length 1, for many features where only the direction matters. Default: `"euclidean"`. */
  distance?: "euclidean" | "cosine" | undefined;
  /** One metric for all clusters, or one per cluster. Default: `"single"`. */
  metrics?: "single" | "multiple" | undefined;
  /** Form of a metric: a weight for each feature, or a full matrix. Default: `"diagonal"`. */
  matrix?: "diagonal" | "full" | undefined;
  /** Cut at this merge height instead of into k clusters. */
  height?: number | undefined;
  /** Minimum number of rows in a cluster of the best cut; rows outside all clusters are noise (default: 5; less for few rows or large exclusive groups). */
  minClusterSize?: number | undefined;
  /** Precision of the stored distances (default: f64 up to 16,000 rows). */
  storage?: "f64" | "f32" | undefined;
  /** k: into k clusters; height: at the height; best: choose clusters from different heights that satisfy the largest total weight of constraints, on ties the more stable ones (default: k with -k, best without). */
  cut?: "k" | "height" | "best" | undefined;
}

/** Options of auto. */
interface AutoOptions extends Pick<SharedOptions, "k"> {
  /** Methods to choose from (default: all that suit the table). */
  candidates?: string[] | undefined;
  /** Share of wrong constraints to expect, from 0 to 0.5; 0: every constraint that can be kept is kept. Default: `0`. */
  errorRate?: number | undefined;
  /** Most work to find clusters that keep all constraints, in nodes of the search tree. Default: `100000`. */
  effort?: number | undefined;
}

/** Options of kmeans. */
interface KmeansOptions extends Pick<SharedOptions, "k" | "init" | "bounds" | "learnedMetric" | "prior" | "cost" | "costScale"> {
  /** Number of starts; the best is kept (1 with given centres). Default: `10`. */
  restarts?: number | undefined;
  /** Maximum number of iterations per start. Default: `300`. */
  maxIterations?: number | undefined;
  /** Stop when the centres move by less than this times the mean variance (0: when no row moves). Default: `0`. */
  tolerance?: number | undefined;
}

/** Options of cop-kmeans. */
interface CopKmeansOptions extends Pick<SharedOptions, "k" | "init" | "learnedMetric" | "prior" | "cost" | "costScale"> {
  /** Number of starts; the best is kept (1 with given centres). Default: `10`. */
  restarts?: number | undefined;
  /** Maximum number of iterations per start. Default: `300`. */
  maxIterations?: number | undefined;
  /** Stop when the centres move by less than this times the mean variance (0: when no row moves). Default: `0`. */
  tolerance?: number | undefined;
  /** As in the paper: no repair; fails at a row without a legal cluster. Default: `false`. */
  faithful?: boolean | undefined;
  /** Minimum number of rows in a cluster. */
  minSize?: number | undefined;
  /** Maximum number of rows in a cluster. */
  maxSize?: number | undefined;
  /** Work limit of exact searches, in nodes. Default: `100000`. */
  effort?: number | undefined;
}

/** Options of pck-means. */
interface PckMeansOptions extends Pick<SharedOptions, "k" | "costs" | "restarts" | "maxIterations" | "tolerance" | "search" | "faithful" | "distance" | "learnedMetric" | "prior" | "cost" | "costScale"> {
  /** First centres: means of must-linked neighbourhoods (every other start uses k-means++), the mean of all rows plus noise, k-means++, random rows, or a file with k rows of the same columns. Default: `"neighbourhoods"`. */
  init?: "neighbourhoods" | "perturbed" | "k-means++" | "random" | number[][] | undefined;
}

/** Options of mk-means. */
interface MkMeansOptions extends Pick<SharedOptions, "k" | "metrics" | "matrix" | "costs" | "restarts" | "maxIterations" | "tolerance" | "distance"> {
  /** First centres: means of must-linked neighbourhoods (every other start uses k-means++), the mean of all rows plus noise, k-means++, random rows, or a file with k rows of the same columns. Default: `"k-means++"`. */
  init?: "neighbourhoods" | "perturbed" | "k-means++" | "random" | number[][] | undefined;
}

/** Options of mpck-means. */
interface MpckMeansOptions extends Pick<SharedOptions, "k" | "metrics" | "matrix" | "costs" | "restarts" | "maxIterations" | "tolerance" | "search" | "faithful" | "distance"> {
  /** First centres: means of must-linked neighbourhoods (every other start uses k-means++), the mean of all rows plus noise, k-means++, random rows, or a file with k rows of the same columns. Default: `"neighbourhoods"`. */
  init?: "neighbourhoods" | "perturbed" | "k-means++" | "random" | number[][] | undefined;
  /** Which start to keep: among the starts within 10 of the lowest objective, the one that agrees most with the others; or the lowest. Default: `"typical"`. */
  keep?: "typical" | "lowest" | undefined;
}

/** Options of supervised-means. */
interface SupervisedMeansOptions extends Pick<SharedOptions, "k" | "distance" | "learnedMetric" | "prior" | "cost" | "costScale"> {}

/** Options of rca-kmeans. */
interface RcaKmeansOptions extends Pick<SharedOptions, "k" | "restarts" | "maxIterations" | "tolerance" | "distance"> {
  /** Number of rows for which the covariance of all rows counts, beside the must-linked rows (0: RCA as published; default: the number of features while there are few must-links, else 0). */
  prior?: number | undefined;
  /** First centres: means of must-linked neighbourhoods (every other start uses k-means++), the mean of all rows plus noise, k-means++, random rows, or a file with k rows of the same columns. Default: `"neighbourhoods"`. */
  init?: "neighbourhoods" | "perturbed" | "k-means++" | "random" | number[][] | undefined;
}

/** Options of svm-kmeans. */
interface SvmKmeansOptions extends Pick<SharedOptions, "k" | "init" | "bounds"> {
  /** Number of starts; the best is kept (1 with given centres). Default: `10`. */
  restarts?: number | undefined;
  /** Maximum number of iterations per start. Default: `300`. */
  maxIterations?: number | undefined;
  /** Stop when the centres move by less than this times the mean variance (0: when no row moves). Default: `0`. */
  tolerance?: number | undefined;
  /** Penalty of a relative constraint that the learned metric breaks. Default: `1`. */
  cost?: number | undefined;
  /** Relative = the penalty is relative to the median variance of the columns; unit = as published, it depends on the units of the columns (default: relative). */
  costScale?: "relative" | "unit" | undefined;
}

/** Options of mixture. */
interface MixtureOptions extends Pick<SharedOptions, "k"> {
  /** Spread of the clusters: full and own, diagonal and own, or one full spread shared by all; auto: full or shared, whichever explains the constraints and rows better. Default: `"auto"`. */
  covariance?: "auto" | "full" | "diagonal" | "shared" | undefined;
  /** Share of wrong constraints to expect, from 0 to 0.5; 0: every constraint that can be kept is kept. Default: `0.02`. */
  errorRate?: number | undefined;
  /** Maximum number of iterations of EM per start. Default: `25`. */
  maxIterations?: number | undefined;
  /** Stop when the log-likelihood changes by less than this share of itself. Default: `0.0001`. */
  tolerance?: number | undefined;
}

/** Options of recon. */
interface ReconOptions extends Pick<SharedOptions, "height" | "minClusterSize" | "storage" | "learnedMetric" | "prior" | "cost" | "costScale"> {
  /** Number of clusters to cut into. */
  k?: number | undefined;
  /** Distance between clusters (default: centroid; average if rows have no means, because of missing cells or a distance other than euclidean). */
  linkage?: "centroid" | "complete" | "average" | "single" | "ward" | "median" | "weighted" | undefined;
  /** Distance between rows (default: chosen by the types of the columns). */
  distance?: "euclidean" | "sqeuclidean" | "hamming" | "gower" | "cosine" | undefined;
  /** Branches with fewer rows than this number or share (such as 5%) are set aside for the cut, and then join a cluster. Default: `0`. */
  outliers?: number | string | undefined;
  /** keep: branches set aside join the nearest cluster that breaks no constraint; nearest: they join the nearest cluster, as in the paper, even if that breaks constraints. Default: `"keep"`. */
  outliersJoin?: "keep" | "nearest" | undefined;
  /** K or merges: undo the last merges until k clusters are left; largest: split the largest branch each time; triplets: the k branches that satisfy the most relative constraints; height: at the height; best: choose clusters from different heights that satisfy the largest total weight of constraints, on ties the more stable ones (default: k with -k, best without). */
  cut?: "k" | "height" | "best" | "merges" | "largest" | "triplets" | undefined;
  /** Relative constraints that contradict each other: error, or largest to keep a large consistent part of them. Default: `"error"`. */
  inconsistent?: "error" | "largest" | undefined;
  /** Maximum work of the test whether k clusters can keep all constraints, in search nodes. Default: `200000`. */
  effort?: number | undefined;
}

/** Options of ccl. */
interface CclOptions extends Pick<SharedOptions, "height" | "cut" | "minClusterSize" | "storage" | "learnedMetric" | "prior" | "cost" | "costScale"> {
  /** Number of clusters to cut into. */
  k?: number | undefined;
  /** Cut before the first merge that breaks a cannot-link, instead of at k. Default: `false`. */
  stopBeforeViolation?: boolean | undefined;
  /** Complete the constraint set and run the linkage again where it would break cannot-links at k (not in the paper). Default: `true`. */
  lookahead?: boolean | undefined;
  /** Linkage; only complete linkage propagates cannot-links by itself. Default: `"complete"`. */
  linkage?: "complete" | "single" | "average" | "weighted" | "ward" | "centroid" | "median" | undefined;
  /** Distance between rows (default: chosen by the types of the columns). */
  distance?: "euclidean" | "sqeuclidean" | "hamming" | "gower" | "cosine" | undefined;
  /** Work budget of the search for k clusters that keep every cannot-link, in nodes. Default: `200000`. */
  effort?: number | undefined;
}

/** Options of density. */
interface DensityOptions extends Pick<SharedOptions, "height" | "learnedMetric" | "prior" | "cost" | "costScale"> {
  /** Minimum number of rows in a cluster; rows outside all clusters are noise (default: 5; 1.5 √n on the map of neighbourhoods). */
  minClusterSize?: number | undefined;
  /** Neighbours that must be near a row for it to count as dense; a higher number gives more noise (default: the minimum cluster size; 1 on the map of neighbourhoods). */
  minSamples?: number | undefined;
  /** Where density is measured: between the rows, or on a map of neighbourhoods, which suits rows of many columns (default: neighbourhoods for more than 30 columns of numbers, unless a height is given). */
  space?: "rows" | "neighbourhoods" | undefined;
  /** Number of clusters to cut into. */
  k?: number | undefined;
  /** best: choose clusters from different heights that satisfy the largest total weight of constraints, on ties the more stable ones; height: cut at the height, smaller groups are noise; k: cut into k groups at one height (default: best, also with -k). */
  cut?: "k" | "height" | "best" | undefined;
  /** Distance between rows (default: chosen by the types of the columns). */
  distance?: "euclidean" | "sqeuclidean" | "hamming" | "gower" | "cosine" | undefined;
}

/** Options of duplicates. */
interface DuplicatesOptions {
  /** Probability from which a pair counts as a match; a higher threshold finds fewer and surer duplicates. Default: `0.5`. */
  threshold?: number | undefined;
  /** Number of most similar rows that each row is compared with. Default: `20`. */
  candidates?: number | undefined;
  /** Probability of a match for two rows that are not compared or have no score; at most the threshold. Default: `0.25`. */
  unscored?: number | undefined;
}

/** Options of complete-link, single-link, average-link, weighted-link, ward, centroid-link, median-link. */
interface CompleteLinkOptions extends Pick<SharedOptions, "height" | "cut" | "minClusterSize" | "storage" | "learnedMetric" | "prior" | "cost" | "costScale"> {
  /** Number of clusters to cut into. */
  k?: number | undefined;
  /** Distance between rows (default: chosen by the types of the columns). */
  distance?: "euclidean" | "sqeuclidean" | "hamming" | "gower" | "cosine" | undefined;
}

/** Options of clusilc. */
interface ClusilcOptions {
  /** Maximum number of clusters. */
  k: number;
  /** Weight of the constraints relative to the variance, from 0 to 1. Default: `0.5`. */
  gamma?: number | undefined;
  /** Minimum number of rows in a leaf. Default: `2`. */
  minLeaf?: number | undefined;
  /** Maximum number of leaves. */
  maxLeaves?: number | undefined;
  /** Number of trees kept in the beam search (1: greedy search). Default: `1`. */
  beam?: number | undefined;
  /** Labels that a new leaf can take: linked = a new label, or the label of a leaf to which it has a must-link; any = any label. Default: `"linked"`. */
  labelRule?: "linked" | "any" | undefined;
  /** Columns that the tree can test, separated by commas (default: all). */
  describe?: string[] | string | undefined;
  /** Columns whose variance counts, separated by commas (default: all). */
  variance?: string[] | string | undefined;
  /** Share of the constraints held out in each round to choose the number of leaves (0: grow the full tree). Default: `0`. */
  validation?: number | undefined;
  /** Cost of a leaf, in units of H: the tree is pruned to the least H plus cost. Default: `0`. */
  leafCost?: number | undefined;
}

/** The options of each method of the catalogue, by its name. */
export interface OptionsByMethod {
  auto: AutoOptions;
  kmeans: KmeansOptions;
  "cop-kmeans": CopKmeansOptions;
  "pck-means": PckMeansOptions;
  "mk-means": MkMeansOptions;
  "mpck-means": MpckMeansOptions;
  "supervised-means": SupervisedMeansOptions;
  "rca-kmeans": RcaKmeansOptions;
  "svm-kmeans": SvmKmeansOptions;
  mixture: MixtureOptions;
  recon: ReconOptions;
  ccl: CclOptions;
  density: DensityOptions;
  duplicates: DuplicatesOptions;
  "complete-link": CompleteLinkOptions;
  "single-link": CompleteLinkOptions;
  "average-link": CompleteLinkOptions;
  "weighted-link": CompleteLinkOptions;
  ward: CompleteLinkOptions;
  "centroid-link": CompleteLinkOptions;
  "median-link": CompleteLinkOptions;
  clusilc: ClusilcOptions;
}
