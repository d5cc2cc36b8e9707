/** The rows that moved, by the way they went, with their cells. */
import { counted, formatCount } from "@coterie/figures/layout";
import type { Comparison } from "@coterie/workbench/protocol";
import { useMemo } from "react";
import { useRows } from "../map/rows.js";
import { tell, useProject, useStudio } from "../page/context.js";
import { copyText } from "../page/export-menu.js";
import { Mark } from "../page/marks.js";
import { letterOf } from "../state/groups.js";
import { IconButton } from "../ui/controls.js";
import { alignedCells, shortNames } from "../ui/format.js";
import { Icon } from "../ui/icons.js";
import { VirtualList } from "../ui/virtual-list.js";
import type { TwinSlots } from "./matching.js";

type MovedRow = Comparison["moved"][number];
type Line = { readonly from: number; readonly to: number; readonly count: number } | MovedRow;

interface MovedProps {
  readonly comparison: Comparison;
  readonly slots: TwinSlots;
  readonly row: number | null;
  readonly onRow: (row: number | null) => void;
}

/** Pixels for cells of a row, and of a letter. */
const ROOM = 228;
const LETTER = 6.9;
const GAP = 8;
const MOST_CELLS = 4;

/** How many columns fit whole, at least one: a date that is cut says nothing. Each is as wide as its longest text. */
export function fittingColumns(letters: readonly number[]): readonly number[] {
  const widths = letters.map((most) => Math.ceil(Math.max(4, Math.min(most, 20)) * LETTER));
  let [taken, room] = [0, ROOM];
  while (taken < Math.min(widths.length, MOST_CELLS) && (taken === 0 || widths[taken]! + GAP <= room))
    room -= widths[taken++]! + GAP;
  return widths.slice(0, taken);
}

function isHead(line: Line): line is Exclude<Line, MovedRow> {
  return "count" in line;
}

export function movedLines(moved: readonly MovedRow[]): readonly Line[] {
  const ways = new Map<string, MovedRow[]>();
  for (const row of moved) {
    const key = `${row.from} ${row.to}`;
    ways.set(key, [...(ways.get(key) ?? []), row]);
  }
  return [...ways.values()]
    .sort((a, b) => a.length - b.length)
    .flatMap((rows) => [{ from: rows[0]!.from, to: rows[0]!.to, count: rows.length }, ...rows]);
}

export function Moved({ comparison, slots, row, onRow }: MovedProps) {
  const { app } = useStudio();
  const { total, columns } = useProject((state) => ({ total: state.project.rows, columns: state.columns }));
  const { moved } = comparison;
  const lines = useMemo(() => movedLines(moved), [moved]);
  const features = useMemo(
    () => columns.flatMap((column, i) => (column.role === "feature" ? [i] : [])).slice(0, MOST_CELLS),
    [columns],
  );
  const rows = useRows(useMemo(() => moved.slice(0, 1_000).map((each) => each.row), [moved]));
  const cells = useMemo(() => new Map(rows.map((reply) => [reply.row, reply.cells])), [rows]);
  const words = useMemo(() => features.map((i) => alignedCells(rows.map((reply) => reply.cells[i]))), [features, rows]);
  const widths = useMemo(
    () => fittingColumns(features.map((i, at) => Math.max(0, ...rows.map((reply) => words[at]!(reply.cells[i]).length)))),
    [features, rows, words],
  );
  const shown = features.slice(0, widths.length);
  const heads = shortNames(shown.map((i) => columns[i]!.name));
  const answered = moved.filter(({ why }) => why === "answered").length;
  const copy = async () => {
    await copyText(
      [
        "row,from,to,why",
        ...moved.map(
          ({ id, from, to, why }) =>
            `${safe(id)},${letterOf(slots.before[from] ?? -1)},${letterOf(slots.after[to] ?? -1)},${why}`,
        ),
      ].join("\n"),
    );
    tell(app, `Copied ${counted(moved.length, "row")}`);
  };
  return (
    <aside
      className="side"
      aria-label="What moved"
      style={{ "--moved-cells": widths.map((width) => `minmax(${width}px, 1fr)`).join(" ") } as React.CSSProperties}
    >
      <div className="section-head moved-head">
        <h2>What moved</h2>
        <span className="count grow">
          {formatCount(moved.length)} of {counted(total, "row")}
        </span>
        <IconButton icon="copy" label="Copy rows" onClick={() => void copy()} />
      </div>
      <p className="help moved-help">{movedWords(moved.length, answered)}</p>

      <table className="moved-heads">
        <thead>
          <tr className="moved-line meta small">
            <th scope="col" className="num">
              Row
            </th>
            {heads.map((head) => (
              <th key={head} scope="col" className="num cut">
                {head}
              </th>
            ))}
            <th scope="col">Why</th>
          </tr>
        </thead>
      </table>
      <VirtualList
        label="Rows that moved"
        className="scroll"
        count={lines.length}
        rowHeight={24}
        active={lines.findIndex((line) => !isHead(line) && line.row === row)}
        isChoice={(index) => !isHead(lines[index]!)}
        onActive={(index) => {
          const line = lines[index]!;
          if (!isHead(line)) onRow(line.row);
        }}
        renderRow={(index, active) => {
          const line = lines[index]!;
          if (isHead(line))
            return <WayHead from={slots.before[line.from] ?? -1} to={slots.after[line.to] ?? -1} count={line.count} />;
          const values = cells.get(line.row);
          return (
            <div className={`moved-line ${active ? "chosen" : ""}`}>
              <b className="num cut">{String(line.id)}</b>
              {shown.map((i, at) => (
                <span key={i} className="num cut">
                  {values ? words[at]!(values[i]) : ""}
                </span>
              ))}
              <span className={line.why === "answered" ? "" : "meta"}>{line.why}</span>
            </div>
          );
        }}
      />
    </aside>
  );
}

function movedWords(moved: number, answered: number): string {
  const rest = moved - answered;
  const carry = `${formatCount(answered)} of them ${answered === 1 ? "carries" : "carry"} one of your answers.`;
  return rest === 0 ? carry : `${carry} The other ${formatCount(rest)} followed the new centres and weights.`;
}

/** A cell of a spreadsheet that is no formula, whatever the row is called. */
function safe(id: string | number): string {
  const text = String(id);
  const harmless = /^[=+\-@\t\r]/.test(text) && typeof id === "string" ? `'${text}` : text;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function WayHead({ from, to, count: rows }: { readonly from: number; readonly to: number; readonly count: number }) {
  return (
    <div className="moved-way small">
      <span className="mark-key">
        <Mark slot={from} />
        <b>{letterOf(from)}</b>
        <Icon name="arrow" />
        <Mark slot={to} />
        <b>{letterOf(to)}</b>
      </span>
      <span className="quiet">{counted(rows, "row")}</span>
    </div>
  );
}
