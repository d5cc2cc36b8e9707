/**
 * Figure 6: the effect of pruning. Pruning drops all constraints of the row that is hardest to place, then those of the next row, and so
 * on.
 */

import {
  type ConstraintSet,
  generateConstraints,
  type LpSolver,
  pruneConstraints,
  pruneSteps,
  type Random,
  randomFrom,
} from "@coterie/core/internal";
import { curvesFigure } from "@coterie/figures";
import { columnOf, type Line, meanOf, numbersOf, seedFor, sharesTest, where, withError } from "@coterie/workbench/trials";
import { pairedCell, percent } from "../frame/cells.js";
import { ABOUT_IRIS, type Labelled, load, titleOf } from "../frame/data.js";
import type { Cell, Claim, Page, PageData, Picture, ResultTable, TrialTable } from "../frame/paper.js";
import { byCells, crossed } from "../grid.js";
import { lpSolver } from "./figure-4.js";
import { ALGORITHMS, DATA, type Data, failurePicture, K, METHODS, type Method, randOf, randomCentres } from "./methods.js";

const COUNT = 100;
/** How many constraints to drop: one to ten as in the paper, and further numbers. */
const DROPPED = { quick: [0, 10, 30], full: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30] } as const;
const SETS = { quick: 12, full: 100 } as const;
const WAYS = ["pruned", "at random"] as const;
type Way = (typeof WAYS)[number];

export const pruning: TrialTable = {
  name: "pruning",
  keys: ["set", "run", "dropped"],
  values: crossed(METHODS, WAYS, (method, way) => `${method} ${way}`),
  trials: (size, seed) =>
    DATA.flatMap((set) =>
      Array.from({ length: SETS[size] }, (_, run) =>
        DROPPED[size].map((dropped) => ({
          key: { set, run, dropped },
          seed: seedFor(seed, `davidson2012 figure 6, ${set}`, run),
          needs: [set],
          cost: set === "ionosphere" ? 320 : 60,
          group: `${set} ${run}`,
        })),
      ).flat(),
    ),
  async measure({ key, seed }) {
    const set = key.set as Data;
    const points = await load(set);
    const dropped = key.dropped as number;
    const random = randomFrom(seed);
    const start = { k: K[set], init: randomCentres(points, K[set], random), seed };
    const sequence = sequenceOf(set, seed, points, await lpSolver());
    const left: Readonly<Record<Way, ConstraintSet>> = {
      pruned: sequence.pruned(dropped),
      "at random": randomlyDropped(sequence.known, dropped, random),
    };
    return Object.fromEntries(
      crossed(METHODS, WAYS, (method, way) => [`${method} ${way}`, randOf(method, points, left[way], start)]),
    );
  },
};

interface Sequence {
  readonly name: string;
  readonly known: ConstraintSet;
  readonly pruned: (count: number) => ConstraintSet;
}

/** The constraints of the latest trial and the state of their pruning. The next trial of the same run continues the pruning. */
let latest: Sequence | null = null;

function sequenceOf(set: Data, seed: number, points: Labelled, solver: LpSolver): Sequence {
  const name = `${set} ${seed}`;
  if (latest?.name === name) return latest;
  const random = randomFrom(seed).split("constraints");
  const known = generateConstraints(points.truth, { count: COUNT, mix: "random", random });
  latest = { name, known, pruned: prunedFrom(known, points, solver) };
  return latest;
}

export function prunedFrom(known: ConstraintSet, points: Labelled, solver: LpSolver): (count: number) => ConstraintSet {
  const steps = pruneSteps(known, points, { count: COUNT, solver });
  // The states of the pruning: one entry for each pruned row, after all constraints of the row are dropped.
  // done: number of constraints dropped so far. set: the remaining constraints.
  const rows = [{ done: 0, set: known }];
  let ended = false;
  return (count) => {
    while (!ended && rows.at(-1)!.done < count) {
      const turn = steps.next();
      ended = turn.done === true;
      if (!turn.done) rows.push({ done: turn.value.done, set: turn.value.set });
    }
    const { done, set } = rows.findLast((row) => row.done <= count)!;
    // If dropping all constraints of the next row would exceed `count`, only some of these constraints are dropped.
    return done === count ? set : pruneConstraints(set, points, { count: count - done, solver }).set;
  };
}

function randomlyDropped(known: ConstraintSet, count: number, random: Random): ConstraintSet {
  const out = new Set(random.split("dropped").sample(COUNT, COUNT).subarray(0, count));
  const must = known.mustLinks.a.length;
  const keep = ({ a, b, weight }: ConstraintSet["mustLinks"], first: number) => {
    const stays = Array.from(a.keys()).filter((s) => !out.has(first + s));
    return {
      a: Int32Array.from(stays, (s) => a[s]!),
      b: Int32Array.from(stays, (s) => b[s]!),
      weight: Float64Array.from(stays, (s) => weight[s]!),
    };
  };
  return { ...known, mustLinks: keep(known.mustLinks, 0), cannotLinks: keep(known.cannotLinks, must) };
}

function at(seen: PageData, set: Data, dropped: number): readonly Line[] {
  return where(seen.lines(pruning), { set, dropped });
}

/** The change of the Rand index after dropping constraints. Uses only constraint sets that have a clustering before and after. */
function change(seen: PageData, set: Data, method: Method, way: Way, dropped: number): Cell {
  const column = `${method} ${way}`;
  const place = { row: titleOf(set), column: method };
  return pairedCell(place, columnOf(at(seen, set, dropped), column), columnOf(at(seen, set, 0), column));
}

