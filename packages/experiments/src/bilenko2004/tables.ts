/** The trials of all pages of this paper. */
import { ORDERS } from "./printed-order.js";
import { COUNTS, schemesTable } from "./protocol.js";
import { ABLATIONS, METRICS, SEARCHES } from "./schemes.js";

/** As many runs as in the paper. */
const RUNS = { quick: 4, full: 50 } as const;

export const ablations = schemesTable({ name: "ablations", runs: RUNS, schemes: ABLATIONS, watched: ["MPCK-S-D"], factor: 3 });

export const metrics = schemesTable({
  name: "metrics",
  runs: RUNS,
  schemes: METRICS,
  watched: ["MPCK-M-D", "MPCK-S-F", "MPCK-M-F"],
  factor: 6,
});

/** Of what is ours: its ten starts take longest. */
export const searches = schemesTable({
  name: "search",
  runs: { quick: 2, full: 20 },
  counts: { quick: [50, 400], full: COUNTS.full },
  schemes: SEARCHES,
  factor: 24,
});

export const orders = schemesTable({
  name: "order",
  runs: { quick: 2, full: 20 },
  counts: { quick: [50, 100], full: [50, 100, 200] },
  schemes: ORDERS,
  factor: 2,
});
