/** A run as one HTML file, drawn by whatever figures the host lends. */
import { badInput, type ConstraintSet, type Instances, type Report } from "@coterie/core/internal";
import type { Said } from "../knowledge/constraint-set.js";
import type { Seat } from "./compute.js";
import { knownAt } from "./known.js";

export interface PageInput {
  readonly report: Report;
  readonly instances: Instances;
  readonly constraints: ConstraintSet;
  readonly title: string;
  readonly command: string;
  readonly names?: readonly string[];
}

export async function pageTask(
  seat: Seat,
  { said, names, ...input }: Pick<PageInput, "report" | "title" | "command" | "names"> & { readonly said: readonly Said[] },
): Promise<string> {
  if (!seat.host.page) throw badInput("Pages cannot be drawn here.", { remedy: "Take the report as JSON." });
  return await seat.host.page({
    ...input,
    ...(names ? { names } : {}),
    instances: seat.loaded.instances,
    constraints: knownAt(seat, said).set,
  });
}
