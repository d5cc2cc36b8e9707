/** Where rows went: bars of clusters on both sides, ribbons between them as thick as rows. */
import type { Comparison, RunReply } from "@coterie/workbench/protocol";
import { type ReactNode, useMemo } from "react";
import { Mark } from "../page/marks.js";
import { useTables } from "../page/tables.js";
import { letterOf } from "../state/groups.js";
import { count } from "../ui/format.js";
import { colourOf } from "../ui/shapes.js";
import { type FlowChart, flowChart, type TwinSlots } from "./matching.js";

interface FlowsProps {
  readonly before: RunReply;
  readonly after: RunReply;
  readonly comparison: Comparison;
  readonly slots: TwinSlots;
}

const [WIDTH, HEIGHT, TOP] = [440, 330, 28];
const [LEFT, RIGHT, BAR] = [104, 336, 8];

export function Flows({ before, after, comparison, slots }: FlowsProps) {
  const chart = useMemo(() => {
    const total = comparison.flows.flat().reduce((sum, flow) => sum + flow, 0);
    return flowChart(comparison.flows, slots, total * 0.05);
  }, [comparison, slots]);
  const scale = (HEIGHT - TOP - 8) / (chart.height || 1);
  const isNothing = comparison.moved.length === 0;
  const isTable = useTables();
  const label = isNothing ? "No row moved" : `${comparison.moved.length} rows moved between clusters`;
  return (
    <section className="flows" aria-label="Where rows went">
      <div className="section-head">
        <h2 className="grow">Where rows went</h2>
        <span className="note">{isNothing ? "the same clusters" : "height is rows"}</span>
      </div>
      {isTable ? (
        <FlowTable before={before} after={after} chart={chart} slots={slots} />
      ) : (
        <FlowDrawing before={before} after={after} label={label}>
          <Ribbons chart={chart} slots={slots} matched={comparison.matched} scale={scale} />
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

interface FlowTableProps {
  readonly before: RunReply;
  readonly after: RunReply;
  readonly chart: FlowChart;
  readonly slots: TwinSlots;
}

/** How many rows went from each cluster to each. */
function FlowTable({ before, after, chart, slots }: FlowTableProps) {
  const rows = new Map(chart.flows.map((flow) => [`${flow.from} ${flow.to}`, flow.count]));
  const key = (slot: number) => (
    <span className="mark-key">
      <Mark slot={slot} />
      <b>{letterOf(slot)}</b>
    </span>
  );
  return (
    <table className="table tight">
      <thead>
        <tr>
          <th scope="col">
            Run {before.number}, to Run {after.number}
          </th>
          {chart.right.map(({ cluster }) => (
            <th key={cluster} scope="col" className="num">
              {key(slots.after[cluster]!)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {chart.left.map(({ cluster: from }) => (
          <tr key={from}>
            <th scope="row">{key(slots.before[from]!)}</th>
            {chart.right.map(({ cluster: to }) => (
              <td key={to} className="num">
                {count(rows.get(`${from} ${to}`) ?? 0)}
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
  return (
    <>
      {chart.flows.map(({ from, to, count: rows, y0, y1 }) => {
        const stays = matched[to] === from;
        const [top0, top1, thick] = [y0 * scale, y1 * scale, Math.max(1, rows * scale)];
        const path = `M${x0} ${top0}C${bend} ${top0} ${bend} ${top1} ${x1} ${top1}v${thick}C${bend} ${top1 + thick} ${bend} ${top0 + thick} ${x0} ${top0 + thick}z`;
        return (
          <g key={`${from} ${to}`}>
            <path d={path} fill={`var(--c${colourOf(slots.before[from]!)})`} fillOpacity={stays ? 0.16 : 0.85} />
            {!stays && (
              <text
                className="row-name"
                x={x0 + (x1 - x0) * (y0 < y1 ? 0.24 : 0.76)}
                y={top0 + (top1 - top0) * (y0 < y1 ? 0.15 : 0.85) + thick / 2 + 4}
                textAnchor="middle"
              >
                {count(rows)}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}

function Bars({ chart, slots, scale }: PartProps) {
  const bar = (slot: number, size: number, y: number, x: number, side: "end" | "start") => (
    <g key={`${side} ${slot}`}>
      <rect x={x} y={y * scale} width={BAR} height={Math.max(1, size * scale)} fill={`var(--c${colourOf(slot)})`} />
      <text className="group-name" x={side === "end" ? x - 8 : x + BAR + 8} y={(y + size / 2) * scale} textAnchor={side}>
        {letterOf(slot)}
      </text>
      <text className="flow-size" x={side === "end" ? x - 8 : x + BAR + 8} y={(y + size / 2) * scale + 14} textAnchor={side}>
        {count(size)}
      </text>
    </g>
  );
  return (
    <>
      {chart.left.map(({ cluster, y, size }) => bar(slots.before[cluster]!, size, y, LEFT, "end"))}
      {chart.right.map(({ cluster, y, size }) => bar(slots.after[cluster]!, size, y, RIGHT, "start"))}
    </>
  );
}
