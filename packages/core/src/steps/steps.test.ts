import { expect, test } from "vitest";
import { type Answer, answerFromLabels, type Dialogue, drain, drive, replay, type Steps, trueAnswer } from "./index.js";

function* countdown(from: number, closed: { value: boolean }): Steps<string> {
  try {
    for (let done = 0; done < from; done++) yield { phase: "counting", done, total: from };
    return "lift-off";
  } finally {
    closed.value = true;
  }
}

const pause = () => Promise.resolve();

test("drain runs to the end and returns the result", () => {
  expect(drain(countdown(5, { value: false }))).toBe("lift-off");
});

test("drive shows every step in order, closes the generator and returns the same result", async () => {
  const closed = { value: false };
  const seen: number[] = [];
  expect(await drive(countdown(4, closed), { pause, onStep: (step) => seen.push(step.done) })).toBe("lift-off");
  expect(seen).toEqual([0, 1, 2, 3]);
  expect(closed.value).toBe(true);
});

test("drive stops between steps when its signal is aborted, and still closes the generator", async () => {
  const closed = { value: false };
  const controller = new AbortController();
  const seen: number[] = [];
  const run = drive(countdown(100, closed), {
    pause,
    signal: controller.signal,
    onStep: (step) => {
      seen.push(step.done);
      if (step.done === 2) controller.abort();
    },
  });
  await expect(run).rejects.toHaveProperty("name", "AbortError");
  expect(seen).toEqual([0, 1, 2]);
  expect(closed.value).toBe(true);
});

test("drive pauses only when a pause is due", async () => {
  let pauses = 0;
  let calls = 0;
  await drive(countdown(10, { value: false }), {
    pause: () => {
      pauses++;
      return Promise.resolve();
    },
    due: () => calls++ % 5 === 4,
  });
  expect(pauses).toBe(2);
});

function* pairs(): Dialogue<Answer[]> {
  const answers: Answer[] = [];
  for (const ask of [
    [0, 1],
    [1, 2],
    [2, 3],
  ] as const) {
    const answer = yield { kind: "pair", ask };
    answers.push(answer);
    if (answer === "stop") break;
  }
  return answers;
}

test("a dialogue is answered from labels within a budget, unsure where a class is unknown", () => {
  expect(answerFromLabels(pairs(), Int32Array.of(4, 4, 5, -1), 9)).toEqual(["same", "different", "unsure"]);
  expect(answerFromLabels(pairs(), Int32Array.of(4, 4, 5, -1), 1)).toEqual(["same", "stop"]);
});

test("stored answers replay a dialogue and then stop it", () => {
  expect(replay(pairs(), ["same", "unsure"])).toEqual(["same", "unsure", "stop"]);
});

test('of three rows, the row of another class is the odd one out; "unsure" if none or all differ', () => {
  const truth = Int32Array.of(4, 4, 5, 6, -1);
  const odd = (...ask: [number, number, number]) => trueAnswer({ kind: "triplet", ask }, truth);
  expect([odd(0, 1, 2), odd(0, 2, 1), odd(2, 0, 1)]).toEqual(["c", "b", "a"]);
  expect([odd(0, 2, 3), odd(0, 1, 4), odd(0, 4, 1), odd(4, 0, 1)]).toEqual(["unsure", "unsure", "unsure", "unsure"]);
  expect(trueAnswer({ kind: "triplet", ask: [0, 1, 2] }, Int32Array.of(1, 1, 1))).toBe("unsure");
});
