/**
 * Decodes LZ4 frames: the default compression of Feather files, for which the Arrow library has no decoder.
 *
 * Follows the public LZ4 frame and block formats: a block is a sequence of literals (new bytes) and matches (copies of earlier output).
 * Checksums are skipped. Every fault throws Damage; the output is at most 255 times the input.
 */
import { Damage } from "./damage.js";

export function decodeLz4Frame(input: Uint8Array): Uint8Array {
  try {
    return decodeFrame(input);
  } catch (error) {
    // DataView throws a RangeError for positions beyond its end.
    throw error instanceof RangeError ? new Damage("a compressed block ends early") : error;
  }
}

const MAGIC = 0x184d2204;
const HAS_BLOCK_CHECKSUM = 0x10;
const HAS_CONTENT_SIZE = 0x08;
const HAS_DICTIONARY = 0x01;

function decodeFrame(input: Uint8Array): Uint8Array {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const flags = view.getUint8(4);
  if (view.getUint32(0, true) !== MAGIC || flags >> 6 !== 1 || flags & HAS_DICTIONARY)
    throw new Damage("a compressed buffer is not an LZ4 frame");
  // The header: 4 magic bytes, 2 bytes of flags, an optional content size of 8 bytes, 1 byte of checksum.
  let at = 6 + (flags & HAS_CONTENT_SIZE ? 8 : 0) + 1;
  const output = new Output(input.length * 4);
  for (;;) {
    const word = view.getUint32(at, true);
    at += 4;
    if (word === 0) return output.bytes();
    const size = word & 0x7fffffff;
    if (at + size > input.length) throw new Damage("a compressed block is longer than its buffer");
    const block = input.subarray(at, at + size);
    if (word >>> 31 === 1) output.append(block, 0, size);
    else decodeBlock(block, output);
    at += size + (flags & HAS_BLOCK_CHECKSUM ? 4 : 0);
  }
}

/** Decodes one block without a frame; pages of Parquet files have such blocks. */
export function decodeLz4Block(block: Uint8Array, length: number): Uint8Array {
  const output = new Output(length);
  decodeBlock(block, output);
  return output.bytes();
}

const SHORTEST_MATCH = 4;

function decodeBlock(block: Uint8Array, output: Output): void {
  let at = 0;
  const next = () => {
    const byte = block[at++];
    if (byte === undefined) throw new Damage("a compressed block ends early");
    return byte;
  };
  const extended = (length: number) => {
    if (length !== 15) return length;
    for (let byte = 255; byte === 255; length += byte) byte = next();
    return length;
  };
  while (at < block.length) {
    const token = next();
    const literals = extended(token >> 4);
    if (at + literals > block.length) throw new Damage("a compressed block ends early");
    output.append(block, at, at + literals);
    at += literals;
    // The last sequence of a block has literals but no match, so the block can end here.
    if (at === block.length) return;
    const distance = next() | (next() << 8);
    output.repeat(distance, extended(token & 15) + SHORTEST_MATCH);
  }
}

class Output {
  #buffer: Uint8Array;
  #length = 0;

  constructor(capacity: number) {
    this.#buffer = new Uint8Array(capacity);
  }

  append(from: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start);
    this.#buffer.set(from.subarray(start, end), this.#length);
    this.#length += end - start;
  }

  /** Appends `count` bytes. They are copied from `distance` bytes before the end of the output. Source and target can overlap. */
  repeat(distance: number, count: number): void {
    if (distance === 0 || distance > this.#length) throw new Damage("a compressed block refers to bytes before its start");
    this.#reserve(count);
    const start = this.#length - distance;
    // The bytes repeat, so each step copies everything written since `start`. A step copies twice as much as the step before.
    for (let copied = 0; copied < count; ) {
      const step = Math.min(distance + copied, count - copied);
      this.#buffer.copyWithin(this.#length + copied, start, start + step);
      copied += step;
    }
    this.#length += count;
  }

  bytes(): Uint8Array {
    return this.#buffer.slice(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#buffer.length) return;
    const larger = new Uint8Array(2 * (this.#length + more));
    larger.set(this.#buffer);
    this.#buffer = larger;
  }
}
