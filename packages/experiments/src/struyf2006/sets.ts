/** The twelve data sets of table 1, with the numbers of constraints and of constraint sets that we try. */

export interface DataSet {
  readonly name: string;
  readonly counts: readonly number[];
  /** Constraint sets on all rows. */
  readonly sets: number;
  /** Partitions into ten folds, each with ten constraint sets. */
  readonly partitions: number;
  /** What the paper says of the cross-validated Rand index of ClusILC beside that of COP-k-means. */
  readonly published: "better" | "comparable" | "worse";
}

const SMALL = [25, 50, 100, 200, 400];

export const DATA_SETS: readonly DataSet[] = [
  { name: "iris", counts: SMALL, sets: 60, partitions: 6, published: "comparable" },
  { name: "hayes-roth", counts: SMALL, sets: 60, partitions: 6, published: "comparable" },
  { name: "wine", counts: SMALL, sets: 60, partitions: 6, published: "better" },
  { name: "glass", counts: SMALL, sets: 60, partitions: 6, published: "comparable" },
  { name: "heart-statlog", counts: SMALL, sets: 60, partitions: 6, published: "comparable" },
  { name: "ecoli", counts: SMALL, sets: 60, partitions: 6, published: "better" },
  { name: "liver-disorders", counts: SMALL, sets: 60, partitions: 6, published: "comparable" },
  { name: "ionosphere", counts: SMALL, sets: 60, partitions: 6, published: "better" },
  { name: "balance", counts: [50, 100, 200, 400, 800], sets: 60, partitions: 6, published: "better" },
  { name: "yeast", counts: [100, 200, 400, 800], sets: 10, partitions: 1, published: "worse" },
  { name: "image", counts: [100, 200, 400, 800], sets: 10, partitions: 1, published: "better" },
  { name: "pendig", counts: [500, 1000, 2000], sets: 4, partitions: 1, published: "better" },
];

/** A first look: four small sets, three numbers of constraints, one partition. */
export const QUICK_SETS: readonly DataSet[] = DATA_SETS.filter(({ name }) =>
  ["iris", "wine", "ecoli", "balance"].includes(name),
).map((set) => ({ ...set, counts: [50, 100, 400], sets: 10, partitions: 1 }));
