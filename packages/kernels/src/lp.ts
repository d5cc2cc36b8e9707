/** Linear programs by HiGHS in WebAssembly, loaded with the first solver: most runs need none of its 3.5 MB. */
import type { LpColumn, LpModel, LpSolution, LpSolver } from "@coterie/core/internal";
import type { Highs, InitOptions, Model } from "highs";

/** The smallest tolerance that HiGHS accepts. */
const TOLERANCE = 1e-10;
const PRIMAL_SIMPLEX = 4;

export interface LpSolverOptions {
  /** URL of the WebAssembly file, for bundlers that move it away from its script. Default: beside the script. */
  readonly wasmUrl?: string;
}

let loading: Promise<Highs> | undefined;

/** A solver that keeps its models between solves. All solvers share one instance of HiGHS. */
export async function createLpSolver({ wasmUrl }: LpSolverOptions = {}): Promise<LpSolver> {
  loading ??= load(wasmUrl).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  const highs = await loading;
  return { createModel: (lower) => modelOf(highs, lower) };
}

async function load(wasmUrl: string | undefined): Promise<Highs> {
  // The types that the package declares (CommonJS) do not show that its default export is the loader.
  const loader = (await import("highs")).default as unknown as (options?: InitOptions) => Promise<Highs>;
  return await loader(wasmUrl === undefined ? {} : { locateFile: () => wasmUrl });
}

function modelOf(highs: Highs, lower: Float64Array): LpModel {
  const model = highs.createModel();
  model.options.set({
    output_flag: false,
    presolve: "off",
    simplex_strategy: PRIMAL_SIMPLEX,
    primal_feasibility_tolerance: TOLERANCE,
    dual_feasibility_tolerance: TOLERANCE,
  });
  for (const bound of lower) model.addRow(bound, highs.infinity, { indices: [], values: [] });
  return {
    addColumns(columns: readonly LpColumn[]) {
      for (const { cost, rows } of columns) {
        model.addCol(cost, 0, highs.infinity, { indices: rows, values: new Float64Array(rows.length).fill(1) });
      }
    },
    solve: () => solveWithin(highs, model, NO_LIMIT)!,
    solveFor: (mostSteps) => solveWithin(highs, model, mostSteps),
    dispose: () => model.dispose(),
  };
}

/** The value that means "no limit" for HiGHS. */
const NO_LIMIT = 2 ** 31 - 1;

/** The optimum, or null if the maximum number of steps is reached. */
function solveWithin(highs: Highs, model: Model, mostSteps: number): LpSolution | null {
  const { optimal, iterationLimit } = highs.constants.modelStatus;
  model.options.set({ simplex_iteration_limit: Math.min(mostSteps, NO_LIMIT) });
  model.run();
  const status = model.getModelStatus();
  if (status === iterationLimit && mostSteps < NO_LIMIT) return null;
  if (status !== optimal) throw new Error("HiGHS found no optimum.");
  const { colValue, rowDual } = model.getSolution();
  const steps = Number(model.info.get("simplex_iteration_count"));
  return { value: model.getObjectiveValue(), steps, x: colValue, prices: rowDual };
}
