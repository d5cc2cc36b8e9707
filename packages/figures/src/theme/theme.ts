/**
 * Colours, names and fonts of all figures and pages.
 *
 * Clusters have colours, broken constraints are red, and everything else is grey or black. The eight colours of clusters can be
 * distinguished under the common kinds of colour blindness. They have a contrast of at least 3:1 with the canvas in both themes.
 */

import { colourOf } from "../layout/shapes.js";

/** The colours of a figure. auto: the light or dark theme of the reader's system. inherit: the colours of the page around the SVG. */
export type Theme = "light" | "dark" | "auto" | "inherit";

const TOKENS = {
  canvas: ["#ffffff", "#101113"],
  panel: ["#fafaf8", "#17181b"],
  sunken: ["#f2f1ee", "#202226"],
  line: ["#e6e4df", "#2a2d31"],
  "line-2": ["#cfccc4", "#41454c"],
  edge: ["#8a877e", "#6e737b"],
  ink: ["#1a1a18", "#ecedee"],
  "ink-2": ["#57564f", "#a8acb3"],
  "ink-3": ["#6b6961", "#8f949c"],
  focus: ["#1f6feb", "#6ca8ff"],
  bad: ["#c4122f", "#ff6b7d"],
  "bad-bg": ["#fdeff0", "#2c171b"],
  warn: ["#8a5a00", "#f2b84b"],
  good: ["#1a7f4b", "#4fc98a"],
  c1: ["#2563c9", "#6aa5ff"],
  c2: ["#c26a00", "#f0a23c"],
  c3: ["#0b8a72", "#3cc7a4"],
  c4: ["#a6368f", "#e07cc8"],
  c5: ["#60471b", "#658c4a"],
  c6: ["#9a925c", "#bed58a"],
  c7: ["#185450", "#368f80"],
  c8: ["#bc76cf", "#a7791a"],
} as const satisfies Record<string, readonly [light: string, dark: string]>;

export type Token = keyof typeof TOKENS;
export type Paint = (token: Token) => string;

export const SANS =
  '-apple-system, BlinkMacSystemFont, "Segoe UI", Inter, Roboto, "Helvetica Neue", "Liberation Sans", Arial, system-ui, sans-serif';
export const MONO = 'ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "Liberation Mono", monospace';

/**
 * Returns a function from the name of a colour to its value. The themes light and dark give plain colours, which every viewer shows. The
 * other themes give CSS variables.
 */
export function painter(theme: Theme): Paint {
  if (theme === "light") return (token) => TOKENS[token][0];
  if (theme === "dark") return (token) => TOKENS[token][1];
  return (token) => `var(--${token})`;
}

/** The name of a cluster's colour. From the ninth cluster on, the colours repeat, but with other shapes. */
export function clusterToken(index: number): Token {
  return index < 0 ? "edge" : (`c${colourOf(index)}` as Token);
}

/** The name that the user gave to a cluster; without a name, its number, as in labels files and in the terminal. */
export function clusterName(cluster: number, names?: readonly string[]): string {
  return cluster < 0 ? "–" : names?.[cluster] || String(cluster);
}

/** A cluster within a sentence: the name that the user gave to it, or the word "cluster" with its number: `cluster 0`. */
export function clusterWords(cluster: number, names?: readonly string[]): string {
  return cluster < 0 ? "no cluster" : names?.[cluster] || `cluster ${cluster}`;
}

/** CSS that defines the colour variables of an SVG with theme `auto`. */
export function autoTokens(selector: string): string {
  const side = (which: 0 | 1) =>
    Object.entries(TOKENS)
      .map(([name, pair]) => `--${name}:${pair[which]}`)
      .join(";");
  return `${selector}{${side(0)}}@media (prefers-color-scheme:dark){${selector}{${side(1)}}}`;
}

/** CSS that defines the colour variables of a page, based on the page's `color-scheme`. */
export function pageTokens(): string {
  return Object.entries(TOKENS)
    .map(([name, [light, dark]]) => `--${name}:light-dark(${light},${dark})`)
    .join(";");
}
