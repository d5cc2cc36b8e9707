/** Arrays of numbers as text in base64. The bytes are little-endian on every machine. */

export function float32Text(values: ArrayLike<number>): string {
  return text(values, (view, at, value) => view.setFloat32(at, value, true));
}

export function int32Text(values: ArrayLike<number>): string {
  return text(values, (view, at, value) => view.setInt32(at, value, true));
}

export function int32sFrom(encoded: string): Int32Array {
  const bytes = Uint8Array.from(atob(encoded), (sign) => sign.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Int32Array.from({ length: bytes.length >> 2 }, (_, i) => view.getInt32(4 * i, true));
}

export function float32sFrom(encoded: string): Float32Array {
  const bytes = Uint8Array.from(atob(encoded), (sign) => sign.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: bytes.length >> 2 }, (_, i) => view.getFloat32(4 * i, true));
}

/** Characters converted per call, because the number of arguments of a call is limited. */
const PIECE = 8_192;

function text(values: ArrayLike<number>, put: (view: DataView, at: number, value: number) => void): string {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < values.length; i++) put(view, 4 * i, values[i]!);
  let signs = "";
  for (let at = 0; at < bytes.length; at += PIECE) signs += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(signs);
}
