/** The table of broken constraints. For each constraint, it shows the cells of its rows below each other. */
import { type Instances, idOf, originalValue, rowValues, type Violations } from "@coterie/core/internal";
import type { Profile } from "../layout/profile.js";
import { counted, cutMiddle, decimalsFor, formatCount, formatNumber, formatValue } from "../layout/text.js";
import { clusterMark } from "../theme/cluster-mark.js";
import { type Html, html, trusted } from "../theme/html.js";
import { DASHES } from "../theme/legend.js";
import { svg } from "../theme/svg-document.js";
import { clusterName, painter } from "../theme/theme.js";

const MOST = 200;
const COLUMNS = 10;
const GROUP_ROWS = 6;
const LONGEST = 60;
const LONGEST_TIP = 1000;
/** The text for a missing cell, and for a cell that only the method filled. */
const NOT_KNOWN = "–";

interface Broken {
  readonly glyph: keyof typeof DASHES | "label" | "group";
  readonly constraint: string;
  readonly words: string;
  readonly rows: readonly number[];
}

export function violationsTable(
  instances: Instances,
  labels: Int32Array,
  violations: Violations,
  profiles: readonly Profile[],
  names?: readonly string[],
): Html {
  const all = listBroken(instances, labels, violations, names);
  const shown = all.slice(0, MOST);
  const columns = profiles.slice(0, COLUMNS);
  const filled = new Map(columns.map(({ column }) => [column, new Set(instances.filledRows?.[column] ?? [])]));
  const textOf = (row: number, profile: Profile): string =>
    filled.get(profile.column)!.has(row) ? NOT_KNOWN : cell(instances, row, profile);
  const more = [
    all.length > shown.length
      ? `The first ${MOST} of ${formatCount(all.length)} are listed; the report in JSON has all of them.`
      : "",
    profiles.length > columns.length
      ? `The ${COLUMNS} columns with the highest separation are shown, of ${formatCount(profiles.length)}.`
      : "",
  ].filter((line) => line !== "");
  return html`<div class="scroll" tabindex="0"><table><thead><tr><th>constraint</th><th>row</th><th>cluster</th>${columns.map(
    (column) =>
      html`<th class="${column.kind === "numeric" ? "num" : ""}" title="${column.name}">${cutMiddle(column.name, 18)}</th>`,
  )}</tr></thead>${shown.map((broken) => block(instances, labels, broken, columns, textOf, names))}</table></div>${more.map(
    (line) => html`<p class="note">${line}</p>`,
  )}`;
}

function block(
  instances: Instances,
  labels: Int32Array,
  broken: Broken,
  columns: readonly Profile[],
  textOf: (row: number, profile: Profile) => string,
  names: readonly string[] | undefined,
): Html {
  const rows = broken.rows.slice(0, GROUP_ROWS);
  const left = broken.rows.length - rows.length;
  return html`<tbody class="pair">${rows.map(
    (row, at) =>
      html`<tr>${
        at === 0
          ? html`<th rowspan="${rows.length}" scope="rowgroup">${glyph(broken.glyph)}${broken.constraint}<br><span class="dim plain">${broken.words}${
              left > 0 ? `; ${formatCount(left)} more rows` : ""
            }</span></th>`
          : null
      }<td>${cut(String(idOf(instances, row)))}</td><td>${clusterBadge(labels[row]!, names)}</td>${columns.map(
        (column) => html`<td class="${column.kind === "numeric" ? "num" : ""}">${cut(textOf(row, column))}</td>`,
      )}</tr>`,
  )}</tbody>`;
}

export function cut(text: string): Html {
  const shown = cutMiddle(text, LONGEST);
  return shown === text ? html`${text}` : html`<span title="${text.slice(0, LONGEST_TIP)}">${shown}</span>`;
}

function cell(instances: Instances, row: number, profile: Profile): string {
  const { column } = profile;
  const value = rowValues(instances)[row * instances.d + column]!;
  if (Number.isNaN(value)) return NOT_KNOWN;
  if (profile.kind === "nominal") return instances.levels?.[column]?.[value] ?? String(value);
  const original = originalValue(instances, column, value);
  if (profile.notation) return formatValue(original, profile.notation, 8);
  const digits = decimalsFor(profile.deviation) + 2;
  return formatNumber(digits > 8 ? original : Number(original.toFixed(digits)), 8);
}

export function clusterBadge(cluster: number, names?: readonly string[]): Html {
  const mark = svg(
    "svg",
    { class: "mark", width: 12, height: 12, viewBox: "0 0 12 12", "aria-hidden": "true" },
    clusterMark(cluster, painter("inherit"), 6, 6, 4.3),
  );
  return html`${trusted(mark.serialise())}${cut(clusterName(cluster, names))}`;
}

function glyph(kind: Broken["glyph"]): Html {
  const paint = painter("inherit");
  const stroke = paint("bad");
  const line =
    kind === "label" || kind === "group"
      ? svg("circle", { cx: 15, cy: 6, r: 4, fill: "none", stroke, "stroke-width": 1.6 })
      : svg("line", { x1: 5, x2: 25, y1: 6, y2: 6, stroke, "stroke-width": 1.8, "stroke-dasharray": DASHES[kind] });
  const dot = (cx: number) => svg("circle", { cx, cy: 6, r: 3, fill: stroke });
  const ends = kind === "label" || kind === "group" ? [] : [dot(4), dot(26)];
  return trusted(
    svg("svg", { class: "mark", width: 30, height: 12, viewBox: "0 0 30 12", "aria-hidden": "true" }, line, ...ends).serialise(),
  );
}

function listBroken(
  instances: Instances,
  labels: Int32Array,
  violations: Violations,
  names: readonly string[] | undefined,
): Broken[] {
  const short = (text: string) => cutMiddle(text, LONGEST / 2);
  const id = (row: number) => short(String(idOf(instances, row)));
  const cluster = (row: number) => short(clusterName(labels[row]!, names));
  return [
    ...violations.mustLink.map(
      ([a, b]): Broken => ({
        glyph: "must-link",
        constraint: `${id(a)} = ${id(b)}`,
        words: `must-link, but in clusters ${cluster(a)} and ${cluster(b)}`,
        rows: [a, b],
      }),
    ),
    ...violations.cannotLink.map(
      ([a, b]): Broken => ({
        glyph: "cannot-link",
        constraint: `${id(a)} ≠ ${id(b)}`,
        words: `cannot-link, but both in cluster ${cluster(a)}`,
        rows: [a, b],
      }),
    ),
    ...violations.relative.map(
      ([a, b, c]): Broken => ({
        glyph: "relative",
        constraint: `${id(a)}, ${id(b)} | ${id(c)}`,
        words: `relative: ${id(c)} is not the odd one out`,
        rows: [a, b, c],
      }),
    ),
    ...violations.labels.map(
      ([row, name]): Broken => ({
        glyph: "label",
        constraint: `${id(row)} is ${short(name)}`,
        words: `label, but in cluster ${cluster(row)}`,
        rows: [row],
      }),
    ),
    ...violations.exclusive.map(
      ({ column, value, cluster: at, rows }): Broken => ({
        glyph: "group",
        constraint: `${short(column)} = ${short(value)}`,
        words: `exclusive, but ${counted(rows.length, "row")} in cluster ${short(clusterName(at, names))}`,
        rows,
      }),
    ),
  ];
}
