import { test } from "vitest";
import { chromaticNumber, colour } from "./colouring.js";
import { expand } from "./graph.js";
import {
  complete,
  cycle,
  graphFrom,
  isColourable,
  isProper,
  mycielskian,
  petersen,
  queens,
  randomGraph,
} from "./graphs.reference.js";
import { searchLearning } from "./learning.js";
import { solve } from "./solve.js";

test("known", () => {
  const g = mycielskian(cycle(5));
  const m4 = mycielskian(g);
  for (const [name, p] of [
    ["C5", cycle(5)],
    ["petersen", petersen()],
    ["grötzsch", g],
    ["m4", m4],
    ["m5", mycielskian(m4)],
    ["q5", queens(5)],
    ["q6", queens(6)],
    ["q7", queens(7)],
    ["K5", complete(5)],
  ] as const) {
    const t = performance.now();
    const r = chromaticNumber(graphFrom(p), { effort: 2e6 });
    console.log(name, p.n, r.lower, r.upper, isProper(p, r.colouring, r.upper), (performance.now() - t).toFixed(0));
    const t2 = performance.now();
    const c = colour(graphFrom(p), r.upper - 1, { effort: 2e6 });
    console.log(
      "  core",
      c.status,
      c.status === "infeasible" ? [c.core.vertices.length, c.core.critical] : "",
      (performance.now() - t2).toFixed(0),
    );
  }
});
test("random big", () => {
  for (const [k, c] of [
    [3, 2],
    [3, 3.5],
    [3, 4],
    [3, 4.3],
    [3, 4.5],
    [3, 6],
    [3, 8],
    [3, 10],
    [3, 14],
    [4, 6],
    [4, 7.5],
    [4, 8.2],
    [4, 14],
    [4, 20],
    [5, 10],
    [5, 12],
    [5, 30],
    [8, 20],
    [8, 24],
    [8, 60],
  ] as const) {
    const p = randomGraph(2000, Math.round(1000 * c), 1);
    const graph = graphFrom(p);
    const b = { left: 200000 };
    const all = expand(
      graph,
      Int32Array.from({ length: 2000 }, (_, i) => i),
      1e7,
    )!;
    const t = performance.now();
    const a = solve(all, k, b);
    const t2 = performance.now() - t;
    let msg = `k ${k} c ${c} ${a.status} nodes ${200000 - b.left} ${t2.toFixed(0)}ms`;
    if (a.status === "feasible") msg += isProper(p, a.colours, k);
    else if (a.status === "infeasible") {
      msg += ` core ${a.core.length}`;
      const t3 = performance.now();
      const r = colour(graph, k);
      msg += ` colour ${(performance.now() - t3).toFixed(0)}ms ${r.status === "infeasible" ? r.core.vertices.length + " " + r.core.critical : ""}`;
    }
    console.log(msg);
  }
});
