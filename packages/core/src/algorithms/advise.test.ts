import fc from "fast-check";
import { expect, test } from "vitest";
import { closeConstraints, constraints } from "../constraints/index.js";
import { CoterieError } from "../errors.js";
import { type AdviceResult, type AdviceTrial, advising, type MethodAdvice } from "./advise.js";

const N = 40;
/** Rows 0 … 39 in two classes, alternating. */
const classOf = (row: number) => row % 2;
const pairs = Array.from({ length: 30 }, (_, i) => [i, i + (i % 3 === 0 ? 2 : 1)] as const);
const known = constraints(
  { n: N },
  {
    mustLink: pairs.filter(([a, b]) => classOf(a) === classOf(b)).map(([a, b]) => [a, b] as [number, number]),
    cannotLink: pairs.filter(([a, b]) => classOf(a) !== classOf(b)).map(([a, b]) => [a, b] as [number, number]),
  },
);

const result = (labels: Int32Array, broken = 0): AdviceResult => ({
  labels,
  violations: {
    mustLink: Array.from({ length: broken }, () => [0, 1] as const),
    cannotLink: [],
    relative: [],
    labels: [],
    exclusive: [],
  },
});

function adviceOf(algorithms: readonly string[], answer: (trial: AdviceTrial) => AdviceResult): MethodAdvice | null {
  const trials = advising(known, algorithms, 0);
  let turn = trials.next();
  while (!turn.done) {
    let found: AdviceResult;
    try {
      found = answer(turn.value);
    } catch (error) {
      turn = trials.throw(error);
      continue;
    }
    turn = trials.next(found);
  }
  return turn.value;
}

const right = Int32Array.from({ length: N }, (_, row) => classOf(row));
const wrong = new Int32Array(N);

test("advises the method whose clusters satisfy the held-out links; each method gets two thirds of the links, three times", () => {
  const given: number[] = [];
  const advice = adviceOf(["all-in-one", "by-class"], ({ algorithm, known: part, done, total }) => {
    given.push(part.mustLinks.a.length + part.cannotLinks.a.length);
    expect([done, total]).toEqual([given.length - 1, 6]);
    return result(algorithm === "by-class" ? right : wrong);
  })!;
  expect(advice.algorithm).toBe("by-class");
  expect(given.slice(0, 3).reduce((sum, count) => sum + count, 0)).toBe(2 * pairs.length);
  expect(advice.tried.map(({ algorithm, score }) => [algorithm, score])).toEqual([
    ["all-in-one", 0],
    ["by-class", 1],
  ]);
});

test("of methods with about equal agreement, advises the one that breaks the smallest share of its constraints", () => {
  // A difference of one held-out link is less than one standard error of the best score.
  const nearly = right.slice();
  nearly[0] = 1 - nearly[0]!;
  const advice = adviceOf(["bold", "obedient"], ({ algorithm }) =>
    algorithm === "bold" ? result(nearly, 4) : result(rotated(nearly), 0),
  )!;
  const [bold, obedient] = advice.tried;
  expect(obedient!.score!).toBeGreaterThanOrEqual(bold!.score! - bold!.error!);
  expect(advice.algorithm).toBe("obedient");
  function rotated(labels: Int32Array): Int32Array {
    const others = labels.slice();
    others[2] = 1 - others[2]!;
    return others;
  }
});

test("a method that fails is reported with its reason; an unexpected error ends the advice", () => {
  const fails = (algorithm: string) => {
    throw algorithm === "stuck"
      ? new CoterieError({ code: "gave-up", message: "No answer was found." } as never)
      : new TypeError("oops");
  };
  const advice = adviceOf(["stuck", "fine"], ({ algorithm }) => (algorithm === "stuck" ? fails(algorithm) : result(right)))!;
  expect(advice.algorithm).toBe("fine");
  expect(advice.tried[0]).toMatchObject({ algorithm: "stuck", score: null, error: null });
  expect(advice.tried[0]!.failure).not.toBe(null);
  expect(adviceOf(["stuck"], () => fails("stuck"))).toMatchObject({ algorithm: null });
  expect(() => adviceOf(["broken"], () => fails("broken"))).toThrow("oops");
});

test("held-out links implied by the given part do not count; with too few links there is no advice", () => {
  const chain = {
    mustLink: Array.from({ length: 12 }, (_, i) => [0, i] as [number, number]).slice(1),
    cannotLink: [[0, 20]] as [number, number][],
  };
  expect(advising(constraints({ n: N }, chain), ["any"], 0).next()).toEqual({ done: true, value: null });
  const trials = advising(known, ["any"], 3);
  const held: number[] = [];
  let turn = trials.next();
  while (!turn.done) {
    const { component, apart } = closeConstraints(turn.value.known);
    const given = new Set(
      [turn.value.known.mustLinks, turn.value.known.cannotLinks].flatMap(({ a, b }) =>
        Array.from(a, (row, s) => `${row} ${b[s]}`),
      ),
    );
    const out = pairs.filter(([a, b]) => !given.has(`${a} ${b}`));
    held.push(out.filter(([a, b]) => component[a] !== component[b] && !apart(component[a]!, component[b]!)).length);
    turn = trials.next(result(right));
  }
  expect(turn.value!.held).toBe(held.reduce((sum, count) => sum + count, 0));
});

test("the advised method is within one standard error of the best, and no other method there breaks a smaller share", () => {
  const labelling = fc.array(fc.nat(2), { minLength: N, maxLength: N });
  const methods = fc.array(fc.record({ labels: labelling, broken: fc.nat(5) }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(methods, (made) => {
      const names = made.map((_, i) => `m${i}`);
      const advice = adviceOf(names, ({ algorithm }) => {
        const { labels, broken } = made[Number(algorithm.slice(1))]!;
        return result(Int32Array.from(labels), broken);
      })!;
      const best = advice.tried.reduce((most, each) => (each.score! > most.score! ? each : most));
      const close = advice.tried.filter(({ score }) => score! >= best.score! - best.error!);
      const chosen = advice.tried.find(({ algorithm }) => algorithm === advice.algorithm)!;
      expect(close).toContain(chosen);
      expect(Math.min(...close.map(({ broken }) => broken))).toBe(chosen.broken);
    }),
  );
});
