/**
 * The E-step (bilenko2004, section 3.2): free rows go to their nearest cluster, bound ones where distances and broken constraints
 * together cost least. Three kinds of rows follow each other: free ones by the kernel, lone components each by itself, and all
 * other bound rows in greedy moves over units, with tied components among these where there are many.
 */
import type { Random } from "../../../random/index.js";
import type { Steps } from "../../../steps/index.js";
import { improveSteps, moveOneByOneSteps, placeSteps } from "./assign/bound-rows.js";
import { distanceTable } from "./assign/distance-table.js";
import { assignFreeSteps, nearestSteps } from "./assign/kernel-rows.js";
import type { EStep } from "./assign/sweep.js";
import { type Scene, sceneOf } from "./components/bounds.js";
import type { LargeComponents } from "./components/large-components.js";
import { afreshLoneSteps, improveLoneSteps, type LoneStep, placeLoneSteps } from "./components/lone.js";
import { assignWithTiedSteps } from "./components/tied.js";
import { mappedCentres, type Run } from "./run.js";

/** "place" forgets where bound rows are, "improve" moves them from there. Returns how many rows or units moved. */
/** E-step; returns how many rows or units moved. Lone components come first, but nothing depends on that. */
export function* assignSteps(run: Run, random: Random, how: "place" | "improve"): Steps<number> {
  const { ablation, points, units, free, labels, maps } = run;
  const centres = mappedCentres(run);
  let changed = yield* assignFreeSteps(free, points, maps, centres, labels);
  const step: LoneStep | null = run.lone && {
    scene: yield* sceneSteps(run, run.lone, centres),
    eStep: eStepOf(run, centres),
    faithful: ablation.faithful,
  };
  const inPlace = how === "improve" || ablation.faithful;
  if (step) changed += yield* (inPlace ? improveLoneSteps : placeLoneSteps)(step, run.lonePlacement, random);
  if (units.count > 0 || run.tied) changed += yield* assignUnits(run, centres, random, how, changed);
  const again = step && how === "improve" && !ablation.faithful && changed === 0;
  return again ? yield* afreshLoneSteps(step, run.lonePlacement, random.split("afresh crowds")) : changed;
}

/** What all moves of bound rows have in common. */
function eStepOf({ ablation, points, statements, maps, farthest }: Run, centres: Float64Array): EStep {
  return {
    penalty: statements.hasPenalties ? ablation.penalty : "none",
    x: points.x,
    d: points.d,
    k: ablation.k,
    maps,
    centres,
    farthest: farthest?.squares ?? new Float64Array(maps.maps.length),
  };
}

function* sceneSteps(run: Run, large: LargeComponents, centres: Float64Array): Steps<Scene> {
  const { ablation, points, maps } = run;
  const nearest = yield* nearestSteps(large.kernel, points, maps, centres);
  const plainCosts = ablation.penalty === "cost";
  return sceneOf({ large, x: points.x, d: points.d, k: ablation.k, maps, centres, plainCosts, nearest });
}

/** The E-step for all other bound rows. `others`: how many rows beside them moved. */
function* assignUnits(run: Run, centres: Float64Array, random: Random, how: "place" | "improve", others: number): Steps<number> {
  const { ablation, links, units, moments, labels } = run;
  const state = { ...eStepOf(run, centres), links, units, labels, moments };
  if (run.tied) {
    const scene = yield* sceneSteps(run, run.tied.large, centres);
    return yield* assignWithTiedSteps(run.tied, scene, state, run.tiedPlacement, random, how, others);
  }
  const table = distanceTable(state);
  if (ablation.faithful) return yield* moveOneByOneSteps({ ...state, table }, random);
  return yield* how === "place" ? placeSteps({ ...state, table }, random) : improveSteps({ ...state, table }, random, others);
}
