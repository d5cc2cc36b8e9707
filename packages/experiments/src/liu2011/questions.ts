/** An addition to the paper: compares questions that a strategy chose with constraints drawn at random. */

import {
  finish,
  linkages,
  meetingPlaces,
  pointsFromRows,
  randomFrom,
  randomTriplets,
  recon,
  startAsking,
  type TripletAnswer,
  trueAnswer,
} from "@coterie/core/internal";
import { curvesFigure } from "@coterie/figures";
import { createSimdKernels } from "@coterie/kernels";
import { againstNumber, meanOf, numbersOf, repeated, where, withError } from "@coterie/workbench/trials";
import { pairedCell, testCell } from "../frame/cells.js";
import { ABOUT_IRIS, IRIS, load, titleOf } from "../frame/data.js";
import type { Page, PageData, Picture, ResultTable, TrialTable } from "../frame/paper.js";
import { byCells, crossed } from "../grid.js";

const SETS = [IRIS, "wine", "seeds", "ecoli", "ionosphere", "transfusion"];
const MARKS = [0, 10, 25, 50, 75, 100, 150];
const RUNS = { quick: 3, full: 20 } as const;
const kernels = createSimdKernels();

/** Trials of question dialogues. Each line holds the scores of one dialogue after several numbers of questions. */
const questions: TrialTable = {
  name: "questions",
  keys: ["set", "statements", "run"],
  values: [...MARKS.map(String), "don't knows"],
  trials: (size, seed) =>
    crossed(SETS, ["asked", "random"], (set, source) =>
      repeated(source === "asked" ? 1 : RUNS[size], seed, `liu2011 questions, ${set}`, {
        key: { set, statements: source },
        needs: [set],
        cost: source === "asked" ? 6000 : 600,
      }),
    ).flat(),
  measure: async ({ key, seed }) =>
    await (key.statements === "asked" ? asked(key.set as string) : drawn(key.set as string, seed)),
};

async function drawn(set: string, seed: number): Promise<Record<string, number>> {
  const points = await load(set);
  const k = points.truth.names.length;
  const scores = MARKS.map((count) => {
    const known = randomTriplets(points.truth, { count, random: randomFrom(seed) });
    return [String(count), recon(points, known, { k, kernels, linkage: "ward", cut: "triplets" }).scores!.pairwiseF];
  });
  return { ...Object.fromEntries(scores), "don't knows": 0 };
}

async function asked(set: string): Promise<Record<string, number>> {
  const points = await load(set);
  const session = startAsking({ points, strategy: "odd-one-out", k: points.truth.names.length, kernels });
  const scores: Record<string, number> = {};
  let unsure = 0;
  for (let count = 0; count <= MARKS.at(-1)!; count++) {
    if (MARKS.includes(count)) {
      const { constraints, outcome } = session.result();
      scores[String(count)] = finish({ points, constraints }, outcome).scores!.pairwiseF;
    }
    const question = session.next();
    if (question === null) continue;
    const answer = trueAnswer(question, points.truth.codes);
    if (answer === "unsure") unsure++;
    session.answer(answer);
  }
  return { ...scores, "don't knows": unsure };
}

const TREE_ROWS = 60;
const TREE_MARKS = [0, 15, 30, 58, 90];

/**
 * Trials in which a hidden hierarchy answers the questions. The score compares the hidden and the learned hierarchy: the share of random
 * triples of rows that both hierarchies group in the same way.
 */
const hiddenTrees: TrialTable = {
  name: "hidden-hierarchies",
  keys: ["run"],
  values: TREE_MARKS.flatMap((count) => [`asked ${count}`, `random ${count}`]),
  trials: (size, seed) =>
    repeated({ quick: 4, full: 20 }[size], seed, "liu2011 hidden hierarchies", { key: {}, needs: [], cost: 300 }),
  measure: async ({ seed }) => treeShares(seed),
};

function treeShares(seed: number): Record<string, number> {
  const random = randomFrom(seed);
  const n = TREE_ROWS;
  const hidden = pointsFromRows(Array.from({ length: n }, () => [random.normal(), random.normal(), random.normal()]));
  const truth = meetingPlaces(n, linkages.average(hidden, undefined, { k: 2 }).merges!);
  const noisy = (i: number): number[] => Array.from({ length: 3 }, (_, j) => hidden.x[3 * i + j]! + 0.7 * random.normal());
  const seen = pointsFromRows(Array.from({ length: n }, (_, i) => noisy(i)));
  const probes = Array.from({ length: 1000 }, () => [...random.sample(n, 3)]);
  const share = (merges: Parameters<typeof meetingPlaces>[1]): number => {
    const meet = meetingPlaces(n, merges);
    return probes.filter((probe) => oddOf(probe, meet) === oddOf(probe, truth)).length / probes.length;
  };
  const session = startAsking({ points: seen, strategy: "odd-one-out", k: 4, kernels });
  const triples = Array.from({ length: TREE_MARKS.at(-1)! }, () => {
    const [x, y, z] = [...random.sample(n, 3)] as [number, number, number];
    const odd = oddOf([x, y, z], truth);
    return odd === "c" ? ([x, y, z] as const) : odd === "b" ? ([x, z, y] as const) : ([y, z, x] as const);
  });
  const shares = TREE_MARKS.flatMap((count) => {
    while (session.asked < count && session.next()) session.answer(oddOf(session.next()!.ask, truth));
    const { outcome, constraints } = session.result();
    const column = (part: 0 | 1 | 2): Int32Array => Int32Array.from(triples.slice(0, count), (triple) => triple[part]);
    const relative = { a: column(0), b: column(1), c: column(2), weight: new Float64Array(count).fill(1) };
    const random = recon(seen, { ...constraints, relative }, { k: 4, linkage: "ward" });
    return [
      [`asked ${count}`, share(outcome.merges!)],
      [`random ${count}`, share(random.merges!)],
    ];
  });
  return Object.fromEntries(shares);
}

