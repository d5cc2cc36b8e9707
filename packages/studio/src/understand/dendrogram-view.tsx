/** Shows the dendrogram of a run, with a cut that the user moves with the pointer or with keys. */
import { colourOf, counted, dendrogram, formatCount, shapePath } from "@coterie/figures/layout";
import type { RunReply } from "@coterie/workbench/protocol";
import { useEffect, useMemo, useRef, useState } from "react";
import { css } from "../map/drawing/colours.js";
import { clearedCanvas } from "../map/drawing/marks.js";
import { usePalette } from "../map/drawing/palette.js";
import { useBox } from "../map/plot.js";
import { useSession } from "../page/context.js";
import { useKeys } from "../page/keys.js";
import { go, viewAddress } from "../page/router.js";
import { useTables } from "../page/tables.js";
import { clusterGroups, letterOf } from "../state/groups.js";
import type { RunResult } from "../state/model.js";
import type { Box } from "../state/view.js";
import { Button } from "../ui/controls.js";
import { cell, compact } from "../ui/format.js";

type Layout = dendrogram.DendrogramLayout;

export interface JoiningProps {
  readonly run: RunReply;
  readonly result: RunResult;
  readonly merges: readonly dendrogram.MergeRow[];
  readonly k: number;
  readonly onK: (k: number) => void;
}

interface DendrogramProps extends JoiningProps {
  readonly known: ReadonlySet<number>;
  readonly broken: readonly (readonly [number, number])[];
}

const LEFT = 48;
const RIGHT = 56;
const FOOT = 40;
const TOP = 16;

export function Dendrogram(props: DendrogramProps) {
  const { run, result, merges, k, onK } = props;
  const shape = useMemo(() => dendrogram.layOut(merges, result.labels), [merges, result]);
  const least = dendrogram.leastClusters(shape);
  const isTable = useTables();
  const set = (next: number) => onK(Math.max(least, Math.min(shape.n, next)));
  useKeys({ "[": () => set(k + 1), "]": () => set(k - 1) });
  const shown = [...new Set([2, 3, 4, 5, 6, k].filter((each) => each >= least && each <= shape.n))].sort((a, b) => a - b);
  return (
    <>
      <div className="section-head dendrogram-head">
        <h2>Dendrogram</h2>
        <span className="count">drag the line or press [ and ] to cut</span>
        <span className="grow" />
        {k !== run.k && <KeepCut run={run} k={k} onBack={() => onK(run.k ?? least)} />}
        <span className="quiet">Clusters</span>
        <span className="k-ruler" role="group" aria-label="Clusters">
          {shown.map((each) => (
            <button
              key={each}
              type="button"
              className={each === k ? "now" : "yes"}
              aria-pressed={each === k}
              onClick={() => set(each)}
            >
              {each}
            </button>
          ))}
        </span>
      </div>
      {isTable ? <JoinTable shape={shape} k={k} onK={set} /> : <Drawing {...props} shape={shape} onK={set} />}
    </>
  );
}

function KeepCut({ run, k, onBack }: { readonly run: RunReply; readonly k: number; readonly onBack: () => void }) {
  const { client, id, actions } = useSession();
  const keep = () =>
    client
      .call("cut", { project: id, run: run.number, k })
      .then((next) => go(viewAddress(id, "understand", { run: String(next.number) })), actions.fail);
  return (
    <>
      <Button look="small-button" onClick={() => void keep()}>
        Save {counted(k, "cluster")}
      </Button>
      <Button look="ghost small-button" onClick={onBack}>
        Back to {run.k}
      </Button>
    </>
  );
}

interface Scales {
  readonly width: number;
  readonly height: number;
  /**
   * Positions in pixels.
   * - level: distance of a height from the bottom.
   * - y: distance of a height from the top.
   * - x: distance of a leaf from the left.
   */
  readonly level: (height: number) => number;
  readonly y: (height: number) => number;
  readonly x: (slot: number) => number;
}

function scalesOf({ n, highest }: Layout, box: Box): Scales {
  const [width, height] = [Math.max(100, box.width - LEFT - RIGHT), Math.max(80, box.height - TOP - FOOT)];
  const level = dendrogram.levelOf(highest, height);
  return { width, height, level, y: (at) => height - level(at), x: (slot) => (slot / n) * width };
}

