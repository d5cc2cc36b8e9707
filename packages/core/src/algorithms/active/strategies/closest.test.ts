import fc from "fast-check";
import { expect, test } from "vitest";
import { pointsFromRows } from "../../../rows.js";
import { trueAnswer } from "../../../steps/index.js";
import { firstThreshold, thresholdOf } from "./closest.js";
import { startAsking } from "./index.js";

test("worked by hand: the first threshold is in the widest gap, and answers move it", () => {
  const distance = Float64Array.of(1, 2, 3, 10, 11, 12);
  expect(firstThreshold(distance)).toBe(6.5);
  expect(firstThreshold(Float64Array.of(4))).toBe(4);
  expect(thresholdOf(distance, Uint8Array.of(0, 0, 2, 0, 0, 0), 6.5)).toBe(1.5);
  expect(thresholdOf(distance, Uint8Array.of(0, 0, 0, 1, 0, 0), 6.5)).toBe(10);
  expect(thresholdOf(distance, new Uint8Array(6), 6.5)).toBe(6.5);
});

test("the threshold leaves the fewest answers on the wrong side, as checking all places shows", () => {
  const setting = fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.constantFrom(0, 1, 2, 3)), {
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(setting, fc.integer({ min: 0, max: 40 }), (pairs, start) => {
      const sorted = [...pairs].sort(([p], [q]) => p - q);
      const distance = Float64Array.from(sorted, ([d]) => d);
      const said = Uint8Array.from(sorted, ([, s]) => s);
      const wrong = (turn: number) => sorted.filter(([d, s]) => (s === 1 && d > turn) || (s === 2 && d <= turn)).length;
      const distinct = new Set(distance).size === distance.length;
      const best = Math.min(...[-1, ...distance, ...distance.map((d) => d + 0.5)].map(wrong));
      if (distinct && distance[0]! > 0) expect(wrong(thresholdOf(distance, said, start))).toBe(best);
    }),
    { numRuns: 200 },
  );
});

test("few answers about rows near the threshold find the pairs among single rows", () => {
  const truth = Int32Array.from({ length: 60 }, (_, i) => Math.floor(i / 2));
  const points = pointsFromRows(Array.from(truth, (c, i) => [200 * c + (i % 2) * (1 + (c % 10) * 6)]));
  const session = startAsking({ points, strategy: "closest", budget: 12 });
  for (let question = session.next(); question; question = session.next()) session.answer(trueAnswer(question, truth));
  const { labels } = session.result().outcome;
  expect(truth.every((c, i) => labels[i] === labels[2 * c])).toBe(true);
  expect(new Set(labels).size).toBe(30);
  while (session.undo());
  expect(session.asked).toBe(0);
});
