import { describe, expect, test } from "vitest";
import { constraints, generateConstraints, violationCount } from "../../../constraints/index.js";
import { randomFrom } from "../../../random/index.js";
import { pointsFromRows } from "../../../rows.js";
import { problemOf } from "../../../testing/problem-of.js";
import { tuples } from "../../../testing/tuples.js";
import { ccl } from "../ccl/index.js";
import { linkages } from "../linkage.js";
import { recon } from "../recon/index.js";

/** Three round groups of 20 rows each, and three rows far from all groups. */
const random = randomFrom(5);
const around = (x: number, y: number) => Array.from({ length: 20 }, () => [x + random.normal(), y + random.normal()]);
const groups = pointsFromRows([...around(0, 0), ...around(12, 0), ...around(0, 12), [40, 40], [-40, 30], [30, -40]]);
const truth = { codes: Int32Array.from({ length: 63 }, (_, i) => Math.floor(i / 20)), names: ["a", "b", "c", "d"] };

describe.each(Object.entries(linkages))("%s linkage without k", (name, linkage) => {
  test("finds the groups, and says why there are three", () => {
    const { labels, k, noise, chosen } = linkage(groups, undefined, { minClusterSize: 5 });
    expect(k).toBe(3);
    for (const from of [0, 20, 40]) expect(new Set(labels.subarray(from, from + 20)).size).toBe(1);
    // Ward linkage joins a far row to a group before it joins two groups. The other linkages join the far rows last.
    if (name !== "ward") expect([noise, [...labels.subarray(60)]]).toEqual([3, [-1, -1, -1]]);
    expect(chosen).toMatchObject({ k: 3, by: "best cut: stability" });
    expect(chosen!.evidence.find((each) => each.k === 3)!.score).toBe(Math.max(...chosen!.evidence.map(({ score }) => score!)));
  });

  test("with the minimum cluster size 1 no row is noise", () => {
    expect(linkage(groups, undefined, { minClusterSize: 1 }).noise).toBe(0);
  });

  test("k clusters by the best cut", () => {
    const { k, sizes, noise, chosen } = linkage(groups, undefined, { k: 2, cut: "best", minClusterSize: 5 });
    expect(k).toBe(2);
    expect(sizes.reduce((sum, size) => sum + size, 0) + noise).toBe(63);
    expect(chosen).toBeUndefined();
  });

  test("constraints choose the cut", () => {
    const known = constraints({ n: 63 }, { cannotLink: tuples("0 19, 1 18, 2 17") });
    const free = linkage(groups, undefined, { minClusterSize: 2 });
    const held = linkage(groups, known, { minClusterSize: 2 });
    expect(violationCount(held.violations)).toBeLessThanOrEqual(violationCount(linkage(groups, known, { k: free.k }).violations));
    expect(held.notices.join(" ")).not.toContain("Ignored by");
    expect(held.chosen!.by).toContain("constraint weight");
  });
});

test("ccl and recon without k keep what can be kept, whatever the cut would prefer", () => {
  for (let seed = 0; seed < 12; seed++) {
    const draw = randomFrom(seed);
    const points = pointsFromRows(Array.from({ length: 40 }, () => [draw.normal(), draw.normal()]));
    const classes = { codes: Int32Array.from({ length: 40 }, () => draw.int(4)), names: ["a", "b", "c", "d"] };
    const known = generateConstraints(classes, { count: 40, random: draw });
    for (const minClusterSize of [1, 3]) {
      expect(violationCount(ccl(points, known, { minClusterSize }).violations)).toBe(0);
      expect(violationCount(recon(points, known, { minClusterSize }).violations)).toBe(0);
    }
  }
});

test("ccl without k never breaks a must-link for a cannot-link that contradicts it", () => {
  const known = constraints({ n: 63 }, { mustLink: tuples("0 25, 25 45"), cannotLink: tuples("0 45, 3 22") });
  const { violations } = ccl(groups, known, { minClusterSize: 5 });
  expect(violations.mustLink).toEqual([]);
  expect(violations.cannotLink).toEqual([[0, 45]]);
});

test("records of a few sources: small clusters and lone rows, none of them noise, without being asked for", () => {
  const draw = randomFrom(8);
  const rows: number[][] = [];
  const source: number[] = [];
  const entity: number[] = [];
  for (let e = 0; e < 60; e++) {
    const at = [100 * draw.unit(), 100 * draw.unit()] as const;
    for (let s = 0; s < 4; s++) {
      if (draw.unit() < 0.4) continue;
      rows.push([at[0] + 0.3 * draw.normal(), at[1] + 0.3 * draw.normal()]);
      source.push(s);
      entity.push(e);
    }
  }
  const exclusive = [{ column: "source", names: ["p", "q", "r", "s"], codes: Int32Array.from(source) }];
  const known = constraints({ n: rows.length }, { exclusive });
  const { noise, sizes, violations, scores } = ccl(
    { ...pointsFromRows(rows), truth: { codes: Int32Array.from(entity), names: entity.map(String) } },
    known,
    {},
  );
  expect(noise).toBe(0);
  expect(sizes).toContain(1);
  expect(violations.exclusive).toEqual([]);
  expect(scores!.adjustedRand).toBeGreaterThan(0.95);
});

test("cuts that do not go together are refused", () => {
  const wrong = (work: () => unknown) => (problemOf(work) as { option?: string }).option;
  const asked = (options: object) => wrong(() => linkages.ward(groups, undefined, options));
  expect(asked({ cut: "k" })).toBe("k");
  expect(asked({ cut: "height" })).toBe("height");
  expect(asked({ cut: "best", height: 3 })).toBe("height");
  expect(asked({ k: 3, height: 3 })).toBe("height");
  expect(asked({ k: 3, minClusterSize: 4 })).toBe("minClusterSize");
  expect(asked({ cut: "height", height: 2, k: 3 })).toBe("k");
  expect(wrong(() => ccl(groups, undefined, { cut: "best", stopBeforeViolation: true }))).toBe("stopBeforeViolation");
  expect(wrong(() => recon(groups, undefined, { outliers: 3 }))).toBe("outliers");
});

test("where nothing splits every row is noise, and a sentence says so", () => {
  const { k, noise, notices } = linkages.single(pointsFromRows([[0], [1], [2]]), undefined, { minClusterSize: 2 });
  expect([k, noise]).toEqual([0, 3]);
  expect(notices.join(" ")).toContain("every row is noise");
});

test("scores count noise rows as clusters of their own, and are 1 without them", () => {
  const { scores, scoresOverClustered, noise } = linkages.average({ ...groups, truth }, undefined, { minClusterSize: 5 });
  expect(scoresOverClustered).toMatchObject({ adjustedRand: 1, rows: groups.n - noise });
  expect(scores!.adjustedRand).toBeLessThan(1);
});
