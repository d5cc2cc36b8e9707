/** Which answers a method looks at. */
import { type Info, type Standing, tallyOf, usedOf } from "@coterie/workbench/protocol";
import { counted } from "../ui/format.js";

type Method = Info["methods"][number];

/** "uses 5 of 6 answers": of all that the list shows. */
export function usesWords({ treats }: Pick<Method, "treats">, constraints: readonly Standing[]): string {
  const used = usedOf(
    treats,
    constraints.filter(({ counts }) => counts),
  );
  return `uses ${used} of ${counted(tallyOf(constraints).all, "answer")}`;
}

const SIGNS: readonly (readonly [keyof Method["treats"], string])[] = [
  ["mustLink", "="],
  ["cannotLink", "≠"],
  ["relative", "ab|c"],
  ["labels", "label"],
];

/** "= ≠ label" */
export function usesSigns({ treats }: Pick<Method, "treats">): string {
  return SIGNS.filter(([kind]) => treats[kind] !== "ignored")
    .map(([, sign]) => sign)
    .join(" ");
}
