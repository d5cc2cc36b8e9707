/**
 * The ten schemes of figures 2 to 13, each from one start, with the paper's unit costs, first centres and moves of single rows;
 * and the same method with our search, from one start and from ten.
 */
import {
  type ConstraintSet,
  emptyConstraints,
  type Kernels,
  mkMeans,
  mpckMeans,
  pckMeans,
  rcaKMeans,
  supervisedMeans,
} from "@coterie/core";
import type { Labelled } from "./sets.js";

export interface Task {
  readonly points: Labelled;
  readonly known: ConstraintSet;
  readonly k: number;
  readonly seed: number;
  readonly kernels: Kernels;
}

export interface Scheme {
  readonly name: string;
  readonly cluster: (task: Task) => Int32Array;
}

const PAPER = { restarts: 1, faithful: true } as const;

function mpck(name: string, metrics: "single" | "multiple", matrix: "diagonal" | "full"): Scheme {
  return {
    name,
    cluster: ({ points, known, ...task }) => mpckMeans(points, known, { ...task, ...PAPER, metrics, matrix }).labels,
  };
}

const singleDiagonal = mpck("MPCK-S-D", "single", "diagonal");

export const ABLATIONS: readonly Scheme[] = [
  singleDiagonal,
  {
    name: "MK",
    cluster: ({ points, known, ...task }) => mkMeans(points, known, { ...task, restarts: 1, init: "perturbed" }).labels,
  },
  {
    name: "PCK",
    cluster: ({ points, known, ...task }) => pckMeans(points, known, { ...task, ...PAPER, costs: "unit" }).labels,
  },
  {
    name: "k-means",
    cluster: ({ points, known: _, ...task }) =>
      pckMeans(points, emptyConstraints(points.n), { ...task, restarts: 1, init: "perturbed" }).labels,
  },
  { name: "supervised", cluster: ({ points, known, ...task }) => supervisedMeans(points, known, task).labels },
];

export const METRICS: readonly Scheme[] = [
  singleDiagonal,
  mpck("MPCK-M-D", "multiple", "diagonal"),
  mpck("MPCK-S-F", "single", "full"),
  mpck("MPCK-M-F", "multiple", "full"),
  { name: "RCA", cluster: ({ points, known, ...task }) => rcaKMeans(points, known, { ...task, restarts: 1 }).labels },
];

export const SEARCHES: readonly Scheme[] = [
  { ...singleDiagonal, name: "single rows move" },
  {
    name: "our search",
    cluster: ({ points, known, ...task }) => mpckMeans(points, known, { ...task, restarts: 1 }).labels,
  },
  {
    name: "our search, ten starts",
    cluster: ({ points, known, ...task }) => mpckMeans(points, known, task).labels,
  },
];
