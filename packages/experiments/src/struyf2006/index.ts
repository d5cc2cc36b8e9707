/**
 * Struyf, Džeroski: Clustering Trees with Instance Level Constraints. ECML 2007: figure 5, the Rand index of ClusILC and of
 * COP-k-means against the number of constraints, on all rows and on rows without constraints.
 */
import { CoterieError } from "@coterie/core";
import { readTable } from "@coterie/data";
import { createSimdKernels } from "@coterie/kernels";
import type { Figure, Paper, Seen, Setting } from "../experiment.js";
import { type Ran, runSet } from "./cells.js";
import { findingsOf } from "./claims.js";
import { picturesOf, tablesOf } from "./pictures.js";
import { HELD_OUT, LEAF_COST, MOST_DRAWS } from "./protocol.js";
import { DATA_SETS, QUICK_SETS } from "./sets.js";

const PROTOCOL = [
  "Each trial draws pairs of rows at random; pairs of one class are must-links, others cannot-links; all rows are clustered with k the",
  "number of classes. *All data*: pairs from all rows, Rand index on all rows. *Cross-validated*: pairs from nine folds, Rand index on",
  "the tenth, with a constraint set for each fold. The paper averages over 60 constraint sets; the tables give our numbers of trials, which",
  "are smaller where there are more rows or constraints, to keep the run short. Error bars are standard errors.",
  "",
  "The paper's axes are not in its text, so the numbers of constraints are ours. `hayes-roth` has 3 classes in the data (the paper's table",
  "says 4). ClusILC has γ 0.5, at least 2 rows in a leaf, and the label rule of the authors' program; variance is measured in units of",
  "each column's (`--scale zscore`), as there. The authors' COP-k-means measures distances on the columns as they are, so ours does too",
  "(*faithful*, *repairing*); *repairing scaled* sees the same columns as the tree. The faithful one draws a new set after a dead end, up",
  `to ${MOST_DRAWS} sets (the paper: 100,000); a trial without an answer is left out of its mean. *Held-out* finds the number of leaves by`,
  `holding out ${100 * HELD_OUT}% of the constraints in each of four rounds, *leaf cost* asks ${LEAF_COST} of H for each leaf.`,
  "",
  "The bench case `trees` runs the authors' program, Clus, with the same constraints: on `digits` and `pendig` its tree has the same number of",
  "leaves, the same H and the same Rand index as ours.",
].join("\n");

const figure5: Figure = {
  name: "figure5",
  title: "ClusILC and COP-k-means against the number of constraints",
  async run({ quick, seed, log }: Setting): Promise<Seen> {
    const kernels = createSimdKernels();
    const rans: Ran[] = [];
    const missing: string[] = [];
    for (const set of quick ? QUICK_SETS : DATA_SETS) {
      if (await isAtHand(set.name)) rans.push(await runSet(set, seed, kernels, log));
      else missing.push(set.name);
    }
    return seenOf(rans, missing);
  },
};

/** Whether the data set is on this machine; one that is not is left out, and the page says so. */
async function isAtHand(name: string): Promise<boolean> {
  try {
    await readTable(name, { truth: "class" });
    return true;
  } catch (error) {
    if (error instanceof CoterieError) return false;
    throw error;
  }
}

function seenOf(rans: readonly Ran[], missing: readonly string[] = []): Seen {
  const without = missing.length > 0 ? `\n\nNot on this machine, and left out: ${missing.join(", ")}.` : "";
  return { protocol: PROTOCOL + without, findings: findingsOf(rans), pictures: picturesOf(rans), tables: tablesOf(rans) };
}

export const struyf2006: Paper = {
  name: "struyf2006",
  title: "Struyf and Džeroski (2007): Clustering Trees with Instance Level Constraints",
  figures: [figure5],
};
