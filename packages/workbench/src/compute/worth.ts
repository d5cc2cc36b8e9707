/**
 * Estimates how many more questions are worth asking.
 *
 * At first, questions must find a row of every cluster. To compare k classes with each other takes k(k-1)/2 questions. For each class
 * without an answered row, about ln k more rows are asked about. So the estimate is
 *
 *   k(k-1)/2 - g(g-1)/2 + (k - g) ln k,   g = number of clusters with an answered row
 *
 * Later, the estimate follows from the effect of the last answers: the number of rows that they moved to another cluster. The effect falls
 * about as 1 / (number of answers). If t answers moved r rows each on average, the effect falls to LEAST_MOVED after t r / LEAST_MOVED
 * answers. The estimate is never more than t, because a longer forecast would not be reliable.
 */
import type { Worth } from "../protocol/asking.js";

/** More questions are worth asking if the last answers moved at least this number of rows on average. */
const LEAST_MOVED = 0.5;
/** The effect is averaged over the last half of the answers, but over at least this number of answers. */
const LEAST_ANSWERS = 10;

/** Number of questions that find a row of every cluster. k: number of clusters. met: number of clusters with an answered row. */
function toFind(k: number, met: number): number {
  return Math.ceil((k * (k - 1) - met * (met - 1)) / 2 + (k - met) * Math.log(k));
}

export interface Asking {
  /** Number of clusters; null if it is not known yet. */
  readonly k: number | null;
  /** Number of clusters with an answered row. */
  readonly met: number;
  readonly answered: number;
  /** For each answer, oldest first: the number of rows that it moved to another cluster. Answers with unknown effects are left out. */
  readonly moved: readonly number[];
  /** Number of rows without an answer that are almost as near to another cluster as to their own cluster. */
  readonly doubtful: number;
}

export function worthAsking({ k, met, answered, moved, doubtful }: Asking): Worth {
  if (k !== null && met < k) {
    const questions = toFind(k, met);
    const so = met === 0 ? "No cluster has" : met === 1 ? `1 of ${k} clusters has` : `${met} of ${k} clusters have`;
    return { questions, why: `${so} an answered row; finding a row of every cluster takes about that many questions.` };
  }
  const last = moved.slice(-Math.max(LEAST_ANSWERS, Math.ceil(answered / 2)));
  if (last.length < LEAST_ANSWERS) {
    const rows = doubtful === 1 ? "1 row without an answer is" : `${doubtful.toLocaleString("en")} rows without an answer are`;
    return {
      questions: Math.min(doubtful, Math.max(LEAST_ANSWERS, answered)),
      why: `${rows} almost as close to another cluster.`,
    };
  }
  const each = last.reduce((sum, rows) => sum + rows, 0) / last.length;
  const questions = Math.min(answered, Math.max(0, Math.round(answered * (each / LEAST_MOVED - 1))));
  const first = k === null ? 0 : toFind(k, 0) - answered;
  if (first > questions) return { questions: first, why: "Every cluster has an answered row, but there are few answers yet." };
  const effect = `The last ${last.length} answers moved ${each.toFixed(1)} rows each`;
  return { questions, why: questions === 0 ? `${effect}.` : `${effect}, and the effect of answers falls slowly.` };
}
