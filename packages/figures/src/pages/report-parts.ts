/** What pages are made of: the page itself, sections, figures that scroll, tables behind a line of words. */
import { type Html, html, trusted } from "../theme/html.js";
import { cutMiddle } from "../theme/text.js";
import { REPORT_STYLE } from "./report-style.js";

const WIDTH = 960;
/** How figures of a page are drawn: its width, its colours. */
export const FIGURE = { width: WIDTH, theme: "inherit" } as const;
/** Lines of a table at most; the report in JSON has them all. */
export const MOST_ROWS = 500;

export interface PageOptions {
  /** In the tab. */
  readonly title: string;
  /** Beside the brand: what the data are called. */
  readonly what: string;
  readonly theme: "auto" | "light" | "dark";
  readonly version?: string;
  /** A script of ours that the page needs, with its hash for the policy; no other can run. */
  readonly script?: { readonly text: string; readonly hash: string };
}

export function pageOf({ title, what, theme, version, script }: PageOptions, body: readonly (Html | null)[]): string {
  const policy = `default-src 'none'; style-src 'unsafe-inline'${script ? `; script-src '${script.hash}'` : ""}`;
  const page = html`<!doctype html>
<html lang="en"${theme === "auto" ? null : trusted(` data-theme="${theme}"`)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${trusted(policy)}">
<title>${title}</title>
<style>${trusted(REPORT_STYLE)}</style>
</head>
<body>
<div class="top">${brand()}Coterie<span class="what">${what}</span></div>
<main>
${body.map((part) => html`${part}\n`)}<footer>Coterie${version === undefined ? "" : ` ${version}`}. Everything is in this file; nothing is loaded from elsewhere.</footer>
</main>
${script ? html`<script>${trusted(script.text)}</script>\n` : null}</body>
</html>
`;
  return page.markup;
}

function brand(): Html {
  return trusted(
    '<svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true" stroke="var(--ink)" stroke-width="1.6" fill="none"><path d="M5 14.5L9.5 5.5L15 13"/><g fill="var(--ink)" stroke="none"><circle cx="5" cy="14.5" r="3"/><circle cx="9.5" cy="5.5" r="3"/></g><circle cx="15" cy="13" r="2.6" fill="var(--panel)"/></svg>',
  );
}

export function section(title: string, aside: string | null, body: Html): Html {
  return html`<section><h2>${title}${aside === null ? null : html` <small>${aside}</small>`}</h2>${body}</section>`;
}

/** Figures shrink with the page; one much wider than it scrolls instead. */
export function figure(markup: string): Html {
  const wide = Number(/ width="(\d+)/.exec(markup)?.[1]) > 1.15 * WIDTH;
  return html`<figure class="${wide ? "scroll wide" : "scroll"}" tabindex="0">${trusted(markup)}</figure>`;
}

/** A table that may be wider than the page. */
export function scrolled(table: Html): Html {
  return html`<div class="scroll" tabindex="0">${table}</div>`;
}

export function details(summary: string, body: Html): Html {
  return html`<details><summary>${summary}</summary>${scrolled(body)}</details>`;
}

/** The facts under a headline, and what was noticed. */
export function facts(pairs: readonly (readonly [string, string])[], notices: readonly string[]): Html {
  return html`<dl class="facts">${pairs.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>
${noticeList(notices, "Notices")}`;
}

function noticeList(notices: readonly string[], name: string): Html | null {
  if (notices.length === 0) return null;
  return html`<ul class="notices" aria-label="${name}">${notices.map((notice) => html`<li>${notice}</li>`)}</ul>`;
}

const LONGEST_VALUE = 300;

/** Names and values, how the data were read, and the command that gives the page again. */
export function makingOf(
  rows: readonly (readonly [string, string])[],
  notices: readonly string[],
  command: string | undefined,
): Html {
  const lines = rows.map(
    ([name, value]) => html`<tr><th scope="row">${name}</th><td class="wide">${cutMiddle(value, LONGEST_VALUE)}</td></tr>`,
  );
  return html`<table><tbody>${lines}</tbody></table>${noticeList(notices, "How the data were read")}${
    command === undefined ? null : html`<p class="note">To get this result again:</p><pre>${command}</pre>`
  }`;
}
