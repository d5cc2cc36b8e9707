/**
 * Whether two vertices of a coloured graph may share a colour: a short search, for questions that are asked often and are mostly
 * easy. What each vertex may have is a word of bits. A clique around the merged vertex gets its colours, which can be renamed at
 * will, and what follows is followed; a vertex left without a colour is a proof that they may not. Where nothing more follows, a
 * vertex that has several left tries them, its present one first. Once every vertex that was reached has one colour, none of the
 * others has such a neighbour, and they stay as they are.
 */

/** Colours are bits of a word. */
const MOST_COLOURS = 30;
/** What takes more is left to the full search. */
const NODES = 200;

export interface MergeQuestion {
  /** The neighbours of each vertex that stands, and its present colour. */
  readonly others: readonly (ReadonlySet<number> | null)[];
  readonly colours: Int32Array;
  readonly k: number;
  /** The two vertices: in the merged graph a has the neighbours of both, and b is no more. */
  readonly a: number;
  readonly b: number;
  /** Room for a word for each vertex, all 0 before and after: the colours it may have, 0 for all. */
  readonly domain: Int32Array;
}

interface Following {
  readonly asked: MergeQuestion;
  readonly all: number;
  /** Vertices whose words were changed, each with its word before. */
  readonly trail: number[];
  /** Vertices of one colour; those before `followed` have been taken from their neighbours. */
  readonly fixed: number[];
  followed: number;
  nodes: number;
}

/** "yes" has changed the colours so that both have the same. */
export function askMerge(asked: MergeQuestion): "yes" | "no" | "undecided" {
  const { k, a, b, domain, colours } = asked;
  if (k > MOST_COLOURS) return "undecided";
  const following: Following = { asked, all: 2 ** k - 1, trail: [], fixed: [], followed: 0, nodes: NODES };
  const found = takeClique(following) && follow(following) && search(following);
  if (found) {
    for (const v of following.fixed) colours[v] = 31 - Math.clz32(domain[v]!);
    colours[b] = colours[a]!;
  }
  takeBack(following, 0);
  return found ? "yes" : following.nodes > 0 ? "no" : "undecided";
}

/** The clique keeps its colours where no two are the same. */
function takeClique(following: Following): boolean {
  const { colours } = following.asked;
  const clique = cliqueAround(following.asked);
  let free = following.all;
  const own = clique.map((v) => {
    const bit = free & (1 << colours[v]!);
    free &= ~bit;
    return bit;
  });
  return clique.every((v, i) => {
    const bit = own[i]! || free & -free;
    free &= ~bit;
    return limit(following, v, bit);
  });
}

/** The merged vertex and neighbours of it that are neighbours of each other, each the one of most edges that fits. */
function cliqueAround({ others, k, a, b }: MergeQuestion): number[] {
  const clique = [a];
  let near = [...others[a]!];
  for (const v of others[b]!) if (!others[a]!.has(v)) near.push(v);
  while (clique.length < k && near.length > 0) {
    let next = near[0]!;
    for (const v of near) if (others[v]!.size > others[next]!.size) next = v;
    clique.push(next);
    const adjacent = others[next]!;
    near = near.filter((v) => adjacent.has(v));
  }
  return clique;
}

/** Leaves v only colours of a word; false if it has none left. */
function limit({ asked: { domain }, all, trail, fixed }: Following, v: number, word: number): boolean {
  const before = domain[v]! || all;
  const left = before & word;
  if (left === before) return true;
  if (left === 0) return false;
  trail.push(v, domain[v]!);
  domain[v] = left;
  if ((left & (left - 1)) === 0) fixed.push(v);
  return true;
}

/** Takes the colours of fixed vertices from their neighbours, and so on; false if one has none left. */
function follow(following: Following): boolean {
  const { fixed } = following;
  const { others, domain, a, b } = following.asked;
  while (following.followed < fixed.length) {
    const v = fixed[following.followed++]!;
    const word = ~domain[v]!;
    for (const w of others[v]!) if (!limit(following, w === b ? a : w, word)) return false;
    if (v === a) for (const w of others[b]!) if (!limit(following, w, word)) return false;
  }
  return true;
}

function takeBack(following: Following, length: number): void {
  const { asked, trail } = following;
  while (trail.length > length) {
    const word = trail.pop()!;
    asked.domain[trail.pop()!] = word;
  }
}

/** Gives every vertex that was reached one colour, one of those with the fewest to choose from first. */
function search(following: Following): boolean {
  if (--following.nodes <= 0) return false;
  const { asked, trail, fixed } = following;
  const v = fewestLeft(following);
  if (v < 0) return true;
  const [trailed, known] = [trail.length, fixed.length];
  const own = 1 << asked.colours[v]!;
  for (let left = asked.domain[v]!; left !== 0 && following.nodes > 0; ) {
    const bit = left & own || left & -left;
    left &= ~bit;
    if (limit(following, v, bit) && follow(following) && search(following)) return true;
    takeBack(following, trailed);
    fixed.length = following.followed = known;
  }
  return false;
}

/** The vertex reached last of those with the fewest colours left of several; -1 if all have one. */
function fewestLeft({ asked: { domain }, trail }: Following): number {
  let fewest = MOST_COLOURS + 1;
  let found = -1;
  for (let i = trail.length - 2; i >= 0 && fewest > 2; i -= 2) {
    const word = domain[trail[i]!]!;
    if ((word & (word - 1)) === 0) continue;
    const count = bits(word);
    if (count >= fewest) continue;
    fewest = count;
    found = trail[i]!;
  }
  return found;
}

function bits(word: number): number {
  let count = 0;
  for (; word !== 0; word &= word - 1) count++;
  return count;
}
