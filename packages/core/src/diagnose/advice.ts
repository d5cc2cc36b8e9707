/** What a diagnosis means for what to do next, in sentences. */
import type { Closure } from "../constraints/closure.js";
import { groupBeyond } from "../constraints/large-groups.js";
import { groupNeeds } from "../errors.js";
import { type InstanceId, idOf } from "../model/points.js";
import { TRIALS } from "./dead-ends.js";
import type { Diagnosis, DroppedConstraint } from "./diagnosis.js";
import { impliedConstraints } from "./implied.js";
import { constraintCount } from "./informativeness.js";

export interface AdviceFacts {
  readonly closure: Closure;
  readonly diagnosis: Omit<Diagnosis, "advice">;
  readonly ids: readonly InstanceId[] | undefined;
  readonly k: number | undefined;
  /** Trials of `TRIALS` in which placing components one by one got stuck; null if not tried. */
  readonly stuck: number | null;
}

export function adviceFrom(facts: AdviceFacts): string[] {
  return [
    ...dropAdvice(facts),
    ...groupAdvice(facts),
    ...clusterAdvice(facts),
    ...relativeAdvice(facts),
    ...placementAdvice(facts),
    ...impliedAdvice(facts),
    ...utilityAdvice(facts),
    ...methodAdvice(facts),
  ];
}

function groupAdvice({ closure, k }: AdviceFacts): string[] {
  const group = k === undefined ? undefined : groupBeyond(closure.set, k);
  return group ? [groupNeeds(group)] : [];
}

/** Names listed in a sentence. */
const MOST_NAMED = 5;

function listed(items: readonly string[]): string {
  const shown = items.slice(0, MOST_NAMED);
  const more = items.length - shown.length;
  if (more > 0) return `${shown.join("; ")}; and ${more} more`;
  return shown.join("; ");
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Reasons are spelt out for so few. */
const MOST_EXPLAINED = 3;

function dropAdvice({ closure, diagnosis, k }: AdviceFacts): string[] {
  const { repair } = diagnosis;
  if (repair === null || repair.dropped.length === 0) return [];
  const { dropped, optimal, certain } = repair;
  const count = dropped.length;
  const gain = k === undefined ? "the rest is free of contradictions" : `k = ${k} becomes possible`;
  const sure = certain ? gain : `${gain}, as far as could be decided`;
  const proven = optimal ? " Nothing less would do." : "";
  const which = `${count === 1 ? "this one" : `these ${count}`} of your ${counted(constraintCount(closure.set), "constraint")}`;
  const why = count <= MOST_EXPLAINED ? dropped.map((constraint) => `${constraintText(constraint)}: ${constraint.because}`) : [];
  return [`Drop ${which} and ${sure}: ${listed(dropped.map(constraintText))}.${proven}`, ...why];
}

function constraintText({ type, ids, names = [] }: DroppedConstraint): string {
  if (type === "exclusive") return `the exclusive group ${names.join(" = ")}`;
  return `${type} ${[...ids, ...names].join(", ")}`;
}

function clusterAdvice({ diagnosis, k }: AdviceFacts): string[] {
  const { chromaticNumber, feasible, graph } = diagnosis;
  if (chromaticNumber === null || graph === null || graph.vertices === 0) return [];
  const { lower, upper } = chromaticNumber;
  const least = lower === upper ? String(upper) : `between ${lower} and ${upper}`;
  if (k === undefined) return [`Ask with -k K whether K clusters can hold these constraints; the least is ${least}.`];
  if (feasible === false)
    return [`To keep every constraint ask for more clusters: the least number that holds them is ${least}.`];
  if (feasible === null) return [`Give the search more --effort, or ask for ${upper} clusters, which are enough.`];
  return [];
}

function relativeAdvice({ diagnosis: { relative } }: AdviceFacts): string[] {
  if (relative === null) return [];
  if (relative.consistent)
    return ["The relative constraints agree with each other: recon builds a hierarchy that keeps them all."];
  const texts = relative.dropped.map(([a, b, c]) => `${a}, ${b} | ${c}`);
  return [
    `Drop ${texts.length === 1 ? "this relative constraint" : `these ${texts.length} relative constraints`} and the rest agree: ${listed(texts)}.`,
  ];
}

function placementAdvice({ diagnosis: { feasible }, k, stuck }: AdviceFacts): string[] {
  if (feasible !== true || stuck === null || 2 * stuck < TRIALS) return [];
  return [
    `At k = ${k} the original COP-k-means will probably fail: placing rows one by one in random order got stuck in ${stuck} of ${TRIALS} trials. Use cop-kmeans as it is here, which mends its placement (not --faithful), or a soft method such as pck-means.`,
  ];
}

function impliedAdvice({ closure, ids }: AdviceFacts): string[] {
  const { mustLinks, cannotLinks } = closure.set;
  const implied = impliedConstraints(closure);
  const name = (row: number): InstanceId => idOf(ids ? { ids } : {}, row);
  const texts = [
    ...implied.mustLinks.map((s) => `must-link ${name(mustLinks.a[s]!)}, ${name(mustLinks.b[s]!)}`),
    ...implied.cannotLinks.map((s) => `cannot-link ${name(cannotLinks.a[s]!)}, ${name(cannotLinks.b[s]!)}`),
  ];
  if (texts.length === 0) return [];
  return [
    texts.length === 1
      ? `This constraint is implied by the others and adds nothing: ${texts[0]}.`
      : `These ${texts.length} constraints are implied by the others and add nothing: ${listed(texts)}.`,
  ];
}

/** Below this a set is called uninformative or incoherent; sets drawn from true classes have a coherence of 0.2 to 0.4. */
const LITTLE = 0.1;

function utilityAdvice({ diagnosis: { informativeness, coherence } }: AdviceFacts): string[] {
  const advice: string[] = [];
  if (informativeness !== null && informativeness < LITTLE) {
    advice.push(
      `Plain k-means already keeps ${percent(1 - informativeness)} of the constraints: do not expect them to change much. Ask about rows that lie between the clusters instead.`,
    );
  }
  if (coherence !== null && coherence < LITTLE) {
    advice.push(
      `Nearly every must-link pulls against cannot-links along the same direction of the data (coherence ${coherence.toFixed(2)}): a metric learned from them may mislead. Compare with and without them before you trust it.`,
    );
  }
  return advice;
}

function percent(share: number): string {
  return `${Math.round(100 * share)}%`;
}

function methodAdvice({ closure: { set }, diagnosis }: AdviceFacts): string[] {
  const pairs = set.mustLinks.a.length + set.cannotLinks.a.length + set.labels.row.length + set.exclusive.length;
  if (pairs === 0) return [];
  if (diagnosis.feasible === false) {
    return ["As it stands the set suits soft methods only: pck-means and mpck-means break what they must and list it."];
  }
  if (set.cannotLinks.a.length + set.exclusive.length === 0 && diagnosis.graph?.vertices === 0) {
    return ["There are must-links alone: every method can keep them; rca-kmeans and mpck-means also learn a metric from them."];
  }
  if (diagnosis.feasible === true) {
    return [
      "cop-kmeans keeps every constraint; ccl keeps the must-links and spreads what they say over the space; mpck-means learns a metric if some constraints may be wrong.",
    ];
  }
  return [];
}
