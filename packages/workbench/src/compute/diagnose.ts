/**
 * The diagnosis beside the map: can it hold, how hard is it, what to do. The quick one is there at once and looks at the constraints
 * alone; the full one measures them against the data and solves the linear program.
 *
 * What denies the must-links is set aside first, so that one contradiction does not hide all that could be said of the rest.
 */
import { type Contradiction, contradictionFacts, type Diagnosis, diagnoseSteps, drive } from "@coterie/core/internal";
import type { Said } from "../knowledge/constraint-set.js";
import type { Watch } from "../pool.js";
import type { DiagnosisReply } from "../protocol/info.js";
import type { Disagreement } from "../protocol/knowledge.js";
import { everyTurn } from "../run.js";
import { adviceWithActions } from "./advice.js";
import type { Seat } from "./compute.js";
import { consistentPart, knownAt } from "./known.js";
import type { Lettered } from "./letters.js";
import { recommend } from "./recommend.js";

export interface DiagnoseInput {
  readonly said: readonly Said[];
  readonly disagreements: readonly Disagreement[];
  readonly k: number | null;
  readonly effort: number | null;
  readonly full: boolean;
  /** The newest run, for advice about where to ask. */
  readonly run: (Lettered & { readonly number: number }) | null;
}

/** Nodes of effort: enough for hundreds of constraints within a fifth of a second, and for a second look. */
const QUICK = 10_000;
const FULL = 200_000;

export async function diagnoseTask(seat: Seat, input: DiagnoseInput, watch: Watch): Promise<Omit<DiagnosisReply, "upTo">> {
  const { host, loaded } = seat;
  const started = performance.now();
  const known = knownAt(seat, input.said);
  const { set, aside } = consistentPart(known.set);
  const { ids } = loaded.instances;
  const { k } = input;
  const options = {
    ...(k === null ? {} : { k }),
    ...(ids ? { ids } : {}),
    effort: input.effort ?? (input.full ? FULL : QUICK),
  };
  const solver = input.full ? await host.solver?.() : undefined;
  const withData = input.full ? { points: loaded.instances, kernels: host.kernels(), ...(solver ? { solver } : {}) } : {};
  const found = await drive(diagnoseSteps(set, { ...options, ...withData }), { pause: host.pause, due: everyTurn(), ...watch });
  const diagnosis = withContradictions(found, aside, ids);
  return {
    k: input.k,
    milliseconds: performance.now() - started,
    partial: !input.full,
    diagnosis: diagnosis as unknown as Record<string, unknown>,
    advice: adviceWithActions({ ...input, diagnosis, aside, instances: loaded.instances, k }),
    leastK: found.chromaticNumber === null ? null : Math.max(1, found.chromaticNumber.lower),
    recommended: recommend(known, { feasible: aside.length > 0 ? false : found.feasible, instances: loaded.instances }),
  };
}

/** The rest was judged without what was set aside; the answer names both. */
function withContradictions(found: Diagnosis, aside: readonly Contradiction[], ids: readonly (string | number)[] | undefined) {
  if (aside.length === 0) return { ...found, setAside: 0 };
  return { ...found, contradictions: contradictionFacts(aside, ids), setAside: aside.length };
}
