import { expect, test, vi } from "vitest";
import { pointsFromRows } from "../../../rows.js";
import { trueAnswer } from "../../../steps/index.js";
import type { startAsking } from "./index.js";

/** `startAsking` in modules of its own, in which every computed distance is reported. */
async function askingThatCounts(computed: () => void): Promise<typeof startAsking> {
  vi.resetModules();
  vi.doMock("../../distance-between.js", async (original) => {
    const actual = await original<typeof import("../../distance-between.js")>();
    return {
      ...actual,
      distancesOf: (...given: Parameters<typeof actual.distancesOf>) => {
        const { between, ...rest } = actual.distancesOf(...given);
        const counted: typeof between = (i, j) => {
          computed();
          return between(i, j);
        };
        return { ...rest, between: counted };
      },
    };
  });
  const { startAsking: asking } = await import("./index.js");
  vi.doUnmock("../../distance-between.js");
  vi.resetModules();
  return asking;
}

test("a distance is computed once for all questions, however many are asked", async () => {
  let computed = 0;
  const asking = await askingThatCounts(() => computed++);
  const truth = Int32Array.from({ length: 80 }, (_, i) => Math.floor(i / 2));
  const session = asking({
    points: pointsFromRows(Array.from(truth, (c, i) => [3 * c + (i % 2)])),
    strategy: "closest",
    budget: 10,
  });
  expect(computed).toBeGreaterThan(80);
  for (let question = session.next(); question; question = session.next()) session.answer(trueAnswer(question, truth));
  expect(session.asked).toBe(10);
  expect(computed).toBe((80 * 79) / 2);
});
