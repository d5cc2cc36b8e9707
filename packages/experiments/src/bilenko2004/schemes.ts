/** The methods of figures 2 to 13, as in the paper: each with one start, unit costs, and moves of single rows. Then methods of our own. */
import {
  type ConstraintSet,
  emptyConstraints,
  type Kernels,
  mkMeans,
  mpckMeans,
  pckMeans,
  type Result,
  rcaKmeans,
  supervisedMeans,
} from "@coterie/core/internal";
import type { Labelled } from "../frame/data.js";

export interface Task {
  readonly points: Labelled;
  readonly known: ConstraintSet;
  readonly k: number;
  readonly seed: number;
  readonly kernels: Kernels;
}

export type Clustered = Pick<Result, "labels"> & Partial<Pick<Result, "stopped" | "history">>;

export type Scheme = (task: Task) => Clustered;

const PAPER = { restarts: 1, faithful: true } as const;

function mpck(metrics: "single" | "multiple", matrix: "diagonal" | "full"): Scheme {
  return ({ points, known, ...task }) => mpckMeans(points, known, { ...task, ...PAPER, metrics, matrix });
}

export const ABLATIONS: Readonly<Record<string, Scheme>> = {
  "MPCK-S-D": mpck("single", "diagonal"),
  MK: ({ points, known, ...task }) => mkMeans(points, known, { ...task, restarts: 1, init: "perturbed" }),
  PCK: ({ points, known, ...task }) => pckMeans(points, known, { ...task, ...PAPER, costs: "unit" }),
  "k-means": ({ points, ...task }) =>
    pckMeans(points, emptyConstraints(points.n), { ...withoutKnown(task), restarts: 1, init: "perturbed" }),
  supervised: ({ points, known, ...task }) => supervisedMeans(points, known, task),
};

export const METRICS: Readonly<Record<string, Scheme>> = {
  "MPCK-M-D": mpck("multiple", "diagonal"),
  "MPCK-S-F": mpck("single", "full"),
  "MPCK-M-F": mpck("multiple", "full"),
  RCA: ({ points, known, ...task }) => rcaKmeans(points, known, { ...task, restarts: 1, prior: 0 }),
  "RCA (ours)": ({ points, known, ...task }) => rcaKmeans(points, known, { ...task, restarts: 1 }),
};

/** Our own schemes: they minimise the same objective by another search. */
export const SEARCHES: Readonly<Record<string, Scheme>> = {
  "our search": ({ points, known, ...task }) => mpckMeans(points, known, { ...task, restarts: 1 }),
  "our search, ten starts": ({ points, known, ...task }) => mpckMeans(points, known, task),
};

export const VARIANTS = ["MPCK-S-D", "MPCK-M-D", "MPCK-S-F", "MPCK-M-F"] as const;

function withoutKnown({ known: _, ...task }: Omit<Task, "points">): Omit<Task, "points" | "known"> {
  return task;
}
