/** The same rows twice, on the same axes and in the same window. */
import type { Comparison, RunReply } from "@coterie/workbench/protocol";
import { useEffect, useMemo, useState } from "react";
import { stylesOf } from "../map/drawing/marks.js";
import { Ring } from "../map/overlay.js";
import { Plot } from "../map/plot.js";
import { useProject, useSession } from "../page/context.js";
import { GroupKey, Mark } from "../page/marks.js";
import { useTables } from "../page/tables.js";
import { type Groups, letterOf } from "../state/groups.js";

import { idOf } from "../state/lookups.js";
import type { Layout } from "../state/model.js";
import type { View } from "../state/view.js";
import { count } from "../ui/format.js";
import { VirtualList } from "../ui/virtual-list.js";
import { Waiting } from "../ui/waiting.js";
import type { TwinSlots } from "./matching.js";

interface TwinProps {
  readonly before: RunReply;
  readonly after: RunReply;
  readonly comparison: Comparison;
  readonly slots: TwinSlots;
  readonly faded: boolean;
  readonly row: number | null;
  readonly onRow: (row: number | null) => void;
}

export function TwinMaps({ before, after, comparison, slots, faded, row, onRow }: TwinProps) {
  const layout = useProject((state) => state.layout);
  const [view, setView] = useState<View | null>(null);
  const strong = useMemo(() => (faded ? new Set(comparison.moved.map((moved) => moved.row)) : undefined), [faded, comparison]);
  const shared = { layout, view, onView: setView, strong, row, onRow };
  const isTable = useTables();
  if (isTable) return <TwinTable before={before} after={after} slots={slots} strong={strong} row={row} onRow={onRow} />;
  return (
    <div className="twins">
      <OneMap run={before} slots={slots.before} {...shared} />
      <OneMap run={after} slots={slots.after} {...shared} />
    </div>
  );
}

interface OneMapProps {
  readonly run: RunReply;
  readonly slots: readonly number[];
  readonly layout: Layout | null;
  readonly view: View | null;
  readonly onView: (view: View) => void;
  readonly strong: ReadonlySet<number> | undefined;
  readonly row: number | null;
  readonly onRow: (row: number | null) => void;
}

/** The clusters of a run under the letters of the comparison. */
function useTwinGroups(run: RunReply, slots: readonly number[]): Groups | null {
  const { deeds } = useSession();
  const result = useProject(({ results }) => results.get(run.number));
  useEffect(() => {
    if (!result) void deeds.load(run.number);
  }, [result, run.number, deeds]);
  return useMemo(() => {
    if (!result) return null;
    const sizes = new Map<number, number>();
    for (const label of result.labels) sizes.set(label, (sizes.get(label) ?? 0) + 1);
    const groups = slots.map((slot, cluster) => ({
      slot,
      letter: letterOf(slot),
      name: run.names?.[cluster] ?? "",
      size: sizes.get(cluster) ?? 0,
      cluster,
    }));
    return {
      kind: "clusters",
      groups: groups.filter(({ size }) => size > 0).sort((a, b) => a.slot - b.slot),
      slots: result.labels.map((label) => (label < 0 ? -1 : slots[label]!)),
    };
  }, [result, slots, run.names]);
}

function OneMap({ run, slots, layout, view, onView, strong, row, onRow }: OneMapProps) {
  const groups = useTwinGroups(run, slots);
  const { store } = useSession();
  const styles = useMemo(() => (groups ? stylesOf(groups, { strong }) : null), [groups, strong]);
  return (
    <section className="twin" aria-label={`Run ${run.number}`}>
      <div className="bar">
        <b>Run {run.number}</b>
        <span className="quiet cut">
          {run.title}, {run.used === 0 ? "no answers used" : `${count(run.used)} answers`}
        </span>
        <span className="grow" />
        <span className="keys">
          {groups?.groups.map((group) => (
            <GroupKey key={group.slot} group={{ ...group, name: "" }} />
          ))}
        </span>
      </div>
      {layout && groups && styles && groups.slots.length === layout.n ? (
        <Plot
          layout={layout}
          groups={groups}
          styles={styles}
          label={`Map of Run ${run.number}`}
          view={view}
          onView={onView}
          plain
          pointer={{ tool: "select", onPick: (picked) => onRow(picked), onMiss: () => onRow(null) }}
        >
          {(window) =>
            row !== null &&
            row < layout.n && (
              <Ring
                row={row}
                slot={groups.slots[row] ?? -1}
                side="start"
                text={String(idOf(store.get(), row))}
                layout={layout}
                {...window}
              />
            )
          }
        </Plot>
      ) : (
        <Waiting>Drawing run {run.number}</Waiting>
      )}
    </section>
  );
}

interface TwinTableProps {
  readonly before: RunReply;
  readonly after: RunReply;
  readonly slots: TwinSlots;
  /** The rows that are listed; all without. */
  readonly strong: ReadonlySet<number> | undefined;
  readonly row: number | null;
  readonly onRow: (row: number | null) => void;
}

/** Both maps as a list: each row with its cluster in the one run and in the other. */
function TwinTable({ before, after, slots, strong, row, onRow }: TwinTableProps) {
  const { store } = useSession();
  const first = useTwinGroups(before, slots.before);
  const second = useTwinGroups(after, slots.after);
  const n = Math.min(first?.slots.length ?? 0, second?.slots.length ?? 0);
  const rows = useMemo(() => (strong ? [...strong].sort((a, b) => a - b) : Array.from({ length: n }, (_, i) => i)), [strong, n]);
  const side = (slot: number) => (
    <span className="mark-key">
      <Mark slot={slot} />
      {letterOf(slot)}
    </span>
  );
  return (
    <section className="row-table twin-table" aria-label="Rows in both runs">
      <div className="twin-line row-heads meta small">
        <span>Row</span>
        <span>Run {before.number}</span>
        <span>Run {after.number}</span>
      </div>
      <VirtualList
        label="Rows in both runs"
        className="row-lines"
        count={rows.length}
        rowHeight={24}
        active={row === null ? -1 : rows.indexOf(row)}
        onActive={(index) => onRow(rows[index]!)}
        renderRow={(index, isActive) => (
          <div className={`twin-line ${isActive ? "chosen" : ""}`}>
            <b className="cut">{String(idOf(store.get(), rows[index]!))}</b>
            {side(first?.slots[rows[index]!] ?? -1)}
            {side(second?.slots[rows[index]!] ?? -1)}
          </div>
        )}
      />
    </section>
  );
}
