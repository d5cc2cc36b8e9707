import type { ClusterTree } from "@coterie/core/internal";
import { expect, test } from "vitest";
import { grown, leaf, malformed, times } from "../testing/samples.js";
import { clusterTreeFigure } from "./cluster-tree.js";

const small: ClusterTree = {
  leaves: 3,
  root: {
    test: { column: "petal <length>", above: 2.4 },
    size: 150,
    yes: { test: { column: "kind", among: ["oak & ash", "elm"] }, size: 100, yes: leaf(1, 60), no: leaf(2, 40) },
    no: leaf(0, 50),
  },
};

/** The boxes of questions and the texts of leaves, as drawn: left, right, top, bottom. */
function boxes(figure: string): [number, number, number, number][] {
  return [...figure.matchAll(/<rect x="([\d.]+)" y="(-?[\d.]+)" width="([\d.]+)" height="22"/g)].map((match) => {
    const [x, y, width] = match.slice(1).map(Number) as [number, number, number];
    return [x, x + width, y, y + 22];
  });
}

test("questions, yes and no, and leaves with number, rows and share; all text is escaped", () => {
  const figure = clusterTreeFigure({ tree: small });
  expect(malformed(figure)).toBeNull();
  expect(figure).toContain("&quot;petal &lt;length&gt;&quot; &gt; 2.4");
  expect(figure).toContain("kind ∈ {oak &amp; ash, elm}");
  expect([...figure.matchAll(/>(yes|no)</g)].map((match) => match[1])).toEqual(["yes", "yes", "no", "no"]);
  expect(figure).toContain(">60 rows</text>");
  expect(figure).toContain(">40.0%</text>");
  for (const cluster of [0, 1, 2]) expect(figure).toContain(`font-weight="600">cluster ${cluster}</text>`);
  expect(figure).toContain(
    "It asks first: &quot;petal &lt;length&gt;&quot; &gt; 2.4. Leaves from top to bottom: cluster 1 with 60 rows, cluster 2 with 40 rows, cluster 0 with 50 rows.",
  );
});

test("names of clusters stand instead of their numbers", () => {
  expect(clusterTreeFigure({ tree: small, names: ["setosa", "", "virginica"] })).toContain(">virginica</text>");
});

test("a tree of one leaf", () => {
  const figure = clusterTreeFigure({ tree: { leaves: 1, root: leaf(0, 9) } });
  expect(malformed(figure)).toBeNull();
  expect(figure).toContain(">9 rows</text>");
});

test("sixty leaves: a line each, and no box over another", () => {
  const figure = clusterTreeFigure({ tree: grown(60) });
  expect(malformed(figure)).toBeNull();
  const drawn = boxes(figure);
  expect(drawn).toHaveLength(59);
  drawn.forEach(([left, right, top, bottom], a) => {
    for (const [l, r, t, b] of drawn.slice(a + 1)) expect(r <= left || l >= right || b <= top || t >= bottom).toBe(true);
  });
  expect(times(figure, " rows</text>") + times(figure, ">1 row</text>")).toBe(60);
});

test("a huge tree is folded to its largest parts, and says so", () => {
  const figure = clusterTreeFigure({ tree: grown(700), most: 40 });
  expect(boxes(figure)).toHaveLength(39);
  expect(figure).toContain("700 leaves in all; the parts with fewest rows are folded");
});
