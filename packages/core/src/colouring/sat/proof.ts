/**
 * Records what every learned clause was derived from, so that a refutation can name the vertices it depends on. A derivation lists
 * vertices (each means "this vertex has a colour") and earlier derivations. The edges need no entry: only edges between listed
 * vertices are used.
 */

export interface Proof {
  /** An entry below `vertices` is a vertex; an entry from `vertices` on is `vertices` plus the number of a derivation. */
  entries: Int32Array;
  length: number;
  readonly vertices: number;
  /** Start of each derivation; it ends where the next one starts. */
  readonly starts: number[];
  /** The derivation of each variable fixed at level 0, -1 for other variables. */
  readonly unit: Int32Array;
}

/** Maximum number of entries (128 MB). Above it the proof is lost, and the core is the set of all vertices. */
const MOST_ENTRIES = 1 << 25;

export function openProof(vertices: number, variables: number): Proof {
  return { entries: new Int32Array(1024), length: 0, vertices, starts: [], unit: new Int32Array(variables).fill(-1) };
}

/** Starts a new derivation that receives all following entries. Returns its number. */
export function deriveNext(proof: Proof): number {
  proof.starts.push(proof.length);
  return proof.starts.length - 1;
}

export function noteVertex(proof: Proof, v: number): void {
  note(proof, v);
}

export function noteDerivation(proof: Proof, derivation: number): void {
  note(proof, proof.vertices + derivation);
}

function note(proof: Proof, entry: number): void {
  if (proof.length === proof.entries.length) {
    if (proof.length >= MOST_ENTRIES) return;
    const larger: Int32Array<ArrayBuffer> = new Int32Array(2 * proof.length);
    larger.set(proof.entries);
    proof.entries = larger;
  }
  proof.entries[proof.length++] = entry;
}

/** The vertices that the last derivation depends on, ascending. */
export function restsOn({ entries, length, vertices, starts }: Proof): Int32Array {
  if (length >= MOST_ENTRIES) return Int32Array.from({ length: vertices }, (_, v) => v);
  const needed = new Uint8Array(vertices);
  const visited = new Uint8Array(starts.length);
  const open = [starts.length - 1];
  for (let d = open.pop(); d !== undefined; d = open.pop()) {
    if (visited[d] === 1) continue;
    visited[d] = 1;
    const end = starts[d + 1] ?? length;
    for (let e = starts[d]!; e < end; e++) {
      if (entries[e]! < vertices) needed[entries[e]!] = 1;
      else open.push(entries[e]! - vertices);
    }
  }
  const core: number[] = [];
  for (let v = 0; v < vertices; v++) if (needed[v] === 1) core.push(v);
  return Int32Array.from(core);
}
