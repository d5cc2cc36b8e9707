/** The fractional chromatic number with HiGHS: the same as over all maximal independent sets, in few rounds and nodes. */
import { fractionalColouring, graphOf } from "@coterie/core/internal";
import { expect, test } from "vitest";
import { fractionalByListing } from "../../core/src/colouring/fractional/fractional.reference.js";
import { graphFrom, randomGraph } from "../../core/src/colouring/graphs/graphs.reference.js";
import { createLpSolver } from "./lp.js";

const LONG = process.env.COTERIE_LONG === "1";

test("a program with known answers", async () => {
  const model = (await createLpSolver()).createModel(Float64Array.of(1, 2));
  model.addColumns([
    { cost: 3, rows: Int32Array.of(0, 1) },
    { cost: 1, rows: Int32Array.of(1) },
  ]);
  const first = model.solve();
  expect(first.value).toBeCloseTo(4, 12);
  expect([...first.x]).toEqual([1, 1]);
  expect([...first.prices]).toEqual([2, 1]);
  model.addColumns([{ cost: 1, rows: Int32Array.of(0) }]);
  expect(model.solve().value).toBeCloseTo(3, 12);
  model.dispose();
});

test("no optimum is an error", async () => {
  const model = (await createLpSolver()).createModel(Float64Array.of(1));
  model.addColumns([{ cost: 1, rows: new Int32Array(0) }]);
  expect(() => model.solve()).toThrow("no optimum");
  model.dispose();
});

test("equals the program over all maximal independent sets", async () => {
  const solver = await createLpSolver();
  for (let seed = 0; seed < (LONG ? 200 : 40); seed++) {
    const n = 6 + (seed % 20);
    const graph = randomGraph(n, Math.floor(n * (1 + (seed % 9) / 3)), 1000 + seed);
    const { lower, upper } = fractionalColouring(graphFrom(graph), { solver });
    const listed = fractionalByListing(graph, solver);
    expect(Math.abs(upper - listed), `${n} vertices, seed ${seed}`).toBeLessThan(1e-7);
    expect(Math.abs(lower - listed)).toBeLessThan(1e-7);
  }
});

test("random graphs take few rounds and nodes, whatever the machine", async () => {
  const solver = await createLpSolver();
  for (let seed = 1; seed <= 6; seed++) {
    const { lower, upper, rounds, nodes } = fractionalColouring(graphFrom(randomGraph(60, 150, seed)), { solver });
    expect(upper - lower).toBeLessThan(1e-8);
    expect(rounds).toBeLessThan(150);
    expect(nodes).toBeLessThan(20_000);
  }
  for (let seed = 1; seed <= 6; seed++) {
    const { lower, upper, rounds, nodes } = fractionalColouring(graphFrom(randomGraph(300, 600, seed)), { solver });
    expect(upper).toBe(lower);
    expect(rounds).toBeLessThan(150);
    expect(nodes).toBeLessThan(20_000);
  }
});

test("the same seed gives the same sets", async () => {
  const solver = await createLpSolver();
  const graph = graphOf(40, randomGraph(40, 100, 9).pairs);
  const once = fractionalColouring(graph, { solver, seed: 4 });
  expect(fractionalColouring(graph, { solver, seed: 4 })).toEqual(once);
});
