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
  /** Learn a metric first, and measure distances by it; rca: from must-links and labels; svm: from relative constraints. */
  learnedMetric?: "rca" | "svm" | undefined;
  /** rca: weight of the covariance of all rows, which is added to the covariance of linked rows, as a number of rows (0: RCA as published; default: the number of features while there are few must-links, else 0). */
  prior?: number | undefined;
  /** svm: penalty of a relative constraint that the metric breaks (default: 1). */
  cost?: number | undefined;
  /** svm: unit of the penalty; relative: the median variance of the columns; unit: 1, as published, so that the result depends on the units of the columns (default: relative). */
  costScale?: "relative" | "unit" | undefined;
  /** Unit of constraint weights; relative: the mean squared distance of rows to the overall mean; unit: 1; ignored with a learned metric. Default: `"relative"`. */
  costs?: "relative" | "unit" | undefined;
  /** Maximum number of rounds per start that place all constrained rows anew before the iterations; the best round is kept. Default: `20`. */
  search?: number | undefined;
  /** Use the search of the paper: constrained rows only move one by one, without rounds before the iterations. Default: `false`. */
  faithful?: boolean | undefined;
  /** Distance between rows; cosine scales each row to length 1, for many features of which only the direction matters. Default: `"euclidean"`. */
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
  /** Where the hierarchy is cut; k: into k clusters; height: at the given height; best: into clusters from different heights that satisfy the largest total weight of constraints, on ties into the more stable clusters (default: k with -k, best without). */
  cut?: "k" | "height" | "best" | undefined;
}

/** Options of auto. */
interface AutoOptions extends Pick<SharedOptions, "k"> {
  /** Methods to choose from (default: all that suit the table). */
  candidates?: string[] | undefined;
  /** Expected share of wrong constraints, from 0 to 0.5; with 0, every constraint that can be kept is kept. Default: `0`. */
  errorRate?: number | undefined;
  /** Limit on the search for clusters that keep all constraints, in nodes of the search tree. Default: `100000`. */
  effort?: number | undefined;
}

/** Options of kmeans. */
interface KmeansOptions extends Pick<SharedOptions, "k" | "init" | "bounds" | "learnedMetric" | "prior" | "cost" | "costScale"> {
  /** Number of starts; the best is kept (1 with given centres). Default: `10`. */
  restarts?: number | undefined;
  /** Maximum number of iterations per start. Default: `300`. */
  maxIterations?: number | undefined;
  /** Stop when the sum of squared moves of the centres is at most this share of the mean variance of the columns (0: when no row changes its cluster). Default: `0`. */
  tolerance?: number | undefined;
}

/** Options of cop-kmeans. */
interface CopKmeansOptions extends Pick<SharedOptions, "k" | "init" | "learnedMetric" | "prior" | "cost" | "costScale"> {
  /** Number of starts; the best is kept (1 with given centres). Default: `10`. */
  restarts?: number | undefined;
  /** Maximum number of iterations per start. Default: `300`. */
  maxIterations?: number | undefined;
  /** Stop when the sum of squared moves of the centres is at most this share of the mean variance of the columns (0: when no row changes its cluster). Default: `0`. */
  tolerance?: number | undefined;
  /** Place rows one by one, as in the paper, and fail if a row then has no allowed cluster. Default: `false`. */
  faithful?: boolean | undefined;
  /** Minimum number of rows in a cluster. */
  minSize?: number | undefined;
  /** Maximum number of rows in a cluster. */
  maxSize?: number | undefined;
  /** Limit on exact searches, in nodes of the search tree. Default: `100000`. */
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
  /** Which start is kept; typical: of the starts within 10 of the lowest objective, the start that agrees most with the others; lowest: the start with the lowest objective. Default: `"typical"`. */
  keep?: "typical" | "lowest" | undefined;
}

/** Options of supervised-means. */
interface SupervisedMeansOptions extends Pick<SharedOptions, "k" | "distance" | "learnedMetric" | "prior" | "cost" | "costScale"> {}

/** Options of rca-kmeans. */
interface RcaKmeansOptions extends Pick<SharedOptions, "k" | "restarts" | "maxIterations" | "tolerance" | "distance"> {
  /** Weight of the covariance of all rows, which is added to the covariance of must-linked rows, as a number of rows (0: RCA as published; default: the number of features while there are few must-links, else 0). */
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
  /** Stop when the sum of squared moves of the centres is at most this share of the mean variance of the columns (0: when no row changes its cluster). Default: `0`. */
  tolerance?: number | undefined;
  /** Penalty of a relative constraint that the learned metric breaks. Default: `1`. */
  cost?: number | undefined;
  /** Unit of the penalty; relative: the median variance of the columns; unit: 1, as published, so that the result depends on the units of the columns. Default: `"relative"`. */
  costScale?: "relative" | "unit" | undefined;
}

