/** Where the state of k-means keeps its parts; the host writes the same words in the same order (kmeans.ts there). */
@unmanaged
export class Plan {
  n: i32;
  d: i32;
  k: i32;
  /** k rounded up to a multiple of four: centres beyond k are at Infinity. */
  width: i32;
  chunkRows: i32;
  bounds: i32;
  /** The time of this assignment, as a row of the table of limits. */
  now: i32;
  bufferBytes: i32;
  /** Relative error that a computed distance may have, and more. */
  slack: f64;
  /** For the estimates: the scale (a power of two) and its inverse, the largest norm of a scaled centre, and the relative error. */
  scale: f64;
  unscale: f64;
  reach: f64;
  estimateError: f64;
  x: usize;
  /** k × d centres. */
  centres: usize;
  /** The same, packed in groups of four: for each feature their four values. */
  packed: usize;
  /** Per row: label, gap, and time of its last scan. */
  labels: usize;
  gaps: usize;
  stamps: usize;
  /** Times × labels: how far a row's gap must reach. */
  limits: usize;
  /** For the estimates: a point amid the centres, and groups of four scaled centres: |c|², then -2c, feature by feature. */
  middle: usize;
  estimates: usize;
  /** Per chunk: chunkRows offsets of rows. */
  lists: usize;
  /** Per chunk: four lines of `width` distances, then room for four rows. */
  buffers: usize;
  /** Per chunk: k × d sums, k counts, k flags for clusters whose members changed, and the number of changed labels. */
  sums: usize;
  counts: usize;
  dirty: usize;
  changed: usize;
  /** For metrics: each centre's factors, packed as the centres are, and where its costs begin; or the factors of all centres. */
  factors: usize;
  starts: usize;
  /** 0: no metrics, 1: one for each centre, 2: one for all. */
  metrics: i32;
  /** Where rows are screened: the rows in integers (0 if not), and the centres in groups of five; k rounded up to whole groups. */
  screen: usize;
  fives: usize;
  fiveWidth: i32;
  /** Lines of |c|² and 2/t, singles, for each place in the groups; the largest |c| + |f|, and the largest 2|f|. */
  centreFacts: usize;
  centreReach: f32;
  centreSpread: f32;
  /** 1 if the rows are singles; what they give is the same as if they were doubles. */
  single: i32;
}

/** Where row i begins. */
export function rowAt(plan: Plan, i: i32): usize {
  return plan.x + <usize>i * <usize>plan.d * (plan.single ? 4 : 8);
}

/** Squares of distances above this overflow: a bound beyond it says no more. */
export const MOST_DISTANCE: f64 = 1e154;
/** Squares of distances below this lose digits: any distance may be off by less than it. */
export const LEAST_DISTANCE: f64 = 1e-150;

/** An entry of a chunk's list of rows: the place of a row in the chunk. */
export function offsetAt(list: usize, at: i32): i32 {
  return <i32>load<u16>(list + ((<usize>at) << 1));
}

/** Gives row i a label; 1 if it had another, and then both clusters are to be summed again in its chunk. */
export function relabel(plan: Plan, chunk: usize, i: usize, label: i32): i32 {
  const place = plan.labels + (i << 2);
  const before = load<i32>(place);
  if (before == label) return 0;
  store<i32>(place, label);
  const dirty = plan.dirty + chunk * <usize>plan.k;
  if (before >= 0) store<u8>(dirty + <usize>before, 1);
  store<u8>(dirty + <usize>label, 1);
  return 1;
}
