/**
 * The relations between triples of rows during a dialogue: given relative constraints, answers, and everything that follows from them. A
 * constraint ab|c follows if neither ac|b nor bc|a is consistent with the others, by BUILD; must-linked rows are one leaf.
 *
 * Only triples for which all three constraints are still consistent can be asked, so that no answer contradicts another.
 */
import { type Closure, closeConstraints, refuseContradictions } from "../../constraints/index.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { InstanceId } from "../../model/points.js";
import type { TripletAnswer } from "../../steps/index.js";
import { buildTree, isBuilt } from "../../triplets/build.js";
import { consistentTriplets } from "../hierarchical/recon/consistent-triplets.js";

export type Triple = readonly [number, number, number];

export class TripletKnowledge {
  readonly #given: ConstraintSet;
  readonly #closure: Closure;
  /** Constraints between components, over leaves in order of appearance: first the given constraints, then the answers. */
  readonly #a: number[] = [];
  readonly #b: number[] = [];
  readonly #c: number[] = [];
  readonly #leafOf = new Map<number, number>();
  /** The answers, each with the number of leaves before it. */
  readonly #answers: { readonly triple: Triple; readonly answer: TripletAnswer; readonly leaves: number }[] = [];
  readonly #unsure = new Set<string>();

  /** Starts with the given constraints; throws if they are inconsistent; the error uses the given ids. */
  constructor(given: ConstraintSet, ids?: readonly InstanceId[]) {
    this.#given = given;
    this.#closure = closeConstraints(given);
    refuseContradictions(this.#closure, ids);
    const { between } = consistentTriplets(this.#closure, { inconsistent: "error", ids });
    const { a, b, c } = between.triplets;
    const component = (leaf: number): number => between.members[leaf]!;
    for (let s = 0; s < a.length; s++) this.#add(component(a[s]!), component(b[s]!), component(c[s]!));
  }

  /** Whether each of the three rows can still be the odd one, and the triple was not answered "unsure". */
  isOpen(triple: Triple): boolean {
    const components = triple.map((row) => this.#closure.component[row]!);
    if (new Set(components).size < 3 || this.#unsure.has(keyOf(triple))) return false;
    // A row without relative constraints can be attached anywhere in the tree.
    const leaves = components.map((component) => this.#leafOf.get(component) ?? -1);
    if (leaves.includes(-1)) return true;
    const [x, y, z] = leaves as [number, number, number];
    return this.#fits(x, y, z) && this.#fits(x, z, y) && this.#fits(y, z, x);
  }

  /** Whether some tree satisfies all constraints and ab|c, given by leaves. */
  #fits(a: number, b: number, c: number): boolean {
    const column = (items: readonly number[], last: number): Int32Array => Int32Array.from([...items, last]);
    const triplets = { a: column(this.#a, a), b: column(this.#b, b), c: column(this.#c, c) };
    return isBuilt(buildTree({ leaves: this.#leafOf.size, ...triplets }));
  }

  /** Records the answer about an open triple; returns its constraint, null for "unsure". */
  learn(triple: Triple, answer: TripletAnswer): Triple | null {
    if (!this.isOpen(triple)) throw new Error(`The rows ${triple.join(", ")} are known already.`);
    this.#answers.push({ triple, answer, leaves: this.#leafOf.size });
    const triplet = tripletOf(triple, answer);
    if (!triplet) this.#unsure.add(keyOf(triple));
    else {
      const [a, b, c] = triplet.map((row) => this.#closure.component[row]!);
      this.#add(a!, b!, c!);
    }
    return triplet;
  }

  /** Undoes the last answer. */
  forget(): void {
    const last = this.#answers.pop();
    if (!last) return;
    if (last.answer === "unsure") {
      this.#unsure.delete(keyOf(last.triple));
      return;
    }
    for (const column of [this.#a, this.#b, this.#c]) column.pop();
    for (const [component, leaf] of this.#leafOf) if (leaf >= last.leaves) this.#leafOf.delete(component);
  }

  /** The given constraints, then the answers in order. */
  constraints(): ConstraintSet {
    const { relative } = this.#given;
    const learned = this.#answers.flatMap(({ triple, answer }) => tripletOf(triple, answer) ?? []);
    const column = (given: Int32Array, part: number): Int32Array =>
      Int32Array.from([...given, ...learned.filter((_, at) => at % 3 === part)]);
    return {
      ...this.#given,
      relative: {
        a: column(relative.a, 0),
        b: column(relative.b, 1),
        c: column(relative.c, 2),
        weight: Float64Array.from([...relative.weight, ...new Array<number>(learned.length / 3).fill(1)]),
      },
    };
  }

  #add(a: number, b: number, c: number): void {
    for (const component of [a, b, c]) if (!this.#leafOf.has(component)) this.#leafOf.set(component, this.#leafOf.size);
    this.#a.push(this.#leafOf.get(a)!);
    this.#b.push(this.#leafOf.get(b)!);
    this.#c.push(this.#leafOf.get(c)!);
  }
}

/** The answer as a constraint: the other two rows are closer to each other than to the odd one. */
export function tripletOf([x, y, z]: Triple, answer: TripletAnswer): Triple | null {
  if (answer === "unsure") return null;
  return answer === "a" ? [y, z, x] : answer === "b" ? [x, z, y] : [x, y, z];
}

function keyOf(triple: Triple): string {
  return [...triple].sort((p, q) => p - q).join(" ");
}
