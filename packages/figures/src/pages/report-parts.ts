/** Parts of pages: the page itself, sections, figures that scroll, tables that open on a click. */

import { cutMiddle } from "../layout/text.js";
import { type Html, html, trusted } from "../theme/html.js";

import { MONO, pageTokens, SANS } from "../theme/theme.js";

/** The smallest width of a figure, in pixels. Text in a narrower figure would be unreadable. */
const LEAST_FIGURE = 680;

const SIDES = 24;

/** In a window that is narrower than this number of pixels, every figure is wider than the page and scrolls. */
const NARROW = LEAST_FIGURE + 2 * SIDES;

/**
 * The style sheet. Wide content scrolls, and a shade at a side shows that there is more content. In narrow windows, a note says that
 * figures scroll.
 */
const REPORT_STYLE = `
:root{color-scheme:light dark;${pageTokens()}}
:root[data-theme=light]{color-scheme:light}
:root[data-theme=dark]{color-scheme:dark}
*{box-sizing:border-box;margin:0}
body{font:400 13px/20px ${SANS};color:var(--ink);background:var(--canvas);font-variant-numeric:tabular-nums;-webkit-font-smoothing:antialiased}
.top{display:flex;align-items:center;gap:8px;min-height:48px;padding:8px 24px;border-bottom:1px solid var(--line);background:var(--panel);font-weight:600}
.top svg{flex:none}
.top .what{font-weight:400;color:var(--ink-2);padding-left:12px;border-left:1px solid var(--line-2);margin-left:4px;overflow-wrap:anywhere}
main{max-width:1008px;margin:0 auto;padding:0 24px 48px}
.lead{padding:32px 0 20px}
h1{font-size:20px;line-height:28px;font-weight:600;letter-spacing:-.005em;overflow-wrap:anywhere}
h1 .bad{color:var(--bad)}
.facts{display:flex;flex-wrap:wrap;gap:8px 32px;margin-top:16px}
.facts dt{font-size:11px;line-height:16px;color:var(--ink-3)}
.facts dd{margin:0;font-size:15px;line-height:24px;font-weight:600;overflow-wrap:anywhere}
section{border-top:1px solid var(--line);padding:16px 0 24px}
h2{font-size:15px;line-height:24px;font-weight:600;display:flex;flex-wrap:wrap;align-items:baseline;gap:0 10px;margin-bottom:8px}
h2 small{font-size:12px;font-weight:400;color:var(--ink-2)}
h2.bad{color:var(--bad)}
p,li{overflow-wrap:anywhere}
p.note{font-size:12px;line-height:16px;color:var(--ink-2);margin:8px 0 0;max-width:110ch}
.good{color:var(--good)}
.notices{list-style:none;padding:0}
.notices li{padding:4px 0 4px 12px;border-left:3px solid var(--warn);margin-top:8px;overflow-wrap:anywhere}
ul.texts{list-style:none;padding:0}
ul.texts li+li{margin-top:4px}
svg{display:block}
figure{margin-bottom:8px}
.coterie-figure{max-width:100%;height:auto;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto;max-width:100%;--shade:color-mix(in srgb,var(--ink) 24%,transparent);background:linear-gradient(to right,var(--canvas) 40%,transparent) left/40px 100% no-repeat local,linear-gradient(to left,var(--canvas) 40%,transparent) right/40px 100% no-repeat local,linear-gradient(to right,var(--shade),transparent) left/14px 100% no-repeat scroll,linear-gradient(to left,var(--shade),transparent) right/14px 100% no-repeat scroll}
.scroll.wide::before{content:"Wider than the page: scroll sideways \u2192";position:sticky;left:0;display:block;width:max-content;max-width:100%;font-size:11px;line-height:16px;color:var(--ink-2);margin-bottom:4px}
@media(max-width:${NARROW - 1}px){figure.scroll::before{content:"Wider than the page: scroll sideways \u2192";position:sticky;left:0;display:block;width:max-content;max-width:100%;font-size:11px;line-height:16px;color:var(--ink-2);margin-bottom:4px}}
.scroll .coterie-figure{min-width:${LEAST_FIGURE}px}
.scroll.wide .coterie-figure{max-width:none}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
table{border-collapse:collapse;font-size:12px;line-height:16px}
th,td{padding:4px 16px 4px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);white-space:nowrap}
th{font-weight:400;font-size:11px;color:var(--ink-3);vertical-align:bottom}
tbody th{font-size:12px;font-weight:600;color:var(--ink);vertical-align:top}
td.wide{white-space:normal;overflow-wrap:anywhere;min-width:12em}td.dim.wide{min-width:6em}
.num{text-align:right}
tbody.pair tr:not(:last-child)>*:not([rowspan]){border-bottom-color:transparent}
.mark{display:inline-block;vertical-align:-2px;margin-right:6px}
.dim{color:var(--ink-2)}
.plain{font-weight:400}
span.bad{color:var(--bad)}
mark{background:color-mix(in srgb,var(--warn) 28%,transparent);color:inherit;border-radius:2px}
td.group{padding-top:14px;color:var(--ink-2);font-size:11px}
details{margin-top:12px}
summary{font-size:12px;line-height:16px;color:var(--ink-2);cursor:pointer;width:max-content;max-width:100%}
details[open] summary{margin-bottom:8px}
pre{font:400 12px/18px ${MONO};background:var(--sunken);padding:8px 12px;border-radius:4px;white-space:pre-wrap;overflow-wrap:anywhere}
footer{border-top:1px solid var(--line);padding-top:12px;font-size:11px;line-height:16px;color:var(--ink-3)}
.zoom-live canvas{display:block;width:100%;height:510px;touch-action:pan-y;cursor:grab}
.zoom-live canvas:active{cursor:grabbing}
.zoom-bar{display:flex;flex-wrap:wrap;align-items:center;gap:8px;margin-bottom:8px;font-size:12px;color:var(--ink-2)}
.zoom-bar button{font:inherit;color:var(--ink);background:var(--panel);border:1px solid var(--line-2);border-radius:4px;padding:3px 10px;cursor:pointer}
.zoom-bar button:hover{background:var(--sunken)}
@media print{.zoom-live{display:none}.zoom-static[hidden]{display:block!important}:root,:root[data-theme]{color-scheme:light}body{font-size:11px}main{max-width:none;padding:0}.top{background:none;padding:8px 0}.scroll{overflow:visible;background:none}.scroll::before{display:none!important}.scroll .coterie-figure,.scroll.wide .coterie-figure{min-width:0;max-width:100%}figure,tbody.pair,.facts{break-inside:avoid}h2{break-after:avoid}summary{display:none}}
`;

