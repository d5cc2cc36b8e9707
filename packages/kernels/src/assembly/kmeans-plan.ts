/** The layout of the state of k-means. src/kmeans.ts writes the same fields in the same order. */
@unmanaged
export class Plan {
  n: i32;
  d: i32;
  k: i32;
  /** k rounded up to a multiple of four. Centres from k on are at Infinity. */
  width: i32;
  chunkRows: i32;
  bounds: i32;
  /** The number of this assignment, which is also its row in the table of limits. */
  now: i32;
  bufferBytes: i32;
  /** An upper bound of the relative error of a computed distance. */
  slack: f64;
  /** For the estimates: the scale (a power of two), its inverse, the largest norm of a scaled centre, and the relative error. */
  scale: f64;
  unscale: f64;
  reach: f64;
  estimateError: f64;
  x: usize;
  /** k × d centres. */
  centres: usize;
  /** The same centres, packed in groups of four: for each feature, the four values of a group. */
  packed: usize;
  /** `labels`, `gaps`, `stamps`: for each row, its label, its gap and the time of its last scan. */
  labels: usize;
  gaps: usize;
  stamps: usize;
  /** For each earlier assignment and each label: the gap that a row needs to keep its label. */
  limits: usize;
  /** For the estimates: a point amid the centres, and groups of four scaled centres: |c|², then -2c by feature. */
  middle: usize;
  estimates: usize;
  /** For each chunk: space for a list of rows, as positions in the chunk. */
  lists: usize;
  /** For each chunk: four lines of `width` distances, then space for four rows. */
  buffers: usize;
  /** For each chunk: k × d sums, k counts, k flags of clusters whose members changed, and the number of changed labels. */
  sums: usize;
  counts: usize;
  dirty: usize;
  changed: usize;
  /** For metrics: each centre's packed factors and start value of its costs, or the factors that all centres share. */
  factors: usize;
  starts: usize;
  /** Kind of metrics: 0: none, 1: one metric for each centre, 2: one metric for all centres. */
  metrics: i32;
  /** If rows are screened: the rows in integers (else 0), the centres in groups of five, and k rounded up to whole groups. */
  screen: usize;
  fives: usize;
  fiveWidth: i32;
  /** For each place in the groups |c|² and 2/t (see screen.ts), in single precision; then the largest |c| + |f|, and the largest 2|f|. */
  centreFacts: usize;
  centreReach: f32;
  centreSpread: f32;
  /** 1 if the rows are in single precision. The results are the same as for the same numbers in double precision. */
  single: i32;
}

export function rowAt(plan: Plan, i: i32): usize {
  return plan.x + <usize>i * <usize>plan.d * (plan.single ? 4 : 8);
}

/** The square of a larger distance overflows. A bound above this value proves nothing. */
export const MOST_DISTANCE: f64 = 1e154;
/** The square of a smaller distance loses digits. So any distance can be wrong by up to this value. */
export const LEAST_DISTANCE: f64 = 1e-150;

/** An entry of a chunk's list of rows: the position of a row in the chunk. */
export function offsetAt(list: usize, at: i32): i32 {
  return <i32>load<u16>(list + ((<usize>at) << 1));
}

/** Gives row i a label. Returns 1 if the label changed; then both clusters must be summed again in this chunk. */
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
