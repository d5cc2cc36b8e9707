/** The first place where two arrays differ in a bit, or -1. Signs of zero and kinds of NaN count. */
export function firstDifference(
  a: Float64Array | Float32Array | Int32Array,
  b: Float64Array | Float32Array | Int32Array,
): number {
  const left = new Uint8Array(a.slice().buffer);
  const right = new Uint8Array(b.slice().buffer);
  if (left.length !== right.length) return Math.min(a.length, b.length);
  const at = left.findIndex((byte, p) => byte !== right[p]);
  return at < 0 ? -1 : Math.floor(at / a.BYTES_PER_ELEMENT);
}
