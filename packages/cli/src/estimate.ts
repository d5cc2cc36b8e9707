/** Estimates how long a run takes, and suggests faster alternatives if it takes long. */
import { type Input, type Method, secondsOf, USUAL_STARTS } from "@coterie/core/internal";

const LONG = 30;
export function longRunNotice(
  method: Pick<Method, "family" | "seconds">,
  input: Input,
  options: Readonly<Record<string, unknown>>,
  cores: number,
): string | undefined {
  // With more clusters than rows, the run fails anyway, so no estimate is needed.
  if (Number(options.k) > input.points.n) return undefined;
  const seconds = secondsOf(method, input, options) / (method.family === "partition" ? Math.max(1, cores) : 1);
  if (seconds < LONG) return undefined;
  const { points } = input;
  const { n, d } = points;
  const faster = [
    ...(method.family === "partition" && Number(options.restarts ?? USUAL_STARTS) > 1 ? ["one start (--restarts 1)"] : []),
    ...(d > 64 && !points.nominal?.includes(1) ? ["fewer columns (--reduce 32)"] : []),
    ...(n > 2000 ? [`a sample of the rows (--sample ${Math.max(1000, Math.round(n / 10 / 1000) * 1000)})`] : []),
    ...(method.family === "hierarchy" ? ["a method of the k-means family (--algorithm kmeans)"] : []),
  ];
  const size = `${n.toLocaleString("en")} rows, ${d.toLocaleString("en")} ${d === 1 ? "column" : "columns"}`;
  const what = method.family === "partition" ? `, k = ${Number(options.k).toLocaleString("en")}` : "";
  return `This may take about ${inWords(seconds)} (${size}${what}). Faster: ${faster.join(", or ") || "fewer rows"}.`;
}

export function inWords(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds / 10) * 10} seconds`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} minutes`;
  return `${Math.round(seconds / 3600).toLocaleString("en")} ${seconds < 5400 * 1.5 ? "hour" : "hours"}`;
}
