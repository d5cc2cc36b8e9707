/** Writes a diagnosis as one HTML file: verdict, advice, conflict graph, constraints to drop, and the rows that are hardest to place. */
import type { ConstraintSet, Diagnosis, DroppedConstraint, InstanceId, Scores } from "@coterie/core/internal";
import { counted, formatCount } from "../layout/text.js";
import { conflictGraphFigure } from "../marks/conflict-graph.js";
import { contradictionChains } from "../marks/contradiction-chains.js";
import { type Html, html } from "../theme/html.js";
import { details, FIGURE, facts, figure, makingOf, pageOf, scrolled, section } from "./report-parts.js";
import { cut } from "./report-violations.js";
import { noticesOf, withoutFolders } from "./shareable.js";

export interface DiagnosisHtmlOptions {
  readonly diagnosis: Diagnosis;
  readonly constraints: ConstraintSet;
  readonly ids?: readonly InstanceId[];
  readonly k?: number;
  readonly verdict: string;
  readonly proof: string;
  readonly given: string;
  readonly title: string;
  readonly version: string;
  readonly command?: string;
  /** Paths that can occur in notices. The page shows only the last part of each path, without its folders. */
  readonly files?: readonly string[];
  /** The scores of two clusterings by this method: without the constraints and with them. */
  readonly compared?: { readonly algorithm: string; readonly seed: number; readonly without: Scores; readonly with: Scores };
  readonly theme?: "auto" | "light" | "dark";
}

const MOST = 100;

export function diagnosisHtml(options: DiagnosisHtmlOptions): string {
  const { diagnosis, title, version, compared, command, theme = "auto" } = options;
  const { contradictions, points, repair } = diagnosis;
  return pageOf({ title: `${title}: diagnosis`, what: title, theme, version }, [
    lead(options),
    diagnosis.advice.length > 0 ? section("Advice", null, list(diagnosis.advice)) : null,
    contradictions.length > 0
      ? section("Contradictions", counted(contradictions.length, "contradiction"), chains(diagnosis))
      : null,
    graphSection(options),
    repair && repair.dropped.length > 0 ? section("Constraints to drop", repairWords(repair), dropTable(repair.dropped)) : null,
    relativeSection(diagnosis),
    compared
      ? section(
          "Scores with and without constraints",
          `${compared.algorithm}, seed ${compared.seed}, against the known classes`,
          comparedTable(compared),
        )
      : null,
    points.length > 0
      ? section("Hardest to place", "by the number of groups kept apart, independent sets, and dual price", pointTable(diagnosis))
      : null,
    section(
      "How this was made",
      null,
      makingOf(
        [["constraints", options.given.replace(/^Given: /, "")]],
        noticesOf(diagnosis.notices, options.files).forMakers,
        command === undefined ? undefined : withoutFolders(command, options.files),
      ),
    ),
  ]);
}

function lead({ diagnosis, verdict, proof, k, files }: DiagnosisHtmlOptions): Html {
  const bad = diagnosis.feasible === false;
  return html`<div class="lead"><h1>${bad ? html`<span class="bad">${verdict}</span>` : verdict}</h1>
${proof === "" ? null : html`<p>${proof}</p>`}
${facts(factsOf(diagnosis, k), noticesOf(diagnosis.notices, files).forReaders)}</div>`;
}

function factsOf(
  { graph, chromaticNumber, fractionalChromaticNumber: fcn, feasibleClusterings, ...more }: Diagnosis,
  k?: number,
) {
  const pairs: [string, string][] = [];
  if (k !== undefined) pairs.push(["clusters asked for", formatCount(k)]);
  if (chromaticNumber && graph && graph.vertices > 0) {
    const { lower, upper } = chromaticNumber;
    pairs.push(["clusters needed", lower === upper ? formatCount(upper) : `${lower} to ${upper}`]);
  }
  if (fcn && graph && graph.vertices > 0)
    pairs.push([
      "fractional chromatic number",
      fcn.value === null ? `${fcn.lower!.toFixed(3)} to ${fcn.upper!.toFixed(3)}` : (fcn.fraction ?? fcn.value.toFixed(4)),
    ]);
  if (graph) pairs.push(["groups kept apart", formatCount(graph.vertices)], ["pairs kept apart", formatCount(graph.edges)]);
  if (feasibleClusterings) pairs.push(["possible clusterings", countWords(feasibleClusterings.atMostK)]);
  if (more.informativeness !== null) pairs.push(["informativeness", more.informativeness.toFixed(2)]);
  if (more.coherence !== null) pairs.push(["coherence", more.coherence.toFixed(2)]);
  return pairs;
}

function countWords({ exact, log10 }: NonNullable<Diagnosis["feasibleClusterings"]>["atMostK"]): string {
  if (exact !== null && exact.length <= 9) return formatCount(Number(exact));
  return log10 === null ? "not counted" : `${exact === null ? "about " : ""}10^${log10.toFixed(1)}`;
}

function list(sentences: readonly string[]): Html {
  return html`<ul>${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>`;
}

