/**
 * Ours, for duplicates: questions about the most similar pairs of which it is not decided whether they are one.
 *
 * Pairs of rows that are near each other are put in order of their distance. Very near ones are the same, far ones are not; where one
 * turns into the other is where questions help. The turn is estimated from the gap between nearest and next-nearest rows, and then from the answers: it
 * lies where as many answers below say "different" as answers above say "same". The pair nearest to it is asked. Pairs that an
 * exclusive group or an answer decides are not. The clusters join pairs below the turn, the nearest first, unless something known forbids it; where their number is
 * given, constrained complete linkage makes so many.
 */
import { z } from "zod";
import type { PairAnswer, Step, Steps } from "../../../steps/index.js";
import { METRICS } from "../../distance.js";
import type { Context, Outcome } from "../../method.js";
import { distancesOf } from "../distances.js";
import { Journal } from "../journal.js";
import { keptByLinkage } from "../kept-outcome.js";
import { Knowledge } from "../knowledge.js";
import { PairSession, settingOf } from "../session.js";
import type { Questioner, QuestionerSetting, Session, StrategyInput } from "../strategy.js";

export const closestOptions = z.strictObject({
  neighbours: z.int().min(1).default(8).meta({ description: "nearest rows that each row may be the same as" }),
  distance: z.enum(METRICS).optional().meta({ description: "distance between rows (default: what fits the columns)" }),
});

type Options = z.output<typeof closestOptions>;

/** Pairs in order of their distance. */
interface Candidates {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly distance: Float64Array;
}

export function* startClosest(input: StrategyInput, options: Options, context: Context): Steps<Session> {
  const setting = settingOf(input);
  const { between, notices } = distancesOf(input.points, options.distance);
  const candidates = yield* candidatesOf(setting, options.neighbours, between);
  return new PairSession(setting, closest(setting, candidates, { ...context, notices, distance: options.distance }));
}

/** Each row with its nearest rows that nothing known parts it from. */
function* candidatesOf(
  { points: { n }, knowledge }: QuestionerSetting,
  neighbours: number,
  between: (i: number, j: number) => number,
): Generator<Step, Candidates, void> {
  const found = new Map<number, number>();
  const row = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    if (i % 64 === 0) yield { phase: "neighbours", done: i, total: n };
    const others: number[] = [];
    for (let j = 0; j < n; j++) {
      if (j === i || knowledge.relation(i, j) !== null) continue;
      row[j] = between(i, j);
      others.push(j);
    }
    others.sort((p, q) => row[p]! - row[q]! || p - q);
    for (const j of others.slice(0, neighbours)) found.set(Math.min(i, j) * n + Math.max(i, j), row[j]!);
  }
  const pairs = [...found].sort(([p, d], [q, e]) => d - e || p - q);
  return {
    a: Int32Array.from(pairs, ([key]) => Math.floor(key / n)),
    b: Int32Array.from(pairs, ([key]) => key % n),
    distance: Float64Array.from(pairs, ([, distance]) => distance),
  };
}

interface Ways extends Context {
  readonly notices: readonly string[];
  readonly distance: Options["distance"];
}

function closest(setting: QuestionerSetting, candidates: Candidates, ways: Ways): Questioner {
  const { knowledge, journal, points } = setting;
  const count = candidates.distance.length;
  /** For each pair: 0 not asked, 1 the same, 2 different, 3 nobody knows or it follows. */
  const said = new Uint8Array(count);
  const pending = Int32Array.of(-1);
  const start = firstTurn(candidates.distance);
  return {
    propose() {
      const turn = turnOf(candidates.distance, said, start);
      const place = nearestOpen(candidates.distance, said, turn);
      journal.set(pending, 0, place);
      return place < 0 ? null : [candidates.a[place]!, candidates.b[place]!];
    },
    heard(answer: PairAnswer) {
      journal.set(said, pending[0]!, answer === "same" ? 1 : answer === "different" ? 2 : 3);
    },
    *outcome(): Steps<Outcome> {
      if (setting.k !== undefined) return yield* keptByLinkage(points, knowledge.constraints(), setting.k, ways.distance, ways);
      const turn = turnOf(candidates.distance, said, start);
      const joined = new Knowledge(knowledge.constraints(), new Journal(), points.ids);
      for (let place = 0; place < count && candidates.distance[place]! <= turn; place++) {
        const [a, b] = [candidates.a[place]!, candidates.b[place]!];
        if (joined.relation(a, b) === null) joined.learn(a, b, "same");
        if (place % 4096 === 0) yield { phase: "joining", done: place, total: count };
      }
      return { labels: Int32Array.from({ length: points.n }, (_, row) => joined.component(row)), notices: ways.notices };
    },
  };
}

/** Between near and far: the split of the distances that leaves least spread on both sides (Otsu 1979). */
export function firstTurn(distance: Float64Array): number {
  const n = distance.length;
  if (n === 0) return 0;
  const total = distance.reduce((sum, each) => sum + each, 0);
  let [best, most, below] = [0, -1, 0];
  for (let place = 0; place < n - 1; place++) {
    below += distance[place]!;
    const low = place + 1;
    const gap = below / low - (total - below) / (n - low);
    const between = low * (n - low) * gap * gap;
    if (between > most) [most, best] = [between, place];
  }
  return n === 1 ? distance[0]! : (distance[best]! + distance[best + 1]!) / 2;
}

/** Where fewest answers are on the wrong side; of several such places the one nearest to the start. */
export function turnOf(distance: Float64Array, said: Uint8Array, start: number): number {
  const answered = Array.from(said.keys()).filter((place) => said[place] === 1 || said[place] === 2);
  if (answered.length === 0) return start;
  let wrong = answered.filter((place) => said[place] === 1).length;
  let best = { wrong: Infinity, turn: start };
  const consider = (low: number, high: number) => {
    const turn = Math.min(Math.max(start, low), high);
    if (wrong < best.wrong || (wrong === best.wrong && Math.abs(turn - start) < Math.abs(best.turn - start)))
      best = { wrong, turn };
  };
  let low = 0;
  for (const place of answered) {
    consider(low, (low + distance[place]!) / 2);
    wrong += said[place] === 1 ? -1 : 1;
    low = distance[place]!;
  }
  consider(low, Math.max(low, distance.at(-1)!));
  return best.turn;
}

function nearestOpen(distance: Float64Array, said: Uint8Array, turn: number): number {
  let best = -1;
  for (let place = 0; place < distance.length; place++) {
    if (said[place] !== 0) continue;
    if (best < 0 || Math.abs(distance[place]! - turn) < Math.abs(distance[best]! - turn)) best = place;
  }
  return best;
}
