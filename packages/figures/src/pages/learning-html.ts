/** Writes learning curves as one HTML file: the curves, the differences that are certain, all scores and all tests. */
import { counted, formatCount } from "../layout/text.js";
import { type CurveSeries, curvesFigure } from "../marks/curves.js";
import type { FigureSize } from "../theme/frame.js";
import { type Html, html } from "../theme/html.js";
import { details, FIGURE, facts, figure, makingOf, pageOf, scrolled, section } from "./report-parts.js";
import { noticesOf, withoutFolders } from "./shareable.js";

export interface HtmlLearningOptions {
  readonly title: string;
  readonly headline: string;
  readonly sentences: readonly string[];
  readonly facts: readonly (readonly [string, string])[];
  readonly series: readonly CurveSeries[];
  readonly scoreName: string;
  readonly scoring: string;
  readonly counts: readonly number[];
  readonly scores: readonly { readonly method: string; readonly cells: readonly string[]; readonly mean: string }[];
  readonly tests: readonly {
    readonly better: string;
    readonly other: string;
    readonly difference: string;
    readonly p: string;
    readonly isCertain: boolean;
  }[];
  readonly command?: string;
  readonly notices?: readonly string[];
  /** Paths that can occur in notices. The page shows only the last part of each path, without its folders. */
  readonly files?: readonly string[];
  readonly version: string;
}

export function learningFigure(
  { title, series, scoreName }: Pick<HtmlLearningOptions, "title" | "series" | "scoreName">,
  size: FigureSize = {},
): string {
  return curvesFigure({
    ...FIGURE,
    theme: "auto",
    height: 420,
    ...size,
    title: `Learning curves for ${title}`,
    panels: [{ title, series }],
    xLabel: "constraints",
    yLabel: scoreName,
    errors: "bands",
    columns: 1,
  });
}

export function htmlLearning(options: HtmlLearningOptions): string {
  const { title, headline, sentences, scoring, tests, version, files, notices = [] } = options;
  const { forReaders, forMakers } = noticesOf(notices, files);
  const paragraphs = sentences.map((sentence) => html`<p>${sentence}</p>`);
  return pageOf({ title: `${title}: learning curves`, what: title, theme: "auto", version }, [
    html`<div class="lead"><h1>${headline}</h1>${facts(options.facts, forReaders)}</div>`,
    section(
      "Learning curves",
      counted(options.series.length, "method"),
      html`${figure(learningFigure(options, FIGURE))}<p class="note">${scoring} Bands are one standard error of the mean over the runs.</p>`,
    ),
    sentences.length === 0
      ? null
      : section("Which differences are real", null, html`${paragraphs}${tests.length > 0 ? testTable(tests) : null}`),
    section("Scores", "mean ± standard error", scoreTable(options)),
    section(
      "How this was made",
      null,
      makingOf([], forMakers, options.command && withoutFolders(options.command, options.files)),
    ),
  ]);
}

function testTable(tests: HtmlLearningOptions["tests"]): Html {
  const rows = tests.map(
    ({ better, other, difference, p, isCertain }) =>
      html`<tr><th scope="row">${better}</th><td>${other}</td><td class="num">${difference}</td><td class="num">${p}</td><td>${isCertain ? "yes" : "no"}</td></tr>`,
  );
  return details(
    `All ${formatCount(tests.length)} tests`,
    html`<table><thead><tr><th>higher mean</th><th>than</th><th class="num">difference</th><th class="num">p, corrected</th><th>real</th></tr></thead><tbody>${rows}</tbody></table>`,
  );
}

function scoreTable({ counts, scores }: HtmlLearningOptions): Html {
  const heads = counts.map((count) => html`<th class="num">${formatCount(count)}</th>`);
  const rows = scores.map(
    ({ method, cells, mean }) =>
      html`<tr><th scope="row">${method}</th>${cells.map((cell) => html`<td class="num">${cell}</td>`)}<td class="num">${mean}</td></tr>`,
  );
  return scrolled(
    html`<table><thead><tr><th>constraints:</th>${heads}<th class="num">mean</th></tr></thead><tbody>${rows}</tbody></table>`,
  );
}
