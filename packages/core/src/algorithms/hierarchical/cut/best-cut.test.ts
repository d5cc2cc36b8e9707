import { describe, expect, test } from "vitest";
import { emptyConstraints } from "../../../constraints/index.js";
import type { ConstraintSet } from "../../../model/constraint-set.js";
import type { Merge } from "../../../model/result.js";
import { type Random, randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { linkages } from "../linkage.js";
import { everyCut, type JudgedCut, satisfiedWeight } from "./best-cut.reference.js";
import { bestCut, bestCuts, type Scale, satisfiedWeights } from "./cut-best.js";

import { labelsOfBranches } from "./merges.js";

const TREES = 500;

/** A random hierarchy with increasing heights, some of them equal. */
function drawMerges(n: number, random: Random): Merge[] {
  const open = Array.from({ length: n }, (_, i) => ({ id: i, size: 1 }));
  let height = 0;
  return Array.from({ length: n - 1 }, (_, m): Merge => {
    const [one] = open.splice(random.int(open.length), 1);
    const [other] = open.splice(random.int(open.length), 1);
    height += random.int(3) === 0 && m > 0 ? 0 : 0.25 * (1 + random.int(8));
    open.push({ id: n + m, size: one!.size + other!.size });
    return [Math.min(one!.id, other!.id), Math.max(one!.id, other!.id), height, one!.size + other!.size];
  });
}

function drawConstraints(n: number, random: Random): ConstraintSet {
  const pair = () => {
    const a = random.int(n);
    return [a, (a + 1 + random.int(n - 1)) % n] as const;
  };
  const links = (count: number) => {
    const pairs = Array.from({ length: count }, pair);
    return {
      a: Int32Array.from(pairs, ([a]) => a),
      b: Int32Array.from(pairs, ([, b]) => b),
      weight: Float64Array.from(pairs, () => 0.5 * (1 + random.int(4))),
    };
  };
  const labels = random.int(4);
  const triples = n < 3 ? [] : Array.from({ length: random.int(3) }, () => random.sample(n, 3));
  return {
    n,
    mustLinks: links(random.int(4)),
    cannotLinks: links(random.int(4)),
    relative: {
      a: Int32Array.from(triples, (t) => t[0]!),
      b: Int32Array.from(triples, (t) => t[1]!),
      c: Int32Array.from(triples, (t) => t[2]!),
      weight: Float64Array.from(triples, () => 1 + random.int(2)),
    },
    labels: {
      row: Int32Array.from(random.sample(n, Math.min(n, labels))),
      code: Int32Array.from({ length: Math.min(n, labels) }, () => random.int(2)),
      weight: Float64Array.from({ length: Math.min(n, labels) }, () => 1 + random.int(2)),
      names: ["x", "y"],
    },
    exclusive:
      random.int(3) > 0
        ? []
        : [{ column: "g", names: ["p", "q", "r"], codes: Int32Array.from({ length: n }, () => random.int(4) - 1) }],
  };
}

/** The best of all cuts. Weights that differ only by rounding count as equal. */
function bestOf(cuts: readonly JudgedCut[]): JudgedCut | undefined {
  const most = Math.max(...cuts.map(({ weight }) => weight));
  const heaviest = cuts.filter(({ weight }) => weight > most - 1e-9);
  const longest = Math.max(...heaviest.map(({ stability }) => stability));
  return heaviest.find(({ stability }) => stability === longest);
}

describe.each(["lifetime", "density"] as const satisfies readonly Scale[])("by %s", (scale) => {
  test(`of ${TREES / 2} random hierarchies of up to 12 rows, the best of all cuts`, () => {
    const random = randomFrom(scale === "lifetime" ? 11 : 12);
    let several = 0;
    for (let draw = 0; draw < TREES / 2; draw++) {
      const n = 2 + random.int(11);
      const minClusterSize = scale === "lifetime" ? 1 + random.int(3) : 2;
      const merges = drawMerges(n, random);
      const set = draw % 4 === 0 ? emptyConstraints(n) : drawConstraints(n, random);
      const cuts = everyCut(merges, n, set, minClusterSize, scale);
      const satisfied = satisfiedWeights(merges, n, set);
      const condensing = { minClusterSize, scale, firm: 0 };
      const found = bestCut(merges, n, satisfied, condensing);
      const labels = [...labelsOfBranches(found.branches, merges, n)];
      const best = bestOf(cuts);
      if (cuts.length > 1) several++;
      if (!best) {
        expect(found.branches).toEqual([]);
        continue;
      }
      expect(satisfiedWeight(set, labels)).toBeCloseTo(best.weight, 9);
      expect(found.stability).toBeCloseTo(best.stability, 9);

      const counts = bestCuts(merges, n, n, satisfied, condensing);
      const sizes = cuts.map((cut) => new Set(cut.labels.filter((label) => label >= 0)).size);
      expect(counts.most).toBe(Math.max(...sizes));
      for (let k = 2; k <= counts.most; k++) {
        const bestAtK = bestOf(cuts.filter((_, c) => sizes[c] === k))!;
        const cut = counts.into(k);
        expect(cut.branches).toHaveLength(k);
        expect(satisfiedWeight(set, [...labelsOfBranches(cut.branches, merges, n)])).toBeCloseTo(bestAtK.weight, 9);
        expect(cut.stability).toBeCloseTo(bestAtK.stability, 9);
      }
    }
    expect(several).toBeGreaterThan(80);
  });
});

test("worked by hand: two tight groups, a loose one and a row far away", () => {
  const line = pointsFromRows([[0], [1], [2], [20], [21], [22], [50], [54], [58], [200]]);
  const { merges } = linkages.single(line, undefined, { k: 1 });
  const satisfied = satisfiedWeights(merges, 10, emptyConstraints(10));
  // Heights: 1 inside the first two groups, 4 inside the third, 18 and 28 between the groups, 142 to the last row.
  const { branches, stability } = bestCut(merges, 10, satisfied, { minClusterSize: 2, scale: "lifetime", firm: 0 });
  // The first two groups as one cluster: stability 6 × (28 - 18). As two clusters: 6 × (18 - 1), which is more. The third group: 3 × (28
  // - 4).
  expect(stability).toBe(102 + 72);
  const labels = [...labelsOfBranches(branches, merges, 10)];
  expect(labels[9]).toBe(-1);
  expect(new Set(labels.slice(0, 9)).size).toBe(3);
  for (const from of [0, 3, 6]) expect(new Set(labels.slice(from, from + 3)).size).toBe(1);
});
