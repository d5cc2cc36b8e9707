import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { constraints, randomTriplets, violationCount, violationsOf } from "../../../constraints/index.js";
import { meetingPlaces } from "../../../constraints/meeting.js";
import { CoterieError } from "../../../errors.js";
import type { Instances } from "../../../model/points.js";
import type { Merge } from "../../../model/result.js";
import { randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { type Question, replay, type TripletAnswer, trueAnswer } from "../../../steps/index.js";
import { tripletConsistency } from "../../../triplets/consistency.js";
import type { Triple as Triplet } from "../../../triplets/consistency.reference.js";
import { finish } from "../../finish.js";
import { type CondensedDistances, condense } from "../../given-distances.js";
import { linkages } from "../../hierarchical/linkage.js";
import { recon } from "../../hierarchical/recon/index.js";
import { dialogueOf } from "../session.js";
import type { Session } from "../strategy.js";
import { startAsking } from "./index.js";
import { tripletOf } from "./odd-one-out.js";

const strategy = "odd-one-out";

/** Clouds of k classes, with some rows in a wrong cloud. */
function clouds(seed: number, n: number, k: number): Instances {
  const random = randomFrom(seed).split("clouds");
  const codes = Int32Array.from({ length: n }, () => random.int(k));
  const rows = Array.from(codes, (code) => [3 * (code % 3) + random.normal(), 3 * Math.floor(code / 3) + random.normal()]);
  return { ...pointsFromRows(rows), truth: { codes, names: Array.from({ length: k }, (_, c) => `c${c}`) } };
}

/** Answers from the classes, random where the classes do not decide, so that rebuilt hierarchies are tested too. */
function answerer(points: Instances, seed: number): (question: Question) => TripletAnswer {
  return (question) => {
    const known = trueAnswer(question, points.truth!.codes) as TripletAnswer;
    const coin = randomFrom(seed).split(question.ask.join()).int(3);
    return known === "unsure" && coin > 0 ? "unsure" : known;
  };
}

function take(session: Session, answer: (question: Question) => TripletAnswer, most: number): [Question, TripletAnswer][] {
  const asked: [Question, TripletAnswer][] = [];
  for (let question = session.next(); question !== null && asked.length < most; question = session.next()) {
    const given = answer(question);
    asked.push([question, given]);
    session.answer(given);
  }
  return asked;
}

const consistent = (triplets: readonly Triplet[]): boolean => {
  const column = (part: 0 | 1 | 2): Int32Array => Int32Array.from(triplets, (triplet) => triplet[part]);
  return tripletConsistency({ a: column(0), b: column(1), c: column(2) }).consistent;
};

const settings = fc.record({ seed: fc.nat(1000), n: fc.integer({ min: 3, max: 40 }), k: fc.integer({ min: 2, max: 4 }) });

describe("the odd one out", () => {
  test("never asks a triple that is implied, was asked, or could be answered with a contradiction; satisfies every answer", () => {
    fc.assert(
      fc.property(settings, ({ seed, n, k: classes }) => {
        const points = clouds(seed, n, classes);
        const session = startAsking({ points, strategy, k: Math.min(classes, n), budget: 40, seed });
        const answer = answerer(points, seed);
        const known: Triplet[] = [];
        const seen = new Set<string>();
        for (let question = session.next(); question !== null; question = session.next()) {
          const ask = question.ask as Triplet;
          expect(new Set(ask).size).toBe(3);
          const key = [...ask].sort((p, q) => p - q).join();
          expect(seen.has(key)).toBe(false);
          seen.add(key);
          for (const odd of ["a", "b", "c"] as const) expect(consistent([...known, tripletOf(ask, odd) as Triplet])).toBe(true);
          const given = answer(question);
          session.answer(given);
          const triplet = tripletOf(ask, given);
          if (triplet) known.push(triplet as Triplet);
          const { constraints: set, outcome } = session.result();
          expect(Array.from(set.relative.a, (a, s) => [a, set.relative.b[s], set.relative.c[s]])).toEqual(known);
          expect(violationCount(violationsOf(set, outcome.labels))).toBe(0);
          const meet = meetingPlaces(n, outcome.merges!);
          for (const [a, b, c] of known) expect(meet(a, b)).toBeLessThan(meet(a, c));
        }
        expect(session.asked).toBe(seen.size);
      }),
      { numRuns: 10 },
    );
  });

  test("the hierarchy equals ReCon's with the same constraints, whether or not it was rebuilt", () => {
    const points = clouds(5, 40, 3);
    const session = startAsking({ points, strategy, k: 3, budget: 25 });
    const answer = answerer(points, 5);
    for (let question = session.next(); question !== null; question = session.next()) {
      session.answer(answer(question));
      const { constraints: set, outcome } = session.result();
      const again = recon(points, set, { k: 3, linkage: "ward", cut: "triplets" });
      expect(outcome.merges).toEqual(again.merges);
      expect(finish({ points, constraints: set }, outcome).labels).toEqual(again.labels);
    }
  });

  test("undo reverts answer, hierarchy and question, back to the start", () => {
    const points = clouds(7, 30, 3);
    const open = (): Session => startAsking({ points, strategy, k: 3, budget: 30 });
    const session = open();
    const answer = answerer(points, 7);
    const states: string[] = [];
    const stateOf = (): string => JSON.stringify([session.next(), session.result().outcome.labels, session.result().constraints]);
    for (let turn = 0; turn < 20 && session.next(); turn++) {
      states.push(stateOf());
      session.answer(answer(session.next()!));
    }
    while (states.length > 0) {
      expect(session.undo()).toBe(true);
      expect(stateOf()).toBe(states.pop());
    }
    expect(session.undo()).toBe(false);
    expect(take(session, answer, 20)).toEqual(take(open(), answer, 20));
  });

  test("an answer is not recorded if its steps are abandoned", () => {
    const points = clouds(7, 30, 3);
    const [session, other] = [0, 1].map(() => startAsking({ points, strategy, k: 3, budget: 30 })) as [Session, Session];
    for (const answer of ["a", "b", "c", "a"] as const) {
      const question = session.next();
      if (answer !== "c") {
        const steps = session.answerSteps(answer);
        expect(steps.next().done).toBe(false);
        steps.return();
        expect([session.asked, session.next()]).toEqual([other.asked, question]);
        expect(session.result()).toEqual(other.result());
      }
      for (const each of [session, other]) each.answer(answer);
      expect(session.next()).toEqual(other.next());
    }
  });

  test("the same answers lead to the same questions, also as a dialogue", () => {
    const points = clouds(9, 35, 3);
    const session = startAsking({ points, strategy, k: 3, budget: 20 });
    const turns = take(session, answerer(points, 9), 20);
    const again = replay(
      dialogueOf(startAsking({ points, strategy, k: 3, budget: 20 })),
      turns.map(([, answer]) => answer),
    );
    expect(again.outcome).toEqual(session.result().outcome);
  });

  test("treats given relative constraints and must-links as known, and refuses inconsistent ones", () => {
    const points = clouds(3, 24, 2);
    const given = constraints(points, { mustLink: [[0, 1]], relative: [[2, 3, 4]] });
    const session = startAsking({ points, strategy, k: 2, budget: 60, constraints: given });
    for (const [{ ask }] of take(session, () => "c", 60)) {
      expect(ask.includes(0) && ask.includes(1)).toBe(false);
      expect([2, 3, 4].every((row) => ask.includes(row))).toBe(false);
    }
    const clash = constraints(points, { mustLink: [[2, 4]], relative: [[2, 3, 4]] });
    expect(() => startAsking({ points, strategy, k: 2, constraints: clash })).toThrow(CoterieError);
  });

  test("refuses an answer of another kind", () => {
    const session = startAsking({ points: clouds(1, 10, 2), strategy, k: 2 });
    expect(() => session.answer("same")).toThrow('"a", "b", "c" or "unsure"');
    expect(session.asked).toBe(0);
  });

  test("with many rows the questions come from a sample, and the result contains all rows", () => {
    const points = clouds(2, 2100, 3);
    const session = startAsking({ points, strategy, k: 3, budget: 4 });
    take(session, answerer(points, 2), 4);
    const { outcome, constraints: set } = session.result();
    expect(outcome.labels).toHaveLength(2100);
    expect(violationCount(violationsOf(set, outcome.labels))).toBe(0);
  });

  test("a sample of the rows keeps the distances that are given", () => {
    const n = 2100;
    const position = Float64Array.from({ length: n }, (_, i) => [0, 10_000, 100][i % 3]! + (i % 7));
    const apart = (i: number, j: number): number => Math.abs(position[i]! - position[j]!);
    const { condensed } = condense(apart, n) as CondensedDistances;
    const session = startAsking({ points: { n, d: 0, x: new Float64Array(0), distances: condensed }, strategy, k: 3 });
    const [a, b, c] = session.next()!.ask as Triplet;
    expect(apart(a, b)).toBeLessThan(Math.min(apart(a, c), apart(b, c)));
  });
});

describe("fewer questions than random triplets need", () => {
  test("classes: pairwise F after the same number of questions, over seeds", () => {
    const sums = { asked: 0, drawn: 0 };
    for (let seed = 0; seed < 8; seed++) {
      const points = clouds(seed, 60, 3);
      const session = startAsking({ points, strategy, k: 3, budget: 40 });
      take(session, (question) => trueAnswer(question, points.truth!.codes) as TripletAnswer, 40);
      const { constraints: set, outcome } = session.result();
      sums.asked += finish({ points, constraints: set }, outcome).scores!.pairwiseF;
      const drawn = randomTriplets(points.truth!, { count: 40, random: randomFrom(seed) });
      sums.drawn += recon(points, drawn, { k: 3, linkage: "ward", cut: "triplets" }).scores!.pairwiseF;
    }
    expect(sums.asked / 8).toBeGreaterThan(sums.drawn / 8 + 0.1);
  });

  test("a hierarchy: the share of its triplets that our hierarchy induces", () => {
    const shares = { asked: 0, drawn: 0 };
    for (let seed = 0; seed < 6; seed++) {
      const random = randomFrom(seed);
      const n = 48;
      const hidden = pointsFromRows(Array.from({ length: n }, () => [random.normal(), random.normal(), random.normal()]));
      const truth = meetingPlaces(n, linkages.average(hidden, undefined, { k: 2 }).merges!);
      // The observed position is the hidden position plus noise.
      const seen = pointsFromRows(
        Array.from({ length: n }, (_, i) => Array.from({ length: 3 }, (_, j) => hidden.x[3 * i + j]! + 0.7 * random.normal())),
      );
      const answer = ([x, y, z]: readonly number[]): TripletAnswer => {
        const [xy, xz] = [truth(x!, y!), truth(x!, z!)];
        return xy < xz ? "c" : xz < xy ? "b" : "a";
      };
      const session = startAsking({ points: seen, strategy, k: 4, budget: 60 });
      take(session, ({ ask }) => answer(ask), 60);
      const triples = Array.from({ length: 60 }, () => [...random.sample(n, 3)] as unknown as Triplet);
      const drawn = constraints(seen, { relative: triples.map((triple) => tripletOf(triple, answer(triple)) as Triplet) });
      const share = (merges: readonly Merge[]): number => {
        const meet = meetingPlaces(n, merges);
        const probes = Array.from({ length: 400 }, (_, p) => [...randomFrom(p).sample(n, 3)] as unknown as Triplet);
        return (
          probes.filter((probe) => {
            const [a, b, c] = tripletOf(probe, answer(probe))!;
            return meet(a, b) < meet(a, c);
          }).length / 400
        );
      };
      shares.asked += share(session.result().outcome.merges!);
      shares.drawn += share(recon(seen, drawn, { k: 4, linkage: "ward" }).merges!);
    }
    expect(shares.asked).toBeGreaterThan(shares.drawn);
  });
});