function rises(id: string, dropped: number, head: Pick<Claim, "section" | "tested" | "published" | "quote">): Claim {
  return {
    id,
    ...head,
    judge: byCells(
      (seen) => crossed(DATA, METHODS, (set, method) => change(seen, set, method, "pruned", dropped)),
      "on iris pruning helps MPKM, whose metric fewer constraints disturb less, and dropping as many at random helps it nearly as much; elsewhere correct constraints carry information, also those of rows that are hard to place, and dropping them loses it.",
    ),
  };
}

const beyondRandom: Claim = {
  id: "figure-6.beyond-random",
  section: "section 6.2, with a control that the paper does not have",
  tested: "after 30 of 100 are pruned the Rand index is higher than after 30 are dropped at random",
  judge: byCells((seen) =>
    crossed(DATA, METHODS, (set, method) => {
      const lines = at(seen, set, 30);
      return pairedCell(
        { row: titleOf(set), column: method },
        columnOf(lines, `${method} pruned`),
        columnOf(lines, `${method} at random`),
      );
    }),
  ),
};

const room: Claim = {
  id: "figure-6.failures",
  section: "our reading of section 6.2: “difficult for algorithms to handle”",
  tested: "after pruning ten, COP-k-means fails less often than after dropping ten at random",
  judge: byCells(
    (seen) =>
      DATA.map((set) => {
        const lines = at(seen, set, 10);
        const failed = (way: Way): number => columnOf(lines, `CKM ${way}`).filter((rand) => rand === null).length;
        const all = columnOf(at(seen, set, 0), "CKM pruned").filter((rand) => rand === null).length;
        const { difference, p } = sharesTest([failed("at random"), lines.length], [failed("pruned"), lines.length]);
        const share = (count: number): string => percent(count / lines.length);
        const said = `${share(failed("pruned"))} pruned, ${share(failed("at random"))} at random, ${share(all)} with all`;
        return { row: titleOf(set), column: "CKM", kind: "difference", said, difference, p: Number.isNaN(p) ? 1 : p };
      }),
    "with two classes (ionosphere) nearly all sets fail, with six (glass) nearly none; in between there is a difference.",
  ),
};

export const figure6: Page = {
  name: "figure-6",
  title: "Figure 6: pruning",
  kind: "figure",
  tables: [pruning],
  protocol: (seen) =>
    `${at(seen, "wine", 0).length} sets of ${COUNT} random pairs for each table. Constraints of the row that is in the fewest independent sets go first, with edges to the five furthest rows added to the graph, all computed anew after each; beside it, as a control, as many constraints are dropped at random. The paper drops one to ten; 20 and 30 are added. The first centres of a set are the same throughout. ${ALGORITHMS} ${ABOUT_IRIS}`,
  claims: [
    rises("figure-6.rises", 10, {
      quote: "Our experimental results in Figure 6 show the Rand index increases as the constraints are pruned",
      section: "section 6.2, figure 6",
      tested: "change of the Rand index after ten of 100 are pruned",
      published: "rises",
    }),
    rises("figure-6.rises-30", 30, {
      section: "figure 6 carried on",
      tested: "change of the Rand index after thirty of 100 are pruned",
      published: "–",
    }),
    beyondRandom,
    room,
  ],
  pictures: (seen) => [
    randPicture(seen),
    failurePicture(
      {
        title: "Sets without a clustering as constraints are dropped",
        xLabel: "dropped",
        xs: DROPPED[seen.size],
        kinds: WAYS,
      },
      (set, way, dropped) => columnOf(at(seen, set, dropped), `CKM ${way}`),
    ),
  ],
  results: (seen) => [tableOf(seen)],
};

function randPicture(seen: PageData): Picture {
  return {
    name: "rand",
    caption: `Rand index against the number of constraints dropped from ${COUNT}: ${at(seen, "wine", 0).length} sets each; lines join means over those that ended with a clustering whatever was dropped (how many, where not all, is in the title); bars are standard errors. No curve where there is no such set.`,
    svg: () =>
      curvesFigure({
        title: "Rand index as constraints are dropped",
        columns: 4,
        xLabel: "dropped",
        yLabel: "Rand index",
        yDomain: "shared",
        panels: crossed(DATA, METHODS, (set, method) => {
          const steps = DROPPED[seen.size].map((dropped) => at(seen, set, dropped));
          const complete = (run: number): boolean =>
            steps.every((lines) => WAYS.every((way) => lines[run]![`${method} ${way}`] !== null));
          const sets = steps[0]!.filter((_, run) => complete(run)).length;
          return {
            title: `${titleOf(set)}, ${method}${sets < steps[0]!.length ? `, ${sets} sets` : ""}`,
            series: WAYS.map((way) => ({
              name: way,
              points: steps.map((lines, step) => {
                const { mean, error } = meanOf(
                  numbersOf(
                    lines.filter((_, run) => complete(run)),
                    `${method} ${way}`,
                  ),
                );
                return { x: DROPPED[seen.size][step]!, y: mean, error };
              }),
            })),
          };
        }),
      }),
  };
}

function tableOf(seen: PageData): ResultTable {
  const cell = (set: Data, method: Method, way: Way, dropped: number): string => {
    const cell = change(seen, set, method, way, dropped);
    return cell.said;
  };
  return {
    title: "Rand index with all 100 constraints, and its change after dropping some",
    columns: ["data", "algorithm", "all", "10 pruned", "10 at random", "30 pruned", "30 at random"],
    rows: crossed(DATA, METHODS, (set, method) => [
      titleOf(set),
      method,
      withError(meanOf(numbersOf(at(seen, set, 0), `${method} pruned`))),
      ...crossed([10, 30], WAYS, (dropped, way) => cell(set, method, way, dropped)),
    ]),
  };
}
