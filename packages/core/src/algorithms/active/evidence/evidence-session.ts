/**
 * A session of questions whose answers are evidence, not hard constraints. Its only state is the list of answers. After an undo, or when
 * the error rate changes, it computes everything again from the list.
 */
import { badOption } from "../../../errors.js";
import type { Metric } from "../../../kernels/index.js";
import { log } from "../../../linalg/elementary.js";
import { drain, type PairAnswer, type PairQuestion, type QuestionAnswer, type Steps } from "../../../steps/index.js";
import { distancesOf } from "../../distance-between.js";
import type { Context, Outcome } from "../../method.js";
import { neighbourGraphSteps } from "../../neighbours/neighbour-graph.js";
import { constrainedOutcome } from "../constrained-outcome.js";
import { Journal } from "../journal.js";
import { Knowledge } from "../knowledge.js";
import { movedRows } from "../moved-rows.js";
import { placedLabels } from "../neighbours/placed-labels.js";
import { propagateLabels } from "../neighbours/propagate-labels.js";
import type { EarlierAnswer, Overruled, Session, SessionResult, StrategyInput, Sureness } from "../strategy.js";
import type { Beliefs, Evidence, Ground } from "./beliefs.js";
import { beliefsFrom, EXTRA_CLASS, NEW_CLASS, netWeights, overruledBy, weightOf } from "./beliefs.js";

interface GivenAnswer {
  readonly pair: readonly [number, number];
  /** The row of the pair whose class the question is about. */
  readonly row: number;
  readonly answer: PairAnswer;
  readonly sureness: Sureness;
}

interface Answered extends GivenAnswer {
  readonly before: Outcome | null;
}

export interface EvidenceOptions {
  /** Share of answers that are expected to be wrong; "learn": estimated from the answers. */
  readonly errorRate: number | "learn";
  readonly evidence: readonly EarlierAnswer[];
  readonly neighbours: number;
  readonly distance?: Metric | undefined;
}

export function* startEvidence(input: StrategyInput, options: EvidenceOptions, context: Context): Steps<EvidenceSession> {
  const { between, notices } = distancesOf(input.points, options.distance);
  const graph = yield* neighbourGraphSteps(input.points.n, options.neighbours, between);
  const hard = new Knowledge(input.constraints, new Journal(), input.points.ids);
  const reached = new Map<number, Float64Array>();
  const reach = (component: number): Float64Array => {
    const kept = reached.get(component);
    if (kept) return kept;
    const known = new Int32Array(graph.n).fill(-1);
    for (const member of hard.members(component)) known[member] = 0;
    const made = propagateLabels(graph, known, 1);
    reached.set(component, made);
    return made;
  };
  const first = graph.degree.reduce((best, degree, row) => (degree > graph.degree[best]! ? row : best), 0);
  const ground = { graph, hard, k: input.k ?? Infinity, first, reach };
  return new EvidenceSession(input, options, ground, between, { ...context, notices });
}

/** The weight of a certain answer ("law"). It is larger than the total weight of all uncertain answers. */
const CERTAIN_WEIGHT = 1e4;
/** Prior for estimating the error rate: as if PRIOR_ANSWERS earlier answers had been given, and PRIOR_WRONG of them had been wrong. */
const PRIOR_WRONG = 1;
const PRIOR_ANSWERS = 10;

/**
 * If k is above MANY_CLASSES, at most MOST_OF_ROW questions are about one row. A row that differs from its most likely classes then stays
 * in a class of its own. Comparing every new row with all classes would take about k²/2 questions.
 */
const MANY_CLASSES = 20;
const MOST_OF_ROW = 3;

export class EvidenceSession implements Session {
  readonly #input: StrategyInput;
  readonly #rate: number | "learn";
  readonly #ground: Ground;
  readonly #between: (i: number, j: number) => number;
  readonly #context: Context & { readonly notices: readonly string[] };
  readonly #earlier: readonly GivenAnswer[];
  readonly #answered: Answered[] = [];
  #beliefs: Beliefs | null = null;
  #pending: { readonly row: number; readonly pair: readonly [number, number] } | null | undefined;
  #outcome: Outcome | null = null;

