/**
 * A small allocator over one WebAssembly memory: a sorted list of free ranges, first fit; adjacent ranges are joined on release. Blocks
 * start at multiples of 64 bytes (a cache line), and a new block is zero. Memory that was never allocated before is zero already, so only
 * memory that was used before is cleared.
 */
import { type Arena, type Block, badInput, type F32, type F64, memoryOf, memoryRemedy } from "@coterie/core/internal";

const PAGE = 65_536;

type Memory = WebAssembly.Memory;
type BlockType = Block<unknown>["type"];

const LINE = 64;
/** The last page stays unused, so that the end of every block is an address below 2³². */
const MOST_BYTES = 65_535 * PAGE;

export class Allocator {
  readonly memory: Memory;
  readonly #most: number;
  readonly #free: { address: number; bytes: number }[] = [];
  /** All memory from this address on is free. */
  #top: number;
  /** All memory from this address on was never allocated. */
  #fresh: number;

  /** Allocates addresses from `base` up to `mostBytes`, growing the memory as needed. */
  constructor(memory: Memory, base: number, mostBytes: number) {
    this.memory = memory;
    this.#most = Math.min(mostBytes, MOST_BYTES);
    this.#top = roundUp(base, LINE);
    this.#fresh = this.#top;
  }

  take(bytes: number, zeroed: boolean, hasSingle = false): number {
    const size = roundUp(Math.max(bytes, 1), LINE);
    const address = this.#takeFree(size) ?? this.#takeTop(size, hasSingle);
    if (zeroed) {
      const end = Math.min(address + size, this.#fresh);
      if (end > address) new Uint8Array(this.memory.buffer, address, end - address).fill(0);
    }
    this.#fresh = Math.max(this.#fresh, address + size);
    return address;
  }

  /** Frees a range that `take` returned for the same number of bytes. */
  give(address: number, bytes: number): void {
    const size = roundUp(Math.max(bytes, 1), LINE);
    let low = 0;
    for (let high = this.#free.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (this.#free[middle]!.address < address) low = middle + 1;
      else high = middle;
    }
    this.#free.splice(low, 0, { address, bytes: size });
    if (low + 1 < this.#free.length) this.#joinWithNext(low);
    if (low > 0) this.#joinWithNext(low - 1);
    const last = this.#free.at(-1)!;
    if (last.address + last.bytes === this.#top) {
      this.#top = last.address;
      this.#free.pop();
    }
  }

  #joinWithNext(index: number): void {
    const span = this.#free[index]!;
    const next = this.#free[index + 1]!;
    if (span.address + span.bytes !== next.address) return;
    span.bytes += next.bytes;
    this.#free.splice(index + 1, 1);
  }

  #takeFree(size: number): number | undefined {
    const index = this.#free.findIndex((span) => span.bytes >= size);
    if (index < 0) return undefined;
    const span = this.#free[index]!;
    const address = span.address;
    if (span.bytes === size) this.#free.splice(index, 1);
    else {
      span.address += size;
      span.bytes -= size;
    }
    return address;
  }

  #takeTop(size: number, hasSingle: boolean): number {
    const address = this.#top;
    const end = address + size;
    if (end > this.#most) throw outOfMemory(size, this.#most - address, hasSingle);
    const missing = end - this.memory.buffer.byteLength;
    if (missing > 0) {
      try {
        this.memory.grow(Math.ceil(missing / PAGE));
      } catch (cause) {
        throw outOfMemory(size, this.memory.buffer.byteLength - address, hasSingle, cause);
      }
    }
    this.#top = end;
    return address;
  }
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}

function outOfMemory(bytes: number, left: number, hasSingle: boolean, cause?: unknown): Error {
  const error = badInput(`The run needs ${megabytes(bytes)} MB more memory, and ${megabytes(Math.max(left, 0))} MB are left.`, {
    remedy: memoryRemedy(hasSingle),
  });
  error.cause = cause;
  return error;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
}

const BYTES: Readonly<Record<BlockType, number>> = { f64: 8, f32: 4, i32: 4, u8: 1 };

type Open<View> = (buffer: ArrayBufferLike, address: number, length: number) => View;

export class MemoryBlock<View> implements Block<View> {
  readonly type: BlockType;
  readonly length: number;
  readonly allocator: Allocator;
  readonly #address: number;
  readonly #open: Open<View>;
  #live = true;

  constructor(type: BlockType, length: number, allocator: Allocator, open: Open<View>, hasSingle: boolean) {
    this.type = type;
    this.length = length;
    this.allocator = allocator;
    this.#open = open;
    this.#address = allocator.take(length * BYTES[type], true, hasSingle);
  }

  get address(): number {
    if (!this.#live) throw new Error("A block was used after its arena had been released.");
    return this.#address;
  }

  view(): View {
    return this.#open(this.allocator.memory.buffer, this.address, this.length);
  }

  release(): void {
    if (!this.#live) return;
    this.#live = false;
    this.allocator.give(this.#address, this.length * BYTES[this.type]);
  }
}

/** Rows that are in the kernels' memory but were not allocated by the arena. */
export class LentBlock implements Block<Float32Array> {
  readonly type = "f32";
  readonly length: number;
  readonly allocator: Allocator;
  readonly address: number;
  readonly #rows: Float32Array;

  constructor(rows: Float32Array, allocator: Allocator) {
    this.length = rows.length;
    this.allocator = allocator;
    this.address = rows.byteOffset;
    this.#rows = rows;
  }

  view(): Float32Array {
    return this.#rows;
  }
}

/** An arena over an allocator. After `release` it can be used again like a new arena. */
export function memoryArena(allocator: Allocator): Arena {
  const blocks: MemoryBlock<unknown>[] = [];
  const take = <View>(type: BlockType, length: number, open: Open<View>) => {
    const hasSingle = type === "f32" || blocks.some((block) => block.type === "f32");
    const block = new MemoryBlock<View>(type, length, allocator, open, hasSingle);
    blocks.push(block);
    return block;
  };
  const f64 = (length: number): F64 => take("f64", length, (buffer, address, size) => new Float64Array(buffer, address, size));
  const f32 = (length: number): F32 => take("f32", length, (buffer, address, size) => new Float32Array(buffer, address, size));
  const place = (x: Float64Array | Float32Array): F64 | F32 => {
    const single = x instanceof Float32Array;
    if (single && memoryOf(x) === allocator.memory) return new LentBlock(x, allocator);
    return single ? f32(x.length) : f64(x.length);
  };
  const rows = (x: Float64Array | Float32Array): F64 | F32 => {
    const block = place(x);
    if (block.view() !== x) block.view().set(x);
    return block;
  };
  return {
    f64,
    f32,
    rows,
    place,
    i32: (length) => take("i32", length, (buffer, address, size) => new Int32Array(buffer, address, size)),
    u8: (length) => take("u8", length, (buffer, address, size) => new Uint8Array(buffer, address, size)),
    release: () => {
      for (const block of blocks) block.release();
      blocks.length = 0;
    },
  };
}