function oddOf([x, y, z]: readonly number[], meet: (i: number, j: number) => number): Exclude<TripletAnswer, "unsure"> {
  const [xy, xz] = [meet(x!, y!), meet(x!, z!)];
  return xy < xz ? "c" : xz < xy ? "b" : "a";
}

function linesOf(seen: PageData, set: string, source: "asked" | "random") {
  return where(seen.lines(questions), { set, statements: source });
}

export const questionPage: Page = {
  name: "questions",
  title: "Beyond the paper: the odd one out, chosen questions beside random constraints",
  kind: "extra",
  tables: [questions, hiddenTrees],
  protocol: ({ size }) =>
    `Ward linkage, cut at constraints. Questions are answered from the classes; three rows of one class, or of three, are a don't know, which counts as a question. Random constraints (${RUNS[size]} runs) are always true and never a don't know, which favours them. Below, a hidden hierarchy of ${TREE_ROWS} rows (average linkage of normal rows in three columns) answers, and the data are the hidden rows with normal noise of 0.7: the share of 1,000 random triples that the hierarchy found resolves as the hidden one does. ${ABOUT_IRIS}`,
  claims: [
    {
      id: "questions.classes",
      section: "beyond the paper",
      tested: "150 chosen questions give a higher F than 150 random constraints",
      judge: byCells(
        (seen) =>
          SETS.map((set) => {
            const [own] = numbersOf(linesOf(seen, set, "asked"), "150");
            const test = againstNumber(numbersOf(linesOf(seen, set, "random"), "150"), own!);
            return testCell({ row: titleOf(set), column: "asked less random" }, { ...test, difference: -test.difference });
          }),
        "on transfusion random constraints end in one cluster of nearly all rows, whose F of 0.77 a true partition in progress does not reach.",
      ),
    },
    {
      id: "questions.trees",
      section: "beyond the paper",
      tested: "chosen questions find a hidden hierarchy better than random ones",
      needs: [],
      judge: byCells((seen) =>
        TREE_MARKS.slice(1).map((count) =>
          pairedCell(
            { row: "share of triples", column: `${count} questions` },
            numbersOf(seen.lines(hiddenTrees), `asked ${count}`),
            numbersOf(seen.lines(hiddenTrees), `random ${count}`),
          ),
        ),
      ),
    },
  ],
  pictures: (seen) => [picture(seen)],
  results: (seen) => [tableOf(seen), treeTable(seen)],
};

function setsOf(seen: PageData): string[] {
  return SETS.filter((set) => !seen.missing.includes(set));
}

function picture(seen: PageData): Picture {
  return {
    name: "curves",
    caption: `Pairwise F by questions asked (one dialogue; don't knows count), and by random true constraints (means of ${RUNS[seen.size]} runs, bars are standard errors).`,
    svg: () =>
      curvesFigure({
        title: "Chosen questions and random constraints",
        panels: setsOf(seen).map((set) => ({
          title: titleOf(set),
          series: (["asked", "random"] as const).map((source) => ({
            name: source === "asked" ? "questions asked" : "random true constraints",
            points: MARKS.map((x) => {
              const { mean, error } = meanOf(numbersOf(linesOf(seen, set, source), String(x)));
              return { x, y: mean, ...(source === "random" ? { error } : {}) };
            }),
          })),
        })),
        xLabel: "questions or constraints",
        yLabel: "pairwise F",
        yDomain: "shared",
      }),
  };
}

function tableOf(seen: PageData): ResultTable {
  return {
    title: "At 150",
    columns: ["set", "F, asked", "F, random", "questions to the F of 150 random constraints", "don't knows among 150"],
    rows: setsOf(seen).map((set) => {
      const own = linesOf(seen, set, "asked");
      const random = meanOf(numbersOf(linesOf(seen, set, "random"), "150"));
      const reached = MARKS.find((mark) => numbersOf(own, String(mark))[0]! >= random.mean);
      return [
        titleOf(set),
        numbersOf(own, "150")[0]!,
        withError(random),
        reached === undefined ? "more than 150" : String(reached),
        String(numbersOf(own, "don't knows")[0]),
      ];
    }),
  };
}

function treeTable(seen: PageData): ResultTable {
  const lines = seen.lines(hiddenTrees);
  return {
    title: "A hidden hierarchy: share of triples resolved as it does",
    columns: ["questions", "chosen", "random"],
    rows: TREE_MARKS.map((count) => [
      String(count),
      ...["asked", "random"].map((how) => withError(meanOf(numbersOf(lines, `${how} ${count}`)))),
    ]),
  };
}