function Drawing({ run, result, shape, k, onK, known, broken }: DendrogramProps & { readonly shape: Layout }) {
  const frame = useRef<HTMLDivElement>(null);
  const box = useBox(frame);
  const scales = useMemo(() => scalesOf(shape, box), [shape, box]);
  const { width, height, x, y } = scales;
  const slots = useMemo(() => clusterGroups(run, result).slots, [run, result]);
  const branch = useMemo(() => dendrogram.branchesAt(shape, k), [shape, k]);
  const slotOf = useMemo(() => dendrogram.clustersOfBranches(branch, slots, shape.n), [branch, slots, shape.n]);
  const [below, above] = dendrogram.bandOf(shape, k);
  const cut = (below + above) / 2;
  return (
    <div ref={frame} className="dendrogram">
      <Branches shape={shape} branch={branch} slotOf={slotOf} box={box} scales={scales} />
      <svg
        className="plot-lines"
        width={box.width}
        height={box.height}
        role="img"
        aria-label={`Dendrogram of ${shape.n} rows cut at ${compact(cut)} into ${counted(k, "cluster")}`}
      >
        <g transform={`translate(${LEFT} ${TOP})`}>
          {dendrogram.heightTicks(shape.highest, scales.level).map((tick) => (
            <g key={tick}>
              <path className="grid" d={`M0 ${y(tick)}H${width}`} />
              <text className="tick" x="-6" y={y(tick) + 3.5} textAnchor="end">
                {cell(tick)}
              </text>
            </g>
          ))}
          {shape.n <= 2_000 && (
            <path
              className="known-ticks"
              d={[...known].map((row) => `M${x(shape.place[row]!).toFixed(1)} ${height + 4}v5`).join("")}
            />
          )}
          {broken.map(([a, b]) => (
            <path
              key={`${a} ${b}`}
              className="link broken dashed"
              d={`M${x(shape.place[a]!)} ${height}V${y(dendrogram.meetHeight(shape, a, b))}H${x(shape.place[b]!)}V${height}`}
            />
          ))}
          <Bands shape={shape} k={k} scales={scales} />
          <BranchNames run={run} shape={shape} branch={branch} slotOf={slotOf} scales={scales} />
        </g>
      </svg>
      <Cut shape={shape} k={k} onK={onK} cut={cut} scales={scales} />
    </div>
  );
}

interface BranchesProps {
  readonly shape: Layout;
  readonly branch: Int32Array;
  readonly slotOf: ReadonlyMap<number, number>;
  readonly scales: Scales;
}

/** Draws the branches on a canvas, one path for each colour, so that a dendrogram of ten thousand rows is drawn quickly. */
function Branches({ shape, branch, slotOf, box, scales: { x, y } }: BranchesProps & { readonly box: Box }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = usePalette();
  useEffect(() => {
    const context = clearedCanvas(canvas.current!, box);
    context.translate(LEFT, TOP);
    context.lineWidth = shape.n > 2_000 ? 0.6 : 1.25;
    const yOf = (node: number) => y(shape.heightOf(node) ?? shape.highest);
    const paths = new Map<number, Path2D>();
    for (const { merge, left, right, leftNode, rightNode } of shape.branches) {
      if (shape.heightOf(merge) === null) continue;
      const slot = slotOf.get(branch[merge]!) ?? -1;
      const path = paths.get(slot) ?? new Path2D();
      paths.set(slot, path);
      path.moveTo(x(left), yOf(leftNode));
      path.lineTo(x(left), yOf(merge));
      path.lineTo(x(right), yOf(merge));
      path.lineTo(x(right), yOf(rightNode));
    }
    for (const [slot, path] of paths) {
      context.strokeStyle = css(slot < 0 ? palette.count : palette.marks[colourOf(slot)]!);
      context.stroke(path);
    }
  }, [shape, branch, slotOf, box, x, y, palette]);
  return <canvas ref={canvas} className="plot-canvas" aria-hidden="true" />;
}

/** Bands beside the dendrogram: for each number of clusters, the range of heights at which a cut gives this number. */
function Bands({ shape, k, scales: { y, width } }: Pick<CutProps, "shape" | "k" | "scales">) {
  const least = dendrogram.leastClusters(shape);
  const bands = Array.from({ length: 8 }, (_, i) => Math.max(2, least) + i).flatMap((each) => {
    if (each > shape.n) return [];
    const [below, above] = dendrogram.bandOf(shape, each);
    const [top, bottom] = [y(Math.min(above, shape.highest)), y(below)];
    return bottom - top > 14 || each === k ? [{ each, top, bottom }] : [];
  });
  return (
    <>
      {bands.map(({ each, top, bottom }) => (
        <g key={each}>
          <path d={`M${width + 12} ${bottom - 1.5}V${top + 1.5}`} className={each === k ? "band now" : "band"} />
          <text className={each === k ? "band-name now" : "band-name"} x={width + 20} y={(top + bottom) / 2 + 4}>
            {each}
          </text>
        </g>
      ))}
    </>
  );
}

