/** Why there are so many clusters: the scores of other numbers beside the one that was chosen. */
import type { Report } from "@coterie/core/internal";
import { barsFigure } from "../marks/bars.js";
import { type Html, html } from "../theme/html.js";
import { formatNumber } from "../theme/text.js";
import { details, FIGURE, figure, section } from "./report-parts.js";

/** Bars that still have room for their numbers. */
const MOST_BARS = 24;

export function chosenSection({ k, by, evidence }: NonNullable<Report["chosen"]>): Html {
  const at = Math.max(
    0,
    evidence.findIndex((each) => each.k === k),
  );
  const from = Math.max(0, Math.min(at - MOST_BARS / 2, evidence.length - MOST_BARS));
  const groups = evidence.slice(from, from + MOST_BARS).map(({ k: other, score }) => ({
    name: other === k ? `→ ${other}` : String(other),
    bars: [{ name: "score", value: score }],
  }));
  const drawn = barsFigure({
    ...FIGURE,
    title: `Scores by number of clusters; ${k} was chosen`,
    yLabel: "score",
    columns: 1,
    panels: [{ title: by, groups }],
  });
  const rows = evidence.map(
    ({ k: other, score, lost }) =>
      html`<tr><td class="num">${other}</td><td class="num">${formatNumber(score, 5)}</td><td class="num">${lost === undefined ? "" : formatNumber(lost, 4)}</td></tr>`,
  );
  const head = html`<thead><tr><th class="num">clusters</th><th class="num">score</th><th class="num">constraint weight lost</th></tr></thead>`;
  return section(
    "How many clusters",
    by,
    html`${figure(drawn)}${details("As a table", html`<table>${head}<tbody>${rows}</tbody></table>`)}`,
  );
}
