import { expect, test } from "vitest";
import { type ClusterOptions, catalogue, cluster, type MethodName } from "../catalogue.js";
import { constraints } from "../constraints/index.js";
import { plainKernels } from "../kernels/index.js";
import { pointsFromRows } from "../rows.js";
import { problemOf } from "../testing/problem-of.js";
import { startAsking } from "./active/strategies/index.js";
import { withKernels } from "./define-method.js";
import { ccl } from "./hierarchical/ccl/index.js";
import { takesK } from "./method.js";

const points = pointsFromRows([[0], [1], [10], [11]], ["length"]);
const known = constraints(points, { mustLink: [[0, 1]] });

test.each(catalogue.map((method) => [method.name, method] as const))(
  "%s: wrong options or rows give a CoterieError",
  (_, method) => {
    const two = takesK(method) ? { k: 2 } : {};
    expect(problemOf(() => method(points, known, { k: 0 }))).toMatchObject({ code: "bad-option", option: "k", value: 0 });
    expect(problemOf(() => method(points, known, { ...two, speed: 9 }))).toMatchObject({ option: "speed", value: 9 });
    const holed = { n: 2, d: 1, x: Float64Array.of(0, Number.NaN) };
    expect(problemOf(() => method(holed, undefined, takesK(method) ? { k: 1 } : {}))).toMatchObject({ code: "bad-input" });
    expect(problemOf(() => method(points, constraints({ n: 3 }, {}), two))).toMatchObject({
      code: "bad-input",
      message: "The constraints are about 3 rows, but there are 4.",
    });
  },
);

test.each(catalogue.map((method) => [method.name, method] as const))(
  "%s: gives the same result called directly or by name",
  (name, method) => {
    const all = constraints(points, { mustLink: [[0, 1]], cannotLink: [[0, 2]], relative: [[0, 1, 2]], labels: [[3, "far"]] });
    const options = { ...(takesK(method) ? { k: 2 } : {}), seed: 3 };
    const direct = method(points, all, options);
    expect(cluster(points, all, { algorithm: name as MethodName, ...options } as ClusterOptions<"ccl">)).toEqual(direct);
    const ignored = Object.values(method.treats).includes("ignored");
    expect(direct.notices.some((notice) => notice.startsWith(`Ignored by ${method.title}`))).toBe(ignored);
  },
);

test("a method carries its facts and can run on other kernels", () => {
  let asked = 0;
  const bound = withKernels(ccl, () => {
    asked++;
    return plainKernels;
  });
  expect([bound.name, bound.title, bound.family, bound.options]).toEqual([ccl.name, ccl.title, ccl.family, ccl.options]);
  expect(asked).toBe(0);
  expect(bound(points, known, { k: 2 })).toEqual(ccl(points, known, { k: 2 }));
  expect(asked).toBe(1);
  bound(points, known, { k: 2, kernels: plainKernels });
  expect(asked).toBe(1);
});

test("a result has exactly the fields of its family", () => {
  for (const method of catalogue) {
    const result = method(points, known, takesK(method) ? { k: 2 } : {});
    expect("matches" in result, method.name).toBe(method.family === "pairs");
    expect("merges" in result, method.name).toBe(method.family === "hierarchy");
    expect("centres" in result, method.name).toBe(method.family === "partition");
    expect("preference" in result, method.name).toBe(method.family === "partition");
    expect("tree" in result && "rules" in result, method.name).toBe(method.family === "tree");
    const descent = ["objective", "history", "iterations", "stopped"].every((part) => part in result);
    expect(descent, method.name).toBe(method.family === "partition" || method.family === "tree");
  }
});

test("options of a strategy are checked in the same way", () => {
  const ask = () => startAsking({ points, k: 2, budget: 3, strategy: "spreading", options: { neighbours: 0 } });
  expect(problemOf(ask)).toMatchObject({ code: "bad-option", option: "neighbours" });
});
