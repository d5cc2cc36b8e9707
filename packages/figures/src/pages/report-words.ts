/** Describes the texts of each cluster: its words, its most typical texts, and its most doubtful texts. */
import type { RunInRows, TextsInClusters } from "@coterie/core/internal";
import { counted, formatShare } from "../layout/text.js";
import { type Html, html } from "../theme/html.js";
import { MOST_ROWS, scrolled, section } from "./report-parts.js";
import { clusterBadge } from "./report-violations.js";

interface WordsMatter {
  readonly report: Pick<RunInRows, "words" | "sizes" | "ownProbabilities">;
  readonly texts: TextsInClusters;
  readonly labels: Int32Array;
  readonly names?: readonly string[];
}

const LONGEST_TEXT = 160;
const MOST_DOUBTFUL = 3;
/** If the probability of a row's cluster is below this, the row is doubtful. */
const SURE = 0.9;

export function wordsSection({ report, texts: { texts, clusters }, labels, names }: WordsMatter): Html {
  const { words = [], ownProbabilities } = report;
  const doubtful = ownProbabilities ? doubtfulRows(texts, labels, ownProbabilities, words.length) : undefined;
  const rows = words.slice(0, MOST_ROWS).map((list, cluster) => {
    const typical = clusters[cluster]?.typical.map((row) => html`<li>${shortened(texts[row])}</li>`) ?? [];
    const open = doubtful?.[cluster]?.map(
      (row) => html`<li>${shortened(texts[row])} <span class="dim">(${formatShare(ownProbabilities![row]!)})</span></li>`,
    );
    return html`<tr><th scope="row">${clusterBadge(cluster, names)}</th><td class="wide">${list.join(", ")}</td><td class="wide"><ul class="texts">${typical}</ul></td>${
      open ? html`<td class="wide"><ul class="texts">${open}</ul></td>` : null
    }</tr>`;
  });
  const head = html`<thead><tr><th>cluster</th><th>words</th><th>most typical texts</th>${doubtful ? html`<th>most doubtful texts</th>` : null}</tr></thead>`;
  const left = words.length - rows.length;
  const more = left > 0 ? html`<p class="note">The words of ${counted(left, "more cluster")} are in the report.</p>` : null;
  const note = html`<p class="note">The words that are frequent in the texts of a cluster and rare in other texts, the strongest first.${
    doubtful ? " The number after a doubtful text is the probability of its cluster." : null
  }</p>`;
  return section("Words", null, html`${scrolled(html`<table>${head}<tbody>${rows}</tbody></table>`)}${note}${more}`);
}

/** For each cluster, the rows with a text that are least likely to belong to the cluster; undefined if no row is doubtful. */
function doubtfulRows(
  texts: TextsInClusters["texts"],
  labels: Int32Array,
  probabilities: Float64Array,
  k: number,
): readonly (readonly number[])[] | undefined {
  const rows = Array.from({ length: k }, (): number[] => []);
  labels.forEach((label, row) => {
    if (label >= 0 && texts[row] !== null && probabilities[row]! < SURE) rows[label]?.push(row);
  });
  if (rows.every((own) => own.length === 0)) return undefined;
  return rows.map((own) => own.sort((a, b) => probabilities[a]! - probabilities[b]! || a - b).slice(0, MOST_DOUBTFUL));
}

/** Returns the beginning of a text. The cut is never inside a character. */
function shortened(text: string | null | undefined): string {
  const signs = Array.from((text ?? "").slice(0, 2 * LONGEST_TEXT + 1));
  return signs.length > LONGEST_TEXT
    ? `${signs
        .slice(0, LONGEST_TEXT - 1)
        .join("")
        .trimEnd()}…`
    : signs.join("");
}
