/**
 * Colouring with k colours by search that learns from its conflicts, as solvers for Boolean satisfiability do (Marques-Silva and
 * Sakallah 1999; Moskewicz et al. 2001; Audemard and Simon 2009 for which clauses to forget): at a conflict the cause is worked
 * out, kept as a clause, and the search goes back to the step that it blames. On sparse graphs of thousands of vertices it
 * decides what plain backtracking never ends.
 *
 * The variable "vertex v has colour c" is number v·k + c. That each vertex has one colour and neighbours differ is built in;
 * only what is learned is stored as clauses.
 */

import { type Budget, type Interruptible, pauseDue } from "../../steps/budget.js";
import { takeFirst } from "../../structures/activity-heap.js";
import type { Adjacency } from "../graphs/adjacency.js";
import type { SearchAnswer } from "../greedy/dsatur.js";
import { concludeProof, learn, openAnalysis } from "./analysis.js";
import { forgetClauses } from "./clauses.js";
import { restsOn } from "./proof.js";
import { propagate } from "./propagate.js";
import { assign, backjump, CHOICE, openSolver, RENAMED, type Solver } from "./state.js";

const RESTART_UNIT = 100;
/** In large graphs one choice assigns thousands of variables: that counts as more than one node. */
const ASSIGNED_PER_NODE = 128;

/** Variables at most (about 500 MB with what is kept for each): more are not searched. */
const MOST_VARIABLES = 4_000_000;

export function* searchLearning(graph: Adjacency, k: number, clique: Int32Array, budget: Budget): Interruptible<SearchAnswer> {
  if (clique.length > k) return { status: "infeasible", core: clique };
  if (graph.n * k > MOST_VARIABLES) return { status: "undecided" };
  const solver = openSolver(graph, k);
  const analysis = openAnalysis(solver);
  // Colours can be renamed: those of a clique are fixed.
  clique.forEach((v, c) => {
    assign(solver, v * k + c, true, RENAMED);
  });
  let conflicts = 0;
  for (let round = 1; ; round++) {
    const patience = conflicts + RESTART_UNIT * luby(round);
    while (conflicts < patience) {
      const conflict = propagate(solver);
      if (conflict) {
        if (solver.levels.length === 0) {
          concludeProof(solver, conflict);
          return { status: "infeasible", core: restsOn(solver.proof) };
        }
        conflicts++;
        learn(solver, analysis, conflict);
      } else {
        budget.left -= 1 + solver.assigned / ASSIGNED_PER_NODE;
        solver.assigned = 0;
        if (budget.left <= 0) return { status: "undecided" };
        if (pauseDue(budget)) yield;
        const v = nextVertex(solver);
        if (v === -1) return { status: "feasible", colours: solver.colour };
        solver.levels.push(solver.length);
        assign(solver, v * k + nextColour(solver, v), true, CHOICE);
      }
    }
    backjump(solver, 0);
    forgetClauses(solver.clauses);
  }
}

/** 1 1 2 1 1 2 4 …: Luby, Sinclair and Zuckerman 1993. */
function luby(round: number): number {
  let size = 1;
  while (size < round + 1) size *= 2;
  return size === round + 1 ? size / 2 : luby(round - size / 2 + 1);
}

/** The vertex without a colour that made the most trouble; -1 if all have theirs. */
function nextVertex({ heap, colour }: Solver): number {
  for (let v = takeFirst(heap); v !== -1; v = takeFirst(heap)) if (colour[v] === -1) return v;
  return -1;
}

function nextColour({ k, value, saved }: Solver, v: number): number {
  if (saved[v] !== -1 && value[v * k + saved[v]!] === 0) return saved[v]!;
  let c = 0;
  while (value[v * k + c] !== 0) c++;
  return c;
}
