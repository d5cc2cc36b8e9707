/**
 * Shows how the values of each column differ between the clusters: spread and median in each cluster. The column that separates the
 * clusters best comes first.
 */
import { colourOf, formatFixed, formatValue, shapePath } from "@coterie/figures/layout";
import type { ColumnReply, Understanding } from "@coterie/workbench/protocol";
import { useMemo } from "react";
import { useProject } from "../page/context.js";
import { LetterKey } from "../page/marks.js";
import { useTables } from "../page/tables.js";
import { type Group, type Groups, letterOf } from "../state/groups.js";

import { CutName } from "../ui/cut-name.js";
import { aligned, cell, dateWords, longestOf, textWidth } from "../ui/format.js";
import { Scroll } from "../ui/scroll.js";

type Column = Understanding["columns"][number];

const MOST = 60;

/**
 * Widths in pixels. SHAPES: sum of the columns that belong to no cluster. PADDING: the padding of a cell. NARROWEST and WIDEST: limits for
 * the text in the column of a cluster.
 */
const [SHAPES, PADDING, NARROWEST, WIDEST] = [488, 16, 48, 150];

export function Profiles({ known, groups, only }: { known: Understanding; groups: Groups; only: Group | null }) {
  const clusters = groups.groups;
  const shown = known.columns.slice(0, MOST);
  const isTable = useTables();
  const facts = useProject(({ columns }) => columns);
  // All cluster columns have the same width. The longest value fits into this width, up to WIDEST.
  const width = useMemo(() => {
    const values = shown.flatMap((column) => {
      const { short } = numberWords(column, facts);
      return column.clusters.map((profile) => valueWords(profile, short));
    });
    return PADDING + Math.max(NARROWEST, Math.min(WIDEST, textWidth(longestOf(values))));
  }, [shown, facts]);
  return (
    <Scroll label="Columns" className="profiles">
      <table className="table profile-table" style={{ minWidth: SHAPES + width * clusters.length }}>
        <thead>
          <tr>
            <th scope="col">Columns, highest separation first</th>
            <th scope="col">
              {isTable ? "Minimum, quartile, median, quartile, maximum" : "Spread in each cluster, mark at the median"}
            </th>
            {clusters.map((group) => (
              <th key={group.slot} scope="col" className="num" style={{ width }}>
                <LetterKey slot={group.slot} />
              </th>
            ))}
            <th scope="col" className="num">
              Separation
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((column) => (
            <ProfileRow key={column.name} column={column} clusters={clusters} only={only} numbers={isTable} />
          ))}
        </tbody>
      </table>
      {known.columns.length > MOST && <p className="help">and {known.columns.length - MOST} columns with lower separation</p>}
    </Scroll>
  );
}

interface ProfileRowProps extends SpreadProps {
  /** Whether the spread is shown as numbers instead of shapes. */
  readonly numbers: boolean;
}

function ProfileRow({ column, clusters, only, numbers }: ProfileRowProps) {
  const isNumber = column.min !== null && column.max !== null;
  const words = useNumberWords(column);
  return (
    <tr className={isNumber ? "profile-row" : ""}>
      <td>
        <span className="row profile-head">
          <CutName name={column.name} className="profile-name" />
          {!column.feature && <span className="meta">unused</span>}
        </span>
        {isNumber && (
          <span className="meta small profile-range">
            {words.exact(column.min!)} to {words.exact(column.max!)}
          </span>
        )}
      </td>
      <td className={isNumber ? "" : "quiet cut"}>
        {!isNumber ? (
          "most common value, share of the cluster"
        ) : numbers ? (
          <Quantiles column={column} clusters={clusters} only={only} />
        ) : (
          <span className="spread-shapes">
            <Densities column={column} clusters={clusters} only={only} />
            <Medians column={column} clusters={clusters} only={only} />
          </span>
        )}
      </td>
      {clusters.map(({ cluster, slot }) => (
        <td key={slot} className="num cut" title={column.clusters[cluster]?.level ?? undefined}>
          {valueWords(column.clusters[cluster], words.short)}
        </td>
      ))}
      <td className="num">
        <span className="row separation">
          <span className="separation-bar">
            <i style={{ width: `${Math.round(column.tellsApart * 100)}%` }} />
          </span>
          {formatFixed(column.tellsApart, 2)}
        </span>
      </td>
    </tr>
  );
}

