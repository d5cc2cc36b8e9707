/** The methods that `auto` chooses from. Each method has a prior, which says how likely the method is the best without any constraints. */
import { closeConstraints } from "../../constraints/index.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Instances, Scaling } from "../../model/points.js";
import { sameScaling, standardScaling, withScaling } from "../../structures/column-scaling.js";
import { hasMeans } from "../encode.js";
import { ccl } from "../hierarchical/ccl/index.js";
import { completeLink, ward } from "../hierarchical/linkage.js";
import { recon } from "../hierarchical/recon/index.js";
import type { Method } from "../method.js";
import { kmeans } from "../partition/kmeans.js";
import { mixture } from "../partition/mixture/index.js";
import { pckMeans, rcaKmeans } from "../partition/mpck/methods.js";
import { clusilc } from "../tree/clusilc.js";

/** The scale of the columns. "given": the scale of the points that the caller passes. "none": not scaled. "zscore": standardised. */
export type CandidateScale = "given" | "none" | "zscore";

export interface Candidate {
  readonly method: Method;
  readonly scale: CandidateScale;
  readonly points: Instances;
  /** Log prior weight. `auto` adds the scores on held-out constraints to it. */
  readonly prior: number;
  /** Whether the method uses constraints. If so, only constraints that were held out of a run can judge the run. */
  readonly learns: boolean;
  /** Options of the method besides k. */
  readonly options?: Readonly<Record<string, unknown>>;
}

interface Entry {
  readonly method: unknown;
  readonly prior: number;
  readonly learns: boolean;
  /** Whether the method is also tried with another scale of the columns. */
  readonly rescaled?: true;
}

const WITH_MEANS: readonly Entry[] = [
  { method: mixture, prior: 3, learns: true, rescaled: true },
  { method: kmeans, prior: 2, learns: false, rescaled: true },
  { method: pckMeans, prior: 0, learns: true },
  { method: rcaKmeans, prior: 0, learns: true },
];

const WITH_DISTANCES: readonly Entry[] = [
  { method: ward, prior: 0, learns: false },
  { method: ccl, prior: 0, learns: true },
];

/** Candidates for points without means. Such points have only distances, or missing cells without fill values. */
const DISTANCES_ALONE: readonly Entry[] = [
  { method: ccl, prior: 1, learns: true },
  { method: completeLink, prior: 0, learns: false },
];

const WITH_TRIPLES: readonly Entry[] = [{ method: recon, prior: 1, learns: true }];

const WITH_LABELS: readonly Entry[] = [{ method: clusilc, prior: 0, learns: true }];

/** Added to the prior of a candidate with another scale. Other scales are a little less likely to be the best. */
const OTHER_SCALE = -1;
/** Tables with more columns than this are only clustered in the given scale. */
const MOST_RESCALED_COLUMNS = 100;

/**
 * Options of PCK-means for tables with many columns and at least k groups of must-linked rows. The method starts once, from the means of
 * these groups. It makes few iterations, because in a longer run the many rows without constraints move the means away from the groups.
 */
const FEW_STEPS = { restarts: 1, maxIterations: 3, search: 0 };

/** With more clusters than FEW_CLUSTERS, a wide table needs ROWS_OF_MIXTURE rows for each cluster before `mixture` is a candidate. */
const FEW_CLUSTERS = 20;
const ROWS_OF_MIXTURE = 100;

export function candidatesFor(points: Instances, constraints: ConstraintSet, k: number): Candidate[] {
  const { relative, labels } = constraints;
  const isWithMeans = hasMeans(points);
  const entries = !isWithMeans
    ? DISTANCES_ALONE
    : [...WITH_MEANS, ...WITH_DISTANCES, ...(labels.row.length > 0 ? WITH_LABELS : [])];
  const all = relative.a.length > 0 ? [...entries, ...WITH_TRIPLES] : entries;
  const others = isWithMeans ? otherScales(points) : [];
  const fromGroups = isWithMeans && isWide(points) && groupsOf(constraints) >= k;
  return all.flatMap(({ method: listed, prior, learns, rescaled }) => {
    const method = listed as Method;
    if (points.rowWeights && !method.weighsRows) return [];
    // A few must-links cannot determine a metric of many columns.
    if (method.name === "rca-kmeans" && points.d > MOST_RESCALED_COLUMNS) return [];
    // A mixture has a covariance matrix for each cluster, which a few rows of many columns cannot determine.
    if (method.name === "mixture" && isWide(points) && k > FEW_CLUSTERS && points.n < ROWS_OF_MIXTURE * k) return [];
    const options = method.name === "pck-means" && fromGroups ? { options: FEW_STEPS } : {};
    const candidate = { method, scale: "given" as const, points, prior, learns, ...options };
    const again = rescaled ? others.map((other) => ({ ...candidate, ...other, prior: prior + OTHER_SCALE })) : [];
    return [candidate, ...again];
  });
}

/** Makes a candidate of a method that the caller chooses. The points stay in the given scale. */
export function candidateOf(method: Method, points: Instances): Candidate {
  const learns = Object.values(method.treats).some((treatment) => treatment !== "ignored");
  return { method, scale: "given", points, prior: 0, learns };
}

/** The points in other scales. Empty if the caller chose the scale, if there are too many columns, or if all columns are nominal. */
function otherScales(points: Instances): Pick<Candidate, "scale" | "points">[] {
  const { d, nominal, scaling, scaleGiven } = points;
  if (scaleGiven || isWide(points) || (nominal && !nominal.includes(0))) return [];
  const standard = standardScaling(points);
  const isStandard = near(scaling ?? null, standard, d);
  return [
    ...(scaling ? [{ scale: "none" as const, points: withScaling(points, null) }] : []),
    ...(isStandard ? [] : [{ scale: "zscore" as const, points: withScaling(points, standard) }]),
  ];
}

function isWide({ d, directions }: Instances): boolean {
  return d > MOST_RESCALED_COLUMNS || directions === true;
}

/** The number of groups with at least two rows. Must-links and labels join rows to groups. */
function groupsOf(constraints: ConstraintSet): number {
  return closeConstraints(constraints).sizes.filter((size) => size > 1).length;
}

const ROUNDING = 1e-6;

function near(one: Scaling | null, other: Scaling, d: number): boolean {
  if (!one || one.transforms?.some((each) => each !== null)) return false;
  return Array.from({ length: d }, (_, j) => j).every(
    (j) =>
      sameScaling(one, j, other, j) ||
      (Math.abs(one.factor[j]! - other.factor[j]!) <= ROUNDING * other.factor[j]! &&
        Math.abs(one.offset[j]! - other.offset[j]!) <= ROUNDING * (Math.abs(other.offset[j]!) + other.factor[j]!)),
  );
}
