import { describe, expect, test } from "vitest";
import { closeConstraints, constraints } from "../../constraints/index.js";
import { CoterieError } from "../../errors.js";
import type { ConstraintSet } from "../../model/constraint-set.js";
import type { Instances } from "../../model/points.js";
import { type Random, randomFrom } from "../../random/index.js";
import { pointsFromRows } from "../../rows.js";
import { drain } from "../../steps/index.js";
import { tuples } from "../../testing/tuples.js";
import { clusilc } from "./clusilc.js";
import { plainClusilc } from "./clusilc.reference.js";
import { type GrowOptions, grow } from "./grow/grow.js";
import { pairCosts } from "./grow/label-rules.js";
import { replay } from "./grow/prune.js";
import { spaceSteps } from "./grow/space.js";
import { predictRows, predictTree } from "./rules/predict.js";
import { holds, parseRule } from "./rules/rules.js";

interface Case {
  readonly points: Instances;
  readonly set: ConstraintSet;
  readonly options: GrowOptions & { readonly describe: readonly number[]; readonly variance: readonly number[] };
}

/** Few rows with ties, mixed columns, weights, labels, groups and contradictions. Tests and variance use only some of the columns. */
function smallCase(random: Random, labelRule: "linked" | "any", { wide = false } = {}): Case {
  const n = 4 + random.int(20);
  const d = wide ? n + 1 + random.int(20) : 1 + random.int(3);
  const nominal = Uint8Array.from({ length: d }, () => (random.int(4) === 0 ? 1 : 0));
  const rows = Array.from({ length: n }, () => Array.from(nominal, (flag) => random.int(flag === 1 ? 7 : 12)));
  const weight = (): number => (random.int(3) > 0 ? 1 : [0.5, 2, 3, 1.5, 4, Infinity][random.int(6)]!);
  const pair = (): [number, number, number] => {
    const [a, b] = random.sample(n, 2);
    return [a!, b!, weight()];
  };
  const some = (most: number): number[] => Array.from({ length: random.int(most + 1) });
  const points: Instances = {
    ...pointsFromRows(rows),
    nominal,
    ...(random.int(3) === 0
      ? {
          exclusive: ["source", "frame"].slice(0, 1 + random.int(2)).map((column) => {
            return { column, codes: Int32Array.from({ length: n }, () => random.int(5) - 1), names: ["a", "b", "c", "d"] };
          }),
        }
      : {}),
  };
  const set = constraints(points, {
    mustLink: some(10).map(pair),
    cannotLink: some(10).map(pair),
    labels:
      random.int(3) === 0
        ? Array.from(random.sample(n, random.int(5)), (row) => [row, "xyz"[random.int(3)]!, weight()] as const)
        : [],
  });
  const options = {
    k: 1 + random.int(6),
    gamma: random.int(9) === 0 ? 1 : random.unit() * random.unit(),
    minLeaf: 1 + random.int(2),
    maxLeaves: random.int(4) === 0 ? 3 : Infinity,
    labelRule,
    beam: 1,
    describe: someColumns(random, d),
    variance: someColumns(random, d),
  };
  return { points, set, options };
}

/** All columns, or sometimes a few of them in another order. */
function someColumns(random: Random, d: number): number[] {
  return random.int(3) > 0 ? Array.from({ length: d }, (_, j) => j) : [...random.sample(d, 1 + random.int(d))];
}

function grownLeaves({ points, set, options }: Case): {
  leaves: { rows: number[]; label: number }[];
  heights: readonly number[];
} {
  const named = (columns: readonly number[]): string[] => columns.map((j) => `x${j}`);
  const space = drain(spaceSteps(points, { describe: named(options.describe), variance: named(options.variance) }));
  const { splits, heights } = drain(grow(space, pairCosts(closeConstraints(set)), options));
  const labels = [0];
  for (const [s, { slot, first, second }] of splits.entries()) {
    labels[slot] = first;
    labels[s + 1] = second;
  }
  return { leaves: replay(space, splits).map((rows, slot) => ({ rows: [...rows], label: labels[slot]! })), heights };
}

const isLong = typeof process !== "undefined" && process.env.COTERIE_LONG === "1";
const COUNT = isLong ? 2000 : 200;