/** The formats for the numbers of a column. Dates are written as dates; the medians of all clusters get the same number of decimals. */
function useNumberWords(column: Column): NumberWords {
  return numberWords(
    column,
    useProject(({ columns }) => columns),
  );
}

interface NumberWords {
  readonly exact: (value: number) => string;
  readonly short: (value: number) => string;
}

function numberWords(column: Column, facts: readonly ColumnReply[]): NumberWords {
  const { kind, notation } = facts.find(({ name }) => name === column.name) ?? {};
  if (kind === "date") return { exact: dateWords, short: dateWords };
  if (notation) return { exact: (value) => formatValue(value, notation), short: (value) => formatValue(value, notation) };
  const exact = (value: number) => cell(Number(value.toPrecision(4)));
  return { exact, short: aligned(column.clusters.flatMap(({ quantiles }) => (quantiles ? [quantiles[2]!] : []))) };
}

/** If the share of the most frequent text is below this, the text is not shown. The page shows "all differ" instead. */
const RARE = 0.005;

/** A typical value of a column in a cluster, as text: the median of numbers, or the most frequent text with its share. */
function valueWords(profile: Column["clusters"][number] | undefined, short: (value: number) => string): string {
  if (!profile) return "";
  if (profile.quantiles) return short(profile.quantiles[2]!);
  if (profile.level === null) return "–";
  const level = profile.level.length > 18 ? `${profile.level.slice(0, 17)}…` : profile.level;
  if (profile.share !== null && profile.share < RARE) return "all differ";
  return profile.share === null ? level : `${level} ${Math.round(profile.share * 100)}%`;
}

interface SpreadProps {
  readonly column: Column;
  readonly clusters: readonly Group[];
  readonly only: Group | null;
}

function Quantiles({ column, clusters, only }: SpreadProps) {
  const { exact } = useNumberWords(column);
  return (
    <ul className="quantiles small">
      {clusters
        .filter(({ slot }) => only === null || only.slot === slot)
        .map(({ cluster, slot, letter }) => (
          <li key={slot}>
            <b>{letter}</b> {column.clusters[cluster]?.quantiles?.map(exact).join(", ") ?? "–"}
          </li>
        ))}
    </ul>
  );
}

const [WIDTH, HEIGHT] = [376, 46];

function Densities({ column, clusters, only }: SpreadProps) {
  const most = Math.max(1e-9, ...column.clusters.flatMap(({ density }) => density ?? []));
  return (
    <svg
      className="densities"
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} stroke="var(--line-2)" vectorEffect="non-scaling-stroke" />
      {clusters.map(({ cluster, slot }) => {
        const density = column.clusters[cluster]?.density;
        if (!density) return null;
        const points = density.map(
          (share, i) => `${((i + 0.5) / density.length) * WIDTH} ${HEIGHT - 1 - (share / most) * (HEIGHT - 8)}`,
        );
        const isFaint = only !== null && only.slot !== slot;
        return (
          <path
            key={slot}
            d={`M0 ${HEIGHT - 1}L${points.join("L")}L${WIDTH} ${HEIGHT - 1}z`}
            fill={`var(--c${colourOf(slot)})`}
            fillOpacity={isFaint ? 0.03 : 0.14}
            stroke={`var(--c${colourOf(slot)})`}
            strokeOpacity={isFaint ? 0.3 : 1}
            vectorEffect="non-scaling-stroke"
          />
        );
      })}
    </svg>
  );
}

/**
 * Draws the medians as separate elements. The drawing of the densities is stretched to the width of the column. Inside this drawing, the
 * marks would be distorted.
 */
function Medians({ column, clusters }: SpreadProps) {
  const span = column.max! - column.min! || 1;
  return (
    <span className="medians" aria-hidden="true">
      {clusters.map(({ cluster, slot }) => {
        const median = column.clusters[cluster]?.quantiles?.[2];
        if (median === undefined) return null;
        return (
          <svg key={slot} width="12" height="12" style={{ left: `${(100 * (median - column.min!)) / span}%` }}>
            <title>{letterOf(slot)}</title>
            <path d={shapePath(slot, 6, 6, 4.6)} fill={`var(--c${colourOf(slot)})`} stroke="var(--canvas)" />
          </svg>
        );
      })}
    </span>
  );
}
