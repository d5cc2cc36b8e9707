/** A diagnosis as text: the verdict, its proof, what to do, and the rows that are hardest to place. */
import {
  type ConstraintSet,
  countConstraints,
  type Diagnosis,
  groupBeyond,
  groupNeeds,
  type InstanceId,
} from "@coterie/core/internal";
import { wrap } from "./text/width.js";
import type { WithAndWithout } from "./with-and-without.js";

export interface PageFacts {
  readonly k: number | undefined;
  readonly constraints: ConstraintSet;
  readonly columns: number;
  readonly compared?: WithAndWithout;
}

/** Most lines of a list. */
const MOST_LINES = 8;
/** Most rows of a group to name. */
const MOST_ROWS = 4;

export function diagnosisPage(diagnosis: Diagnosis, facts: PageFacts): string[] {
  const said = verdict(diagnosis, facts);
  const sections = [
    [said, ...proofLines(diagnosis, facts)],
    contradictionLines(diagnosis),
    relativeLines(diagnosis),
    [givenLine(diagnosis, facts), ...hardnessLines(diagnosis, facts)],
    comparedLines(facts),
    titled(
      "What to do",
      diagnosis.advice.filter((sentence) => !said.includes(sentence)).map((sentence) => `- ${sentence}`),
    ),
    pointLines(diagnosis),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.flatMap((line) => wrapped(line, facts.columns)))
    .flatMap((lines, i) => (i > 0 ? ["", ...lines] : lines));
}

function wrapped(line: string, columns: number): string[] {
  if (line.startsWith("  ")) return [line];
  const lines = wrap(line, Math.max(40, Math.min(columns, 110)) - 2);
  return line.startsWith("- ") ? lines.map((part, i) => (i === 0 ? part : `  ${part}`)) : lines;
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}

export function verdict({ contradictions, feasible, chromaticNumber }: Diagnosis, { k, constraints }: PageFacts): string {
  if (contradictions.length > 0) {
    const count = contradictions.length;
    return `No clustering can hold these constraints: ${count === 1 ? "one of them contradicts" : `${count} of them contradict`} the must-links.`;
  }
  const { lower, upper } = chromaticNumber!;
  if (k === undefined) {
    if (upper <= 1) return "The constraints do not contradict each other, and any number of clusters can hold them.";
    return `The constraints do not contradict each other. They need ${lower === upper ? `at least ${upper}` : `between ${lower} and ${upper}`} clusters.`;
  }
  if (feasible === true) return `Yes: ${clusters(k)} can hold all of these constraints.`;
  if (feasible === false) {
    const group = groupBeyond(constraints, k);
    return `No: ${clusters(k)} cannot hold these constraints${group ? `: ${groupNeeds(group)}` : "."}`;
  }
  return `Not decided: whether ${clusters(k)} can hold these constraints took more effort than was allowed (--effort). ${upper} can.`;
}

function clusters(k: number): string {
  return `${k} cluster${k === 1 ? "" : "s"}`;
}

function group(ids: readonly InstanceId[]): string {
  return `{${ids.slice(0, MOST_ROWS).join(", ")}${ids.length > MOST_ROWS ? `, … ${ids.length} rows` : ""}}`;
}

export function proofLines({ proof, chromaticNumber }: Diagnosis, { k }: PageFacts): string[] {
  if (proof === null) return [];
  if (!("core" in proof)) {
    const { lower, upper } = chromaticNumber!;
    if (upper === 0) return [];
    const fewer = upper < k! ? `Even ${upper} would do.` : lower === k ? "Fewer would not do." : "";
    return [`A clustering that does is in the JSON (--json: proof). ${fewer}`.trimEnd()];
  }
  const { core } = proof;
  const shown = core.slice(0, MOST_LINES).map((ids) => `  ${group(ids)}`);
  const more = core.length > MOST_LINES ? [`  … and ${core.length - MOST_LINES} more`] : [];
  // A graph with k + 1 vertices that needs more than k colours is complete.
  const head =
    core.length === k! + 1
      ? `These ${core.length} groups of rows must all be apart from each other:`
      : `These ${core.length} groups of rows alone, with the cannot-links between them, already need more than ${k}:`;
  return [head, ...shown, ...more];
}

function contradictionLines({ contradictions }: Diagnosis): string[] {
  const lines = contradictions.slice(0, MOST_LINES).map(({ cannotLink: [a, b], path }) => {
    const chain = path.length > 12 ? [...path.slice(0, 6), "…", ...path.slice(-5)] : path;
    return `- ${a} and ${b} are kept apart, yet must-links join them${chain.length > 0 ? `: ${chain.join(" – ")}` : ""}.`;
  });
  if (contradictions.length > MOST_LINES) lines.push(`- … and ${contradictions.length - MOST_LINES} more (--json lists them).`);
  return titled("What contradicts what", lines);
}

function relativeLines({ relative }: Diagnosis): string[] {
  if (relative?.conflict == null) return [];
  const lines = relative.conflict.constraints.map(([a, b, c]) => `  ${a}, ${b} | ${c}`);
  return [`These ${lines.length} relative constraints cannot all hold:`, ...lines.slice(0, MOST_LINES)];
}

