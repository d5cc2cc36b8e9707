/**
 * First clusters for units that hard cannot-links keep apart: a colouring of their graph with k colours, near centres first.
 *
 * A unit with fewer than k neighbours can always be placed after them, so such units are set aside, over and over. What is left
 * is searched: the unit with the fewest clusters left goes next (Brélaz' rule), and dead ends are taken back. If the search ends
 * without a colouring there is none, and what was left is the proof; after too many steps it gives up. Later moves keep units
 * out of the clusters of their neighbours, so a start that holds is all that is needed.
 */
import { CoterieError } from "../../../../errors.js";
import type { InstanceId } from "../../../../model/points.js";
import { idsOfUnit, type Units } from "./moving-units.js";

const MOST_STEPS = 1_000_000;

/** Writes a cluster for each unit with hard cannot-links into `labels`. `costs(u)` gives each cluster's cost for a unit. */
export function placeApart(
  units: Units,
  k: number,
  costs: (u: number) => Float64Array,
  labels: Int32Array,
  ids?: readonly InstanceId[],
): void {
  const { apart } = units;
  if (apart.items.length === 0) return;
  const concerned = Array.from({ length: units.count }, (_, u) => u).filter((u) => apart.start[u + 1]! > apart.start[u]!);
  const { easy, core } = setAside(units, concerned, k);
  const colour = new Int32Array(units.count).fill(-1);
  const preference = (u: number): number[] => {
    const cost = costs(u);
    return Array.from({ length: k }, (_, h) => h).sort((a, b) => cost[a]! - cost[b]! || a - b);
  };
  const found = colourCore(units, core, k, preference, colour);
  if (found === "none") throw new CoterieError({ code: "infeasible", k, core: core.map((u) => idsOfUnit(units, u, ids)) });
  if (found === "unknown") {
    throw new CoterieError({
      code: "gave-up",
      message: `No way was found to keep the hard cannot-links with ${k} clusters; whether there is one is not known. Ask for more clusters, or give some cannot-links a finite weight.`,
    });
  }
  for (const u of easy.reverse()) colour[u] = preference(u).find((h) => !neighbourHas(units, colour, u, h))!;
  for (const u of concerned) {
    for (let p = units.rows.start[u]!; p < units.rows.start[u + 1]!; p++) labels[units.rows.items[p]!] = colour[u]!;
  }
}

function setAside({ apart, of, count }: Units, concerned: readonly number[], k: number): { easy: number[]; core: number[] } {
  const degree = Int32Array.from({ length: count }, (_, u) => apart.start[u + 1]! - apart.start[u]!);
  const gone = new Uint8Array(count);
  const easy = concerned.filter((u) => degree[u]! < k);
  for (const u of easy) gone[u] = 1;
  for (let e = 0; e < easy.length; e++) {
    for (let p = apart.start[easy[e]!]!; p < apart.start[easy[e]! + 1]!; p++) {
      const other = of[apart.items[p]!]!;
      if (gone[other] === 0 && --degree[other]! < k) {
        gone[other] = 1;
        easy.push(other);
      }
    }
  }
  return { easy, core: concerned.filter((u) => gone[u] === 0) };
}

function neighbourHas({ apart, of }: Units, colour: Int32Array, u: number, h: number): boolean {
  for (let p = apart.start[u]!; p < apart.start[u + 1]!; p++) if (colour[of[apart.items[p]!]!] === h) return true;
  return false;
}

/** Colours the core by a search that keeps its own stack: one entry per unit placed, with the clusters still to try. */
function colourCore(
  units: Units,
  core: readonly number[],
  k: number,
  preference: (u: number) => number[],
  colour: Int32Array,
): "found" | "none" | "unknown" {
  const stack: { readonly u: number; readonly left: number[] }[] = [];
  const open = (): void => {
    const u = mostPressed(units, core, colour, k);
    const used = new Set(stack.map((entry) => colour[entry.u]!));
    // Clusters that no unit is in yet differ by name alone: one of them stands for all.
    const fresh = preference(u).find((h) => !used.has(h));
    stack.push({ u, left: preference(u).filter((h) => h === fresh || (used.has(h) && !neighbourHas(units, colour, u, h))) });
  };
  if (core.length === 0) return "found";
  open();
  for (let step = 0; step < MOST_STEPS; step++) {
    const top = stack.at(-1)!;
    const next = top.left.shift();
    colour[top.u] = next ?? -1;
    if (next === undefined) {
      stack.pop();
      if (stack.length === 0) return "none";
      colour[stack.at(-1)!.u] = -1;
    } else if (stack.length === core.length) return "found";
    else open();
  }
  return "unknown";
}

/** The unplaced unit whose neighbours use most clusters; more neighbours first, then the lower number. */
function mostPressed(units: Units, core: readonly number[], colour: Int32Array, k: number): number {
  let best = -1;
  let most = -1;
  for (const u of core) {
    if (colour[u] !== -1) continue;
    let used = 0;
    for (let h = 0; h < k; h++) if (neighbourHas(units, colour, u, h)) used++;
    const pressure = used * (units.count + 1) + (units.apart.start[u + 1]! - units.apart.start[u]!);
    if (pressure > most) [most, best] = [pressure, u];
  }
  return best;
}
