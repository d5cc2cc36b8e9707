/**
 * A pass in plain SQL, for clusters that let no jar in: the same arithmetic, term by term, and so the same bits. Spark reorders no
 * sums of doubles; a sum of whole units that does not fit is an error of Spark's (ANSI mode), not a wrong number.
 */
import { type Grid, momentCount, openPassTotals, type PassModel, type PassTotals, setUnits } from "@coterie/core/scale";

/** A double as a literal of SQL: with D, lest it be a decimal. */
export function literal(value: number): string {
  return value < 0 || Object.is(value, -0) ? `(-${literal(-value)})` : `${String(value).toUpperCase().replace("E+", "E")}D`;
}

/** The columns of `source`, which are x0, x1, …, scaled and with their cluster and cost. */
export function labelledRows(model: PassModel, source: string, more = ""): string {
  const { d, k, scaling, bias } = model;
  const columns = Array.from({ length: d }, (_, j) =>
    scaling ? `(x${j} - ${literal(scaling.offset[j]!)}) / ${literal(scaling.factor[j]!)} AS x${j}` : `x${j}`,
  );
  const scaled = `SELECT ${columns.join(", ")}${more} FROM ${source}`;
  const squares = Array.from({ length: k }, (_, c) => `${squareOf(model, c)} AS s${c}`);
  const measured = `SELECT *, ${squares.join(", ")} FROM (${scaled})`;
  const score = (c: number): string => (bias[c] === 0 ? `s${c}` : `(s${c} + ${literal(bias[c]!)})`);
  const least = k === 1 ? score(0) : `least(${Array.from({ length: k }, (_, c) => score(c)).join(", ")})`;
  const judged = `SELECT *, ${least} AS least FROM (${measured})`;
  const cases = Array.from({ length: k - 1 }, (_, c) => `WHEN ${score(c)} = least THEN ${c}`).join(" ");
  const label = k === 1 ? "0" : `CASE ${cases} ELSE ${k - 1} END`;
  return `SELECT *, ${label} AS label FROM (${judged})`;
}

function squareOf({ d, metric, centres, maps, several }: PassModel, c: number): string {
  const g = several ? c : 0;
  const shift = (j: number): string => `(x${j} - ${literal(centres[c * d + j]!)})`;
  const terms = Array.from({ length: d }, (_, e) => {
    if (metric === "plain") return `${shift(e)} * ${shift(e)}`;
    if (metric === "diagonal") return `${shift(e)} * ${shift(e)} * ${literal(maps[g * d + e]!)}`;
    const part = Array.from({ length: d }, (_, j) => `${literal(maps[(g * d + e) * d + j]!)} * ${shift(j)}`).join(" + ");
    return `(${part}) * (${part})`;
  });
  return `(${terms.join(" + ")})`;
}

/** One row per cluster: its number, its count, and its sums in whole units, as columns u0, u1, … */
export function passQuery(model: PassModel, source: string): string {
  const { d, k, moments, sumGrids, momentGrids, costGrid } = model;
  const terms: [string, Grid][] = Array.from({ length: d }, (_, j) => [`x${j}`, sumGrids[j]!]);
  const centre = (j: number): string =>
    k === 1
      ? literal(model.centres[j]!)
      : `CASE label ${Array.from({ length: k }, (_, c) => `WHEN ${c} THEN ${literal(model.centres[c * d + j]!)}`).join(" ")} END`;
  const shifts = moments === "none" ? "" : Array.from({ length: d }, (_, j) => `, x${j} - ${centre(j)} AS t${j}`).join("");
  if (moments === "diagonal") for (let j = 0; j < d; j++) terms.push([`t${j} * t${j}`, momentGrids[j]!]);
  if (moments === "full")
    for (let i = 0, at = 0; i < d; i++) for (let j = 0; j <= i; j++, at++) terms.push([`t${i} * t${j}`, momentGrids[at]!]);
  const cost = k === 1 ? "s0" : `CASE label ${Array.from({ length: k }, (_, c) => `WHEN ${c} THEN s${c}`).join(" ")} END`;
  terms.push(["cost", costGrid]);
  const rows = `SELECT *, ${cost} AS cost${shifts} FROM (${labelledRows(model, source)})`;
  const sums = terms.flatMap(([term, { coarseRound, fineRound, coarseUnit, fineUnit }], i) => {
    const coarse = `((${term}) + ${literal(coarseRound)} - ${literal(coarseRound)})`;
    const fine = `(((${term}) - ${coarse}) + ${literal(fineRound)} - ${literal(fineRound)})`;
    return [
      `sum(CAST(${coarse} * ${literal(1 / coarseUnit)} AS BIGINT)) AS u${2 * i}`,
      `sum(CAST(${fine} * ${literal(1 / fineUnit)} AS BIGINT)) AS u${2 * i + 1}`,
    ];
  });
  return `SELECT label, count(*) AS n, ${sums.join(", ")} FROM (${rows}) GROUP BY label`;
}

/** The totals from the rows of a pass query. */
export function totalsOfRows(model: PassModel, rows: readonly Record<string, unknown>[]): PassTotals {
  const { d } = model;
  const per = momentCount(model);
  const totals = openPassTotals(model);
  for (const row of rows) {
    const c = Number(row.label);
    totals.counts[c] = Number(row.n);
    const take = (of: PassTotals["sums"], at: number, term: number): void => {
      for (const half of [0, 1]) setUnits(of, 2 * at + half, BigInt(row[`u${2 * term + half}`] as bigint));
    };
    for (let j = 0; j < d; j++) take(totals.sums, c * d + j, j);
    for (let j = 0; j < per; j++) take(totals.moments, c * per + j, d + j);
    take(totals.costs, c, d + per);
  }
  return totals;
}

/** The totals from the one array that the jar's aggregate answers with. */
export function totalsOfUnits(model: PassModel, units: ArrayLike<bigint>): PassTotals {
  const { k } = model;
  const totals = openPassTotals(model);
  for (let c = 0; c < k; c++) totals.counts[c] = Number(units[c]);
  let at = k;
  for (const part of [totals.sums, totals.moments, totals.costs]) {
    for (let i = 0; i < part.upper.length; i++) setUnits(part, i, BigInt(units[at++]!));
  }
  return totals;
}
