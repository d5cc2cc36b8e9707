import { expect, test } from "vitest";
import { constraints } from "../../../constraints/index.js";
import { adjustedRandIndex, contingency, pairCounts } from "../../../measures/index.js";
import type { Instances } from "../../../model/points.js";
import { makeSynthetic, randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { drain, trueAnswer } from "../../../steps/index.js";
import { tuples } from "../../../testing/tuples.js";
import { neighbourGraphSteps } from "../../neighbours/neighbour-graph.js";
import { movedRows } from "../moved-rows.js";
import { propagateLabels } from "../neighbours/propagate-labels.js";
import { askFromLabels, startAsking, strategies } from "./index.js";
import { uncertaintyPerQuestion } from "./npu.js";

const { points: XOR, truth: OF_XOR } = makeSynthetic("xor", 60, randomFrom(7));

/** The first questions on XOR data with seed 3 and true answers. */
const FIRST_QUESTIONS: Readonly<Record<string, string>> = {
  closest: "27-34 31-41 10-15 39-55 2-55 6-58 2-3 39-40",
  spreading: "3-49 48-49 29-3 15-49 51-3 10-51 31-49 34-3",
  "active-ccl": "43-52 49-31 0-45 3-39 2-49 49-48 53-49 2-48",
  "explore-consolidate": "24-36 20-36 28-24 38-20 37-36 22-28 23-38 49-38",
  "min-max": "24-36 20-36 50-36 1-36 27-20 14-27 51-24 18-36",
  npu: "23-36 42-36 34-23 14-23 54-36 44-42 7-54 1-44",
};

/** The strategies about pairs that can be given the number of clusters; `duplicates` has tests of its own. */
const withK = strategies.filter(({ asks, findsK }) => asks === "pair" && !findsK).map(({ name }) => name);

test.each(withK)("%s: golden questions", (strategy) => {
  expect(firstQuestions(XOR, strategy)).toBe(FIRST_QUESTIONS[strategy]);
});

/** The first eight questions, answered truly. */
function firstQuestions(points: Instances, strategy: string): string {
  const session = startAsking({ points, strategy, k: 2, budget: 8, seed: 3 });
  const asked: string[] = [];
  for (let question = session.next(); question; question = session.next()) {
    asked.push(question.ask.join("-"));
    session.answer(trueAnswer(question, OF_XOR.codes));
  }
  return asked.join(" ");
}

function agreement(labels: Int32Array, truth: Int32Array): number {
  return adjustedRandIndex(pairCounts(contingency(labels, truth)));
}

test("spreading needs few questions for well separated classes, without the number of clusters", () => {
  for (const [set, budget] of [
    ["circles", 8],
    ["cellwalls", 12],
    ["xor", 10],
    ["stormclouds", 12],
  ] as const) {
    const { points, truth } = makeSynthetic(set, 200, randomFrom(1));
    const { outcome } = askFromLabels({ points, strategy: "spreading", truth: truth.codes, budget });
    expect(agreement(outcome.labels, truth.codes), set).toBeGreaterThan(0.97);
  }
});

test("spreading uses the next rows to ask about as missing classes, to make k clusters", () => {
  const points = pointsFromRows([[0], [0.1], [0.2], [10], [10.1], [10.2], [20], [20.1], [20.2]]);
  const labels = startAsking({ points, strategy: "spreading", k: 3, options: { neighbours: 2 } }).result().outcome.labels;
  expect(agreement(labels, Int32Array.of(0, 0, 0, 1, 1, 1, 2, 2, 2))).toBe(1);
});

test.each(withK)("%s reports when k clusters cannot satisfy what is known", (strategy) => {
  const points = pointsFromRows([[0], [1], [10], [11], [20], [21]]);
  const known = constraints(points, { cannotLink: tuples("0 2, 2 4, 0 4") });
  const { outcome } = startAsking({ points, strategy, k: 2, constraints: known }).result();
  expect(new Set(outcome.labels).size).toBe(3);
  expect(outcome.notices.join(" ")).toContain("No clustering into 2 satisfies all answers: there are 3 clusters.");
});

test("min-max places the row farthest from all placed rows: traced by hand", () => {
  const points = pointsFromRows([[0], [1], [2.5], [7], [8], [9]]);
  const known = constraints(points, { cannotLink: [[0, 5]] });
  const session = startAsking({ points, strategy: "min-max", k: 2, constraints: known });
  // Rows 0 and 5 represent the two clusters. The distance to the nearer of them is 2.5 for row 2, 2 for row 3, and 1 for rows 1 and 4.
  const asked = [];
  for (let question = session.next(); question; question = session.next()) {
    asked.push(question.ask);
    session.answer("same");
  }
  expect(asked).toEqual(tuples("2 0, 3 5, 1 0, 4 3"));
});

test("explore asks about the farthest row until there are k neighbourhoods", () => {
  const points = pointsFromRows([[0], [1], [2], [50], [100]]);
  const known = constraints(points, { mustLink: [[0, 1]] });
  const session = startAsking({ points, strategy: "explore-consolidate", k: 3, constraints: known });
  expect(session.next()?.ask).toEqual([4, 1]);
  session.answer("different");
  expect(session.next()?.ask).toEqual([3, 1]);
  session.answer("different");
  expect(session.next()?.ask).toEqual([3, 4]);
  session.answer("different");
  // Three neighbourhoods are known; row 2 is nearest to the first.
  expect(session.next()?.ask).toEqual([2, 1]);
});

test('consolidating visits each row of its random order once: after "unsure" it asks about the next row', () => {
  const points = pointsFromRows([[0], [1], [2], [3], [50], [51], [52], [53]]);
  const session = startAsking({ points, strategy: "explore-consolidate", k: 2 });
  const [first, second] = session.next()!.ask;
  session.answer("different");
  const asked: number[] = [];
  for (let question = session.next(); question; question = session.next()) {
    asked.push(question.ask[0]!);
    session.answer("unsure");
  }
  expect(asked.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7].filter((row) => row !== first && row !== second));
});

