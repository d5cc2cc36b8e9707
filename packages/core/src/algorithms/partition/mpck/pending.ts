/**
 * Units that count in a slot but wait to enter its mean and scatter until someone asks for these: in a large component hardly
 * anyone does. They enter in the order in which they came, so waiting changes no bit.
 */
import { type LinearMaps, mapInto } from "../../metric/linear-maps.js";
import { absorb, claimSlot, type Slots } from "./slots.js";
import type { Units } from "./units.js";

export interface Pending {
  /** The unit that came after each one to the same slot; -1 for the last. */
  readonly next: Int32Array;
  /** For each slot: the first and the last unit that wait, and the rows of all that do. */
  readonly first: Int32Array;
  readonly last: Int32Array;
  readonly rows: Float64Array;
  readonly z: Float64Array;
}

export function nonePending(slots: Slots, units: Units): Pending {
  const count = slots.cluster.length;
  return {
    next: new Int32Array(units.count),
    first: new Int32Array(count).fill(-1),
    last: new Int32Array(count).fill(-1),
    rows: new Float64Array(count),
    z: new Float64Array(slots.d),
  };
}

/** Puts a unit into the slot of its component in cluster h. */
export function enqueue({ next, first, last, rows }: Pending, slots: Slots, units: Units, u: number, h: number): void {
  const s = claimSlot(slots, units.component[u]!, h);
  if (first[s]! < 0) first[s] = u;
  else next[last[s]!] = u;
  last[s] = u;
  next[u] = -1;
  rows[s]! += units.size[u]!;
  slots.count[s]! += units.size[u]!;
}

/** Brings a slot's mean and scatter up to date. */
export function admit(
  { next, first, rows, z }: Pending,
  slots: Slots,
  units: Units,
  maps: LinearMaps,
  scatter: readonly Float64Array[],
  s: number,
): void {
  const g = maps.maps.length > 1 ? slots.cluster[s]! : 0;
  let before = slots.count[s]! - rows[s]!;
  for (let u = first[s]!; u >= 0; u = next[u]!) {
    mapInto(maps, g, slots.d, units.mean, u * slots.d, z, 0);
    absorb(slots, s, before, units.size[u]!, z, 0, scatter[g]![u]!);
    before += units.size[u]!;
  }
  first[s] = -1;
  rows[s] = 0;
}
