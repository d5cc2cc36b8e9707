import { type ConstraintLists, constraints, diagnose } from "@coterie/core/internal";
import { describe, expect, test } from "vitest";
import { conflictGraphFigure, springLayout } from "../marks/conflict-graph.js";

import { contradictionChains } from "../marks/contradiction-chains.js";
import { diagnosisHtml } from "./diagnosis-html.js";

const NAMES = ["ann", "bob", "cay", "dan", "eve", "<fay>"];

function diagnosed(lists: ConstraintLists, k: number) {
  const instances = { n: NAMES.length, ids: NAMES };
  const known = constraints(instances, lists);
  return { diagnosis: diagnose(known, { k, ids: NAMES }), constraints: known, ids: NAMES };
}

const RING: ConstraintLists = {
  cannotLink: [
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 4],
    [4, 0],
  ],
  mustLink: [[0, 5]],
};

describe("the conflict graph", () => {
  test("a core stands out, and what to drop is in it", () => {
    const drawn = conflictGraphFigure(diagnosed(RING, 2))!;
    expect(drawn.match(/<circle [^>]*r="6"/g)).toHaveLength(5);
    expect(drawn.match(/stroke-dasharray="2 3"/g)!.length).toBe(2);
    expect(drawn).toContain("these groups need more clusters");
    expect(drawn).toContain(">ann +1<");
    expect(drawn).not.toContain("<fay>");
  });

  test("a clustering that keeps all is shown by marks", () => {
    const drawn = conflictGraphFigure(diagnosed(RING, 3))!;
    expect(drawn).toContain("shape and colour");
    expect(drawn).not.toContain("need more clusters");
    expect(drawn.match(/<line [^>]*stroke-dasharray="5 3.5"/g)).toHaveLength(5 + 1);
  });

  test("of a large graph the hardest part, and it says so", () => {
    const n = 300;
    const known = constraints({ n }, { cannotLink: Array.from({ length: n - 1 }, (_, i) => [i, i + 1] as const) });
    const drawn = conflictGraphFigure({ diagnosis: diagnose(known, { k: 2 }), constraints: known })!;
    expect(drawn).toContain("60 groups of 300: the hardest to place, and their neighbours.");
  });

  test("an exclusive group is followed without a list of its pairs", () => {
    const n = 20_000;
    const exclusive = [{ column: "source", codes: new Int32Array(n), names: ["one"] }];
    const known = constraints({ n }, { exclusive });
    expect(conflictGraphFigure({ diagnosis: diagnose(known, { k: 3 }), constraints: known })).toMatch(/\d\d groups of 20,000/);
  });

  test("nothing kept apart, nothing drawn", () => {
    expect(conflictGraphFigure(diagnosed({ mustLink: [[0, 1]] }, 2))).toBeNull();
  });
});

test("chains of contradictions: as many steps as must-links, one arc each; long ones lose their middle", () => {
  const drawn = contradictionChains({
    contradictions: diagnosed(
      {
        mustLink: [
          [0, 1],
          [1, 2],
        ],
        cannotLink: [[0, 2]],
      },
      2,
    ).diagnosis.contradictions,
  })!;
  expect(drawn.match(/<circle /g)).toHaveLength(3);
  expect(drawn.match(/<path /g)).toHaveLength(1);
  const long = Array.from({ length: 40 }, (_, i) => i);
  expect(contradictionChains({ contradictions: [{ cannotLink: [0, 39], path: long }] })!.match(/<circle /g)).toHaveLength(9);
});

test("places are finite, apart, inside the width, and the same each time", () => {
  const edges: [number, number][] = [
    [0, 1],
    [1, 2],
    [2, 0],
    [3, 4],
    [5, 6],
    [6, 7],
  ];
  const { places, height } = springLayout(9, edges, 400);
  expect(springLayout(9, edges, 400).places).toEqual(places);
  for (const { x, y } of places) {
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x).toBeLessThanOrEqual(400);
    expect(y).toBeLessThanOrEqual(height);
  }
  places.forEach((a, i) => {
    for (const b of places.slice(0, i)) expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(15);
  });
});

test.each([
  ["a ring", RING],
  ["a pair", { cannotLink: [[0, 1]] }],
  [
    "two pairs",
    {
      cannotLink: [
        [0, 1],
        [2, 3],
      ],
    },
  ],
] as const)("the graph fills the width of the figure: %s", (_, lists) => {
  const drawn = conflictGraphFigure({ ...diagnosed(lists as ConstraintLists, 3), width: 960 })!;
  const xs = [...drawn.matchAll(/<line x1="([\d.]+)" y1="[\d.]+" x2="([\d.]+)"/g)].flatMap(([, a, b]) => [Number(a), Number(b)]);
  const spread = Math.max(...xs) - Math.min(...xs);
  expect(spread).toBeGreaterThan(_ === "two pairs" ? 600 : 200);
  expect(Math.abs((Math.max(...xs) + Math.min(...xs)) / 2 - 480)).toBeLessThan(40);
});

test("a crowded graph stays inside its width, with its parts apart", () => {
  const edges = Array.from({ length: 55 }, (_, i) => [i, (i * 7 + 3) % 56] as [number, number]).filter(([a, b]) => a !== b);
  const { places, height } = springLayout(60, edges, 960);
  for (const { x, y } of places) {
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x).toBeLessThanOrEqual(960);
    expect(y).toBeLessThanOrEqual(height);
  }
  const spread = Math.max(...places.map(({ x }) => x)) - Math.min(...places.map(({ x }) => x));
  expect(spread).toBeGreaterThan(0.8 * 960);
});

test("of a large set the hardest rows are shown with their lines", () => {
  const n = 400;
  const cannotLink = Array.from({ length: n / 2 }, (_, i) => [2 * i, 2 * i + 1] as const);
  const known = constraints({ n }, { cannotLink });
  const drawn = conflictGraphFigure({ diagnosis: diagnose(known, { k: 3 }), constraints: known })!;
  // Thirty pairs, and the line in the key.
  expect(drawn.match(/<line [^>]*stroke-dasharray="5 3.5"/g)).toHaveLength(31);
});

test("the page: verdict, advice, graph, what to drop; names from the data are text; nothing is loaded", () => {
  const page = diagnosisHtml({
    ...diagnosed(RING, 2),
    k: 2,
    verdict: "No: 2 clusters cannot hold these constraints.",
    proof: "These 5.",
    given: "Given: 6 constraints.",
    title: "ring",
    version: "0",
  });
  for (const words of [
    "cannot hold these constraints",
    "Advice",
    "Conflict graph",
    "Constraints to drop",
    "Hardest to place",
    "&lt;fay&gt;",
  ])
    expect(page).toContain(words);
  expect(page).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)|<fay>/);
});