function BranchNames({ run, shape, branch, slotOf, scales: { x, height } }: BranchesProps & { readonly run: RunReply }) {
  const spans = new Map<number, { first: number; last: number }>();
  shape.tips.forEach(({ node }, at) => {
    const span = spans.get(branch[node]!) ?? { first: at, last: at };
    span.last = at;
    spans.set(branch[node]!, span);
  });
  if (spans.size > 40) return null;
  const nameOf = (slot: number) => {
    const cluster = run.letters?.indexOf(slot) ?? slot;
    return run.names?.[cluster] ?? "";
  };
  return (
    <>
      {[...spans].map(([node, { first, last }]) => {
        const slot = slotOf.get(node) ?? -1;
        const [from, to] = [x(first + 0.2), x(last + 0.8)];
        const words = `${letterOf(slot)} ${nameOf(slot)}`.trim();
        const fits = to - from > words.length * 6.4 + 46;
        return (
          <g key={node}>
            <path d={`M${from} ${height + 15}H${to}`} stroke={`var(--c${colourOf(slot)})`} strokeWidth="2" />
            {to - from > 18 && (
              <g transform={`translate(${(from + to) / 2 - (fits ? words.length * 3.2 + 8 : 8)} ${height + 34})`}>
                <path d={shapePath(slot, 0, -4, 4.2)} fill={`var(--c${colourOf(slot)})`} />
                <text className="branch-name" x="10">
                  {fits ? words : letterOf(slot)} {fits && <tspan className="branch-size">{formatCount(last - first + 1)}</tspan>}
                </text>
              </g>
            )}
          </g>
        );
      })}
    </>
  );
}

interface CutProps {
  readonly shape: Layout;
  readonly k: number;
  readonly onK: (k: number) => void;
  readonly cut: number;
  readonly scales: Scales;
}

function Cut({ shape, k, onK, cut, scales: { width, height, y } }: CutProps) {
  const [dragged, setDragged] = useState<number | null>(null);
  const top = TOP + (dragged ?? y(cut));
  const onPointerDown = (event: React.PointerEvent<HTMLDivElement>) => event.currentTarget.setPointerCapture(event.pointerId);
  const onPointerMove = (event: React.PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const frame = event.currentTarget.parentElement!.getBoundingClientRect();
    const at = Math.max(0, Math.min(height, event.clientY - frame.top - TOP));
    setDragged(at);
    onK(dendrogram.clustersAt(shape, dendrogram.heightAt(shape.highest, height, height - at)));
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = { ArrowUp: -1, ArrowRight: -1, ArrowDown: 1, ArrowLeft: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onK(k + step);
  };
  return (
    <div
      className="cut-line"
      role="slider"
      tabIndex={0}
      aria-label="Cut"
      aria-orientation="vertical"
      aria-valuemin={dendrogram.leastClusters(shape)}
      aria-valuemax={shape.n}
      aria-valuenow={k}
      aria-valuetext={`${counted(k, "cluster")} at ${compact(cut)}`}
      style={{ top, left: LEFT, width }}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => setDragged(null)}
      onKeyDown={onKeyDown}
    >
      <span className="cut-handle">
        {counted(k, "cluster")} at {compact(cut)}
      </span>
    </div>
  );
}

function JoinTable({ shape, k, onK }: Pick<CutProps, "shape" | "k" | "onK">) {
  return (
    <div className="scroll chart-table">
      <table className="table tight">
        <thead>
          <tr>
            <th scope="col">Clusters</th>
            <th scope="col" className="num">
              From height
            </th>
            <th scope="col" className="num">
              To height
            </th>
            <th scope="col">Next merge</th>
          </tr>
        </thead>
        <tbody>
          {dendrogram.cutsOf(shape).map((row) => (
            <tr key={row.k} className={row.k === k ? "sel" : ""}>
              <td>
                <button
                  type="button"
                  className="link-button"
                  aria-label={`Cut into ${counted(row.k, "cluster")}`}
                  aria-pressed={row.k === k}
                  onClick={() => onK(row.k)}
                >
                  {formatCount(row.k)}
                </button>
              </td>
              <td className="num">{compact(row.from)}</td>
              <td className="num">{row.joins === null ? "–" : compact(row.to)}</td>
              <td>{row.joins === null ? "none" : `${counted(row.joins[0], "row")} and ${counted(row.joins[1], "row")}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
