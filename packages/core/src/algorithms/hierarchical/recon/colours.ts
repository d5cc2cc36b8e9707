/** Whether k clusters can keep the cannot-links, labels and exclusive groups: a colouring that is kept while clusters merge. */

import { constraintGraph, rowsOf } from "../../../colouring/graphs/graph.js";
import { type KeptColouring, keepColouring } from "../../../colouring/kept-colouring.js";
import type { Closure } from "../../../constraints/index.js";
import { CoterieError } from "../../../errors.js";
import { type InstanceId, idOf } from "../../../model/points.js";

export interface Colours {
  /** Null if nothing must be apart. */
  readonly colouring: KeptColouring | null;
  /** By component, its vertex in the colouring, -1 for none. */
  readonly vertexOf: Int32Array;
}

/** With any number of clusters everything can be kept apart. */
export function noColours({ componentCount }: Closure): Colours {
  return { colouring: null, vertexOf: new Int32Array(componentCount).fill(-1) };
}

/** Throws if k clusters cannot keep them apart, or if the effort was spent before that was known. */
export function coloursFor(closure: Closure, k: number, effort: number, ids: readonly InstanceId[] | undefined): Colours {
  const graph = constraintGraph(closure);
  if (graph.vertices === 0) return noColours(closure);
  const answer = keepColouring(graph, k, { effort });
  if (answer.status === "feasible") return { colouring: answer.kept, vertexOf: graph.vertexOf };
  if (answer.status === "undecided") {
    throw new CoterieError({
      code: "gave-up",
      message: `Whether ${k} clusters can keep all cannot-links was not decided within the effort of ${effort} nodes. Raise the effort, or ask for more clusters.`,
    });
  }
  const id = (row: number): InstanceId => idOf(ids ? { ids } : {}, row);
  const core = Array.from(answer.core.vertices, (v) => Array.from(rowsOf(graph, v), id));
  throw new CoterieError({ code: "infeasible", k, core });
}
