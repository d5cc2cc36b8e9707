import type { Closure } from "../../constraints/index.js";

/** Figure 5 as printed, with its corrections: zero the must-links, restricted Floyd-Warshall, raise the cannot-links. */
export function constrainByDefinition(matrix: Float64Array, closure: Closure): Float64Array {
  const { n, component, sizes } = closure;
  const d = matrix.slice();
  const linked = [...component.keys()].filter((i) => sizes[component[i]!]! > 1);
  for (const i of linked) for (const j of linked) if (component[i] === component[j]) d[i * n + j] = 0;
  for (const k of linked) {
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) d[i * n + j] = Math.min(d[i * n + j]!, d[i * n + k]! + d[k * n + j]!);
  }
  const most = d.reduce((a, b) => Math.max(a, b), 0);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) if (closure.apart(component[i]!, component[j]!)) d[i * n + j]! += most + 1;
  }
  return d;
}
