/** A method from its definition: a function that checks, runs and finishes, and that carries the facts. */
import { emptyConstraints } from "../constraints/index.js";
import { type Kernels, plainKernels } from "../kernels/index.js";
import type { ConstraintSet } from "../model/constraint-set.js";
import type { Instances } from "../model/points.js";
import { randomFrom } from "../random/index.js";
import { drain } from "../steps/index.js";
import type { CallOptions, Definition, Described, Family, FamilyResults, Input, NamedMethod } from "./method.js";
import { checkedRun, type MethodOptions, resultOf, seenInput } from "./run.js";

export function defineMethod<const Name extends string, const F extends Family, Options, Checked>(
  definition: Definition<Name, F, Options, Checked>,
): NamedMethod<Name, F, Options, Checked> {
  return withKernels(definition, () => plainKernels);
}

/** The method, run on these kernels unless a call brings its own. They are asked for when the first call needs them. */
export function withKernels<Name extends string, F extends Family, Options, Checked>(
  definition: Definition<Name, F, Options, Checked>,
  shared: () => Kernels,
): NamedMethod<Name, F, Options, Checked> {
  function call(
    points: Instances,
    known: ConstraintSet | undefined,
    asked: Described<Name, Options> & CallOptions,
  ): FamilyResults[F] {
    const { seed = 0, kernels = shared(), ...options } = asked;
    const input: Input = { points, constraints: known ?? emptyConstraints(points.n) };
    const checked = checkedRun(definition, input, options);
    const outcome = drain(definition.steps(seenInput(definition, input), checked, { kernels, random: randomFrom(seed) }));
    return resultOf(definition, input, checked as MethodOptions, outcome) as FamilyResults[F];
  }
  // `name` of a function cannot be assigned, only defined.
  return Object.defineProperties(call, Object.getOwnPropertyDescriptors({ ...definition })) as NamedMethod<
    Name,
    F,
    Options,
    Checked
  >;
}