export function givenLine({ components, graph }: Diagnosis, { constraints }: PageFacts): string {
  const { mustLinks, cannotLinks, relative, labels, exclusive } = constraints;
  const kinds = [
    [mustLinks.a.length, "must-link"],
    [cannotLinks.a.length, "cannot-link"],
    [relative.a.length, "relative constraint"],
    [labels.row.length, "label"],
    [exclusive.length, "exclusive column"],
  ] as const;
  const given = kinds.filter(([count]) => count > 0).map(([count, noun]) => counted(count, noun));
  const parts = countConstraints(constraints) === 0 ? "The set is empty" : `Given: ${given.join(", ")}`;
  const joined = components.length > 0 ? `; must-links join rows into ${counted(components.length, "group")}` : "";
  const apart =
    graph && graph.vertices > 0
      ? `; ${counted(graph.vertices, "group or row", "groups or rows")} in ${counted(graph.edges, "pair")} are kept apart, each from at most ${graph.maxDegree.toLocaleString("en")}`
      : "";
  return `${parts}${joined}${apart}.`;
}

function hardnessLines(
  { graph, chromaticNumber, fractionalChromaticNumber, feasibleClusterings, ...more }: Diagnosis,
  { k }: PageFacts,
): string[] {
  const lines: string[] = [];
  if (graph && graph.vertices > 0 && chromaticNumber) {
    const { lower, upper } = chromaticNumber;
    const whole = lower === upper ? upper.toLocaleString("en") : `between ${lower} and ${upper}`;
    const number = fractionalChromaticNumber;
    const spread =
      number === null
        ? ""
        : number.value === null
          ? ` (fractional chromatic number between ${number.lower!.toFixed(3)} and ${number.upper!.toFixed(3)})`
          : ` (fractional chromatic number ${short(number.value, number.fraction)})`;
    lines.push(`Clusters needed: ${whole}${spread}.`);
  }
  if (feasibleClusterings) lines.push(countLine(feasibleClusterings, k!));
  const { informativeness, coherence } = more;
  if (informativeness !== null)
    lines.push(
      `Informativeness ${informativeness.toFixed(2)}: the share of the constraints that k-means breaks when it does not know them.`,
    );
  if (coherence !== null)
    lines.push(
      `Coherence ${coherence.toFixed(2)}: the share of pairs of a must-link and a cannot-link that do not pull against each other.`,
    );
  return lines;
}

function short(value: number, fraction: string | null): string {
  if (fraction === null) return value.toFixed(4);
  return fraction.includes("/") ? `${fraction} = ${Number(value.toFixed(4))}` : value.toLocaleString("en");
}

function countLine({ atMostK }: NonNullable<Diagnosis["feasibleClusterings"]>, k: number): string {
  const { log10, exact, interval } = atMostK;
  const what = `clusterings of the rows kept apart into at most ${clusters(k)} remain`;
  if (exact === "1") return `One clustering of the rows kept apart into at most ${clusters(k)} remains.`;
  if (exact !== null && exact.length <= 12) return `${Number(exact).toLocaleString("en")} ${what}.`;
  if (log10 === null) return "How many clusterings remain could not be counted.";
  const about =
    exact === null
      ? interval
        ? ` (95% interval: 10^${interval[0].toFixed(2)} to 10^${interval[1].toFixed(2)})`
        : " (a rough estimate)"
      : "";
  return `About 10^${log10.toFixed(1)} ${what}${about}.`;
}

function comparedLines({ compared }: PageFacts): string[] {
  if (!compared) return [];
  const row = (name: string, key: "adjustedRand" | "rand" | "constrainedRand"): string =>
    `  ${name.padEnd(18)} ${compared.without[key].toFixed(4).padStart(8)} ${compared.with[key].toFixed(4).padStart(8)}`;
  const said = Math.abs(compared.gain) < 0.0005 ? "They make no difference" : compared.gain > 0 ? "They help" : "They hurt";
  return [
    `${said} with ${compared.algorithm} (seed ${compared.seed}), against the known classes:`,
    `  ${"".padEnd(18)} ${"without".padStart(8)} ${"with".padStart(8)}`,
    row("adjusted Rand", "adjustedRand"),
    row("Rand", "rand"),
    row("constrained Rand", "constrainedRand"),
  ];
}

/** One line for each of the hardest rows; rows that must-links join share a line. */
function pointLines({ points, components }: Diagnosis): string[] {
  if (points.length === 0) return [];
  const groupOf = new Map(components.flatMap(({ members }, c) => members.map((id) => [id, c] as const)));
  const seen = new Set<number>();
  const first = points.filter(({ id }) => {
    const c = groupOf.get(id);
    if (c === undefined) return true;
    if (seen.has(c)) return false;
    seen.add(c);
    return true;
  });
  const shown = first.slice(0, MOST_LINES);
  const names = shown.map(({ id }) => (groupOf.has(id) ? group(components[groupOf.get(id)!]!.members) : String(id)));
  const width = Math.max(3, ...names.map((name) => name.length));
  const rows = shown.map(
    ({ degree, independentSets, dualPrice }, i) =>
      `  ${names[i]!.padEnd(width)}  ${String(degree).padStart(10)}  ${String(independentSets ?? "").padStart(4)}  ${(dualPrice === null ? "" : dualPrice.toFixed(3)).padStart(6)}`,
  );
  const more = first.length > shown.length ? [`  … and ${first.length - shown.length} more`] : [];
  return [
    "Hardest to place (few sets of a fractional colouring and a high price leave little choice)",
    `  ${"".padEnd(width)}  ${"kept apart".padStart(10)}  ${"sets".padStart(4)}  ${"price".padStart(6)}`,
    ...rows,
    ...more,
  ];
}

function counted(count: number, noun: string, many = `${noun}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : many}`;
}
