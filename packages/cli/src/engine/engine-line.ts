/** The settings of a run on an engine: the method, its options, and the output files. */
import type { Method } from "@coterie/core/internal";
import type { Target } from "../outputs/outputs.js";
import type { OpenLine } from "./open-engine.js";

export interface EngineLine extends OpenLine {
  readonly why?: string | undefined;
  readonly method: Method;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly centres: string | undefined;
  readonly targets: readonly Target[];
}
