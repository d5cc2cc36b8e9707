/**
 * Makes a method from its definition. The method is a function that checks its input, runs, and completes the result. All parts of the
 * definition become properties of the function.
 */
import { emptyConstraints } from "../constraints/index.js";
import { badInput } from "../errors.js";
import { type Kernels, plainKernels } from "../kernels/index.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { Instances, Rows } from "../model/points.js";
import type { Result } from "../model/result.js";
import { randomFrom } from "../random/index.js";
import { asPoints } from "../rows.js";
import { drain } from "../steps/index.js";
import { chooseAtOnce, choosingK, rangeOf } from "./choose-k.js";
import type { CallOptions, Choosable, Definition, Described, Family, FamilyResults, Input, NamedMethod } from "./method.js";
import { checkedRun, type MethodOptions, resultOf } from "./run.js";

/** `@__NO_SIDE_EFFECTS__` lets bundlers remove methods that a page does not import. */
/* @__NO_SIDE_EFFECTS__ */
export function defineMethod<const Name extends string, const F extends Family, Options, Checked>(
  definition: Definition<Name, F, Options, Checked>,
): NamedMethod<Name, F, Options, Checked> {
  return withKernels(definition, () => plainKernels);
}

/**
 * Makes a method from its definition and default kernels. `shared` returns the default kernels. It is called only if a call has no kernels
 * of its own.
 */
export function withKernels<Name extends string, F extends Family, Options, Checked>(
  definition: Definition<Name, F, Options, Checked>,
  shared: () => Kernels,
): NamedMethod<Name, F, Options, Checked> {
  function call(
    rows: Instances | Rows,
    known: ConstraintSet | undefined,
    asked: Choosable<Described<Name, Options>> & CallOptions,
  ): FamilyResults[F] {
    const points: Instances = asPoints(rows);
    if (typeof asked !== "object" || asked === null)
      throw badInput(`${definition.name} got no options.`, {
        remedy: "Give them after rows and constraints, such as { k: 3 }; constraints can be undefined.",
      });
    const { seed = 0, kernels = shared(), ...options } = asked;
    const run = (constraints: ConstraintSet, own: object): Result => {
      const input: Input = { points, constraints };
      const checked = checkedRun(definition, input, own);
      const outcome = drain(definition.steps(input, checked, { kernels, random: randomFrom(seed) }));
      return withNotices(points, resultOf(definition, input, checked as MethodOptions, outcome));
    };
    const constraints = known ?? emptyConstraints(points.n);
    const range = rangeOf(options);
    if (!range) return run(constraints, options) as FamilyResults[F];
    const choosing = choosingK({ points, constraints }, { method: definition, options, seed }, range);
    const chosen = chooseAtOnce(choosing, (trial) => run(trial.known, { ...options, ...trial.options, k: trial.k }));
    const result = run(constraints, { ...options, k: chosen.k });
    return { ...result, chosen: { ...result.chosen, ...chosen } } as FamilyResults[F];
  }
  // The `name` of a function is read-only, so it is redefined as a property.
  return Object.defineProperties(call, Object.getOwnPropertyDescriptors({ ...definition })) as NamedMethod<
    Name,
    F,
    Options,
    Checked
  >;
}

export function withNotices<R extends Pick<Result, "notices">>({ notices = [] }: Pick<Instances, "notices">, result: R): R {
  return notices.length === 0 ? result : { ...result, notices: [...notices, ...result.notices] };
}
