/** How long a run may take, said before it takes minutes, with what would be faster. Rough: within a factor of a few. */
import type { Instances, Method } from "@coterie/core/internal";
import { USUAL_STARTS } from "@coterie/workbench";

/** From so many seconds on a run is worth a word beforehand. */
const LONG = 30;
/** Products a second on one core, of rows with centres and of rows with rows. */
const PRODUCTS = 1.5e9;
/** Iterations that a start of k-means usually takes. */
const ITERATIONS = 25;
/** Seconds for one comparison of two texts. */
const OF_TEXTS = 6e-7;
const OF_A_MERGE = 2e-9;
/** A search for the nearest rows among boxes spares most pairs in few columns; from 16 on it takes longer than going through them. */
const COLUMNS_FOR_BOXES = 4;
const MOST_FOR_BOXES = 4;

type Options = Readonly<Record<string, unknown>>;

/** Seconds that a run may take; 0 where nothing is known about the method. */
export function secondsOf({ name, family }: Pick<Method, "name" | "family">, points: Instances, options: Options): number {
  const { n, d, texts } = points;
  const written = texts?.reduce((sum, flag) => sum + flag, 0) ?? 0;
  if (family === "hierarchy") {
    const pairs = (n * n) / 2;
    const perPair = points.distances ? 0 : written * OF_TEXTS + d / PRODUCTS + (points.holes ? d * 4e-9 : 0);
    const times =
      name === "single-link" ? Math.min(MOST_FOR_BOXES, d / COLUMNS_FOR_BOXES) : name === "ccl" || name === "recon" ? 2 : 1;
    return pairs * (perPair + 2 * OF_A_MERGE) * times;
  }
  if (family !== "partition") return 0;
  const k = Number(options.k ?? 1);
  const starts = Number(options.restarts ?? USUAL_STARTS);
  const width = d + written * (points.textDimensions ?? 64);
  return (starts * ITERATIONS * n * k * width) / PRODUCTS;
}

/** What is said before a long run; undefined before a short one. */
export function longRunNotice(
  method: Pick<Method, "name" | "family">,
  points: Instances,
  options: Options,
  cores: number,
): string | undefined {
  const seconds = secondsOf(method, points, options) / (method.family === "partition" ? Math.max(1, cores) : 1);
  if (seconds < LONG) return undefined;
  const { n, d } = points;
  const faster = [
    ...(method.family === "partition" && Number(options.restarts ?? USUAL_STARTS) > 1 ? ["one start (--restarts 1)"] : []),
    ...(d > 64 && !points.nominal?.includes(1) ? ["fewer columns (--reduce 32)"] : []),
    ...(n > 2000 ? [`a sample of the rows (--sample ${Math.max(1000, Math.round(n / 10 / 1000) * 1000)})`] : []),
    ...(method.family === "hierarchy" ? ["a method around means (--algorithm kmeans)"] : []),
  ];
  const size = `${n.toLocaleString("en")} rows, ${d.toLocaleString("en")} ${d === 1 ? "column" : "columns"}`;
  const what = method.family === "partition" ? `, k = ${Number(options.k).toLocaleString("en")}` : "";
  return `This may take about ${inWords(seconds)} (${size}${what}). Faster: ${faster.join(", or ") || "fewer rows"}.`;
}

function inWords(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds / 10) * 10} seconds`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} minutes`;
  return `${Math.round(seconds / 3600).toLocaleString("en")} ${seconds < 5400 * 1.5 ? "hour" : "hours"}`;
}