function chains({ contradictions }: Diagnosis): Html {
  const drawn = contradictionChains({ ...FIGURE, contradictions });
  const rows = contradictions
    .slice(0, MOST)
    .map(
      ({ cannotLink: [a, b], path }) =>
        html`<tr><td>${cut(String(a))}</td><td>${cut(String(b))}</td><td class="wide">${path.join(" – ")}</td></tr>`,
    );
  const table = html`<table><thead><tr><th>kept apart</th><th>from</th><th>joined through</th></tr></thead><tbody>${rows}</tbody></table>`;
  return html`${drawn === null ? null : figure(drawn)}<p class="note">Rows in a line are must-linked; the dashed arc is the cannot-link that contradicts them.</p>${details("As a table", table)}`;
}

function graphSection({ diagnosis, constraints, ids }: DiagnosisHtmlOptions): Html | null {
  const drawn = conflictGraphFigure({ ...FIGURE, diagnosis, constraints, ...(ids ? { ids } : {}) });
  if (drawn === null) return null;
  const { vertices, edges } = diagnosis.graph!;
  return section("Conflict graph", `${counted(vertices, "group")}, ${counted(edges, "pair")} kept apart`, figure(drawn));
}

function repairWords({ optimal, certain }: NonNullable<Diagnosis["repair"]>): string {
  const rest = certain ? "then all other constraints can be kept" : "whether all other constraints can be kept was not decided";
  return optimal ? `the least weight that is enough; ${rest}` : `possibly not the least weight; ${rest}`;
}

function dropTable(dropped: readonly DroppedConstraint[]): Html {
  const rows = dropped
    .slice(0, MOST)
    .map(
      ({ type, ids, names = [], weight, because }) =>
        html`<tr><td>${type}</td><td class="wide">${[...ids.slice(0, 6), ...(ids.length > 6 ? ["…"] : []), ...names].join(", ")}</td><td class="num">${weight === Infinity ? "hard" : weight}</td><td class="wide">${because}</td></tr>`,
    );
  return html`<div class="scroll" tabindex="0"><table><thead><tr><th>constraint</th><th>rows</th><th class="num">weight</th><th>because</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function relativeSection({ relative }: Diagnosis): Html | null {
  if (relative?.conflict == null) return null;
  const sentences = relative.conflict.constraints
    .slice(0, MOST)
    .map(([a, b, c]) => `${a} and ${b} are closer to each other than to ${c}`);
  return section(
    "Relative constraints that cannot all hold",
    counted(relative.conflict.constraints.length, "constraint"),
    list(sentences),
  );
}

function comparedTable({ without, with: given }: NonNullable<DiagnosisHtmlOptions["compared"]>): Html {
  const row = (name: string, key: "adjustedRand" | "rand" | "constrainedRand"): Html => {
    const gain = given[key] - without[key];
    return html`<tr><th scope="row">${name}</th><td class="num">${without[key].toFixed(4)}</td><td class="num">${given[key].toFixed(4)}</td><td class="num">${gain >= 0 ? "+" : "−"}${Math.abs(gain).toFixed(4)}</td></tr>`;
  };
  return scrolled(
    html`<table><thead><tr><th></th><th class="num">without</th><th class="num">with</th><th class="num">gain</th></tr></thead><tbody>${row("adjusted Rand", "adjustedRand")}${row("Rand", "rand")}${row("constrained Rand", "constrainedRand")}</tbody></table>`,
  );
}

/** The table of the rows that are hardest to place. Must-linked rows share a line. */
function pointTable({ points, components }: Diagnosis): Html {
  const groupOf = new Map(components.flatMap(({ members }) => members.map((id) => [id, members] as const)));
  const seen = new Set<readonly InstanceId[]>();
  const lines = points.filter(({ id }) => {
    const members = groupOf.get(id);
    if (members === undefined) return true;
    const isFirst = !seen.has(members);
    seen.add(members);
    return isFirst;
  });
  const row = ({ id, degree, independentSets, dualPrice }: Diagnosis["points"][number]): Html =>
    html`<tr><th scope="row">${groupWords(groupOf.get(id) ?? [id])}</th><td class="num">${degree}</td><td class="num">${independentSets ?? "–"}</td><td class="num">${dualPrice === null ? "–" : dualPrice.toFixed(3)}</td></tr>`;
  const table = (shown: Diagnosis["points"]): Html =>
    html`<table><thead><tr><th>row or group</th><th class="num">kept apart from</th><th class="num">sets</th><th class="num">price</th></tr></thead><tbody>${shown.map(row)}</tbody></table>`;
  const more = lines.slice(12, MOST);
  return html`${scrolled(table(lines.slice(0, 12)))}${more.length > 0 ? details(`${more.length} more`, table(more)) : null}`;
}

function groupWords(ids: readonly InstanceId[]): string {
  if (ids.length === 1) return String(ids[0]);
  return `{${ids.slice(0, 4).join(", ")}${ids.length > 4 ? `, … ${ids.length} rows` : ""}}`;
}