/** Options of mixture. */
interface MixtureOptions extends Pick<SharedOptions, "k"> {
  /** Shape of the clusters; full: each cluster has its own covariance matrix; diagonal: its own variance for each column; shared: one covariance matrix for all clusters; auto: full or shared, the one that explains constraints and rows better. Default: `"auto"`. */
  covariance?: "auto" | "full" | "diagonal" | "shared" | undefined;
  /** Expected share of wrong constraints, from 0 to 0.5; with 0, every constraint that can be kept is kept. Default: `0.02`. */
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
  /** Distance between clusters (default: centroid; average for tables with missing cells and for distances other than euclidean, because clusters have no centroid then). */
  linkage?: "centroid" | "complete" | "average" | "single" | "ward" | "median" | "weighted" | undefined;
  /** Distance between rows (default: chosen by the types of the columns). */
  distance?: "euclidean" | "sqeuclidean" | "hamming" | "gower" | "cosine" | undefined;
  /** Branches with fewer rows than this number, or than this share of the rows (such as 5%), do not become clusters; they join a cluster after the cut. Default: `0`. */
  outliers?: number | string | undefined;
  /** Which cluster the small branches of outliers join; keep: the nearest cluster in which they break no constraint; nearest: the nearest cluster, as in the paper, even if that breaks constraints. Default: `"keep"`. */
  outliersJoin?: "keep" | "nearest" | undefined;
  /** Where the hierarchy is cut; k or merges: undo the last merges until there are k clusters; largest: split the largest branch until there are k clusters; triplets: into the k branches that satisfy the most relative constraints; height: at the given height; best: into clusters from different heights that satisfy the largest total weight of constraints, on ties into the more stable clusters (default: k with -k, best without). */
  cut?: "k" | "height" | "best" | "merges" | "largest" | "triplets" | undefined;
  /** What to do if relative constraints contradict each other; error: stop; largest: keep a large consistent part of them. Default: `"error"`. */
  inconsistent?: "error" | "largest" | undefined;
  /** Limit on the search for k clusters that keep all constraints, in nodes of the search tree. Default: `200000`. */
  effort?: number | undefined;
}

/** Options of ccl. */
interface CclOptions extends Pick<SharedOptions, "height" | "cut" | "minClusterSize" | "storage" | "learnedMetric" | "prior" | "cost" | "costScale"> {
  /** Number of clusters to cut into. */
  k?: number | undefined;
  /** Cut before the first merge that breaks a cannot-link, instead of at k. Default: `false`. */
  stopBeforeViolation?: boolean | undefined;
  /** Run the linkage again with added constraints if it would break cannot-links at k (not in the paper). Default: `true`. */
  lookahead?: boolean | undefined;
  /** How the distance between clusters is measured; only with complete linkage, a cannot-link also affects the rows near its two rows. Default: `"complete"`. */
  linkage?: "complete" | "single" | "average" | "weighted" | "ward" | "centroid" | "median" | undefined;
  /** Distance between rows (default: chosen by the types of the columns). */
  distance?: "euclidean" | "sqeuclidean" | "hamming" | "gower" | "cosine" | undefined;
  /** Limit on the search for k clusters that keep every cannot-link, in nodes of the search tree. Default: `200000`. */
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
  /** Where the hierarchy is cut; best: into clusters from different heights that satisfy the largest total weight of constraints, on ties into the more stable clusters; height: at the given height, where smaller groups are noise; k: into k groups at one height (default: best, also with -k). */
  cut?: "k" | "height" | "best" | undefined;
  /** Distance between rows (default: chosen by the types of the columns). */
  distance?: "euclidean" | "sqeuclidean" | "hamming" | "gower" | "cosine" | undefined;
}

/** Options of duplicates. */
interface DuplicatesOptions {
  /** Smallest probability at which two rows count as a match; a higher threshold finds fewer and surer duplicates. Default: `0.5`. */
  threshold?: number | undefined;
  /** Number of most similar rows that each row is compared with. Default: `20`. */
  candidates?: number | undefined;
  /** Assumed probability of a match for two rows that are not compared or have no score; at most the threshold. Default: `0.25`. */
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
  /** Columns whose variance counts in the objective, separated by commas (default: all). */
  variance?: string[] | string | undefined;
  /** Share of the constraints held out in each round to choose the number of leaves (0: grow the full tree). Default: `0`. */
  validation?: number | undefined;
  /** Cost of each leaf, in units of the objective H; the tree is pruned to the smallest sum of H and leaf costs. Default: `0`. */
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
