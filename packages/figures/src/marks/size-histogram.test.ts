import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { htmlReport } from "../pages/report-html.js";
import { blobs, malformed, reportOf, times } from "../testing/samples.js";
import { clusterSizesFigure, sizeBins, sizeHistogramFigure } from "./cluster-sizes.js";

test("bins: one for each size, equal ones of a round width, or doubling ones where one cluster is huge", () => {
  expect(sizeBins([1, 1, 2, 4])).toEqual([
    { from: 1, to: 1, clusters: 2 },
    { from: 2, to: 2, clusters: 1 },
    { from: 3, to: 3, clusters: 0 },
    { from: 4, to: 4, clusters: 1 },
  ]);
  expect(sizeBins([101, 149, 250]).slice(0, 2)).toEqual([
    { from: 100, to: 104, clusters: 1 },
    { from: 105, to: 109, clusters: 0 },
  ]);
  expect(sizeBins([...new Array(39).fill(1), 900]).map(({ from }) => from)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
  expect(sizeBins([])).toEqual([]);
});

test("every cluster is in one bin, and bins stay few", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 200_000 }), { minLength: 1, maxLength: 200 }), (sizes) => {
      const bins = sizeBins(sizes);
      expect(bins.reduce((sum, { clusters }) => sum + clusters, 0)).toBe(sizes.length);
      expect(bins.length).toBeLessThanOrEqual(33);
      bins.slice(1).forEach((bin, at) => {
        expect(bin.from).toBe(bins[at]!.to + 1);
      });
    }),
  );
});

test("bars up to thirty clusters, a histogram above", () => {
  const sizes = (k: number) => Array.from({ length: k }, (_, c) => 1 + (c % 9));
  expect(clusterSizesFigure({ sizes: sizes(30) })).not.toContain("size-bin");
  const many = clusterSizesFigure({ sizes: sizes(31), none: 4 });
  expect(many).not.toContain('aria-label="size"');
  expect(times(many, 'class="size-bin"')).toBe(9);
  expect(many).toContain("Smallest 1, median 4, largest 9. 4 rows in no cluster.");
  for (const odd of [[], [5], [3, 3]]) {
    const drawn = sizeHistogramFigure({ sizes: odd });
    expect(malformed(drawn)).toBeNull();
    expect(drawn).not.toMatch(/NaN|Infinity|undefined|(width|height)="-/);
  }
});

describe("a page with forty clusters", () => {
  const { points } = blobs(400, 3, 3, 4);
  // Cluster 7 is the largest, cluster 3 has rows of all clouds, cluster 5 has broken constraints.
  const labels = Int32Array.from({ length: 400 }, (_, i) => (i < 40 ? i : i < 120 ? 7 : i % 40));
  const violations = { mustLink: [[5, 6]], cannotLink: [[5, 45]], relative: [], labels: [], exclusive: [] } as const;
  const page = htmlReport({ report: reportOf(points, labels, { violations }), instances: points });
  const section = /<h2>Clusters.*?<\/section>/s.exec(page)![0];
  const list = (title: string) =>
    [
      ...new RegExp(`>${title}</td></tr>(.*?)</tbody>`, "s")
        .exec(section)![1]!
        .matchAll(/<\/svg>(\d+)<\/th><td class="num">(\d+)/g),
    ].map(([, cluster, rows]) => [Number(cluster), Number(rows)]);

  test("names the largest, the loosest and those with broken constraints", () => {
    expect(list("largest")[0]).toEqual([7, 88]);
    expect(list("largest")).toHaveLength(8);
    expect(list("loosest")).toHaveLength(8);
    expect(list("with most broken constraints").map(([cluster]) => cluster)).toEqual([5, 6, 7]);
  });

  test("does not list all of them on the map", () => {
    expect(page).toContain("40 clusters of 8 to 88 rows; colours and shapes repeat");
    expect(page).toContain("The 12 largest of 40 clusters.");
  });
});
