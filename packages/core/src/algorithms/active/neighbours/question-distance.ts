/**
 * Distances by which questions are chosen. Wide tables of numbers, such as embeddings, are measured on their principal components, because
 * in most other directions all rows are about equally far apart. If the number of clusters is known, every row is first moved half-way to
 * the mean of its k-means cluster. So the neighbours of a row are mostly rows of its own cluster, an answer spreads within the cluster, and
 * a row is first compared with the class that is most frequent in its cluster. All other tables are measured on their columns.
 */
import { emptyConstraints } from "../../../constraints/index.js";
import type { Metric } from "../../../kernels/index.js";
import { type Instances, type Points, rowValues } from "../../../model/points.js";
import { checkedOptions } from "../../../options.js";
import type { Steps } from "../../../steps/index.js";
import { type Distances, distancesOf } from "../../distance-between.js";
import { alongAxes, principalAxesSteps } from "../../embedding/principal-axes.js";
import { hasMeans } from "../../encode.js";
import type { Context, Method, Outcome } from "../../method.js";
import { kmeans } from "../../partition/kmeans.js";

/** Tables with more columns are wide. */
const WIDE = 100;
const COMPONENTS = 48;
const RESTARTS = 3;
/** The share of the way to the mean of its cluster that a row is moved. */
const MOVED = 0.5;

/** `asked`: the metric that the user named; the columns are used then. */
export function* questionDistanceSteps(
  points: Instances,
  k: number | undefined,
  asked: Metric | undefined,
  context: Context,
): Steps<Distances> {
  const { n, d, nominal, holes } = points;
  const isWide = d > WIDE && n > COMPONENTS && hasMeans(points) && !holes && !nominal?.includes(1);
  if (asked !== undefined || !isWide) return distancesOf(points, asked);
  const x = Float64Array.from(rowValues(points));
  const { mean, axes } = yield* principalAxesSteps(x, n, d, COMPONENTS, context.kernels);
  const rows = { n, d: axes.length, x: alongAxes(x, n, { mean, axes }, context.kernels) };
  if (k !== undefined) yield* moveToMeansSteps(rows, k, context);
  return distancesOf(rows, "euclidean");
}

/** Changes the rows in place. */
function* moveToMeansSteps(rows: Points, k: number, context: Context): Steps<void> {
  const { n, d, x } = rows;
  const { steps, options } = kmeans as unknown as Method;
  const plain = { points: rows, constraints: emptyConstraints(n) };
  const random = context.random.split("clusters");
  const { labels, centres }: Outcome = yield* steps(plain, checkedOptions(options, { k, restarts: RESTARTS }), {
    ...context,
    random,
  });
  for (let i = 0; i < n; i++) for (let j = 0; j < d; j++) x[i * d + j]! += MOVED * (centres![labels[i]!]![j]! - x[i * d + j]!);
}
