import type { HierarchyResult, Instances, PartitionResult } from "@coterie/core/internal";
import { catalogue, ccl, constraints, mpckMeans, strategies } from "@coterie/core/internal";
import { describe, expect, test } from "vitest";
import { blobs, constraintSet, randomFrom, reportOf, times } from "../testing/samples.js";
import { htmlReport, htmlReportSteps } from "./report-html.js";

const { points, labels } = blobs(30, 3, 3, 4);
const plain = { report: reportOf(points, labels), instances: points };
const none = plain.report.violations;

describe("sections", () => {
  test("a plain run: headline, map, sizes, means, how it was made; nothing about what it lacks", () => {
    const page = htmlReport({ ...plain, title: "blobs.csv", command: "coterie cluster blobs.csv -k 3" });
    expect(page).toContain("<h1>k-means put 30 rows into 3 clusters. No constraints were given.</h1>");
    expect([...page.matchAll(/<h2[^>]*>([^<]*)/g)].map((match) => match[1]!.trim())).toEqual([
      "Map",
      "Clusters",
      "Columns by cluster",
      "How this was made",
    ]);
    expect(times(page, '<svg class="coterie-figure"')).toBe(3);
    expect(page).toContain("<pre>coterie cluster blobs.csv -k 3</pre>");
    expect(page).toContain('<th scope="row">restarts</th>');
  });

  test.each([...catalogue, ...strategies].map(({ name, title }) => [name, title]))("%s is called %s", (algorithm, title) => {
    expect(htmlReport({ ...plain, report: { ...plain.report, algorithm } })).toContain(`<h1>${title} put 30 rows`);
  });

  test("cells that were filled are no facts: a dash among broken constraints, left out of means, and said", () => {
    const instances = {
      ...points,
      filledRows: [Int32Array.of(0), ...Array.from({ length: points.d - 1 }, () => Int32Array.of())],
    };
    const violations = { ...none, mustLink: [[0, 29] as const] };
    const pageOf = (shown: Instances) => htmlReport({ report: { ...plain.report, violations }, instances: shown });
    const cells = (page: string) => [...page.matchAll(/<td class="num">(–)<\/td>/g)].length;
    expect(cells(pageOf(instances))).toBe(cells(pageOf(points)) + 1);
    expect(pageOf(instances)).toContain("Missing cells are left out here, although the method may have filled them: ");
    expect(pageOf(points)).not.toContain("Missing cells");
  });

  test("merges, history, scores and notices each get their place", () => {
    const merges = Array.from({ length: 29 }, (_, m) => [m === 0 ? 0 : 29 + m, m + 1, m === 28 ? null : m, m + 2] as const);
    const scores = { rand: 0.9, adjustedRand: 0.8, constrainedRand: 0.7, pairwiseF: 0.6, normalizedMutualInformation: -0.01 };
    const page = htmlReport({
      ...plain,
      report: { ...plain.report, merges, history: [9, 6, 5, 4], objective: 4, scores, notices: ["Mind the gap."] },
    });
    for (const text of ["Dendrogram", "4 iterations", "0.8000", "−0.0100", "<li>Mind the gap.</li>"])
      expect(page).toContain(text);
  });

  test("the objective is drawn from four iterations on", () => {
    const withHistory = (history: number[]) =>
      htmlReport({ ...plain, report: { ...plain.report, history, objective: 1, iterations: history.length } });
    expect(withHistory([3, 2, 1])).not.toContain("Objective <small>");
    expect(withHistory([4, 3, 2, 1])).toContain("Objective <small>4 iterations");
  });

  test("names stand after the numbers of the clusters", () => {
    const page = htmlReport({ ...plain, names: ["heron", "", "stork"] });
    expect(page).toContain("</svg>0 heron</th>");
    expect(page).toContain("</svg>1</th>");
  });

  test("all kept is one quiet line", () => {
    const constraints = constraintSet(30, { mustLink: [[0, 1]], cannotLink: [[2, 3]] });
    const page = htmlReport({ ...plain, constraints });
    expect(page).toContain("Both constraints are kept.");
    expect(page).not.toContain("Broken constraints");
  });

  test("broken constraints stand with their rows' own values, one row above the other", () => {
    const instances: Instances = {
      ...points,
      ids: Array.from({ length: 30 }, (_, i) => `r${i}`),
      scaling: { offset: [100, 0, 0], factor: [1, 1, 1] },
    };
    const report = reportOf(instances, labels, { violations: { ...none, mustLink: [[4, 9]], labels: [[7, "heron"]] } });
    const page = htmlReport({
      report,
      instances,
      constraints: constraintSet(30, {
        mustLink: [
          [4, 9],
          [1, 2],
        ],
        labels: [[7, 0]],
      }),
    });
    expect(page).toContain("2 of 3 constraints are broken.");
    expect(page).toContain("r4 = r9");
    expect(page).toContain("r7 is heron");
    const table = /<tbody class="pair">.*?<\/tbody>/.exec(page)![0];
    const value = (100 + points.x[4 * 3]!).toFixed(3).replace(/0+$/, "");
    expect(table).toContain("<td>r4</td>");
    expect(table).toContain("<td>r9</td>");
    expect(table).toContain(value);
  });

  test("at most 200 broken constraints are listed, with the count", () => {
    const pairs = Array.from({ length: 300 }, (_, s) => [s % 30, (s * 7 + 1) % 30] as const).filter(([a, b]) => a !== b);
    const page = htmlReport({ ...plain, report: { ...plain.report, violations: { ...none, cannotLink: pairs } } });
    expect(times(page, '<tbody class="pair">')).toBe(200);
    expect(page).toContain(`The first 200 of ${pairs.length} are listed`);
    expect(page).toContain(`${pairs.length} of ${pairs.length} constraints are broken.`);
  });
});

