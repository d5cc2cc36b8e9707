/** Single linkage by a minimum spanning tree: the twin of `linkage-tree.ts` in `@coterie/core`. */
import { lowerAndFind } from "./scan";

// @ts-ignore: the decorator and the number types are AssemblyScript's.
@unmanaged
class Tree {
  matrix: usize;
  merges: usize;
  /** Elements: the distance of each slot to the tree, NaN once it is inside. */
  distances: usize;
  n: i32;
  made: i32;
  last: i32;
  /** 1 if the matrix is of f32. */
  single: i32;
}

/** Bytes of state that a tree over n rows needs. */
export function treeBytes(n: i32): usize {
  return 64 + ((<usize>n) << 3);
}

export function treeOpen(state: usize, matrix: usize, merges: usize, n: i32, single: i32): void {
  const tree = changetype<Tree>(state);
  tree.matrix = matrix;
  tree.merges = merges;
  tree.distances = state + 64;
  tree.n = n;
  tree.made = 0;
  tree.last = 0;
  tree.single = single;
  for (let i: usize = 0; i < <usize>n; i++) {
    if (single) store<f32>(tree.distances + (i << 2), Infinity);
    else store<f64>(tree.distances + (i << 3), Infinity);
  }
}

/** Makes `most` merges while there are any; returns the number made so far. The code of the linkage is not needed. */
export function treeAdvance(state: usize, _linkage: i32, most: i32): i32 {
  const tree = changetype<Tree>(state);
  const goal = min(tree.n - 1, tree.made + most);
  while (tree.made < goal) {
    if (tree.single) takeNearest<f32>(tree);
    else takeNearest<f64>(tree);
  }
  return tree.made;
}

function takeNearest<T>(tree: Tree): void {
  const distances = tree.distances;
  store<T>(distances + ((<usize>tree.last) << alignof<T>()), <T>NaN);
  const row = tree.matrix + ((<usize>tree.last * <usize>tree.n) << alignof<T>());
  const found = lowerAndFind<T>(distances, row, tree.n);
  const nearest = <i32>((found - distances) >> alignof<T>());
  const merge = tree.merges + <usize>tree.made * 24;
  store<f64>(merge, <f64>tree.last);
  store<f64>(merge, <f64>nearest, 8);
  store<f64>(merge, <f64>load<T>(found), 16);
  tree.made++;
  tree.last = nearest;
}