test.each(["spreading", "explore-consolidate", "min-max", "npu"])(
  "%s asks the same questions with given distances",
  (strategy) => {
    const { n, d, x } = XOR;
    const distances = new Float64Array((n * (n - 1)) / 2);
    let at = 0;
    for (let i = 0; i < n; i++) {
      for (let j = i + 1; j < n; j++) {
        let sum = 0;
        for (let f = 0; f < d; f++) sum += (x[i * d + f]! - x[j * d + f]!) ** 2;
        distances[at++] = Math.sqrt(sum);
      }
    }
    const given = { n, d: 0, x: new Float64Array(0), distances };
    expect(firstQuestions(given, strategy)).toBe(FIRST_QUESTIONS[strategy]);
  },
);

/** Four classes independent of the positions of the rows, so that new classes are met late. */
const FOUR = Int32Array.from({ length: XOR.n }, (_, i) => (i * i + (i >> 2)) % 4);

test.each(["spreading", "explore-consolidate", "min-max", "npu", "closest"])(
  "%s continues after an undone answer as if it had never been given",
  (strategy) => {
    for (let wrong = 0; wrong < 6; wrong++) {
      const session = startAsking({ points: XOR, strategy, k: 4, budget: 12, seed: 3 });
      const plain = startAsking({ points: XOR, strategy, k: 4, budget: 12, seed: 3 });
      for (let turn = 0; turn < 12; turn++) {
        const [question, other] = [session.next(), plain.next()];
        expect(question?.ask).toEqual(other?.ask);
        if (!question) break;
        const answer = trueAnswer(question, FOUR);
        if (turn === wrong) {
          session.answer(answer === "same" ? "different" : "same");
          session.next();
          session.undo();
          expect(session.next()?.ask).toEqual(question.ask);
        }
        session.answer(answer);
        plain.answer(answer);
      }
    }
  },
);