describe.each(["linked", "any"] as const)("label rule %s", (labelRule) => {
  test(`H, leaves and labels equal the definition's on ${COUNT} random cases`, () => {
    let splits = 0;
    for (let seed = 0; seed < COUNT; seed++) {
      const each = smallCase(randomFrom(seed), labelRule);
      const expected = plainClusilc(each.points, each.set, each.options);
      const ours = grownLeaves(each);
      expect(ours.leaves, `case ${seed}`).toEqual(expected.leaves);
      expect(ours.heights).toHaveLength(expected.heights.length);
      ours.heights.forEach((height, t) => {
        expect(height, `case ${seed}`).toBeCloseTo(expected.heights[t]!, 9);
      });
      splits += expected.heights.length - 1;
    }
    expect(splits).toBeGreaterThan(2 * COUNT);
  });

  test("with more columns than rows too: rows rotated into as many coordinates have the definition's splits", () => {
    for (let seed = 0; seed < COUNT / 20; seed++) {
      const each = smallCase(randomFrom(5000 + seed), labelRule, { wide: true });
      const expected = plainClusilc(each.points, each.set, each.options);
      const ours = grownLeaves(each);
      expect(ours.leaves, `case ${seed}`).toEqual(expected.leaves);
      ours.heights.forEach((height, t) => {
        expect(height, `case ${seed}`).toBeCloseTo(expected.heights[t]!, 9);
      });
    }
  });

  test("a beam is never worse than the greedy search, and each split lowers H", () => {
    let better = 0;
    for (let seed = 0; seed < 60; seed++) {
      const each = smallCase(randomFrom(1000 + seed), labelRule);
      const greedy = grownLeaves(each).heights;
      const { heights } = grownLeaves({ ...each, options: { ...each.options, beam: 4 } });
      expect(heights.at(-1)!).toBeLessThanOrEqual(greedy.at(-1)!);
      heights.forEach((height, t) => {
        if (t > 0) expect(height).toBeLessThan(heights[t - 1]!);
      });
      if (heights.at(-1)! < greedy.at(-1)! - 1e-9) better++;
    }
    expect(better).toBeGreaterThan(0);
  });
});

/** Three bands on x. The outer two belong together; y and the level carry no information. */
function bands(): Instances {
  const random = randomFrom(8);
  const rows = Array.from({ length: 60 }, (_, i) => [10 * (i % 3) + random.unit(), random.unit(), random.int(3)]);
  return { ...pointsFromRows(rows, ["x", "y", "kind"]), nominal: Uint8Array.of(0, 0, 1), levels: [null, null, ["a", "b", "c"]] };
}

test("a must-link makes a cluster of two leaves, which its rule says as a disjunction", () => {
  const points = bands();
  const known = constraints(points, { mustLink: tuples("0 2, 3 5"), cannotLink: tuples("0 1, 4 5") });
  const result = clusilc(points, known, { k: 2 });
  expect([...result.labels].slice(0, 6)).toEqual([0, 1, 0, 0, 1, 0]);
  expect(result.sizes).toEqual([40, 20]);
  expect(result.tree!.leaves).toBe(3);
  expect(result.rules).toEqual(["x > 16 or x ≤ 6", "6 < x ≤ 16"]);
  expect(result.violations.mustLink).toEqual([]);
  expect(result.history).toHaveLength(2);
  expect(result.history!.at(-1)).toBe(result.objective);
  expect(result.notices).toEqual(["1 nominal column counts with the Gini index as variance."]);
});

test("worked by hand: 0 1 10 11 in two clusters", () => {
  const points = pointsFromRows([[0], [1], [10], [11]], ["x"]);
  const free = clusilc(points, constraints(points), { k: 2 });
  // The scatter of the data is 101 around the mean 5.5, the scatter of the leaves 1 in total. Without constraints H is half of 1 / 101.
  expect(free.objective).toBeCloseTo(0.5 / 101, 12);
  expect(free.rules).toEqual(["x ≤ 6", "x > 6"]);
  const torn = clusilc(points, constraints(points, { mustLink: [[0, 3, 3]], cannotLink: [[1, 2]] }), { k: 2 });
  // With the split, the must-link is violated: 3 of 4. Without it, the cannot-link is violated: 1 of 4. So H is 0.5 + 0.125.
  expect(torn.objective).toBeCloseTo(0.5 / 101 + (0.5 * 3) / 4, 12);
  expect(torn.violations.mustLink).toEqual([[0, 3]]);
});

/** Null if hard constraints cannot be satisfied. */
function unlessRefused<R>(work: () => R): R | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof CoterieError && ["contradiction", "infeasible"].includes(error.problem.code)) return null;
    throw error;
  }
}

