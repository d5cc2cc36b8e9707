/** Converts the constraints that count into a constraint set of core. */
import { type BuiltConstraints, constraints, type Grouping, type Instances } from "@coterie/core/internal";
import type { Constraint } from "../protocol/knowledge.js";
import type { ActiveConstraint } from "./constraint-log.js";

export interface Known {
  readonly set: BuiltConstraints;
  readonly sizes: { readonly min?: number; readonly max?: number };
}

/** Multiplies the weights of the answers by a factor. Hard answers stay hard. */
export function priced(active: readonly ActiveConstraint[], price: number): ActiveConstraint[] {
  return active.map(({ entry, constraint }) => {
    if (!WEIGHED.has(constraint.type)) return { entry, constraint };
    const { weight = 1 } = constraint as { readonly weight?: number | "inf" };
    return { entry, constraint: { ...constraint, weight: weight === "inf" ? weight : weight * price } as Constraint };
  });
}

const WEIGHED: ReadonlySet<Constraint["type"]> = new Set(["must-link", "cannot-link", "relative", "label"]);

export function constraintSetOf(
  active: readonly ActiveConstraint[],
  instances: Pick<Instances, "n" | "ids">,
  groupingOf: (column: string) => Grouping,
): Known {
  const counting = active.map(({ constraint }) => constraint);
  const weight = ({ weight = 1 }: { weight?: number | "inf" | undefined }) => (weight === "inf" ? Infinity : weight);
  const exclusive = [...new Set(of(counting, "exclusive").map(({ column }) => column))];
  const { min, max } = of(counting, "sizes").at(-1) ?? {};
  return {
    set: constraints(instances, {
      mustLink: of(counting, "must-link").map((each) => [each.a, each.b, weight(each)] as const),
      cannotLink: of(counting, "cannot-link").map((each) => [each.a, each.b, weight(each)] as const),
      relative: of(counting, "relative").map((each) => [each.a, each.b, each.c, weight(each)] as const),
      labels: of(counting, "label").map((each) => [each.a, each.class, weight(each)] as const),
      exclusive: exclusive.map(groupingOf),
      ids: "ids",
    }),
    sizes: { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) },
  };
}

function of<T extends Constraint["type"]>(all: readonly Constraint[], type: T): Extract<Constraint, { type: T }>[] {
  return all.filter((each): each is Extract<Constraint, { type: T }> => each.type === type);
}
