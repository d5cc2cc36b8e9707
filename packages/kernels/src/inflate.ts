/**
 * Decompresses raw deflate data (RFC 1951) synchronously, which browsers cannot do themselves. Made for the WebAssembly modules that this
 * package carries.
 *
 * Bits are read from the lowest of each byte. A block has a table of Huffman codes for literals and lengths and one for distances. Codes
 * of equal length are consecutive numbers, so a table needs only the number of codes of each length and the symbols in order of their codes.
 */

/** First lengths and distances of the length codes (from 257) and the distance codes; extra bits add to them. */
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_EXTRA = Array.from({ length: 30 }, (_, code) => Math.max(0, (code >> 1) - 1));
const LENGTHS = [...firstOf(LENGTH_EXTRA, 3).slice(0, 28), 258];
const DISTANCES = firstOf(DISTANCE_EXTRA, 1);
/** The order in which a block lists the lengths of the codes that its tables are written in. */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const END_OF_BLOCK = 256;
/** The type of a block with tables of its own. */
const OWN_TABLES = 2;

function firstOf(extra: readonly number[], first: number): number[] {
  let next = first;
  return extra.map((bits) => {
    const value = next;
    next += 1 << bits;
    return value;
  });
}

interface Table {
  /** Number of codes of each length. */
  readonly counts: readonly number[];
  /** Symbols in the order of their codes. */
  readonly symbols: readonly number[];
}

function tableOf(lengths: readonly number[]): Table {
  const counts = Array.from({ length: 16 }, (_, bits) => (bits === 0 ? 0 : lengths.filter((length) => length === bits).length));
  const symbols = counts.flatMap((_, bits) => lengths.flatMap((length, symbol) => (bits > 0 && length === bits ? [symbol] : [])));
  return { counts, symbols };
}

/** The `length` bytes that `source` was made from. */
export function inflate(source: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(length);
  let [at, bit] = [0, 0];

  const bits = (count: number): number => {
    let value = 0;
    for (let b = 0; b < count; b++, bit++) value |= ((source[bit >> 3]! >> (bit & 7)) & 1) << b;
    return value;
  };
  const symbolOf = ({ counts, symbols }: Table): number => {
    let [code, first, index] = [0, 0, 0];
    for (let size = 1; ; size++) {
      code |= (source[bit >> 3]! >> (bit & 7)) & 1;
      bit++;
      const count = counts[size]!;
      if (code < first + count) return symbols[index + code - first]!;
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
  };
  const codedTables = (): [Table, Table] => {
    const [literals, distances, listed] = [bits(5) + 257, bits(5) + 1, bits(4) + 4];
    const sizes = new Array<number>(19).fill(0);
    for (const symbol of LENGTH_ORDER.slice(0, listed)) sizes[symbol] = bits(3);
    const table = tableOf(sizes);
    const all: number[] = [];
    while (all.length < literals + distances) {
      const symbol = symbolOf(table);
      if (symbol < 16) all.push(symbol);
      else {
        const repeated = symbol === 16 ? all.at(-1)! : 0;
        const times = symbol === 16 ? 3 + bits(2) : symbol === 17 ? 3 + bits(3) : 11 + bits(7);
        for (let t = 0; t < times; t++) all.push(repeated);
      }
    }
    return [tableOf(all.slice(0, literals)), tableOf(all.slice(literals))];
  };

  for (let isLast = false; !isLast; ) {
    isLast = bits(1) === 1;
    // Compiled code always compresses, so the other types of blocks do not occur.
    if (bits(2) !== OWN_TABLES) throw new Error("The WebAssembly modules of this build are damaged.");
    const [literals, distances] = codedTables();
    for (let symbol = symbolOf(literals); symbol !== END_OF_BLOCK; symbol = symbolOf(literals)) {
      if (symbol < END_OF_BLOCK) out[at++] = symbol;
      else {
        const code = symbol - END_OF_BLOCK - 1;
        const copied = LENGTHS[code]! + bits(LENGTH_EXTRA[code]!);
        const back = symbolOf(distances);
        const distance = DISTANCES[back]! + bits(DISTANCE_EXTRA[back]!);
        for (let b = 0; b < copied; b++, at++) out[at] = out[at - distance]!;
      }
    }
  }
  return out;
}
