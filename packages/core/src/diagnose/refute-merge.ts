/**
 * A quick proof that two vertices cannot share a colour: a clique around the merged vertex gets its colours, which can be renamed at
 * will, and what follows is followed. A vertex left without a colour is the proof; none found proves nothing.
 */

/** Colours are bits of a word. */
const MOST_COLOURS = 30;

/** `others` are the neighbours of each vertex; `domain` is room for a word each, all 0 before and after. */
export function isRefuted(
  others: readonly (ReadonlySet<number> | null)[],
  domain: Int32Array,
  k: number,
  a: number,
  b: number,
): boolean {
  if (k > MOST_COLOURS) return false;
  const touched: number[] = [];
  const fixed: number[] = [];
  const all = 2 ** k - 1;
  const limit = (v: number, colours: number): boolean => {
    const before = domain[v] === 0 ? all : domain[v]!;
    const left = before & colours;
    if (left === before && domain[v] !== 0) return true;
    if (domain[v] === 0) touched.push(v);
    domain[v] = left;
    if (left !== 0 && (left & (left - 1)) === 0 && left !== before) fixed.push(v);
    return left !== 0;
  };
  let holds = true;
  cliqueAround(others, k, a, b).forEach((v, colour) => {
    holds &&= limit(v, 1 << colour);
  });
  for (let f = 0; holds && f < fixed.length; f++) {
    const v = fixed[f]!;
    const colours = ~domain[v]!;
    for (const set of v === a ? [others[a]!, others[b]!] : [others[v]!]) {
      for (const w of set) if (!limit(w === b ? a : w, colours)) holds = false;
      if (!holds) break;
    }
  }
  for (const v of touched) domain[v] = 0;
  return !holds;
}

/** The merged vertex, under the name of a, and neighbours of it that are neighbours of each other, those of many edges first. */
function cliqueAround(others: readonly (ReadonlySet<number> | null)[], k: number, a: number, b: number): number[] {
  const clique = [a];
  const near = [...new Set([...others[a]!, ...others[b]!])].sort((v, w) => others[w]!.size - others[v]!.size || v - w);
  for (const v of near) {
    if (clique.length === k) break;
    if (clique.every((w) => w === a || others[w]!.has(v))) clique.push(v);
  }
  return clique;
}
