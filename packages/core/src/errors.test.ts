import { expect, test } from "vitest";
import { badInput, badOption, CoterieError, type Problem } from "./errors.js";

test.each<[Problem, string]>([
  [{ code: "bad-option", option: "k", value: 0, expected: "at least 1" }, "k is 0; it must be at least 1."],
  [{ code: "bad-option", option: "scale", value: "z", expected: "zscore" }, 'scale is "z"; it must be zscore.'],
  [
    { code: "bad-input", message: "It is empty.", file: "a.csv", line: 3, remedy: "Fill it." },
    "a.csv, line 3: It is empty. Fill it.",
  ],
  [{ code: "bad-input", message: "It is empty.", file: "a.csv" }, "a.csv: It is empty."],
  [{ code: "k-too-large", k: 9, n: 4 }, "k is 9, but there are only 4 rows; ask for at most 4 clusters."],
  [{ code: "k-too-large", k: 2, n: 1 }, "k is 2, but there is only 1 row; ask for at most 1 cluster."],
  [
    { code: "contradiction", contradictions: [{ cannotLink: ["a", "c"], path: ["a", "b", "c"] }] },
    "One cannot-link contradicts the must-links: a and c cannot link, yet must-links join them: a – b – c.",
  ],
  [
    {
      code: "contradiction",
      contradictions: [
        { cannotLink: [1, 2], path: [1, 2] },
        { cannotLink: [3, 4], path: [3, 4] },
      ],
    },
    "2 cannot-links contradict the must-links: 1 and 2 cannot link, yet must-links join them: 1 – 2.",
  ],
  [
    { code: "infeasible", k: 2, core: [[1], [2, 3], [4, 5, 6, 7, 8]] },
    "No clustering with 2 clusters keeps all constraints: these 3 groups of rows already need more: {1}, {2, 3}, {4, 5, 6, 7, …}.",
  ],
  [{ code: "gave-up", message: "No answer in 10 tries." }, "No answer in 10 tries."],
])("%j", (problem, sentence) => {
  const error = new CoterieError(problem);
  expect(error.message).toBe(sentence);
  expect(error.problem).toBe(problem);
  expect(error).toBeInstanceOf(Error);
});

test("the short forms make the same errors", () => {
  expect(badInput("No.", { file: "f", line: 1 }).message).toBe("f, line 1: No.");
  expect(badOption("seed", 1.5, "a whole number").problem.code).toBe("bad-option");
});
