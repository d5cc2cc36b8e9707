/** The curves of figure 5 as small panels, one for each data set, and the numbers behind them. */
import { type CurvePanel, type CurveSeries, curvesFigure } from "@coterie/figures";
import type { Picture, ResultTable } from "../experiment.js";
import { meanOf, withError } from "../statistics.js";
import { type Judging, type Ran, randsOf } from "./cells.js";
import { meanLeaves, mostNodes, nodesOf, unanswered } from "./claims.js";
import { METHODS, type Method } from "./protocol.js";

const XLABEL = "constraints";
const TREES = ["ClusILC", "ClusILC held-out", "ClusILC leaf cost"] as const;
const RIVALS = ["ClusILC", "COP faithful", "COP repairing", "COP repairing scaled"] as const;

export function picturesOf(rans: readonly Ran[]): Picture[] {
  const rands = (methods: readonly Method[], judging: Judging): CurvePanel[] =>
    rans.map((ran) => ({ title: titleOf(ran), series: methods.map((method) => randSeries(ran, method, judging)) }));
  const sizes = rans.map((ran) => ({ title: titleOf(ran), series: TREES.map((method) => sizeSeries(ran, method)) }));
  const picture = (name: string, caption: string, yLabel: string, panels: readonly CurvePanel[]): Picture => ({
    name,
    caption,
    svg: curvesFigure({ title: caption, panels, xLabel: XLABEL, yLabel, columns: 3 }),
  });
  return [
    picture("all", "All data: Rand index on all rows.", "Rand index", rands(RIVALS, "all")),
    picture("cv", "Cross-validated: Rand index on rows without constraints.", "Rand index", rands(RIVALS, "cv")),
    picture(
      "pruning",
      "Cross-validated Rand index of whole trees and of trees that are cut back.",
      "Rand index",
      rands(TREES, "cv"),
    ),
    picture("sizes", "Mean nodes of the trees on all data.", "nodes", sizes),
  ];
}

function titleOf({ set }: Ran): string {
  return set.name;
}

function randSeries({ cells }: Ran, method: Method, judging: Judging): CurveSeries {
  const points = cells.flatMap((cell) => {
    const { mean, error, count } = meanOf(randsOf(cell, judging, method));
    return count === 0 ? [] : [{ x: cell.count, y: mean, error }];
  });
  return { name: method, points };
}

function sizeSeries({ cells }: Ran, method: Method): CurveSeries {
  return { name: method, points: cells.map((cell) => ({ x: cell.count, y: nodesOf(meanLeaves(cell, method)) })) };
}

export function tablesOf(rans: readonly Ran[]): ResultTable[] {
  const rands = (judging: Judging, title: string): ResultTable => ({
    title,
    columns: ["data", "constraints", "trials", ...METHODS],
    rows: rans.flatMap(({ set, cells }) =>
      cells.map((cell) => [
        set.name,
        String(cell.count),
        String(cell.trials[judging].ClusILC.length),
        ...METHODS.map((method) => withError(meanOf(randsOf(cell, judging, method)))),
      ]),
    ),
  });
  return [
    rands("all", "Rand index on all data"),
    rands("cv", "Cross-validated Rand index"),
    {
      title: "Trees, and trials of the faithful COP-k-means without an answer (all data, most constraints)",
      columns: ["data", "constraints", "leaves", "held-out", "leaf cost", "most nodes at any number", "without an answer"],
      rows: rans.map((ran) => {
        const last = ran.cells.at(-1)!;
        return [
          ran.set.name,
          String(last.count),
          ...TREES.map((method) => meanLeaves(last, method).toFixed(1)),
          String(mostNodes(ran)),
          `${Math.round(100 * unanswered(last))}%`,
        ];
      }),
    },
  ];
}
