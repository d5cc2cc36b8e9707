/** Small sets in the plane for the figures of methods, made from a seed: each shows what its methods are good at. */
import { randomFrom } from "@coterie/core/internal";

const cloud = (random, n, [x, y], [sx, sy], turn = 0) =>
  Array.from({ length: n }, () => {
    const [u, v] = [random.normal() * sx, random.normal() * sy];
    return [x + u * Math.cos(turn) - v * Math.sin(turn), y + u * Math.sin(turn) + v * Math.cos(turn)];
  });

function blobs(random) {
  return [
    ...cloud(random, 16, [2.4, 2.6], [0.65, 0.65]),
    ...cloud(random, 16, [6, 2.4], [0.7, 0.6]),
    ...cloud(random, 16, [4.3, 5.4], [0.8, 0.55]),
  ];
}

/** Two long clouds side by side: compact clusters cut them across. */
function long(random) {
  return [...cloud(random, 26, [4.2, 2.6], [1.9, 0.28], 0.15), ...cloud(random, 26, [4.6, 4.4], [1.9, 0.28], 0.15)];
}

/** An arc around a dense spot, with a few rows that belong nowhere. */
function bent(random) {
  const arc = Array.from({ length: 30 }, (_, i) => {
    const angle = Math.PI * (0.05 + (0.9 * i) / 29);
    return [4.2 + 2.9 * Math.cos(angle) + 0.12 * random.normal(), 2.2 + 2.9 * Math.sin(angle) + 0.12 * random.normal()];
  });
  return [...arc, ...cloud(random, 18, [4.2, 2.5], [0.35, 0.35]), [0.6, 5.9], [7.7, 5.8], [7.6, 0.6]];
}

/** Two halves on each side of two lines: rules with one test a column. */
function boxes(random) {
  const square = (n, x, y) => Array.from({ length: n }, () => [x + random.unit() * 2.4, y + random.unit() * 1.9]);
  return [...square(14, 0.9, 0.8), ...square(14, 4.9, 0.8), ...square(14, 0.9, 3.9), ...square(12, 4.9, 3.9)];
}

const SETS = { blobs, long, bent, boxes };

/**
 * What the figure of a method begins with: the set, k, and constraints by row numbers. `moves` says how the figure shows the method's steps:
 * iterations, merges, leaves, or candidates.
 */
export const FIGURES = {
  auto: {
    set: "long",
    k: 2,
    mustLink: [
      [0, 20],
      [27, 50],
      [3, 12],
    ],
    cannotLink: [
      [2, 30],
      [10, 44],
      [24, 51],
    ],
    moves: "candidates",
  },
  kmeans: { set: "blobs", k: 3, moves: "iterations", init: "random" },
  mixture: {
    set: "long",
    k: 2,
    mustLink: [
      [0, 20],
      [27, 50],
    ],
    cannotLink: [[2, 30]],
    moves: "iterations",
  },
  "cop-kmeans": {
    set: "blobs",
    k: 3,
    mustLink: [[0, 20]],
    cannotLink: [
      [0, 5],
      [33, 34],
    ],
    moves: "iterations",
    init: "random",
  },
  "pck-means": { set: "blobs", k: 3, mustLink: [[0, 20]], cannotLink: [[33, 34]], moves: "iterations", init: "random" },
  "mpck-means": {
    set: "long",
    k: 2,
    mustLink: [
      [0, 20],
      [27, 50],
      [5, 14],
    ],
    cannotLink: [
      [2, 30],
      [11, 40],
    ],
    moves: "iterations",
  },
  "mk-means": {
    set: "long",
    k: 2,
    mustLink: [
      [0, 20],
      [27, 50],
      [5, 14],
    ],
    cannotLink: [
      [2, 30],
      [11, 40],
    ],
    moves: "iterations",
    init: "random",
  },
  "supervised-means": {
    set: "blobs",
    k: 3,
    mustLink: [
      [0, 3],
      [17, 20],
      [33, 40],
    ],
    moves: "once",
  },
  "rca-kmeans": {
    set: "long",
    k: 2,
    mustLink: [
      [0, 20],
      [27, 50],
      [5, 14],
    ],
    moves: "iterations",
  },
  "svm-kmeans": {
    set: "long",
    k: 2,
    relative: [
      [0, 20, 30],
      [27, 50, 3],
      [5, 14, 40],
    ],
    moves: "iterations",
    init: "random",
  },
  recon: {
    set: "blobs",
    k: 3,
    relative: [
      [0, 20, 40],
      [1, 21, 2],
    ],
    moves: "merges",
  },
  ccl: { set: "blobs", k: 3, mustLink: [[0, 20]], cannotLink: [[17, 25]], moves: "merges" },
  density: { set: "bent", moves: "merges" },
  "complete-link": { set: "blobs", k: 3, moves: "merges" },
  "single-link": { set: "bent", k: 2, moves: "merges" },
  "average-link": { set: "blobs", k: 3, moves: "merges" },
  "weighted-link": { set: "blobs", k: 3, moves: "merges" },
  ward: { set: "blobs", k: 3, moves: "merges" },
  "centroid-link": { set: "blobs", k: 3, moves: "merges" },
  "median-link": { set: "blobs", k: 3, moves: "merges" },
  clusilc: {
    set: "boxes",
    k: 4,
    mustLink: [
      [0, 3],
      [15, 20],
      [30, 35],
      [45, 50],
    ],
    cannotLink: [
      [0, 15],
      [0, 30],
      [0, 45],
      [15, 30],
      [15, 45],
      [30, 45],
    ],
    moves: "leaves",
  },
};

export const WIDTH = 8.6;
export const HEIGHT = 6.6;

export function rowsOf(set) {
  const clip = (value, most) => Math.min(most - 0.25, Math.max(0.25, Math.round(value * 100) / 100));
  return SETS[set](randomFrom(3).split(set)).map(([x, y]) => [clip(x, WIDTH), clip(y, HEIGHT)]);
}