test("whatever comes from the data is text", () => {
  const evil = `</style></title><script>alert("1")</script><img src=x onerror='a()'>&`;
  const instances: Instances = {
    ...points,
    names: [evil, `${evil}2`, "c"],
    nominal: Uint8Array.of(0, 0, 1),
    x: points.x.map((value, at) => (at % 3 === 2 ? at % 2 : value)),
    levels: [null, null, [evil, "b"]],
    ids: Array.from({ length: 30 }, (_, i) => `${evil}${i}`),
    truth: { codes: labels, names: [evil, "y", "z"] },
  };
  const merges = Array.from({ length: 29 }, (_, m) => [m === 0 ? 0 : 29 + m, m + 1, m, m + 2] as const);
  const report = reportOf(instances, labels, {
    algorithm: evil,
    version: evil,
    stopped: evil,
    options: { [evil]: evil, init: [evil] },
    notices: [evil],
    merges,
    history: [2, 1],
    violations: {
      mustLink: [[0, 1]],
      cannotLink: [],
      relative: [[2, 3, 4]],
      labels: [[5, evil]],
      exclusive: [{ column: evil, value: evil, cluster: 0, rows: [6, 7] }],
    },
  });
  const page = htmlReport({ report, instances, title: evil, command: evil, names: [evil, evil, evil] });
  expect(page).not.toMatch(/<script|<img|onerror='/);
  expect(times(page, "</style>")).toBe(1);
  expect(times(page, "</title><script")).toBe(0);
  expect(page).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;");
});

test("nothing is loaded: no address, no script, no import; and the policy forbids it", () => {
  for (const theme of ["auto", "light", "dark"] as const) {
    const page = htmlReport({ ...plain, theme });
    expect(page).not.toMatch(/https?:\/\/|<script|@import|url\(|<link|src=/);
    expect(page).toContain("default-src 'none'");
    expect(page.includes(`data-theme="${theme}">`)).toBe(theme !== "auto");
  }
});

test("same run, same bytes, whatever the timings", () => {
  const again = { ...plain, report: { ...plain.report, timings: { total: 99 } } };
  expect(htmlReport(again)).toBe(htmlReport(plain));
});

test("100,000 rows with constraints: under 8 MB, and seconds on a busy machine", () => {
  const n = 100_000;
  const big = blobs(n, 8, 12, 9);
  const random = randomFrom(2);
  const pairs = Array.from({ length: 3000 }, () => [Math.floor(random() * n), Math.floor(random() * n)] as const).filter(
    ([a, b]) => a !== b,
  );
  const cannotLink = pairs.filter(([a, b]) => big.labels[a] === big.labels[b]);
  const report = reportOf(big.points, big.labels, { violations: { ...none, cannotLink } });
  const began = process.cpuUsage();
  const page = htmlReport({ report, instances: big.points, constraints: constraintSet(n, { cannotLink: pairs }) });
  expect(process.cpuUsage(began).user / 1e3).toBeLessThan(20_000);
  expect(page.length).toBeLessThan(8e6);
});

test("a report of another number of rows is refused", () => {
  const { points: few } = blobs(3, 2, 1);
  expect(() => htmlReport({ report: plain.report, instances: few })).toThrow("The report is about 30 rows, the data have 3.");
});

test("what a method returns is enough, with the method's name", () => {
  const { points: rows } = blobs(40, 2, 3);
  const known = constraints(rows, { mustLink: [[0, 1]], cannotLink: [[2, 3]] });
  const of = (result: HierarchyResult | PartitionResult, algorithm: string) =>
    htmlReport({ report: { ...result, algorithm }, instances: rows, constraints: known });
  expect(of(ccl(rows, known, { k: 3 }), "ccl")).toContain("Dendrogram");
  expect(of(mpckMeans(rows, known, { k: 3, matrix: "full" }), "mpck-means")).toContain("The whole matrix");
});

test("the page of many columns comes in many steps, and is the same as at once", () => {
  const { points: wide, labels: classes } = blobs(4_500, 200, 3, 4);
  const options = { report: reportOf(wide, classes), instances: wide };
  const steps = htmlReportSteps(options);
  const phases: string[] = [];
  let turn = steps.next();
  for (; !turn.done; turn = steps.next()) phases.push(turn.value.phase);
  expect(phases.filter((phase) => phase === "map").length).toBeGreaterThan(9);
  expect(phases.filter((phase) => phase === "page").length).toBe(14);
  expect(turn.value === htmlReport(options)).toBe(true);
});
