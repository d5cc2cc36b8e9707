/**
 * Tied components: large components that statements also keep apart from others. While no single row would leave, all rows of one
 * move as one unit of the common sweep; those of which some row would are taken apart into rows for another.
 */
import type { Random } from "../../../../random/index.js";
import type { Steps } from "../../../../steps/index.js";
import { improveSteps, placeSteps, sweepAndBlocksSteps } from "../assign/bound-rows.js";
import { distanceTable } from "../assign/distance-table.js";
import type { SweepState } from "../assign/sweep.js";
import type { Links } from "../statements/links.js";
import type { Units } from "../statements/moving-units.js";
import { rests, type Scene, shareOfPrices } from "./bounds.js";
import { clusterOfAll, type LargeComponents, type Placement, SPLIT, sizeOf } from "./large-components.js";

export interface TiedComponents {
  readonly large: LargeComponents;
  /** The number of each among all components. */
  readonly components: Int32Array;
  /** And back: the place of each component here, or -1. */
  readonly of: Int32Array;
}

export function tiedComponents(large: LargeComponents, components: Int32Array, componentCount: number): TiedComponents {
  const of = new Int32Array(componentCount).fill(-1);
  components.forEach((c, e) => {
    of[c] = e;
  });
  return { large, components, of };
}

/** Units of a sweep, and the first unit of each tied component in it. */
interface Joined {
  readonly units: Units;
  readonly first: Int32Array;
}

/** The other units, and after them each tied component as one unit, or row by row if it is loose. */
export function unitsWithTied(
  base: Units,
  { large, components }: TiedComponents,
  loose: Uint8Array,
  x: Float64Array,
  d: number,
): Joined {
  const first = new Int32Array(large.count + 1);
  first[0] = base.count;
  for (let c = 0; c < large.count; c++) first[c + 1] = first[c]! + (loose[c] === 1 ? sizeOf(large, c) : 1);
  const count = first[large.count]!;
  const { rows } = large.kernel;
  const start = new Int32Array(count + 1);
  start.set(base.rows.start);
  const items = new Int32Array(base.rows.items.length + rows.length);
  items.set(base.rows.items);
  items.set(rows, base.rows.items.length);
  const of = base.of.slice();
  const size = new Float64Array(count).fill(1);
  size.set(base.size);
  const mean = new Float64Array(count * d);
  mean.set(base.mean);
  const component = new Int32Array(count);
  component.set(base.component);
  for (let c = 0; c < large.count; c++) {
    component.fill(components[c]!, first[c], first[c + 1]);
    for (let f = large.start[c]!; f < large.start[c + 1]!; f++) {
      const u = first[c]! + (loose[c] === 1 ? f - large.start[c]! : 0);
      of[rows[f]!] = u;
      start[u + 1] = base.rows.items.length + f + 1;
      if (loose[c] === 1) for (let j = 0; j < d; j++) mean[u * d + j] = x[rows[f]! * d + j]!;
    }
    if (loose[c] === 1) continue;
    size[first[c]!] = sizeOf(large, c);
    for (let j = 0; j < d; j++) mean[first[c]! * d + j] = large.mean[c * d + j]!;
  }
  const apart = new Int32Array(count + 1).fill(base.apart.items.length);
  apart.set(base.apart.start);
  return { units: { count, of, rows: { start, items }, size, mean, component, apart: { ...base.apart, start: apart } }, first };
}

/** The E-step for all bound rows, tied components among them; rewrites labels and placement, and returns how many moved. */
export function* assignWithTiedSteps(
  tied: TiedComponents,
  scene: Scene,
  base: Omit<SweepState, "table">,
  placement: Placement,
  random: Random,
  how: "place" | "improve",
  others: number,
): Steps<number> {
  const { large } = tied;
  const stateWith = (loose: Uint8Array): { readonly state: SweepState; readonly first: Int32Array } => {
    const { units, first } = unitsWithTied(base.units, tied, loose, base.x, base.d);
    const state = { ...base, units };
    return { state: { ...state, table: distanceTable(state) }, first };
  };
  const note = (chosen: readonly number[]): void => {
    for (const c of chosen) placement.cluster[c] = clusterOfAll(large, c, placement.labels);
  };
  const split = Uint8Array.from(placement.cluster, (h) => (how === "improve" && h === SPLIT ? 1 : 0));
  const { state } = stateWith(split);
  const moved = yield* how === "place" ? placeSteps(state, random) : improveSteps(state, random, others);
  note(Array.from(split.keys()));
  const restless = restlessComponents(tied, scene, base.links, placement).filter((c) => split[c] === 0);
  if (restless.length === 0) return moved;
  const loose = split.slice();
  for (const c of restless) loose[c] = 1;
  const apart = stateWith(loose);
  const order = Int32Array.from(restless.flatMap((c) => Array.from({ length: sizeOf(large, c) }, (_, p) => apart.first[c]! + p)));
  const draws = random.split("loose");
  draws.shuffle(order);
  const more = yield* sweepAndBlocksSteps(apart.state, order, draws);
  note(Array.from(split.keys()));
  return moved + more;
}

/** The components that are in one cluster, but not all rows of which are sure to stay there. */
export function restlessComponents(tied: TiedComponents, scene: Scene, links: Links, { cluster, labels }: Placement): number[] {
  const share = shareOfPrices(scene);
  const isApart = keptApart(tied, links, cluster, labels);
  return Array.from(cluster.keys()).filter((c) => cluster[c]! >= 0 && (isApart[c] === 0 || !rests(scene, c, cluster[c]!, share)));
}

/** 1 for components in one cluster with nobody there that statements keep them apart from. */
function keptApart({ components, of }: TiedComponents, links: Links, cluster: Int32Array, labels: Int32Array): Uint8Array {
  const { members, edges, cliques } = links;
  /** Calls back with each cluster that holds rows of a component. */
  const eachCluster = (c: number, tell: (h: number) => void): void => {
    if (of[c]! >= 0 && cluster[of[c]!]! >= 0) tell(cluster[of[c]!]!);
    else for (let p = members.start[c]!; p < members.start[c + 1]!; p++) tell(labels[members.items[p]!]!);
  };
  const isApart = new Uint8Array(components.length).fill(1);
  components.forEach((c, e) => {
    for (let p = edges.start[c]!; p < edges.start[c + 1]!; p++) {
      eachCluster(edges.other[p]!, (h) => {
        if (h === cluster[e]) isApart[e] = 0;
      });
    }
  });
  const holder = new Map<number, number>();
  for (let q = 0; q < cliques.weight.length; q++) {
    const inside = cliques.components.items.subarray(cliques.components.start[q]!, cliques.components.start[q + 1]!);
    if (!inside.some((c) => of[c]! >= 0)) continue;
    holder.clear();
    for (const c of inside) eachCluster(c, (h) => holder.set(h, holder.has(h) && holder.get(h) !== c ? -1 : c));
    for (const c of inside) if (of[c]! >= 0 && holder.get(cluster[of[c]!]!) !== c) isApart[of[c]!] = 0;
  }
  return isApart;
}
