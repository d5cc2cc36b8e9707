/**
 * What every learned clause was derived from, so that a refutation names the vertices it rests on. A derivation lists vertices
 * (each says that it has some colour) and earlier derivations; that neighbours differ needs no mention, for an edge is used only
 * between vertices that are.
 */

export interface Proof {
  /** Vertices below `vertices`; above, `vertices` plus the number of a derivation. */
  entries: Int32Array;
  length: number;
  readonly vertices: number;
  /** Where each derivation starts; it ends where the next one does. */
  readonly starts: number[];
  /** The derivation of each variable that holds or fails for good, -1 for the others. */
  readonly unit: Int32Array;
}

/** Entries kept (128 MB). Beyond, the proof is lost, and with it the core: all vertices are named. */
const MOST_ENTRIES = 1 << 25;

export function openProof(vertices: number, variables: number): Proof {
  return { entries: new Int32Array(1024), length: 0, vertices, starts: [], unit: new Int32Array(variables).fill(-1) };
}

/** Starts a derivation, to which all that is noted from now on belongs; its number. */
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

/** The vertices that the last derivation rests on, ascending. */
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
