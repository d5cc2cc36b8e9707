/** Writes the choice of a method as one HTML file: the method, the score of each candidate, and constraints that should be checked. */
import { counted } from "../layout/text.js";
import { type Html, html } from "../theme/html.js";
import { facts, makingOf, pageOf, scrolled, section } from "./report-parts.js";
import { noticesOf, withoutFolders } from "./shareable.js";

export interface HtmlAdviceOptions {
  readonly title: string;
  readonly headline: string;
  readonly facts: readonly (readonly [string, string])[];
  /**
   * The methods that were tried, the best first. agreement: the score, from -1 to 1. If there is no score, it is null, and `words` gives
   * the reason.
   */
  readonly tried: readonly { readonly method: string; readonly agreement: number | null; readonly words: string }[];
  readonly scoring: string;
  /** Constraints that contradict other constraints: their words, and the probability that the constraint is wrong. */
  readonly suspects: readonly { readonly words: string; readonly probability: number }[];
  readonly command?: string;
  readonly next: string;
  readonly notices?: readonly string[];
  /** Paths that can occur in notices. The page shows only the last part of each path, without its folders. */
  readonly files?: readonly string[];
  readonly version: string;
}

export function htmlAdvice(options: HtmlAdviceOptions): string {
  const { title, headline, tried, scoring, suspects, next, command, version, files, notices = [] } = options;
  const { forReaders, forMakers } = noticesOf(notices, files);
  return pageOf({ title: `${title}: which method suits`, what: title, theme: "auto", version }, [
    html`<div class="lead"><h1>${headline}</h1>${facts(options.facts, forReaders)}</div>`,
    tried.length === 0
      ? null
      : section("Candidates", counted(tried.length, "candidate"), html`${triedTable(tried)}<p class="note">${scoring}</p>`),
    suspects.length === 0 ? null : section("Constraints to look at again", "the others contradict them", suspectTable(suspects)),
    section("Next", null, html`<pre>${withoutFolders(next, files)}</pre>`),
    section("How this was made", null, makingOf([], forMakers, command && withoutFolders(command, files))),
  ]);
}

function triedTable(tried: HtmlAdviceOptions["tried"]): Html {
  const rows = tried.map(
    ({ method, agreement, words }) =>
      html`<tr><th scope="row">${method}</th><td class="num">${words}</td><td>${agreement === null ? null : bar(agreement)}</td></tr>`,
  );
  return scrolled(
    html`<table><thead><tr><th>method</th><th class="num">agreement ± error</th><th></th></tr></thead><tbody>${rows}</tbody></table>`,
  );
}

const BAR = 160;

function bar(agreement: number): Html {
  const width = Math.round(BAR * Math.max(0, agreement));
  return html`<svg width="${BAR}" height="10" role="img" aria-label="agreement ${agreement.toFixed(2)}"><rect width="${width}" height="10" fill="currentColor" opacity="0.55"/></svg>`;
}

function suspectTable(suspects: HtmlAdviceOptions["suspects"]): Html {
  const rows = suspects.map(
    ({ words, probability }) =>
      html`<tr><th scope="row">${words}</th><td class="num">${Math.round(100 * probability)}%</td></tr>`,
  );
  return scrolled(
    html`<table><thead><tr><th>constraint</th><th class="num">probability that it is wrong</th></tr></thead><tbody>${rows}</tbody></table>`,
  );
}
