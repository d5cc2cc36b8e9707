/** Zstandard by fzstd, which runs everywhere: Node has it from version 22.15 on, browsers do not. */
import { Decompress } from "fzstd";
import { Damage } from "./damage.js";

/** Bytes that a packed buffer may become however small it is. */
const LARGE_BUFFER = 2 ** 29;

/** The bytes of a frame. A few packed bytes can claim to be gigabytes: they are counted as they come. */
export function decodeZstandard(bytes: Uint8Array): Uint8Array {
  const most = LARGE_BUFFER + 4096 * bytes.length;
  const parts: Uint8Array[] = [];
  let length = 0;
  const stream = new Decompress((part) => {
    length += part.length;
    if (length > most) throw new Damage("a packed part claims to be larger than any table");
    parts.push(part);
  });
  stream.push(bytes, true);
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
