/** An arena of ordinary typed arrays. */
import { badInput } from "../errors.js";
import type { Arena, Block, F32, F64 } from "./kernels.js";

type View = Float64Array | Float32Array | Int32Array | Uint8Array;

export function plainArena(): Arena {
  const live = new Set<PlainBlock<View>>();
  let hasSingle = false;
  const take = <V extends View>(type: Block<V>["type"], length: number, make: (length: number) => V): Block<V> => {
    hasSingle ||= type === "f32";
    const block = new PlainBlock(type, length, allocate(length, make, hasSingle));
    live.add(block);
    return block;
  };
  const rows = (x: Float64Array | Float32Array): F64 | F32 => {
    const block = new PlainBlock<View>(x instanceof Float32Array ? "f32" : "f64", x.length, x);
    live.add(block);
    return block as Block<View> as F64 | F32;
  };
  return {
    f64: (length) => take("f64", length, (size) => new Float64Array(size)),
    f32: (length) => take("f32", length, (size) => new Float32Array(size)),
    i32: (length) => take("i32", length, (size) => new Int32Array(size)),
    u8: (length) => take("u8", length, (size) => new Uint8Array(size)),
    rows,
    place: rows,
    release: () => {
      for (const block of live) block.release();
      live.clear();
    },
  };
}

class PlainBlock<V extends View> implements Block<V> {
  readonly type: Block<V>["type"];
  readonly length: number;
  #array: V | null;

  constructor(type: Block<V>["type"], length: number, array: V) {
    this.type = type;
    this.length = length;
    this.#array = array;
  }

  view(): V {
    if (this.#array === null) throw new Error("A block was used after its arena had been released.");
    return this.#array;
  }

  release(): void {
    this.#array = null;
  }
}

/** The remedy in the error message when memory runs out. `hasSingle`: single precision is already in use. */
export function memoryRemedy(hasSingle: boolean): string {
  return hasSingle
    ? "Use fewer rows, or a sample of the rows."
    : "Use fewer rows, a sample of the rows, or single precision (f32) where distances are stored.";
}

function allocate<V extends View>(length: number, make: (length: number) => V, hasSingle: boolean): V {
  try {
    return make(length);
  } catch (cause) {
    const bytes = length * make(0).BYTES_PER_ELEMENT;
    const error = badInput(`The run needs ${(bytes / 1e6).toFixed(0)} MB more memory than there is.`, {
      remedy: memoryRemedy(hasSingle),
    });
    error.cause = cause;
    throw error;
  }
}
