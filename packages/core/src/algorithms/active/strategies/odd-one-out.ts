/**
 * Asks questions about three rows: which is the odd one out? The answers are relative constraints, from which ReCon builds a hierarchy.
 *
 * Our own strategy; the paper of ReCon (`liu2011`) takes its relative constraints as given. The questions test the current hierarchy, large
 * branches first (see `candidateTriples`). A triple is only asked if its answer does not follow from the known constraints. If the answer
 * agrees with the hierarchy, ReCon would make the same merges, so nothing is computed. Any other answer rebuilds the hierarchy.
 *
 * With many rows the questions come from a sample, because every answer that disagrees costs a new hierarchy. The result always contains
 * all rows.
 */

import * as z from "zod/mini";
import { type Closure, closeConstraints, emptyConstraints, refuseContradictions } from "../../../constraints/index.js";
import { badOption } from "../../../errors.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { InstanceId, Instances, Points } from "../../../model/points.js";
import type { Merge } from "../../../model/result.js";
import { option } from "../../../options.js";
import { drain, type QuestionAnswer, type Steps, type TripletAnswer, type TripletQuestion } from "../../../steps/index.js";
import { buildTree, isBuilt } from "../../../triplets/build.js";
import { oneHot } from "../../encode.js";
import { cutAside } from "../../hierarchical/recon/cut.js";
import { cutWords, linkageWords, reconOptions, reconSteps } from "../../hierarchical/recon/index.js";
import { consistentTriplets } from "../../hierarchical/recon/triplets.js";
import type { Context, Outcome } from "../../method.js";
import { someRows } from "../../some-rows.js";
import { movedRows } from "../moved-rows.js";
import type { Session, SessionResult, StrategyInput } from "../strategy.js";

/** Maximum number of rows in the hierarchy from which questions are taken; more rows are sampled. */
const SAMPLE = 2000;
/** A branch with fewer rows than this share of n / k is not treated as a cluster when questions are chosen. */
const SMALL = 0.1;

const { distance, outliers } = reconOptions.shape;

export const oddOneOutOptions = z.strictObject({
  distance,
  outliers,
  linkage: option(
    z._default(linkageWords, "ward"),
    "how the distance between clusters is measured, by which the hierarchy merges them",
  ),
  cut: option(z._default(cutWords, "triplets"), "how the hierarchy is cut into clusters, as for --algorithm recon"),
});

type Options = z.output<typeof oddOneOutOptions>;

export function* startOddOneOut(input: StrategyInput, options: Options, context: Context): Steps<Session> {
  const { points, constraints, k } = input;
  const knowledge = new TripletKnowledge(constraints, points.ids);
  const sample = points.n > SAMPLE ? context.random.split("sample").sample(points.n, SAMPLE).sort() : null;
  const shown = sample ? someRows(points, sample) : points;
  const cluster = (rows: Instances, known: ConstraintSet): Steps<Outcome> =>
    reconSteps({ points: rows, constraints: known }, { ...reconOptions.parse({ k: k! }), ...options }, context);
  const shapeSteps = () => cluster(shown, sample ? restrict(knowledge.constraints(), sample) : knowledge.constraints());
  const first = yield* shapeSteps();
  return new TripletSession(input, knowledge, first, sample === null, {
    shape: shapeSteps,
    whole: () => cluster(points, knowledge.constraints()),
    triples: (shape) => triplesOf(shown, shape, k!, sample),
  });
}

/** The functions that compute the clusterings of a session. */
interface Workings {
  /** Builds the hierarchy that questions test, under all known constraints. */
  readonly shape: () => Steps<Outcome>;
  /** Clusters all rows under all known constraints. */
  readonly whole: () => Steps<Outcome>;
  readonly triples: (shape: Outcome) => Iterable<Triple>;
}

interface Answered {
  readonly question: TripletQuestion;
  readonly answer: TripletAnswer;
  readonly shape: Outcome;
  /** The clustering before the answer; null if it was not computed. */
  readonly outcome: Outcome | null;
}

class TripletSession implements Session {
  readonly #budget: number;
  readonly #knowledge: TripletKnowledge;
  readonly #workings: Workings;
  readonly #answered: Answered[] = [];
  #shape: Outcome;
  #outcome: Outcome | null;
  /** The next question: undefined until it is computed, null if there is none. */
  #pending: TripletQuestion | null | undefined;

