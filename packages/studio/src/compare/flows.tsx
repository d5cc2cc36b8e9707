/**
 * A chart of the rows that flow between the clusters of two runs. Each cluster is a bar. The thickness of a ribbon shows its number of
 * rows.
 */
import { colourOf, formatCount } from "@coterie/figures/layout";
import type { Comparison, RunReply } from "@coterie/workbench/protocol";
import { type ReactNode, useMemo } from "react";
import { useProject } from "../page/context.js";
import { LetterKey } from "../page/marks.js";
import { useTables } from "../page/tables.js";
import { letterOf } from "../state/groups.js";
import { type FlowChart, flowChart, type TwinSlots, withNone } from "./matching.js";

interface FlowsProps {
  readonly before: RunReply;
  readonly after: RunReply;
  readonly comparison: Comparison;
  readonly slots: TwinSlots;
}

const [WIDTH, HEIGHT, TOP] = [440, 330, 28];
const [LEFT, RIGHT, BAR] = [104, 336, 8];

export function Flows({ before, after, comparison, slots: lettered }: FlowsProps) {
  const rows = useProject((state) => state.project.rows);
  const { chart, slots, matched } = useMemo(() => {
    const { flows, ...all } = withNone(comparison, lettered, rows);
    return { ...all, chart: flowChart(flows, all.slots, rows * 0.05) };
  }, [comparison, lettered, rows]);
  const scale = (HEIGHT - TOP - 8) / (chart.height || 1);
  const isNothing = comparison.moved.length === 0;
  const isTable = useTables();
  const label = isNothing ? "No row moved" : `${comparison.moved.length} rows moved between clusters`;
  return (
    <section className="flows" aria-label="Flows">
      <div className="section-head">
        <h2 className="grow">Flows</h2>
        <span className="note">
          {isNothing ? "no row moved: both runs have the same clusters" : "the height of a bar is its number of rows"}
        </span>
      </div>
      {isTable ? (
        <FlowTable before={before} after={after} chart={chart} slots={slots} />
      ) : (
        <FlowDrawing before={before} after={after} label={label}>
          <Ribbons chart={chart} slots={slots} matched={matched} scale={scale} />
          <Bars chart={chart} slots={slots} scale={scale} />
        </FlowDrawing>
      )}
    </section>
  );
}

interface FlowDrawingProps {
  readonly before: RunReply;
  readonly after: RunReply;
  readonly label: string;
  readonly children: ReactNode;
}

function FlowDrawing({ before, after, label, children }: FlowDrawingProps) {
  return (
    <svg className="flow-chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <text className="tick" x={LEFT + BAR / 2} y="14" textAnchor="middle">
        Run {before.number}
      </text>
      <text className="tick" x={RIGHT + BAR / 2} y="14" textAnchor="middle">
        Run {after.number}
      </text>
      <g transform={`translate(0 ${TOP})`}>{children}</g>
    </svg>
  );
}

