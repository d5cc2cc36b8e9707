/**
 * Frames: messages over a pipe, with arrays beside their JSON (docs/stdio.md).
 *
 *     u32 length of the JSON text in bytes, little-endian │ JSON text in UTF-8 │ bytes of array 0 │ bytes of array 1 │ …
 *
 * The field `arrays` of the JSON lists type and shape of each array. Elsewhere in the JSON, `{ "$array": 1 }` stands for array 1.
 * An array in a file has a `file` and an optional `offset` in bytes, and has no bytes in the frame.
 */
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { badInput } from "@coterie/core/errors";
import { z } from "@coterie/core/internal";

const KINDS = {
  i1: Int8Array,
  u1: Uint8Array,
  i2: Int16Array,
  u2: Uint16Array,
  i4: Int32Array,
  u4: Uint32Array,
  i8: BigInt64Array,
  u8: BigUint64Array,
  f4: Float32Array,
  f8: Float64Array,
} as const;

type Kind = keyof typeof KINDS;

export type Values =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** An array of a message: its values, row by row, and its shape. */
export class SentArray<V extends Values = Values> {
  readonly values: V;
  readonly shape: readonly number[];

  constructor(values: V, shape: readonly number[] = [values.length]) {
    this.values = values;
    this.shape = shape;
  }
}

const MOST_JSON = 2 ** 29;
const MOST_BYTES = 2 ** 36;
/** Arrays with more bytes than this travel through a file. */
const MOST_IN_FRAME = 2 ** 26;

const size = z.int().min(0).max(MOST_BYTES);
const listedArrays = z.object({
  arrays: z
    .array(
      z.strictObject({
        type: z.enum(Object.keys(KINDS) as Kind[]),
        shape: z.array(size).min(1).max(2),
        file: z.string().min(1).optional(),
        offset: size.optional(),
      }),
    )
    .max(200_000)
    .default([]),
});

type Listed = z.infer<typeof listedArrays>["arrays"][number];

/** A message as it arrived. `message` reads the arrays that are in files, and puts all arrays into their places. */
export interface Frame {
  readonly json: Readonly<Record<string, unknown>>;
  readonly message: () => unknown;
}

/** The stream does not follow the format, so that the beginning of the next frame is unknown. */
export class BrokenStream extends Error {}

export async function* framesFrom(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Frame, void, void> {
  const source = new Source(stream);
  const length = new Uint8Array(4);
  while (await source.fill(length)) {
    const bytes = new DataView(length.buffer).getUint32(0, true);
    if (bytes > MOST_JSON)
      throw new BrokenStream(`A frame begins with a JSON text of ${bytes} bytes; at most ${MOST_JSON} can be read.`);
    const text = new Uint8Array(bytes);
    await source.need(text);
    const json = parsed(text);
    const arrays = await inFrame(source, json);
    yield {
      json,
      message: () =>
        withArrays(
          json,
          arrays.map((array) => array()),
        ),
    };
  }
}

function parsed(text: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text));
    if (typeof json === "object" && json !== null && !Array.isArray(json)) return json;
  } catch (error) {
    throw new BrokenStream(`The JSON text of a frame cannot be read: ${(error as Error).message}`);
  }
  throw new BrokenStream("The JSON text of a frame must be an object.");
}

/** The arrays of a frame; the bytes that follow the JSON text are read now, and files when the array is called. */
async function inFrame(source: Source, json: unknown): Promise<(() => SentArray)[]> {
  const checked = listedArrays.safeParse(json);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw new BrokenStream(`${issue!.path.join(".")} does not fit: ${issue!.message}.`);
  }
  const found: (() => SentArray)[] = [];
  for (const listed of checked.data.arrays) {
    if (listed.file !== undefined) {
      found.push(() => readArray(listed, listed.file!));
      continue;
    }
    const array = emptyArray(listed);
    await source.need(bytesOf(array.values));
    found.push(() => array);
  }
  return found;
}

function emptyArray({ type, shape }: Listed): SentArray {
  const count = shape.reduce((product, each) => product * each, 1);
  const bytes = count * KINDS[type].BYTES_PER_ELEMENT;
  if (bytes > MOST_BYTES)
    throw new BrokenStream(`An array of the shape ${shape.join(" × ")} is larger than ${MOST_BYTES} bytes.`);
  try {
    // Memory that is not set to zero first: every byte is read from the frame or the file.
    return new SentArray(new KINDS[type](Buffer.allocUnsafeSlow(bytes).buffer), shape);
  } catch {
    throw badInput(`There is no memory for an array of ${bytes} bytes.`);
  }
}