  constructor(
    input: StrategyInput,
    { errorRate, evidence }: Pick<EvidenceOptions, "errorRate" | "evidence">,
    ground: Ground,
    between: (i: number, j: number) => number,
    context: Context & { readonly notices: readonly string[] },
  ) {
    this.#input = input;
    this.#rate = errorRate;
    this.#earlier = evidence.map(({ rows, answer, sureness = 1 }) => ({ pair: rows, row: rows[0], answer, sureness }));
    this.#ground = ground;
    this.#between = between;
    this.#context = context;
  }

  get asked(): number {
    return this.#answered.length;
  }

  /** The share of answers that the session assumes to be wrong: given, or estimated from the answers. */
  get errorRate(): number {
    return this.#rate === "learn" ? this.#learned() : this.#rate;
  }

  next(): PairQuestion | null {
    if (this.asked >= this.#input.budget) return null;
    if (this.#pending === undefined) this.#pending = this.#find();
    return this.#pending && { kind: "pair", ask: this.#pending.pair };
  }

  /** The answers given before the session, then the answers of this session. */
  #said(): readonly GivenAnswer[] {
    return [...this.#earlier, ...this.#answered];
  }

  #find() {
    const unsure = this.#said().filter(({ answer }) => answer === "unsure");
    const open = new Set(unsure.map(({ pair: [i, j] }) => keyOf(i, j)));
    const isOpen = (i: number, j: number) => !open.has(keyOf(i, j)) && this.#ground.hard.relation(i, j) === null;
    const passed = new Set([...unsure.map(({ row }) => row), ...(this.#ground.k > MANY_CLASSES ? this.#oftenAsked() : [])]);
    const asked = { ...this.#ground, between: this.#between, passed, isOpen };
    return nextPair(asked, this.#believed(), this.#evidence(), this.#answered.at(-1)?.row ?? -1);
  }

  /** Rows about which at least MOST_OF_ROW questions were asked, so that no further question about them follows. */
  #oftenAsked(): number[] {
    const times = new Map<number, number>();
    for (const { row } of this.#answered) times.set(row, (times.get(row) ?? 0) + 1);
    return [...times].filter(([, count]) => count >= MOST_OF_ROW).map(([row]) => row);
  }

  answer(answer: QuestionAnswer, sureness: Sureness = 1): void {
    const question = this.next();
    if (question === null) throw badOption("answer", answer, "given to a question, and there is none");
    if (answer !== "same" && answer !== "different" && answer !== "unsure")
      throw badOption("answer", answer, '"same", "different" or "unsure"');
    this.#answered.push({ ...this.#pending!, answer, sureness, before: this.#outcome });
    this.#forget(undefined);
  }

  // biome-ignore lint/correctness/useYield: an answer about a pair takes no time worth a pause.
  *answerSteps(answer: QuestionAnswer, sureness?: Sureness): Steps<void> {
    this.answer(answer, sureness);
  }

  undo(): boolean {
    const entry = this.#answered.pop();
    if (!entry) return false;
    this.#forget({ row: entry.row, pair: entry.pair });
    this.#outcome = entry.before;
    return true;
  }

  #forget(pending: { readonly row: number; readonly pair: readonly [number, number] } | undefined): void {
    this.#pending = pending;
    this.#beliefs = null;
    this.#outcome = null;
  }

  #evidence(rate = this.errorRate): Evidence[] {
    return this.#said().flatMap(({ pair: [i, j], answer, sureness }) =>
      answer === "unsure"
        ? []
        : [{ i, j, same: answer === "same", weight: sureness === "law" ? CERTAIN_WEIGHT : weightOf(rate, sureness) }],
    );
  }

  /** The estimated error rate: the share of answers that contradict the estimated classes, smoothed by the prior. */
  #learned(): number {
    const usual = PRIOR_WRONG / PRIOR_ANSWERS;
    const evidence = this.#evidence(usual);
    const wrong = overruledBy(beliefsFrom(this.#ground, evidence), evidence).length;
    return (wrong + PRIOR_WRONG) / (evidence.length + PRIOR_ANSWERS);
  }

  #believed(): Beliefs {
    this.#beliefs ??= beliefsFrom(this.#ground, this.#evidence());
    return this.#beliefs;
  }

  /** The answers that are not believed, each with the evidence against it. */
  overruled(): Overruled[] {
    const beliefs = this.#believed();
    return this.#said().flatMap(({ pair, answer }, place) => {
      const together = beliefs.known[pair[0]] === beliefs.known[pair[1]];
      if (answer === "unsure" || together === (answer === "same")) return [];
      return [{ place, rows: pair, answer, why: this.#against(pair, answer) }];
    });
  }

  #against([i, j]: readonly [number, number], answer: PairAnswer): string {
    const { nodeOf, chances } = this.#believed();
    const others = this.#said().filter(
      ({ pair, answer: other }) => keyOf(...pair) === keyOf(i, j) && other !== answer && other !== "unsure",
    );
    if (others.length > 0) return `asked again, the answer was ${others[0]!.answer}`;
    const about = (row: number) =>
      this.#said().filter(({ pair, answer: other }) => other !== "unsure" && pair.includes(row)).length - 1;
    const [row] = about(i) >= about(j) ? [i] : [j];
    const sure = Math.round(100 * (chances(nodeOf(row!)!)[0]?.chance ?? 0));
    const count = about(row!);
    const answers = count === 1 ? "1 other answer" : `${count} other answers`;
    return `${count > 0 ? `${answers} about one of the rows and ` : ""}the rows around them speak against it (${sure}% sure)`;
  }

  result(): SessionResult {
    return drain(this.resultSteps());
  }

  *resultSteps(): Steps<SessionResult> {
    this.#outcome ??= yield* this.#cluster();
    const last = this.#answered.at(-1);
    return {
      constraints: this.#constraints(),
      outcome: this.#outcome,
      change: last
        ? {
            question: { kind: "pair", ask: last.pair },
            answer: last.answer,
            joined: null,
            impliedPairs: 0,
            moved: last.before ? movedRows(last.before.labels, this.#outcome.labels) : null,
          }
        : null,
    };
  }

  *#cluster(): Steps<Outcome> {
    const { points, k } = this.#input;
    const { nodes, group, count, mass } = this.#atMostK();
    const rows = Array.from({ length: count }, (_, name) => nodes[group.indexOf(name)]!);
    const held = new Knowledge(this.#grouped(nodes, group, rows), new Journal(), points.ids);
    const labels = placedLabels(held, rows, mass, { most: k ?? Infinity, between: this.#between });
    if (labels) return { labels, notices: this.#context.notices };
    return yield* constrainedOutcome(points, this.#constraints(), k!, this.#context);
  }

  /**
   * The estimated classes and the mass of each class at each row. If there are more than k classes, the likeliest pairs are joined until k
   * are left.
   */
  #atMostK(): Pick<Beliefs, "nodes" | "group" | "count" | "mass"> {
    const beliefs = this.#believed();
    const { graph, hard, k } = this.#ground;
    if (beliefs.count <= k) return beliefs;
    const group = joinedGroups(this.#ground, beliefs, this.#evidence());
    const count = group.reduce((most, name) => Math.max(most, name), -1) + 1;
    const known = new Int32Array(hard.n).fill(-1);
    beliefs.nodes.forEach((row, node) => {
      for (const member of hard.members(row)) known[member] = group[node]!;
    });
    return { nodes: beliefs.nodes, group, count, mass: propagateLabels(graph, known, count) };
  }

  /** The given constraints, plus must-links between nodes of one class and cannot-links between nodes of different classes. */
  #grouped(nodes: Int32Array, group: Int32Array, rows: readonly number[]) {
    const { constraints } = this.#input;
    const joined = Array.from(nodes, (row, node) => [rows[group[node]!]!, row] as const).filter(([a, b]) => a !== b);
    const apart = rows.flatMap((a, p) => rows.slice(p + 1).map((b) => [a, b] as const));
    return {
      ...constraints,
      mustLinks: withPairs(constraints.mustLinks, joined),
      cannotLinks: withPairs(constraints.cannotLinks, apart),
    };
  }

  /** The given constraints, plus a must-link or cannot-link for every believed answer; answers to the same pair count once. */
  #constraints() {
    const { constraints } = this.#input;
    const { known } = this.#believed();
    const believed = (answer: PairAnswer) => [
      ...new Map(
        this.#said()
          .filter(({ pair: [i, j], answer: each }) => each === answer && (known[i] === known[j]) === (answer === "same"))
          .map(({ pair }) => [keyOf(...pair), pair] as const),
      ).values(),
    ];
    return {
      ...constraints,
      mustLinks: withPairs(constraints.mustLinks, believed("same")),
      cannotLinks: withPairs(constraints.cannotLinks, believed("different")),
    };
  }
}

function keyOf(i: number, j: number): string {
  return i < j ? `${i} ${j}` : `${j} ${i}`;
}

interface Pairs {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly weight: Float64Array;
}

function withPairs({ a, b, weight }: Pairs, pairs: readonly (readonly [number, number])[]): Pairs {
  return {
    a: Int32Array.from([...a, ...pairs.map(([i]) => i)]),
    b: Int32Array.from([...b, ...pairs.map(([, j]) => j)]),
    weight: Float64Array.from([...weight, ...pairs.map(() => 1)]),
  };
}

/*
 * Chooses the next question. It asks about the row with the largest doubt about its class; rows with many near rows of unknown class count
 * more. The row is shown with the nearest member of its most likely class. An answer that is not believed is asked once more, with the rows
 * swapped.
 */

interface Asked extends Ground {
  readonly between: (i: number, j: number) => number;
  /**
   * Rows whose class is not asked about any more: rows with an answer "unsure" and, if there are many classes, rows that were asked about
   * often enough. Such a row can still be shown beside another row.
   */
  readonly passed: ReadonlySet<number>;
  readonly isOpen: (i: number, j: number) => boolean;
}

/** Mass that is added to the total mass at every row without answers, so that rows far from all known rows are in doubt. */
const CHANCE = 0.03;

/** For each row, the doubt: the probability that the row's most likely class is wrong. */
function doubts({ k }: Ground, beliefs: Beliefs): Float64Array {
  const { known, mass, count, nodeOf, chances } = beliefs;
  const none = CHANCE + (count < k ? NEW_CLASS : EXTRA_CLASS);
  const byNode = new Map<number, number>();
  return Float64Array.from(known, (group, row) => {
    if (group >= 0) {
      const node = nodeOf(row)!;
      if (!byNode.has(node)) byNode.set(node, 1 - chances(node)[0]!.chance);
      return byNode.get(node)!;
    }
    let most = 0;
    let total = none;
    for (let c = 0; c < count; c++) {
      total += mass[row * count + c]!;
      most = Math.max(most, mass[row * count + c]!);
    }
    return 1 - most / total;
  });
}

/**
 * Questions about the current row end when its doubt falls below ENOUGH. No row is worth a question if the doubt of every row is below
 * LEAST.
 */
const ENOUGH = 0.03;

/**
 * Returns the next question: a row and the pair to show. `current`: the row of the last question; questions about it go on until its class
 * is certain enough.
 */
function nextPair(
  ground: Asked,
  beliefs: Beliefs,
  evidence: readonly Evidence[],
  current: number,
): { readonly row: number; readonly pair: readonly [number, number] } | null {
  const doubt = doubts(ground, beliefs);
  const stays = current >= 0 && doubt[current]! >= ENOUGH && !ground.passed.has(current);
  if (!stays && beliefs.count > ground.k) {
    const pair = likeliestOne(ground, beliefs, evidence);
    if (pair) return { row: -1, pair };
  }
  const tried = new Set<number>();
  for (let row = stays ? current : -1; ; row = -1) {
    if (row < 0) row = mostDoubtful(ground, beliefs, doubt, tried);
    if (row < 0) return null;
    const pair = onceMore(row, ground, beliefs, evidence) ?? withMember(row, ground, beliefs, evidence, doubt);
    if (pair) return { row, pair };
    tried.add(row);
  }
}

const LEAST = 0.002;

function mostDoubtful({ graph, passed }: Asked, { known }: Beliefs, doubt: Float64Array, tried: ReadonlySet<number>): number {
  let best = -1;
  let most = 0;
  for (let i = 0; i < graph.n; i++) {
    if (doubt[i]! < LEAST || passed.has(i) || tried.has(i)) continue;
    let leaning = 1;
    for (let e = graph.start[i]!; e < graph.start[i + 1]!; e++) if (known[graph.other[e]!]! < 0) leaning += graph.weight[e]!;
    if (doubt[i]! * leaning > most) {
      most = doubt[i]! * leaning;
      best = i;
    }
  }
  return best;
}

/**
 * Looks for an answer about `row` that contradicts the estimated classes, and whose pair was asked about only once. Returns the pair in
 * swapped order, so that it can be asked again.
 */
function onceMore(
  row: number,
  { isOpen }: Asked,
  beliefs: Beliefs,
  evidence: readonly Evidence[],
): readonly [number, number] | null {
  const times = timesAsked(evidence);
  for (const place of overruledBy(beliefs, evidence)) {
    const { i, j } = evidence[place]!;
    if ((i === row || j === row) && isOpen(i, j) && times(i, j) === 1) return [j, i];
  }
  return null;
}

/** Returns a function that counts the answers about two rows, in either order. */
function timesAsked(evidence: readonly Evidence[]): (i: number, j: number) => number {
  const times = new Map<string, number>();
  const keyOf = (i: number, j: number) => (i < j ? `${i} ${j}` : `${j} ${i}`);
  for (const { i, j } of evidence) times.set(keyOf(i, j), (times.get(keyOf(i, j)) ?? 0) + 1);
  return (i, j) => times.get(keyOf(i, j)) ?? 0;
}

/**
 * The question about `row`: the row and the nearest member of its most likely class. Members that were already compared with the row, or
 * whose own class is in doubt, count as farther away.
 */
function withMember(
  row: number,
  { between, isOpen, hard }: Asked,
  { known, mass, count, nodes, nodeOf, chances }: Beliefs,
  evidence: readonly Evidence[],
  doubt: Float64Array,
): readonly [number, number] | null {
  const node = nodeOf(row);
  const times = timesAsked(evidence);
  const far = (member: number) => between(row, member) * (1 + 2 * times(row, member)) * (doubt[member]! > 0.1 ? 3 : 1);
  const nearest = (group: number): { readonly member: number; readonly distance: number } => {
    let best = { member: -1, distance: Infinity };
    for (const other of nodes) {
      if (known[other] !== group || nodeOf(other) === node) continue;
      for (const member of hard.members(other)) {
        const distance = far(member);
        if ((distance < best.distance || best.member < 0) && isOpen(row, member)) best = { member, distance };
      }
    }
    return best;
  };
  const ranked =
    node === undefined
      ? Array.from({ length: count }, (_, group) => ({ group, chance: mass[row * count + group]! }))
      : chances(node).filter(({ group }) => group >= 0);
  const found = ranked.map(({ group, chance }) => ({ chance, ...nearest(group) })).filter(({ member }) => member >= 0);
  found.sort((a, b) => b.chance - a.chance || a.distance - b.distance || a.member - b.member);
  const best = found[0];
  if (!best) return null;
  return times(row, best.member) % 2 === 0 ? [row, best.member] : [best.member, row];
}

/**
 * For more than k classes: the pair of rows to ask about, so that two classes can be joined. It is the nearest pair between the two classes
 * that are most likely the same class.
 */
function likeliestOne(ground: Asked, beliefs: Beliefs, evidence: readonly Evidence[]): readonly [number, number] | null {
  const scores = pairScores(ground, beliefs, evidence, beliefs.group, beliefs.count);
  for (const { a, b } of scores.sort((p, q) => q.score - p.score)) {
    const pair = nearestAcross(ground, beliefs, evidence, a, b);
    if (pair) return pair;
  }
  return null;
}

/** The nearest pair with a row in class a and a row in class b. A pair that was asked about before counts as farther apart. */
function nearestAcross(
  { between, isOpen }: Asked,
  { nodes, group }: Beliefs,
  evidence: readonly Evidence[],
  a: number,
  b: number,
): readonly [number, number] | null {
  const times = timesAsked(evidence);
  let best: readonly [number, number] | null = null;
  let least = Infinity;
  nodes.forEach((i, p) => {
    if (group[p] !== a) return;
    nodes.forEach((j, q) => {
      if (group[q] !== b || !isOpen(i, j)) return;
      const distance = between(i, j) * (1 + 2 * times(i, j));
      if (distance < least || best === null) [least, best] = [distance, times(i, j) % 2 === 0 ? [i, j] : [j, i]];
    });
  });
  return best;
}

/* Reduces the number of classes to k: joins the two classes that are most likely the same, until k classes are left. */

/**
 * Joins classes until k are left, and returns the class of each node, from 0. The score of joining classes A and B is the weight of the
 * answers between them, plus the logarithms of two means: the mass of A at the rows of B, and the mass of B at the rows of A. (Mass: how
 * strongly a class reaches a row in the neighbour graph.) Classes that hard constraints keep apart are never joined.
 */
export function joinedGroups(ground: Ground, beliefs: Beliefs, evidence: readonly Evidence[]): Int32Array {
  const group = beliefs.group.slice();
  for (let count = beliefs.count; count > ground.k; count--) {
    const pair = likeliestPair(ground, beliefs, evidence, group, count);
    if (!pair) return group;
    const [kept, gone] = pair;
    group.forEach((name, node) => {
      if (name === gone) group[node] = kept;
      else if (name > gone) group[node]!--;
    });
  }
  return group;
}

function likeliestPair(
  ground: Ground,
  beliefs: Beliefs,
  evidence: readonly Evidence[],
  group: Int32Array,
  count: number,
): readonly [number, number] | null {
  let best: readonly [number, number] | null = null;
  let most = -Infinity;
  for (const { a, b, score } of pairScores(ground, beliefs, evidence, group, count))
    if (score > most) [most, best] = [score, [a, b]];
  return best;
}

/** For every two classes that hard constraints allow to be joined: the score of joining them (see `joinedGroups`). */
function pairScores(
  { reach, hard }: Ground,
  { nodes, nodeOf }: Pick<Beliefs, "nodes" | "nodeOf">,
  evidence: readonly Evidence[],
  group: Int32Array,
  count: number,
): { readonly a: number; readonly b: number; readonly score: number }[] {
  const mass = new Float64Array(count * count);
  const barred = new Uint8Array(count * count);
  const size = new Int32Array(count);
  nodes.forEach((row, a) => {
    const reached = reach(row);
    size[group[a]!]!++;
    nodes.forEach((other, b) => {
      if (group[a] === group[b]) return;
      mass[group[b]! * count + group[a]!]! += reached[other]!;
      if (hard.relation(row, other) === "different") barred[group[a]! * count + group[b]!] = 1;
    });
  });
  const net = netWeights(evidence, (row) => group[nodeOf(row)!]!, count);
  const from = (a: number, b: number): number => log(mass[a * count + b]! / size[a]! + CHANCE / count);
  const found: { a: number; b: number; score: number }[] = [];
  for (let a = 0; a < count; a++)
    for (let b = a + 1; b < count; b++)
      if (barred[a * count + b] === 0) found.push({ a, b, score: net[a * count + b]! + from(a, b) + from(b, a) });
  return found;
}