function FlowTable({ before, after, chart, slots }: { before: RunReply; after: RunReply; chart: FlowChart; slots: TwinSlots }) {
  const rows = new Map(chart.flows.map((flow) => [`${flow.from} ${flow.to}`, flow.count]));
  return (
    <table className="table tight">
      <thead>
        <tr>
          <th scope="col">
            Run {before.number} to Run {after.number}
          </th>
          {chart.right.map(({ cluster }) => (
            <th key={cluster} scope="col" className="num">
              <LetterKey slot={slots.after[cluster]!} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {chart.left.map(({ cluster: from }) => (
          <tr key={from}>
            <th scope="row">
              <LetterKey slot={slots.before[from]!} />
            </th>
            {chart.right.map(({ cluster: to }) => (
              <td key={to} className="num">
                {formatCount(rows.get(`${from} ${to}`) ?? 0)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface PartProps {
  readonly chart: FlowChart;
  readonly slots: TwinSlots;
  readonly scale: number;
}

function Ribbons({ chart, slots, matched, scale }: PartProps & { readonly matched: readonly number[] }) {
  const [x0, x1] = [LEFT + BAR, RIGHT];
  const bend = (x0 + x1) / 2;
  const ribbons = chart.flows.map((flow) => ({
    ...flow,
    stays: matched[flow.to] === flow.from,
    top0: flow.y0 * scale,
    top1: flow.y1 * scale,
    thick: Math.max(1, flow.count * scale),
  }));
  const places = numberPlaces(ribbons.map((ribbon) => (ribbon.stays ? null : ribbon)));
  return (
    <>
      {ribbons.map(({ from, to, stays, top0, top1, thick }) => {
        const path = `M${x0} ${top0}C${bend} ${top0} ${bend} ${top1} ${x1} ${top1}v${thick}C${bend} ${top1 + thick} ${bend} ${top0 + thick} ${x0} ${top0 + thick}z`;
        return (
          <path
            key={`${from} ${to}`}
            d={path}
            fill={`var(--c${colourOf(slots.before[from]!)})`}
            fillOpacity={stays ? 0.16 : 0.85}
          />
        );
      })}
      {ribbons.map(({ from, to, count: rows }, i) => {
        const place = places[i];
        return (
          place && (
            <text key={`${from} ${to}`} className="row-name" x={place[0]} y={place[1] + 4} textAnchor="middle">
              {formatCount(rows)}
            </text>
          )
        );
      })}
    </>
  );
}

interface Ribbon {
  readonly count: number;
  readonly top0: number;
  readonly top1: number;
  readonly thick: number;
}

/** Possible positions for the number on a ribbon, as shares of the ribbon's length. The preferred position comes first. */
const ALONG = [0.22, 0.78, 0.36, 0.64, 0.5, 0.1, 0.9];
const [DIGIT, LINE] = [8, 14];

/**
 * A place for the number on each ribbon, so that no two numbers overlap. Null if there is no such place. The table beside the chart shows
 * all numbers.
 */
export function numberPlaces(ribbons: readonly (Ribbon | null)[]): readonly (readonly [number, number] | null)[] {
  const taken: { readonly x: number; readonly y: number; readonly half: number }[] = [];
  const order = [...ribbons.keys()].sort((a, b) => (ribbons[b]?.count ?? 0) - (ribbons[a]?.count ?? 0));
  const places = new Array<readonly [number, number] | null>(ribbons.length).fill(null);
  for (const i of order) {
    const ribbon = ribbons[i];
    if (!ribbon) continue;
    const half = (String(ribbon.count).length * DIGIT) / 2;
    for (const t of ALONG) {
      const x = LEFT + BAR + (RIGHT - LEFT - BAR) * (1.5 * t * (1 - t) + t ** 3);
      const y = ribbon.top0 + (ribbon.top1 - ribbon.top0) * (3 * t * t * (1 - t) + t ** 3) + ribbon.thick / 2;
      if (taken.some((other) => Math.abs(other.x - x) < other.half + half && Math.abs(other.y - y) < LINE)) continue;
      taken.push({ x, y, half });
      places[i] = [x, y];
      break;
    }
  }
  return places;
}

/**
 * Vertical positions for the names beside the bars. Moves the `wanted` positions apart, so that no two names overlap and all stay inside
 * the height.
 */
export function linesApart(wanted: readonly number[], height: number): readonly number[] {
  const lines = [...wanted];
  for (let i = 1; i < lines.length; i++) lines[i] = Math.max(lines[i]!, lines[i - 1]! + LINE);
  let most = height;
  for (let i = lines.length - 1; i >= 0; i--, most -= LINE) lines[i] = Math.min(lines[i]!, most);
  return lines;
}

function Bars({ chart, slots, scale }: PartProps) {
  const side = (bars: FlowChart["left"], letters: readonly number[], x: number, anchor: "end" | "start") => {
    const lines = linesApart(
      bars.map(({ y, size }) => (y + size / 2) * scale + 4),
      HEIGHT - TOP - 4,
    );
    return bars.map(({ cluster, y, size }, i) => {
      const slot = letters[cluster]!;
      return (
        <g key={`${anchor} ${slot}`}>
          <rect x={x} y={y * scale} width={BAR} height={Math.max(1, size * scale)} fill={`var(--c${colourOf(slot)})`} />
          <text className="group-name" x={anchor === "end" ? x - 8 : x + BAR + 8} y={lines[i]} textAnchor={anchor}>
            {letterOf(slot)} <tspan className="flow-size">{formatCount(size)}</tspan>
          </text>
        </g>
      );
    });
  };
  return (
    <>
      {side(chart.left, slots.before, LEFT, "end")}
      {side(chart.right, slots.after, RIGHT, "start")}
    </>
  );
}