test("the printed rules, read as text, and the tree give the printed labels, in original units", () => {
  let read = 0;
  for (let seed = 0; seed < 60; seed++) {
    const random = randomFrom(seed);
    const each = smallCase(random, seed % 2 === 0 ? "linked" : "any");
    const { n, d, x, nominal } = each.points;
    // From thousandths to millions, so that thresholds need few or many digits.
    const scaling = {
      offset: Array.from({ length: d }, () => 100 * random.normal()),
      factor: Array.from({ length: d }, () => [0.0012, 0.37, 1, 41.7, 1e6][random.int(5)]! * (0.5 + random.unit())),
    };
    const names = ["p", "width (cm)", "either or"].slice(0, d);
    const levels = Array.from(nominal!, (flag) => (flag === 1 ? ["a", "b, c", "d or e", "f", "7", " ", "{g}"] : null));
    const points: Instances = { ...each.points, names, levels, scaling };
    const { k, labelRule, minLeaf } = each.options;
    const found = unlessRefused(() => clusilc(points, each.set, { k: Math.min(k, n), labelRule, minLeaf, seed }));
    if (!found) continue;
    read++;
    const { labels, tree, rules } = found;
    expect(predictRows(tree!, points)).toEqual(labels);
    const printed = rules!.map((rule) => parseRule(rule));
    for (let i = 0; i < n; i++) {
      const value = (j: number): number | string => {
        const raw = x[i * d + j]!;
        return levels[j] ? levels[j][raw]! : raw * scaling.factor[j]! + scaling.offset[j]!;
      };
      const row = Object.fromEntries(names.map((name, j) => [name, value(j)]));
      expect(predictTree(tree!, row)).toBe(labels[i]);
      expect(printed.flatMap((rule, c) => (holds(rule, (name) => row[name]!) ? [c] : []))).toEqual([labels[i]]);
    }
  }
  expect(read).toBeGreaterThan(30);
});

test("the same seed gives the same result, inputs stay untouched, contradictions are listed", () => {
  const points = bands();
  const known = constraints(points, { mustLink: tuples("0 1, 1 2"), cannotLink: tuples("0 2, 3 4, 6 7") });
  const before = points.x.slice();
  const options = { k: 3, validation: 0.4, beam: 2, seed: 5 };
  const once = clusilc(points, known, options);
  expect(clusilc(points, known, options)).toEqual(once);
  expect(points.x).toEqual(before);
  const all = clusilc(points, known, { k: 3 });
  expect(all.violations.mustLink.length + all.violations.cannotLink.length).toBeGreaterThan(0);
});

test("exclusive groups and labels pull rows apart and together", () => {
  const points = pointsFromRows(Array.from({ length: 12 }, (_, i) => [i, (7 * i) % 12]));
  const codes = Int32Array.from({ length: 12 }, (_, i) => (i < 6 ? i : i - 6));
  const apart = constraints({ ...points, exclusive: [{ column: "pair", codes, names: [] }] });
  expect(clusilc(points, apart, { k: 2 }).violations.exclusive).toEqual([]);
  const labelled = constraints(points, {
    labels: [0, 1, 2, 9, 10, 11].map((row) => [row, row % 9 < 3 && row < 9 ? "low" : "high"] as const),
  });
  const result = clusilc(points, labelled, { k: 2 });
  expect(result.violations.labels).toEqual([]);
});

