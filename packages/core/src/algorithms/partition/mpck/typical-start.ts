/**
 * Which of several starts to keep where metrics are learned. Equation 6 of bilenko2004 is there twice a negative log-likelihood, up to a
 * constant: a difference of 10 is a likelihood ratio of e⁵, the usual line beyond which a model has no support beside another.
 * Starts closer than that to the lowest explain the rows about as well, and on small data the very lowest scored worse on rows
 * without constraints (docs/measurements/mpck.md). So of these the one is kept whose pairs of rows agree most with the others',
 * ties by objective; an answer that many starts reached counts as often.
 */

import { pairCounts } from "../../../measures/pair-counts.js";
import { contingency } from "../../../structures/contingency.js";
import { lowestOutcome, type Outcome } from "../../method.js";

/** The objective does not tell starts apart that are closer. */
export const INDISTINCT = 10;

export function typicalStart(outcomes: readonly Outcome[]): Outcome {
  const lowest = lowestOutcome(outcomes);
  const close = outcomes.filter(({ objective }) => objective! <= lowest.objective! + INDISTINCT);
  const differences = summedDifferences(close.map(({ labels }) => labels));
  const least = differences.reduce((smallest, sum) => Math.min(smallest, sum), Infinity);
  const kept = lowestOutcome(close.filter((_, s) => differences[s] === least));
  if (kept.objective === lowest.objective) return kept;
  const about = `${close.length} of ${outcomes.length} starts came within ${INDISTINCT} of the lowest objective, ${lowest.objective!.toFixed(3)}`;
  return { ...kept, notices: [...kept.notices, `${about}; kept is the one that the others agree with most.`] };
}

/** For each clustering the pairs of rows that it joins and another parts, or the other way round, over all others. */
function summedDifferences(labels: readonly Int32Array[]): number[] {
  const sums = labels.map(() => 0);
  labels.forEach((first, a) => {
    for (let b = a + 1; b < labels.length; b++) {
      const { clusteringOnly, truthOnly } = pairCounts(contingency(first, labels[b]!));
      sums[a]! += clusteringOnly + truthOnly;
      sums[b]! += clusteringOnly + truthOnly;
    }
  });
  return sums;
}