const WIDTH = 960;
export const FIGURE = { width: WIDTH, theme: "inherit" } as const;
/** Maximum number of lines of a table on the page. The JSON report has all lines. */
export const MOST_ROWS = 500;

export interface PageOptions {
  readonly title: string;
  /** The name of the data, shown beside the name Coterie. */
  readonly what: string;
  readonly theme: "auto" | "light" | "dark";
  readonly version?: string;
  /** The only script that the page may run, and the hash of its text for the content security policy. */
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
${body.map((part) => html`${part}\n`)}<footer>Coterie${version === undefined ? "" : ` ${version}`}. This file is complete and loads nothing else.</footer>
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

/** Puts a figure into the page. It shrinks with the page; a figure that is much wider than the page scrolls instead. */
export function figure(markup: string): Html {
  const wide = Number(/ width="(\d+)/.exec(markup)?.[1]) > 1.15 * WIDTH;
  return html`<figure class="${wide ? "scroll wide" : "scroll"}" tabindex="0">${trusted(markup)}</figure>`;
}

export function scrolled(table: Html): Html {
  return html`<div class="scroll" tabindex="0">${table}</div>`;
}

export function details(summary: string, body: Html): Html {
  return html`<details><summary>${summary}</summary>${scrolled(body)}</details>`;
}

export function facts(pairs: readonly (readonly [string, string])[], notices: readonly string[]): Html {
  return html`<dl class="facts">${pairs.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>
${noticeList(notices, "Notices")}`;
}

function noticeList(notices: readonly string[], name: string): Html | null {
  if (notices.length === 0) return null;
  return html`<ul class="notices" aria-label="${name}">${notices.map((notice) => html`<li>${notice}</li>`)}</ul>`;
}

const LONGEST_VALUE = 300;

/**
 * The section about how the page was made: names with values, notices about reading the data, and the command that makes the page again.
 */
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
