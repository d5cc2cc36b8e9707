import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { MergeRow } from "../layout/dendrogram.js";
import { dendrogramFigure } from "../marks/dendrogram.js";
import { blobs, constraintSet, reportOf } from "../testing/samples.js";
import { html } from "../theme/html.js";
import { htmlReport, zoomTree } from "./report-html.js";

import { ZOOM_HASH, ZOOM_SCRIPT } from "./zoom-script.js";

/** Rows that join one after the other; the last merge is forbidden. */
function chain(n: number): MergeRow[] {
  return Array.from({ length: n - 1 }, (_, m): MergeRow => [m === 0 ? 0 : n + m - 1, m + 1, m === n - 2 ? null : m + 1, m + 2]);
}

test("the page's policy names this script, and no other", () => {
  expect(ZOOM_HASH).toBe(`sha256-${createHash("sha256").update(ZOOM_SCRIPT).digest("base64")}`);
  expect(() => new Function(ZOOM_SCRIPT)).not.toThrow();
});

test("the tree lies in the page as data; names cannot end the element they are in", () => {
  const merges = chain(4);
  const { markup } = zoomTree(html`<p>still</p>`, {
    merges,
    labels: [0, 0, 0, 1],
    k: 2,
    names: ["</script>", "two"],
    leafNames: ["</script><script>alert(1)</script>", "b", "<!--", "d"],
    marks: Uint8Array.of(1, 0, 6, 0),
  });
  const data = /<script type="application\/json">(.*?)<\/script>/s.exec(markup)![1]!;
  expect(JSON.parse(data)).toEqual({
    title: "height of the merge, square-root scale",
    left: [0, 4, 5],
    right: [1, 2, 3],
    height: [1, 2, null],
    labels: [0, 0, 0, 1],
    marks: [1, 0, 6, 0],
    faint: [],
    cut: { height: null, words: "2 clusters, no allowed merge is left" },
    clusters: ["</script>", "two"],
    names: ["</script><script>alert(1)</script>", "b", "<!--", "d"],
  });
  expect(markup.match(/<\/script>/g)).toHaveLength(1);
  expect(markup).toContain('<div class="zoom-static"><p>still</p></div>');
});

test("the cut of the picture and the cut of the script lie at the height in their text", () => {
  const merges: MergeRow[] = [
    [0, 1, 1, 2],
    [2, 3, 1, 2],
    [4, 5, 9, 4],
  ];
  const tree = { merges, labels: [0, 0, 1, 1], k: 2 };
  const { markup } = zoomTree(html``, { ...tree, marks: new Uint8Array(4) });
  expect(markup).toContain('"cut":{"height":5,"words":"2 clusters at 5"}');
  const picture = dendrogramFigure(tree);
  expect(picture).toContain("2 clusters at 5");
  const tick = /<path d="(M[\d. L]+)"[^>]*><text[^>]*>5<\/text>/.exec(picture)![1];
  const cut = /<path d="(M[\d. L]+)"[^>]*class="cut"/.exec(picture)![1];
  expect(cut).toBe(tick);
});

test("a page has the script where the picture cannot show every row, and only there", () => {
  const pageOf = (n: number): string => {
    const { points, labels } = blobs(n, 2, 3);
    const report = reportOf(points, labels, { merges: chain(n).map(([l, r, h, s]) => [l, r, h, s] as const) });
    return htmlReport({
      report,
      instances: points,
      constraints: constraintSet(n, { mustLink: [[0, 1]], relative: [[2, 3, 4]] }),
    });
  };
  const small = pageOf(40);
  expect(small).not.toContain("<script");
  expect(small).not.toContain("script-src");
  for (const text of ["in a must-link or a label", "in a relative constraint"]) expect(small).toContain(text);
  expect(small).not.toContain("in a cannot-link</");
  expect(small.match(/class="leaf-mark"/g)!.length).toBe(5 + 2);
  const large = pageOf(300);
  expect(large).toContain(`script-src '${ZOOM_HASH}'`);
  expect(large.match(/<script>/g)).toHaveLength(1);
  expect(large).toContain('class="zoom-static"');
  expect(large).toContain("The last 60 of 299 merges");
});
