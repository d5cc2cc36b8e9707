/** Formats measurements: lines for the terminal and a page for the documentation. */
import { QUIET } from "./busy.mjs";

/**
 * @typedef {import("./measure.mjs").Measurement & { readonly case: string }} Entry
 * @typedef {{ readonly case: string, readonly row: string | null, readonly failure: string }} Failure
 */

/**
 * @typedef {object} Report
 * @property {string} command
 * @property {string} date
 * @property {boolean} quick
 * @property {number} seed
 * @property {{ readonly cpu: string, readonly cores: number }} machine
 * @property {Readonly<Record<string, string>>} versions
 * @property {readonly string[]} notices
 * @property {readonly (Entry | Failure)[]} cases
 */

/** @param {Entry | Failure} entry @returns {entry is Failure} */
export function isFailure(entry) {
  return "failure" in entry;
}

/** Whether the sides computed different things. @param {Entry} entry */
export function answersDiffer({ answers }) {
  return answers !== "equal" && answers !== "not compared";
}

/** A few lines for a terminal. @param {Entry | Failure} entry */
export function linesOf(entry) {
  const name = entry.row === null ? entry.case : `${entry.case}/${entry.row}`;
  if (isFailure(entry)) return `${name}  FAILED: ${entry.failure}`;
  const { ours, peer, ratios, unit } = entry;
  const lines = [`${name}  ${entry.title}`];
  const side = (/** @type {import("./measure.mjs").Amounts} */ amounts) =>
    unit === "score"
      ? `    ${amounts.name.padEnd(48)} ${both(amounts, unit)}`
      : `    ${amounts.name.padEnd(48)} ${shown(amounts.minimum, unit).padStart(9)}  median ${shown(amounts.median, unit)}`;
  lines.push(side(ours));
  if (peer) lines.push(side(peer));
  const each = ratios.length > 0 && entry.held === "ratio" ? `  (each round: ${ratios.map(decimals).join(" ")})` : "";
  lines.push(`    ${figureOf(entry)}  ${verdictOf(entry)}${each}`);
  const notes = [entry.note, busyNote(entry)].filter(Boolean);
  if (notes.length > 0) lines.push(`    ${notes.join("; ")}`);
  return lines.join("\n");
}

/** A note about the load of the machine, which slows threads that wait for each other. @param {Entry} entry */
function busyNote({ busy }) {
  return busy > QUIET ? `the machine was ${Math.round(100 * busy)}% busy with other work` : "";
}

/** @param {Entry} entry */
function figureOf({ held, figure, figureError, unit, ours, peer }) {
  if (figure === null || Number.isNaN(figure)) return "ours alone";
  if (held === "shortfall") return `ours above by ${(-figure).toFixed(4)} ± ${(figureError ?? Number.NaN).toFixed(4)}`;
  // If the times of a side have two modes, minima and medians give different ratios, so both are shown.
  const medians = peer && ours.all.length > 1 ? `, of medians ${decimals(ours.median / peer.median)}` : "";
  if (held === "ratio") return `ratio ${decimals(figure)}${medians}`;
  return held === "difference" ? `difference ${shown(figure, unit)}` : shown(figure, unit);
}

/** @param {Entry} entry */
export function verdictOf(entry) {
  const { bar, met, held, figure, unit } = entry;
  if (answersDiffer(entry)) return `ANSWERS DIFFER: ${entry.answers}`;
  if (bar === null) return "information";
  if (held === "shortfall") return met === null ? "not judged without the peer" : met ? "not below: met" : "below: MISSED";
  const most = held === "ratio" ? String(bar) : shown(bar, unit);
  if (figure === null) return `bar ${most}, not judged without the peer`;
  if (met === null) return `bar ${most}, not judged on a busy machine`;
  return met ? `bar ${most} met` : `bar ${most} MISSED by ${Math.round(100 * /** @type {number} */ (figure / bar - 1))}%`;
}

/** @param {number} value @param {import("./measure.mjs").Unit} unit */
function shown(value, unit) {
  if (Number.isNaN(value)) return "none";
  if (unit === "score") return value.toFixed(4);
  if (unit === "exponent") return `slope ${value.toFixed(2)}`;
  if (unit === "bytes") return `${(value / 1e9).toFixed(2)} GB`;
  return value >= 1000 ? `${(value / 1000).toFixed(2)} s` : `${value.toFixed(value < 10 ? 2 : 1)} ms`;
}

/** @param {number} ratio */
function decimals(ratio) {
  return ratio.toFixed(ratio < 0.1 ? 3 : 2);
}

/** The page for the documentation. @param {Report} report */
export function markdownOf({ command, date, quick, seed, machine, versions, notices, cases }) {
  const rows = cases.map((entry) => {
    const name = entry.row === null ? entry.case : `${entry.case}/${entry.row}`;
    if (isFailure(entry)) return tableRow([name, "", "", "", "", `failed: ${entry.failure}`]);
    const { ours, peer, unit } = entry;
    return tableRow([
      name,
      [entry.title, entry.note, busyNote(entry)].filter(Boolean).join("; "),
      both(ours, unit),
      peer ? `${both(peer, unit)} ${peer.name}` : "",
      figureOf(entry),
      verdictOf(entry),
    ]);
  });
  const words = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    "# Coterie beside its peers",
    "",
    `Measured on ${date.slice(0, 10)} with \`${command}\`, on ${machine.cores} cores of ${machine.cpu}; seed ${seed}.`,
    `Versions: ${words.join(", ")}.`,
    ...(quick ? ["Small sizes: these show that everything runs, not how fast."] : []),
    ...notices,
    "",
    "Both sides run in turns in one run, on the same bytes, after a warm-up; amounts are minimum / median over the rounds, a",
    "ratio is our minimum over the peer's, then our median over theirs, and answers are compared in every round. Scores are means over the rounds ± their standard",
    "error; how far ours is above is the mean of the paired differences.",
    "",
    tableRow(["row", "what", "ours", "peer", "figure", "verdict"]),
    tableRow(Array(6).fill("---")),
    ...rows,
    "",
  ].join("\n");
}

/** @param {import("./measure.mjs").Amounts} amounts @param {import("./measure.mjs").Unit} unit */
function both({ minimum, median, mean, error }, unit) {
  if (unit === "score") return `${mean.toFixed(4)} ± ${error.toFixed(4)}`;
  return `${shown(minimum, unit)} / ${shown(median, unit)}`;
}

/** @param {readonly string[]} cells */
function tableRow(cells) {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
}
