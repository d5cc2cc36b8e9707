import { expect, test } from "vitest";
import { randomFrom } from "../../random/random.js";
import { drain } from "../../steps/steps.js";
import { maxDegree } from "../graphs/adjacency.js";
import { expand } from "../graphs/graph.js";
import { fromPartitions, graphFrom, graphOfBits, independentPartitions, randomGraph } from "../graphs/graphs.reference.js";
import { solve } from "../solve.js";
import { countClusterings, estimateCount, log10OfBig } from "./counting.js";
import { countPart, eliminationPlan, takeApart } from "./exact.js";

const long = process.env.COTERIE_LONG === "1";

test.runIf(long)("all labelled graphs of 6 vertices, k = 2 … 8", { timeout: 600_000 }, () => {
  for (let bits = 0; bits < 1 << 15; bits++) {
    const plain = graphOfBits(6, bits);
    const partitions = independentPartitions(plain);
    for (let k = 2; k <= 8; k++)
      expect(countClusterings(graphFrom(plain), k).atMostK.exact).toBe(String(fromPartitions(partitions, k)));
  }
});

test("the sampler's 95% interval holds the exact count in at least 92% of random sets", { timeout: 600_000 }, () => {
  const sets = long ? 300 : 30;
  let tried = 0;
  let held = 0;
  for (let seed = 0; tried < sets; seed++) {
    const n = 12 + (seed % 14);
    const plain = randomGraph(n, Math.round(1.7 * n), seed);
    const whole = expand(
      graphFrom(plain),
      Int32Array.from({ length: n }, (_, v) => v),
      1e6,
    )!;
    const part = drain(takeApart(whole, { left: 1e6 })).parts.find((candidate) => candidate.n > 6);
    if (!part) continue;
    const k = maxDegree(part) + 2 + (seed % 3);
    const exact = drain(countPart(part, drain(eliminationPlan(part, { left: 1e6 })), k, { left: 1e6 }));
    const start = drain(solve(part, k, { left: 1e5 }));
    if (exact === null || start.status !== "feasible") continue;
    tried++;
    const settings = { random: randomFrom(seed), epsilon: 0.05, steps: 3e5, budget: { left: 1e6 } };
    const { log, error } = drain(estimateCount(part, k, start.colours, settings));
    if (Math.abs(log - log10OfBig(exact) * Math.LN10) <= 1.96 * error) held++;
  }
  expect(held / tried).toBeGreaterThanOrEqual(long ? 0.92 : 0.85);
});
