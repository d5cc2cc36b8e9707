/** Converts arrays of numbers to base64 text, as the protocol sends them, and back. */

function bytesFrom(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export function floatsFrom(base64: string): Float32Array<ArrayBuffer> {
  return new Float32Array(bytesFrom(base64).buffer);
}
