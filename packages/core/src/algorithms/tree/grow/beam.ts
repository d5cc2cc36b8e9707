/**
 * Beam search for a tree of low H: the `width` best trees are kept side by side, all their leaves' best splits compete, and
 * the search ends when no refined tree is among the best any more (Kocev, Struyf, Džeroski: Beam search induction and
 * similarity constraints for predictive clustering trees. KDID 2006).
 *
 * Two trees with the same leaves, as sets of rows, and the same clusters are one.
 */
import type { Steps } from "../../../steps/index.js";
import { lookAtLeaf } from "./best-split.js";
import { type Candidate, copyOf, type GrowingTree, refine } from "./growing-tree.js";
import { rowsOf } from "./leaf.js";
import { forgetOutdated, heuristic, LEAST_GAIN, type Search } from "./search.js";

interface Kept {
  readonly tree: GrowingTree;
  readonly height: number;
  readonly signature: string;
}

interface Refinement {
  readonly from: Kept;
  readonly candidate: Candidate;
  readonly height: number;
}

export function* growBeam(search: Search, root: GrowingTree, maxLeaves: number, width: number): Steps<GrowingTree> {
  const start = heuristic(search, root);
  let beam: readonly Kept[] = [{ tree: root, height: start, signature: signatureOf(root) }];
  const refined = new Set<GrowingTree>();
  for (let round = 1; ; round++) {
    const offers: Refinement[] = [];
    for (const from of beam) {
      if (refined.has(from.tree) || from.tree.slots.length >= maxLeaves) continue;
      refined.add(from.tree);
      offers.push(...(yield* refinements(search, from, width)));
    }
    const next = bestOf(search, beam, offers, width);
    if (next.every((kept) => beam.includes(kept))) return beam[0]!.tree;
    beam = next;
    search.done = round;
    yield { phase: "splitting", done: round, total: null, objective: beam[0]!.height };
  }
}

function* refinements(search: Search, from: Kept, width: number): Steps<Refinement[]> {
  const { tree, height } = from;
  forgetOutdated(search, tree);
  const found: Refinement[] = [];
  for (let slot = 0; slot < tree.slots.length; slot++) {
    if (!tree.slots[slot]!.known) yield* lookAtLeaf(search, tree, slot, LEAST_GAIN, width);
    for (const candidate of tree.slots[slot]!.known!.candidates) {
      found.push({ from, candidate, height: height - candidate.gain });
    }
  }
  return found;
}

/** The best of the trees that were kept and of the refined ones, which are made only when their turn comes. */
function bestOf(search: Search, beam: readonly Kept[], offers: readonly Refinement[], width: number): readonly Kept[] {
  const seen = new Set(beam.map(({ signature }) => signature));
  const queue: (Kept | Refinement)[] = [...beam, ...offers];
  const rounded = ({ height }: Kept | Refinement): number => Math.round(height / LEAST_GAIN);
  queue.sort((a, b) => rounded(a) - rounded(b));
  const best: Kept[] = [];
  for (const item of queue) {
    if (best.length === width) break;
    if ("tree" in item) {
      best.push(item);
      continue;
    }
    const tree = copyOf(item.from.tree);
    refine(tree, search.space, search.costs, item.candidate, search.side);
    const height = heuristic(search, tree);
    tree.history = [...tree.history, height];
    const signature = signatureOf(tree);
    if (seen.has(signature)) continue;
    seen.add(signature);
    best.push({ tree, height, signature });
  }
  return best;
}

/** Rows that share leaves and clusters give the same text, whatever leaves and labels are called. */
function signatureOf({ slots }: GrowingTree): string {
  const leaves = slots.map(({ leaf, label }) => ({ rows: sumOfRows(rowsOf(leaf)), label }));
  const clusters = new Map<number, number>();
  for (const { rows, label } of leaves) clusters.set(label, ((clusters.get(label) ?? 0) + rows) % MODULUS);
  return leaves
    .map(({ rows, label }) => `${rows}.${clusters.get(label)}`)
    .sort()
    .join(" ");
}

const MODULUS = 2 ** 52;

/** A sum of scrambled row numbers: equal for equal sets, and hardly ever for others. */
function sumOfRows(rows: Int32Array): number {
  let sum = 0;
  for (const row of rows) {
    const low = Math.imul(row + 1, 0x9e3779b1) >>> 0;
    const high = Math.imul(low ^ (low >>> 15), 0x85ebca6b) >>> 12;
    sum = (sum + high * 4294967296 + low) % MODULUS;
  }
  return sum;
}