test("normalised uncertainty is entropy over the expected number of questions", () => {
  expect(uncertaintyPerQuestion([3, 3])).toBeCloseTo(Math.LN2 / 1.5, 12);
  expect(uncertaintyPerQuestion([0, 5, 0])).toBeCloseTo(0, 12);
  expect(uncertaintyPerQuestion([1, 2, 1])).toBeCloseTo((1.5 * Math.LN2) / (0.5 + 0.5 + 0.75), 12);
  expect(uncertaintyPerQuestion([0, 0])).toBeCloseTo(Math.LN2 / 1.5, 12);
});

test("the graph connects each row to its nearest rows and to the rows that have it among theirs", () => {
  const random = randomFrom(5);
  const places = Array.from({ length: 30 }, () => random.normal());
  const between = (i: number, j: number) => Math.abs(places[i]! - places[j]!);
  const graph = drain(neighbourGraphSteps(30, 4, between));
  const nearest = places.map((_, i) =>
    places
      .map((_, j) => j)
      .filter((j) => j !== i)
      .sort((a, b) => between(i, a) - between(i, b))
      .slice(0, 4),
  );
  for (let i = 0; i < 30; i++) {
    const joined = places.map((_, j) => j).filter((j) => nearest[i]!.includes(j) || nearest[j]!.includes(i));
    expect([...graph.other.subarray(graph.start[i], graph.start[i + 1])]).toEqual(joined);
    joined.forEach((j, place) => {
      const scale = between(i, nearest[i]![3]!) * between(j, nearest[j]![3]!);
      expect(graph.weight[graph.start[i]! + place]).toBeCloseTo(Math.exp(-(between(i, j) ** 2) / scale), 12);
    });
  }
});

test("the graph also works with duplicates and with a single row", () => {
  const same = drain(neighbourGraphSteps(5, 3, () => 0));
  expect([...same.weight].every((weight) => weight === 1)).toBe(true);
  expect(drain(neighbourGraphSteps(1, 3, () => 0)).other.length).toBe(0);
});

test("a propagated mass is 0.9 times the weighted mean of the neighbours, in eight sweeps up and down", () => {
  const random = randomFrom(9);
  const places = Array.from({ length: 12 }, () => [random.normal(), random.normal()] as const);
  const graph = drain(
    neighbourGraphSteps(12, 3, (i, j) => Math.hypot(places[i]![0] - places[j]![0], places[i]![1] - places[j]![1])),
  );
  const known = Int32Array.from({ length: 12 }, (_, row) => (row < 3 ? row % 2 : -1));
  const rows = Array.from(known, (c) => [c === 0 ? 1 : 0, c === 1 ? 1 : 0]);
  const order = places.map((_, i) => i).filter((i) => known[i]! < 0);
  for (let sweep = 0; sweep < 8; sweep++) {
    for (const i of sweep % 2 === 0 ? order : order.toReversed()) {
      const edges = [...graph.other.subarray(graph.start[i], graph.start[i + 1])];
      rows[i] = rows[i]!.map((_, c) => {
        const sum = edges.reduce((total, j, e) => total + graph.weight[graph.start[i]! + e]! * rows[j]![c]!, 0);
        return (0.9 * sum) / graph.degree[i]!;
      });
    }
  }
  propagateLabels(graph, known, 2).forEach((value, at) => {
    expect(value).toBeCloseTo(rows[at >> 1]![at & 1]!, 12);
  });
});

test("moved rows do not depend on the numbering of clusters", () => {
  expect(movedRows(Int32Array.of(0, 0, 1, 1), Int32Array.of(1, 1, 0, 0))).toBe(0);
  expect(movedRows(Int32Array.of(0, 0, 0, 1), Int32Array.of(0, 0, 1, 1))).toBe(1);
  expect(movedRows(Int32Array.of(0, 0, 0, 0), Int32Array.of(0, 1, 1, 2))).toBe(2);
});

test("a whole dialogue runs in one call", () => {
  const result = askFromLabels({ points: XOR, strategy: "active-ccl", k: 2, truth: OF_XOR.codes, budget: 30 });
  expect(agreement(result.outcome.labels, OF_XOR.codes)).toBe(1);
  expect(result.change?.question.kind).toBe("pair");
});
