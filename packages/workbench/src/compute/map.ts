/** Where rows lie on the map: under the distance in use, under what a run learned, or by two columns. */
import { badInput, distancesOf, drive, type Instances, type Report, type Steps } from "@coterie/core/internal";
import {
  AS_THEY_ARE,
  principalComponentsSteps,
  principalCoordinatesSteps,
  type Seen,
  seenBy,
  strongestColumns,
} from "@coterie/core/layout";
import type { Watch } from "../pool.js";
import type { MapReply } from "../protocol/runs.js";
import { everyTurn } from "../run.js";
import { valuesOf } from "../tables/loaded-table.js";
import type { Seat } from "./compute.js";

export type MapInput =
  | { readonly space: "features" }
  | { readonly space: "run"; readonly report: Pick<Report, "algorithm" | "options" | "metric" | "sizes"> }
  | { readonly space: "columns"; readonly x: string; readonly y: string };

export interface MapOutput extends Omit<MapReply, "xy"> {
  readonly xy: Float32Array;
}

export async function mapTask({ loaded, host }: Seat, input: MapInput, watch: Watch): Promise<MapOutput> {
  const { instances } = loaded;
  if (input.space === "columns") {
    const [x, y] = [valuesOf(loaded, input.x), valuesOf(loaded, input.y)];
    const xy = new Float32Array(2 * instances.n);
    for (let i = 0; i < instances.n; i++) {
      xy[2 * i] = x.values[i]!;
      xy[2 * i + 1] = y.values[i]!;
    }
    const axis = (title: string) => ({ title, share: null });
    return { space: "columns", title: `${input.x} and ${input.y}`, axes: [axis(input.x), axis(input.y)], n: instances.n, xy };
  }
  const seen = input.space === "run" ? seenBy(input.report, instances) : AS_THEY_ARE;
  const place = await drive(placed(instances, seen), { pause: host.pause, due: everyTurn(), ...watch });
  return { space: input.space, n: instances.n, ...place };
}

type Placed = Pick<MapOutput, "title" | "axes" | "xy">;

function* placed(instances: Instances, seen: Seen): Steps<Placed> {
  if (seen.between) return yield* byDistances(instances, seen.between, seen.axis);
  if (instances.holes)
    return yield* byDistances(instances, distancesOf(instances, undefined).between, "the cells that rows share");
  if (instances.d === 0) {
    if (!instances.distances) throw badInput("No column is a feature: there is nothing to draw by.");
    return yield* byDistances(instances, distancesOf(instances, undefined).between, "distances");
  }
  const found = yield* principalComponentsSteps(instances, 2, seen.view ?? {});
  const axis = (component: 0 | 1) => ({
    title: `PC ${component + 1}${seen.axis}: ${strongestColumns(found, component, seen.view?.root !== undefined)}`,
    share: found.share[component] ?? 0,
  });
  return {
    title: seen.by === "" ? "Principal components" : `Principal components, by ${seen.by}`,
    axes: [axis(0), axis(1)],
    xy: Float32Array.from(found.scores),
  };
}

function* byDistances({ n, d }: Instances, between: (i: number, j: number) => number, what: string): Steps<Placed> {
  const { scores, share } = yield* principalCoordinatesSteps(between, n, d);
  const axis = (which: 0 | 1) => ({ title: `${what}, axis ${which + 1}`, share: share[which] });
  return { title: `Principal coordinates, by ${what}`, axes: [axis(0), axis(1)], xy: Float32Array.from(scores) };
}
