/**
 * Slow, obviously correct versions: every rooted binary tree over a few leaves, and OneTree as printed in the paper. For tests
 * only.
 */

export type Triple = readonly [number, number, number];
export type Tree = number | readonly [Tree, Tree];

export function allTrees(leaves: readonly number[]): Tree[] {
  if (leaves.length === 1) return [leaves[0]!];
  const [last, ...rest] = [leaves.at(-1)!, ...leaves.slice(0, -1)];
  return allTrees(rest).flatMap((tree) => insertions(tree, last));
}

function insertions(tree: Tree, leaf: number): Tree[] {
  const here: Tree[] = [[tree, leaf]];
  if (typeof tree === "number") return here;
  const [left, right] = tree;
  return [
    ...here,
    ...insertions(left, leaf).map((changed): Tree => [changed, right]),
    ...insertions(right, leaf).map((changed): Tree => [left, changed]),
  ];
}

function leavesOf(tree: Tree): number[] {
  return typeof tree === "number" ? [tree] : tree.flatMap(leavesOf);
}

export function induces(tree: Tree, [a, b, c]: Triple): boolean {
  if (typeof tree === "number") return false;
  for (const part of tree) {
    const leaves = new Set(leavesOf(part));
    if (leaves.has(a) && leaves.has(b)) return leaves.has(c) ? induces(part, [a, b, c]) : true;
  }
  return false;
}

/** OneTree as printed in liu2011 §4.1.1, line by line: whether some tree induces all triples. */
export function oneTree(triples: readonly Triple[], leaves: readonly number[]): boolean {
  if (leaves.length <= 2) return true;
  let sets = leaves.map((leaf) => new Set([leaf]));
  for (const [a, b] of triples) {
    const joined = sets.filter((set) => set.has(a) || set.has(b));
    sets = [...sets.filter((set) => !joined.includes(set)), new Set(joined.flatMap((set) => [...set]))];
  }
  if (sets.length === 1) return false;
  return sets.every((set) =>
    oneTree(
      triples.filter((triple) => triple.every((leaf) => set.has(leaf))),
      [...set],
    ),
  );
}
