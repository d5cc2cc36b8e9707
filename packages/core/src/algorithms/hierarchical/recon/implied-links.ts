/**
 * Cannot-links that follow from cannot-links and relative constraints together: if a and b must be apart, ab|c parts c from
 * both, for a cluster with a and c would have to hold b. What follows from these in turn follows too.
 */
import { type Closure, closeConstraints } from "../../../constraints/index.js";
import type { Triples } from "../../../model/constraint-set.js";

/** The closure with what follows added to its cannot-links; the same closure if nothing does. */
export function withImpliedCannotLinks(closure: Closure, { a, b, c }: Triples): Closure {
  const { set, component } = closure;
  const byPair = new Map<number, number[]>();
  const found = new Map<number, readonly [number, number]>();
  const key = (p: number, q: number): number => Math.min(p, q) * closure.componentCount + Math.max(p, q);
  const open: number[] = [];
  for (let s = 0; s < a.length; s++) {
    const [p, q] = [component[a[s]!]!, component[b[s]!]!];
    if (p === q) continue;
    const list = byPair.get(key(p, q));
    if (list) list.push(s);
    else byPair.set(key(p, q), [s]);
    if (!list && closure.apart(p, q)) open.push(key(p, q));
  }
  while (open.length > 0) {
    for (const s of byPair.get(open.pop()!)!) {
      for (const end of [a[s]!, b[s]!]) {
        const [p, q] = [component[end]!, component[c[s]!]!];
        if (p === q || closure.apart(p, q) || found.has(key(p, q))) continue;
        found.set(key(p, q), [end, c[s]!]);
        if (byPair.has(key(p, q))) open.push(key(p, q));
      }
    }
  }
  if (found.size === 0) return closure;
  const pairs = [...found.values()];
  const links = set.cannotLinks;
  return closeConstraints({
    ...set,
    cannotLinks: {
      a: Int32Array.from([...links.a, ...pairs.map(([end]) => end)]),
      b: Int32Array.from([...links.b, ...pairs.map(([, outsider]) => outsider)]),
      weight: Float64Array.from([...links.weight, ...pairs.map(() => 1)]),
    },
  });
}
