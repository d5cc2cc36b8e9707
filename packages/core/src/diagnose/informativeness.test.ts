import { describe, expect, test } from "vitest";
import { constraints } from "../constraints/build.js";
import { randomFrom } from "../random/random.js";
import { pointsFromRows } from "../rows.js";
import { tuples } from "../testing/tuples.js";
import { coherence, informativeness, linkSources, overlaps } from "./informativeness.js";

describe("informativeness", () => {
  const baseline = Int32Array.of(0, 0, 1, 1, 2);
  test("the share of broken constraints of every kind", () => {
    const exclusive = [{ column: "s", codes: Int32Array.of(0, 0, 1, -1, 1), names: ["u", "v"] }];
    const known = constraints(
      { n: 5, exclusive },
      {
        mustLink: tuples("0 1, 1 2"),
        cannotLink: tuples("2 3, 0 4"),
        labels: [
          [0, "a"],
          [4, "b"],
        ],
      },
    );
    // Violated: must-link 1-2, cannot-link 2-3, group u. Satisfied: the other two links, both labels, group v.
    expect(informativeness(known, baseline)).toBe(3 / 8);
  });
  test("no constraints, no informativeness", () => {
    expect(informativeness(constraints({ n: 5 }), baseline)).toBeNull();
    expect(informativeness(constraints({ n: 5 }, { mustLink: [[0, 1]] }), baseline)).toBe(0);
  });
});

describe("coherence", () => {
  // Row i is at x = i for rows 0 to 3; row 4 is above row 0, row 5 above row 4.
  const points = pointsFromRows(tuples("0 0, 1 0, 2 0, 3 0, 0 1, 0 2"));
  test("shadows", () => {
    expect(overlaps(points, 0, 2, 1, 3)).toBe(true);
    expect(overlaps(points, 0, 1, 2, 3)).toBe(false);
    expect(overlaps(points, 0, 1, 1, 2)).toBe(false);
    expect(overlaps(points, 4, 5, 0, 3)).toBe(false);
    expect(overlaps(points, 1, 1, 0, 3)).toBe(false);
    expect(overlaps(points, 0, 3, 1, 1)).toBe(false);
  });
  test("all pairs of a small set", () => {
    const known = constraints({ n: 6 }, { mustLink: tuples("0 2, 4 5"), cannotLink: tuples("1 3, 2 3") });
    // 0-2 overlaps only 1-3; 4-5 is perpendicular to both.
    expect(coherence(known, points)).toEqual({ value: 3 / 4, notices: [] });
    expect(coherence(constraints({ n: 6 }, { mustLink: [[0, 2]] }), points).value).toBeNull();
  });
  test("many pairs are sampled, near the exact share, with a notice", () => {
    const random = randomFrom(2);
    const n = 300;
    const cloud = pointsFromRows(Array.from({ length: n }, () => [random.normal(), random.normal(), random.normal()]));
    const labels = Array.from({ length: n }, (_, i) => [i, i % 3] as const);
    const { value, notices } = coherence(constraints({ n }, { labels }), cloud);
    expect(notices[0]).toContain("1000000 of 445500000 pairs");
    const small = coherence(constraints({ n }, { labels: labels.slice(0, 45) }), cloud);
    expect(small.notices).toEqual([]);
    expect(Math.abs(value! - small.value!)).toBeLessThan(0.05);
  });
});

test("links that labels state, each once", () => {
  const known = constraints(
    { n: 9 },
    {
      mustLink: [[7, 8]],
      cannotLink: [[0, 8]],
      labels: [
        [0, "a"],
        [1, "b"],
        [2, "a"],
        [3, "a"],
        [5, "c"],
        [6, "b"],
      ],
    },
  );
  const { must, cannot } = linkSources(known);
  const list = (source: typeof must) =>
    Array.from({ length: source.count }, (_, i) =>
      source
        .at(i)
        .toSorted((a, b) => a - b)
        .join("-"),
    ).sort();
  expect(list(must)).toEqual(["0-2", "0-3", "1-6", "2-3", "7-8"]);
  expect(list(cannot)).toEqual(["0-1", "0-5", "0-6", "0-8", "1-2", "1-3", "1-5", "2-5", "2-6", "3-5", "3-6", "5-6"]);
});