describe("options", () => {
  const points = bands();
  const known = constraints(points, {
    mustLink: Array.from({ length: 10 }, (_, i) => [3 * i, 3 * i + 2] as const),
    cannotLink: Array.from({ length: 10 }, (_, i) => [3 * i, 3 * i + 4] as const),
  });

  test("k bounds the labels, maxLeaves the leaves, minLeaf their rows", () => {
    for (const k of [1, 2, 3]) expect(clusilc(points, known, { k, labelRule: "any" }).k).toBeLessThanOrEqual(k);
    expect(clusilc(points, known, { k: 1 }).tree).toEqual({ leaves: 1, root: { cluster: 0, size: 60 } });
    const short = clusilc(points, known, { k: 3, labelRule: "any", maxLeaves: 4 });
    expect(short.tree!.leaves).toBe(4);
    expect(short.stopped).toBe("max-iterations");
    const wide = clusilc(points, known, { k: 3, labelRule: "any", minLeaf: 9 });
    expect(JSON.stringify(wide.tree).match(/"cluster":\d,"size":[1-8]\b[^\d]/g)).toBeNull();
    expect(clusilc(points, known, { k: 3, labelRule: "any" }).tree!.leaves).toBeGreaterThan(wide.tree!.leaves);
  });

  test("as many labels as there are rows to keep apart", () => {
    const points = pointsFromRows(Array.from({ length: 20 }, (_, i) => [i]));
    const cannotLink = Array.from({ length: 20 }, (_, i) => Array.from({ length: i }, (_, j) => [i, j] as const)).flat();
    const { labels, violations } = clusilc(points, constraints(points, { cannotLink }), { k: 20, minLeaf: 1 });
    expect(new Set(labels).size).toBe(20);
    expect(violations.cannotLink).toEqual([]);
  });

  test("describe names the columns of the tests, variance those that count", () => {
    const blind = clusilc(points, known, { k: 3, describe: "y, kind" });
    expect(JSON.stringify(blind.tree)).not.toContain('"x"');
    expect(clusilc(points, known, { k: 3, describe: ["x"] }).rules!.join()).not.toMatch(/y|kind/);
    expect(() => clusilc(points, known, { k: 3, describe: ["z"] })).toThrow(
      'describe is "z"; it must be columns of the data: x, y, kind.',
    );
    const byKind = clusilc(points, constraints(points), { k: 2, variance: ["kind"] });
    expect(byKind.rules!.join()).toMatch(/^kind [=≠∈∉]/);
  });

  test("a cost per leaf cuts back, to the first splits of the same tree", () => {
    const whole = clusilc(points, known, { k: 3, labelRule: "any" });
    let leaves = whole.tree!.leaves;
    for (const leafCost of [0.0005, 0.002, 0.01, 0.1, 1]) {
      const cut = clusilc(points, known, { k: 3, labelRule: "any", leafCost });
      expect(cut.tree!.leaves).toBeLessThanOrEqual(leaves);
      leaves = cut.tree!.leaves;
      if (leaves > 1) expect(cut.history).toEqual(whole.history!.slice(0, leaves - 1));
    }
    expect(leaves).toBe(1);
  });

  test("held-out constraints find the size of a tree that is grown from all of them", () => {
    const early = clusilc(points, known, { k: 3, labelRule: "any", validation: 0.3, seed: 1 });
    const notice = early.notices.find((text) => text.includes("held out"))!;
    const [, leaves] = /Trees of (\d+) leaves broke least, \d+ of \d+, .* in 3 rounds/.exec(notice)!;
    expect(early.tree!.leaves).toBe(Number(leaves));
    expect(early.tree!.leaves).toBeLessThan(clusilc(points, known, { k: 3, labelRule: "any" }).tree!.leaves);
    // Six of the twenty constraints per round, each at most once.
    expect(notice).toMatch(/, \d+ of 18, /);
    const chain = constraints(points, { mustLink: [[0, 3]] });
    expect(clusilc(points, chain, { k: 2, validation: 0.4 }).notices.join()).toContain("grown to its end");
  });

  test("hard constraints beside soft ones weigh a thousand, and a notice says so", () => {
    const torn = constraints(points, {
      mustLink: [[0, 2, Infinity]],
      cannotLink: Array.from({ length: 20 }, (_, i) => [3 * (i % 5), 3 * i + 2] as const).filter(([a, b]) => a !== 0 || b !== 2),
    });
    const result = clusilc(points, torn, { k: 2 });
    expect(result.violations.mustLink).toEqual([]);
    expect(result.notices.join()).toContain("each weighs 1,000 times as much");
  });

  test("hard constraints alone are not promised either, and a notice says so", () => {
    const alone = clusilc(points, constraints(points, { cannotLink: [[0, 3, Infinity]] }), { k: 2 });
    expect(alone.notices.join()).toContain("A tree cannot guarantee hard constraints");
    const soft = clusilc(points, constraints(points, { cannotLink: [[0, 3]] }), { k: 2 });
    expect(soft.notices.join()).not.toContain("hard");
  });

  test("k above the number of rows and unknown options are refused", () => {
    expect(() => clusilc(points, known, { k: 61 })).toThrow("k is 61, but there are only 60 rows");
    expect(() => clusilc(points, known, { k: 2, depth: 3 } as never)).toThrow();
  });
});

test("a new row without a column or a number is refused; a level never seen passes no test", () => {
  const { tree } = clusilc(bands(), constraints(bands()), { k: 3 });
  expect(() => predictTree(tree!, { y: 1 })).toThrow('The row has no column "x"');
  expect(() => predictTree(tree!, { x: "wide" })).toThrow('The column "x" is wide; the tree needs a number.');
  expect(predictTree(tree!, { x: 1000 })).toBe(predictTree(tree!, { x: 20.5 }));
});
