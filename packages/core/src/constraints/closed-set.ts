/**
 * Writes a closure as a compact, equivalent constraint set: each component as a star around its first row, and one cannot-link
 * between the first rows of two components that must be apart. Exclusive groups and relative constraints are copied. The classes of
 * a labelling become cannot-links between the classes if this takes few pairs; otherwise they stay labels, one label per class.
 */
import type { KnownLabels, Links } from "../model/constraint-set.js";
import type { InstanceId } from "../model/points.js";
import type { BuiltConstraints } from "./build.js";
import type { Closure } from "./closure.js";
import { refuseContradictions } from "./contradictions.js";
import { emptyConstraints } from "./none.js";

const MOST_CLASS_PAIRS = 10_000;

/** Throws if the closure is contradictory, with the given ids. Weights are the weights of the entailed links. */
export function closeAsSet(closure: Closure, ids?: readonly InstanceId[]): BuiltConstraints {
  refuseContradictions(closure, ids);
  const { set, cliques, members } = closure;
  const firstRow = (component: number): number => members.items[members.start[component]!]!;
  const hasClasses = cliques.count > 0 && cliques.source[0] === -1;
  const classes = hasClasses ? cliques.items.subarray(0, cliques.start[1]!) : new Int32Array(0);
  const pairs = (classes.length * (classes.length - 1)) / 2;
  const expanded = pairs <= MOST_CLASS_PAIRS;
  return {
    ...emptyConstraints(set.n),
    mustLinks: stars(closure, firstRow),
    cannotLinks: cannotLinksOf(closure, expanded ? classes : new Int32Array(0), firstRow),
    relative: set.relative,
    labels: expanded ? emptyConstraints(set.n).labels : oneLabelEach(closure, classes, firstRow),
    exclusive: set.exclusive,
    notices: expanded
      ? []
      : [
          `The ${classes.length} classes would need ${pairs} cannot-links between them; they stay as one label for each class instead.`,
        ],
  };
}

function stars({ componentCount, members, entailedMustWeight }: Closure, firstRow: (component: number) => number): Links {
  const links = gatherLinks();
  for (let c = 0; c < componentCount; c++) {
    for (let p = members.start[c]! + 1; p < members.start[c + 1]!; p++)
      links.add(firstRow(c), members.items[p]!, entailedMustWeight(c));
  }
  return links.done();
}

/** All edges and pairs of classes, each once, in ascending order. */
function cannotLinksOf(closure: Closure, classes: Int32Array, firstRow: (component: number) => number): Links {
  const { componentCount, edges, entailedCannotWeight } = closure;
  const isClass = new Set(classes);
  const links = gatherLinks();
  for (let c = 0; c < componentCount; c++) {
    const single = edges.other.subarray(edges.start[c]!, edges.start[c + 1]!);
    const others = isClass.has(c) ? new Set([...single, ...classes]) : single;
    const later = Int32Array.from([...others].filter((other) => other > c)).sort();
    for (const other of later) links.add(firstRow(c), firstRow(other), entailedCannotWeight(c, other));
  }
  return links.done();
}

function oneLabelEach(
  { set, component, cliques }: Closure,
  classes: Int32Array,
  firstRow: (component: number) => number,
): KnownLabels {
  const nameOf = new Map<number, string>();
  set.labels.row.forEach((row, s) => {
    nameOf.set(component[row]!, set.labels.names[set.labels.code[s]!]!);
  });
  return {
    row: classes.map(firstRow),
    code: classes.map((_, code) => code),
    weight: cliques.weight.slice(0, classes.length),
    names: Array.from(classes, (c) => nameOf.get(c)!),
  };
}

function gatherLinks() {
  const a: number[] = [];
  const b: number[] = [];
  const weight: number[] = [];
  return {
    add(first: number, second: number, w: number): void {
      a.push(first);
      b.push(second);
      weight.push(w);
    },
    done: (): Links => ({ a: Int32Array.from(a), b: Int32Array.from(b), weight: Float64Array.from(weight) }),
  };
}
