import { describe, expect, test } from "vitest";
import { constraints } from "../../../constraints/index.js";
import { pointsFromRows } from "../../../rows.js";
import { Journal } from "../journal.js";
import { Knowledge } from "../knowledge.js";
import type { Beliefs, Evidence, Ground } from "./beliefs.js";
import { joinedGroups } from "./evidence-session.js";

/** Five rows, each its own class: 0 and 1 are close, 2 and 3 less close, 4 is far from all. */
const NEAR: Readonly<Record<string, number>> = { "0 1": 0.8, "2 3": 0.5, "1 2": 0.1 };
const POINTS = pointsFromRows([[0], [1], [4], [6], [20]]);

function joined(
  k: number,
  evidence: readonly Evidence[] = [],
  apart: readonly (readonly [number, number])[] = [],
  near = NEAR,
): number[] {
  const known = constraints(POINTS, { cannotLink: apart });
  const ground = {
    k,
    hard: new Knowledge(known, new Journal()),
    reach: (a: number) => Float64Array.from({ length: 5 }, (_, b) => near[[a, b].sort().join(" ")] ?? (a === b ? 1 : 0.001)),
  } as unknown as Ground;
  const own = Int32Array.of(0, 1, 2, 3, 4);
  const beliefs = { nodes: own, group: own.slice(), count: 5, nodeOf: (row: number) => row } as unknown as Beliefs;
  return [...joinedGroups(ground, beliefs, evidence)];
}

describe("more classes than k", () => {
  test("the closest classes join first, until k are left", () => {
    expect(joined(5)).toEqual([0, 1, 2, 3, 4]);
    expect(joined(4)).toEqual([0, 0, 1, 2, 3]);
    expect(joined(3)).toEqual([0, 0, 1, 1, 2]);
    expect(new Set(joined(1)).size).toBe(1);
  });

  test("closeness is absolute: rows 0 and 1 have no other neighbour, but are far from each other", () => {
    expect(joined(4, [], [], { "0 1": 0.05, "2 3": 0.5, "2 4": 0.45, "3 4": 0.1 })).toEqual([0, 1, 2, 2, 3]);
  });

  test("answers count as well", () => {
    expect(joined(4, [{ i: 1, j: 0, same: false, weight: 9 }])).toEqual([0, 1, 2, 2, 3]);
    expect(joined(4, [{ i: 4, j: 0, same: true, weight: 20 }])).toEqual([0, 1, 2, 3, 0]);
  });

  test("hard constraints keep classes apart, even with more than k classes", () => {
    expect(joined(4, [], [[0, 1]])).toEqual([0, 1, 2, 2, 3]);
    const all = [0, 1, 2, 3, 4].flatMap((a) => [0, 1, 2, 3, 4].slice(a + 1).map((b) => [a, b] as const));
    expect(joined(2, [], all)).toEqual([0, 1, 2, 3, 4]);
  });
});
