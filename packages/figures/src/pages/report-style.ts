/** The report's style sheet: sections divided by hairlines, ink on paper, light and dark, and a plain print. */
import { MONO, pageTokens, SANS } from "../theme/theme.js";

/** Figures shrink to this width and no further: their words could not be read. */
const LEAST_FIGURE = 680;
const SIDES = 24;
/** In a window that is narrower than this, every figure is wider than the page. */
const NARROW = LEAST_FIGURE + 2 * SIDES;

/**
 * What is wider than the page scrolls. Shades at its sides tell that there is more, and are covered where it ends; over figures, whose
 * width is known, words say so.
 */
export const REPORT_STYLE = `
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