function bytesOf(values: Values): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

const PIECE = 2 ** 26;

function readArray(listed: Listed, file: string): SentArray {
  const { offset = 0 } = listed;
  const array = emptyArray(listed);
  const bytes = bytesOf(array.values);
  let opened: number;
  try {
    opened = openSync(file, "r");
  } catch (error) {
    throw badInput(`The file of an array cannot be opened (${(error as NodeJS.ErrnoException).code}).`, { file });
  }
  try {
    const about = fstatSync(opened);
    if (!about.isFile() || about.size < offset + bytes.length)
      throw badInput(`The file of an array has fewer than ${offset + bytes.length} bytes.`, { file });
    for (let done = 0; done < bytes.length; )
      done += readSync(opened, bytes, done, Math.min(PIECE, bytes.length - done), offset + done);
  } finally {
    closeSync(opened);
  }
  return array;
}

/** The JSON with each `{ "$array": i }` replaced by its array, without the list of arrays. */
function withArrays({ arrays: _, ...json }: Readonly<Record<string, unknown>>, arrays: readonly SentArray[]): unknown {
  const placed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(placed);
    if (typeof value !== "object" || value === null) return value;
    const index = (value as { readonly $array?: unknown }).$array;
    if (index === undefined) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, placed(each)]));
    const array = arrays[index as number];
    if (array) return array;
    throw badInput(`The message names the array ${String(index)}, but it has ${arrays.length} arrays, numbered from 0.`);
  };
  return arrays.length === 0 ? json : placed(json);
}

/** The bytes of a stream, copied into arrays of any length. */
class Source {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #piece: Uint8Array = new Uint8Array(0);

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#pieces = stream[Symbol.asyncIterator]();
  }

  /** Fills an array; false if the stream ended before its first byte. */
  async fill(target: Uint8Array): Promise<boolean> {
    for (let at = 0; at < target.length; ) {
      if (this.#piece.length === 0) {
        const { done, value } = await this.#pieces.next();
        if (done && at === 0) return false;
        if (done) throw new BrokenStream("The stream ended inside a frame.");
        this.#piece = value;
      }
      const taken = this.#piece.subarray(0, target.length - at);
      target.set(taken, at);
      at += taken.length;
      this.#piece = this.#piece.subarray(taken.length);
    }
    return true;
  }

  async need(target: Uint8Array): Promise<void> {
    if (target.length > 0 && !(await this.fill(target))) throw new BrokenStream("The stream ended inside a frame.");
  }
}

/** The bytes of a message: arrays, wherever they are in it, follow the JSON text or go to files. The receiver deletes the files. */
export function* frameOf(message: Readonly<Record<string, unknown>>): Generator<Uint8Array, void, void> {
  const arrays: { readonly type: Kind; readonly shape: readonly number[]; readonly file?: string }[] = [];
  const inline: Uint8Array[] = [];
  const listed = ({ values, shape }: SentArray): { readonly $array: number } => {
    const bytes = bytesOf(values);
    const type = (Object.keys(KINDS) as Kind[]).find((kind) => values instanceof KINDS[kind])!;
    if (bytes.length > MOST_IN_FRAME) arrays.push({ type, shape, file: fileWith(bytes) });
    else {
      arrays.push({ type, shape });
      inline.push(bytes);
    }
    return { $array: arrays.length - 1 };
  };
  const placed = (value: unknown): unknown => {
    if (value instanceof SentArray) return listed(value);
    if (typeof value === "bigint") return String(value);
    if (Array.isArray(value)) return value.map(placed);
    if (ArrayBuffer.isView(value)) return listed(new SentArray(value as Values));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, placed(each)]));
  };
  const json = placed(message) as Record<string, unknown>;
  const text = Buffer.from(JSON.stringify(arrays.length === 0 ? json : { ...json, arrays }));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, text.length, true);
  yield length;
  yield text;
  yield* inline;
}

function fileWith(bytes: Uint8Array): string {
  const file = join(mkdtempSync(join(tmpdir(), "coterie-array-")), "array");
  writeFileSync(file, bytes, { mode: 0o600 });
  return file;
}
