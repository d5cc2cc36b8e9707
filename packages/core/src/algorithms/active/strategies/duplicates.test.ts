import { expect, test } from "vitest";
import { constraints, violationCount, violationsOf } from "../../../constraints/index.js";
import { adjustedRandIndex, contingency, pairCounts } from "../../../measures/index.js";
import type { Instances } from "../../../model/points.js";
import { makePeople, randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { problemOf } from "../../../testing/problem-of.js";
import { duplicates } from "../../pairs/index.js";
import { Journal } from "../journal.js";
import { Knowledge } from "../knowledge.js";
import { mostWrong } from "./duplicates.js";
import { startAsking } from "./index.js";

/** Records of people as points: columns of levels, a missing cell is NaN. */
function people(rows: number, seed: number) {
  const records = makePeople(rows, 4, randomFrom(seed));
  const columns = (["name", "email", "city", "born"] as const).map((name) => records.map((record) => String(record[name])));
  const levels = columns.map((cells) => [...new Set(cells.filter((cell) => cell !== ""))]);
  const x = Float64Array.from({ length: rows * 4 }, (_, p) => {
    const cell = columns[p % 4]![Math.floor(p / 4)]!;
    return cell === "" ? Number.NaN : levels[p % 4]!.indexOf(cell);
  });
  const persons = [...new Set(records.map(({ person }) => person))];
  const truth = Int32Array.from(records, ({ person }) => persons.indexOf(person));
  const points: Instances = { n: rows, d: 4, x, levels, nominal: new Uint8Array(4).fill(1), holes: true };
  return { points, truth };
}

const { points, truth } = people(600, 6);
const answerTo = ([i, j]: readonly number[]) => (truth[i!] === truth[j!] ? "same" : "different");
const agreement = (labels: Int32Array) => adjustedRandIndex(pairCounts(contingency(labels, truth)));

test("answers improve the clusters; no pair is asked twice or when it is known; all answers are kept", () => {
  const session = startAsking({ points, strategy: "duplicates", budget: 60 });
  const before = agreement(session.result().outcome.labels);
  const asked = new Set<string>();
  for (let question = session.next(); question; question = session.next()) {
    const key = [...question.ask].sort((i, j) => i - j).join();
    expect(asked.has(key)).toBe(false);
    asked.add(key);
    session.answer(answerTo(question.ask));
  }
  expect(asked.size).toBeGreaterThan(5);
  const { constraints: known, outcome } = session.result();
  expect(violationCount(violationsOf(known, outcome.labels))).toBe(0);
  expect(agreement(outcome.labels)).toBeGreaterThan(before);
  const run = duplicates(points, known, {}).labels;
  expect(adjustedRandIndex(pairCounts(contingency(outcome.labels, run)))).toBe(1);
});

test("undo brings the question and the clusters back; an unsure answer is not asked again", () => {
  const session = startAsking({ points, strategy: "duplicates" });
  const first = session.next()!;
  const labels = session.result().outcome.labels;
  session.answer("same");
  const second = session.next()!;
  expect(second.ask).not.toEqual(first.ask);
  expect(session.undo()).toBe(true);
  expect(session.next()).toEqual(first);
  expect(session.result().outcome.labels).toEqual(labels);
  session.answer("unsure");
  for (let i = 0; i < 10; i++) {
    const question = session.next();
    if (!question) break;
    expect(question.ask).not.toEqual(first.ask);
    session.answer(answerTo(question.ask));
  }
});

test("the number of clusters is refused; without anything doubtful there is no question", () => {
  expect(problemOf(() => startAsking({ points, strategy: "duplicates", k: 5 }))).toMatchObject({ option: "k" });
  const given = {
    ...pointsFromRows([[0], [1], [2]]),
    pairs: { a: Int32Array.of(0), b: Int32Array.of(1), probability: Float64Array.of(1) },
  };
  expect(startAsking({ points: given, strategy: "duplicates" }).next()).toBeNull();
  const doubtful = { ...given, pairs: { ...given.pairs, probability: Float64Array.of(0.6) } };
  expect(startAsking({ points: doubtful, strategy: "duplicates" }).next()?.ask).toEqual([0, 1]);
});

test("the pair with the most expected wrong pairs, by hand", () => {
  const none = constraints(pointsFromRows(Array.from({ length: 7 }, (_, i) => [i])), {});
  const knowledge = new Knowledge(none, new Journal());
  const pairs = { a: Int32Array.of(0, 1, 2, 4, 0), b: Int32Array.of(1, 2, 3, 5, 6), odds: Float64Array.of(5, 0.2, 5, 0, -3) };
  // The cluster 0-3 holds together by pair 1: wrong with probability 0.45, and then 2 · 2 pairs are wrong. Pair 3 decides one pair only.
  const best = mostWrong(pairs, Int32Array.of(0, 0, 0, 0, 1, 1, 2), knowledge);
  expect(best?.pair).toBe(1);
  expect(best?.wrong).toBeCloseTo(4 / (1 + Math.exp(0.2)), 9);
  knowledge.learn(1, 2, "same");
  expect(mostWrong(pairs, Int32Array.of(0, 0, 0, 0, 1, 1, 2), knowledge)?.pair).toBe(3);
});