  /** `isWhole`: whether the first hierarchy contains all rows, not only a sample; then it is also the first result. */
  constructor({ budget }: StrategyInput, knowledge: TripletKnowledge, shape: Outcome, isWhole: boolean, workings: Workings) {
    this.#budget = budget;
    this.#knowledge = knowledge;
    this.#shape = shape;
    this.#outcome = isWhole ? shape : null;
    this.#workings = workings;
  }

  get asked(): number {
    return this.#answered.length;
  }

  next(): TripletQuestion | null {
    if (this.asked >= this.#budget) return null;
    if (this.#pending === undefined) this.#pending = this.#find();
    return this.#pending;
  }

  #find(): TripletQuestion | null {
    for (const ask of this.#workings.triples(this.#shape)) if (this.#knowledge.isOpen(ask)) return { kind: "triplet", ask };
    return null;
  }

  answer(answer: QuestionAnswer): void {
    drain(this.answerSteps(answer));
  }

  *answerSteps(answer: QuestionAnswer): Steps<void> {
    const question = this.next();
    if (question === null) throw badOption("answer", answer, "given to a question, and there is none");
    if (answer !== "a" && answer !== "b" && answer !== "c" && answer !== "unsure") {
      throw badOption("answer", answer, '"a", "b", "c" or "unsure"');
    }
    const entry: Answered = { question, answer, shape: this.#shape, outcome: this.#outcome };
    this.#knowledge.learn(question.ask, answer);
    // In the hierarchy row c is already the odd one out, so the hierarchy only changes if the answer is a or b. The cut into clusters can
    // change after any answer except "unsure".
    if (answer === "a" || answer === "b") yield* this.#reshape();
    if (answer !== "unsure") this.#outcome = null;
    this.#answered.push(entry);
    this.#pending = undefined;
  }

  /**
   * Rebuilds the hierarchy after an answer. The answer is undone if ReCon finds no k clusters under the cannot-links, or if the caller
   * abandons the steps.
   */
  *#reshape(): Steps<void> {
    let shape: Outcome | undefined;
    try {
      shape = yield* this.#workings.shape();
      this.#shape = shape;
    } finally {
      if (!shape) this.#knowledge.forget();
    }
  }

  undo(): boolean {
    const entry = this.#answered.pop();
    if (!entry) return false;
    this.#knowledge.forget();
    this.#pending = entry.question;
    this.#shape = entry.shape;
    this.#outcome = entry.outcome;
    return true;
  }

  result(): SessionResult {
    return drain(this.resultSteps());
  }

  *resultSteps(): Steps<SessionResult> {
    this.#outcome ??= yield* this.#workings.whole();
    const last = this.#answered.at(-1);
    const change = last && {
      question: last.question,
      answer: last.answer,
      joined: null,
      impliedPairs: 0,
      moved: last.outcome ? movedRows(last.outcome.labels, this.#outcome.labels) : null,
    };
    return { constraints: this.#knowledge.constraints(), outcome: this.#outcome, change: change ?? null };
  }
}

/** The triples worth asking about, from the hierarchy, as rows of the whole table. */
function* triplesOf(shown: Instances, { merges }: Outcome, k: number, sample: Int32Array | null): Iterable<Triple> {
  const { n } = shown;
  const cutTo = (least: number) => cutAside(merges!, n, k, { least }, 0, "largest");
  const clusters = (cutTo((SMALL * n) / k) ?? cutTo(1))?.clusters ?? [2 * n - 2];
  for (const [p, q, s] of candidateTriples({ points: oneHot(shown).points, merges: merges!, clusters }))
    yield sample ? [sample[p]!, sample[q]!, sample[s]!] : [p, q, s];
}

/** The relative constraints whose three rows are all in the sample. Rows are given as indices into the sample. */
function restrict({ relative: { a, b, c, weight } }: ConstraintSet, sample: Int32Array): ConstraintSet {
  const place = new Map(Array.from(sample, (row, at) => [row, at]));
  const kept = Array.from(a.keys()).filter((s) => place.has(a[s]!) && place.has(b[s]!) && place.has(c[s]!));
  const column = (rows: Int32Array): Int32Array => Int32Array.from(kept, (s) => place.get(rows[s]!)!);
  const relative = { a: column(a), b: column(b), c: column(c), weight: Float64Array.from(kept, (s) => weight[s]!) };
  return { ...emptyConstraints(sample.length), relative };
}

/*
 * Chooses questions that test a hierarchy. A branch with the parts P and Q claims that P and Q are closer to each other than to any branch
 * S outside. A question with one row from each of P, Q and S tests this claim: the answer "the row from S is the odd one out" confirms it,
 * any other answer moves P or Q.
 *
 * The stake of a question is min(|P|, |Q|) · d(P, Q) / (d(P, Q) + d(P ∪ Q, S)): the number of rows in the smaller part, times the doubt in
 * the claim. Questions with high stakes come first: large branches near the cut before single rows.
 */

interface Branching {
  readonly points: Points;
  readonly merges: readonly Merge[];
  /** For each cluster, its node in the hierarchy. Nodes 0 … n-1 are the rows; node n + m is the result of merge m. */
  readonly clusters: readonly number[];
}

interface Candidate {
  readonly parts: readonly [number, number];
  readonly outsiders: readonly number[];
  readonly stake: number;
}

/** Maximum number of outside branches S that are tried for each branch. */
const MOST_OUTSIDERS = 4;

/** Yields the triples of rows to ask about, highest stake first. In the hierarchy the third row is the odd one out. */
export function* candidateTriples(branching: Branching): Generator<Triple, void, void> {
  const { merges, points } = branching;
  const means = meansOf(points, merges);
  const row = representatives(points, merges, means);
  const candidates = candidatesOf(branching, means).sort((p, q) => q.stake - p.stake || q.parts[1] - p.parts[1]);
  for (let depth = 0; depth < MOST_OUTSIDERS; depth++) {
    for (const { parts, outsiders } of candidates) {
      const outsider = outsiders[depth];
      if (outsider !== undefined) yield [row(parts[0]), row(parts[1]), row(outsider)];
    }
  }
}

function candidatesOf({ merges, points, clusters }: Branching, means: Float64Array): Candidate[] {
  const n = points.n;
  const d = points.d;
  const clusterOf = clusterOfNodes(n, merges, clusters);
  const parent = new Int32Array(n + merges.length).fill(-1);
  merges.forEach(([left, right], m) => {
    parent[left] = parent[right] = n + m;
  });
  const sizeOf = (node: number): number => (node < n ? 1 : merges[node - n]![3]);
  const between = (p: number, q: number): number => {
    let square = 0;
    for (let j = 0; j < d; j++) square += (means[p * d + j]! - means[q * d + j]!) ** 2;
    return Math.sqrt(square);
  };
  return merges.flatMap(([left, right], m): Candidate[] => {
    const node = n + m;
    const own = clusterOf[node]!;
    const found = own >= 0 ? clusters.filter((cluster) => clusterOf[cluster] !== own) : besides(node, parent, merges, n);
    if (found.length === 0) return [];
    const near = (other: number): number => Math.min(between(left, other), between(right, other));
    const outsiders = found
      .map((other) => ({ other, distance: near(other) }))
      .sort((p, q) => p.distance - q.distance || p.other - q.other)
      .slice(0, MOST_OUTSIDERS);
    const apart = between(left, right);
    const doubt = apart / (apart + outsiders[0]!.distance || 1);
    return [
      {
        parts: [left, right],
        outsiders: outsiders.map(({ other }) => other),
        stake: Math.min(sizeOf(left), sizeOf(right)) * doubt,
      },
    ];
  });
}

/** For each node of the hierarchy, the index of the cluster that contains it; -1 for a node that contains several clusters. */
function clusterOfNodes(n: number, merges: readonly Merge[], clusters: readonly number[]): Int32Array {
  const clusterOf = new Int32Array(n + merges.length).fill(-1);
  clusters.forEach((node, number) => {
    clusterOf[node] = number;
  });
  for (let m = merges.length - 1; m >= 0; m--) {
    const own = clusterOf[n + m]!;
    if (own >= 0) clusterOf[merges[m]![0]] = clusterOf[merges[m]![1]] = own;
  }
  return clusterOf;
}

/** The branches outside a node, nearest in the hierarchy first: the sibling of the node, then the siblings of its ancestors. */
function besides(node: number, parent: Int32Array, merges: readonly Merge[], n: number): number[] {
  const found: number[] = [];
  for (let at = node; parent[at]! >= 0 && found.length < MOST_OUTSIDERS; at = parent[at]!) {
    const [left, right] = merges[parent[at]! - n]!;
    found.push(left === at ? right : left);
  }
  return found;
}

function meansOf({ n, d, x }: Points, merges: readonly Merge[]): Float64Array {
  const means = new Float64Array((n + merges.length) * d);
  means.set(x.subarray(0, n * d));
  const sizeOf = (node: number): number => (node < n ? 1 : merges[node - n]![3]);
  merges.forEach(([left, right, , size], m) => {
    const share = sizeOf(left) / size;
    for (let j = 0; j < d; j++) means[(n + m) * d + j] = share * means[left * d + j]! + (1 - share) * means[right * d + j]!;
  });
  return means;
}

/** Returns a function that finds the row that represents a node in a question: the row nearest to the node's mean, the lowest on ties. */
function representatives({ n, d, x }: Points, merges: readonly Merge[], means: Float64Array): (node: number) => number {
  const known = new Map<number, number>();
  const find = (top: number): number => {
    let [best, least] = [-1, Infinity];
    const open = [top];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (node >= n) {
        open.push(merges[node - n]![0], merges[node - n]![1]);
        continue;
      }
      let square = 0;
      for (let j = 0; j < d; j++) square += (x[node * d + j]! - means[top * d + j]!) ** 2;
      if (square < least || (square === least && node < best)) [best, least] = [node, square];
    }
    return best;
  };
  return (node) => {
    if (!known.has(node)) known.set(node, find(node));
    return known.get(node)!;
  };
}

/*
 * What is known about triples of rows during a dialogue: the given relative constraints, the answers, and everything that follows from
 * them. A constraint ab|c follows if BUILD finds both ac|b and bc|a inconsistent with the known constraints. Must-linked rows form one
 * leaf.
 *
 * Only triples for which all three constraints are still consistent can be asked, so no answer contradicts another.
 */

type Triple = readonly [number, number, number];

class TripletKnowledge {
  readonly #given: ConstraintSet;
  readonly #closure: Closure;
  /**
   * The known constraints ab|c as three columns of leaf numbers, the given constraints first, then the answers. A leaf stands for a
   * must-link component; leaves are numbered as they appear in constraints.
   */
  readonly #a: number[] = [];
  readonly #b: number[] = [];
  readonly #c: number[] = [];
  readonly #leafOf = new Map<number, number>();
  /** The answers in order. `leaves`: the number of leaves before the answer, to which undo returns. */
  readonly #answers: { readonly triple: Triple; readonly answer: TripletAnswer; readonly leaves: number }[] = [];
  readonly #unsure = new Set<string>();

  /** Starts with the given constraints. Throws if these constraints are inconsistent. `ids`: the names of rows in the error. */
  constructor(given: ConstraintSet, ids?: readonly InstanceId[]) {
    this.#given = given;
    this.#closure = closeConstraints(given);
    refuseContradictions(this.#closure, ids);
    const { between } = consistentTriplets(this.#closure, { inconsistent: "error", ids });
    const { a, b, c } = between.triplets;
    const component = (leaf: number): number => between.members[leaf]!;
    for (let s = 0; s < a.length; s++) this.#add(component(a[s]!), component(b[s]!), component(c[s]!));
  }

  /** Whether the triple can be asked: each of its three rows can still be the odd one out, and the triple was not answered "unsure". */
  isOpen(triple: Triple): boolean {
    const components = triple.map((row) => this.#closure.component[row]!);
    if (new Set(components).size < 3 || this.#unsure.has(keyOf(triple))) return false;
    // A row without relative constraints can be attached anywhere in the tree.
    const leaves = components.map((component) => this.#leafOf.get(component) ?? -1);
    if (leaves.includes(-1)) return true;
    const [x, y, z] = leaves as [number, number, number];
    return this.#fits(x, y, z) && this.#fits(x, z, y) && this.#fits(y, z, x);
  }

  /** Whether some tree satisfies all known constraints and also ab|c; a, b and c are leaves. */
  #fits(a: number, b: number, c: number): boolean {
    const column = (items: readonly number[], last: number): Int32Array => Int32Array.from([...items, last]);
    const triplets = { a: column(this.#a, a), b: column(this.#b, b), c: column(this.#c, c) };
    return isBuilt(buildTree({ leaves: this.#leafOf.size, ...triplets }));
  }

  /** Records the answer about an open triple. Returns the relative constraint that the answer states; null for "unsure". */
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

  /** The given constraints, followed by a relative constraint for each answer except "unsure". */
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

/**
 * The relative constraint that an answer states: the two other rows are closer to each other than to the odd one out. Null for "unsure".
 */
export function tripletOf([x, y, z]: Triple, answer: TripletAnswer): Triple | null {
  if (answer === "unsure") return null;
  return answer === "a" ? [y, z, x] : answer === "b" ? [x, z, y] : [x, y, z];
}

function keyOf(triple: Triple): string {
  return [...triple].sort((p, q) => p - q).join(" ");
}
