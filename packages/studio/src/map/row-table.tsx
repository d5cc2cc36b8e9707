/** A table that replaces the map: each row with its group and its cells. */
import { cutMiddle } from "@coterie/figures/layout";
import { useState } from "react";
import { useProject, useSession } from "../page/context.js";
import { Mark } from "../page/marks.js";
import { useGroups } from "../page/shown.js";
import { idOf } from "../state/lookups.js";
import { cell } from "../ui/format.js";
import { VirtualList } from "../ui/virtual-list.js";
import { useRows } from "./rows.js";

const CELLS = 8;
const BLOCK = 50;

export function RowTable() {
  const { store, actions } = useSession();
  const { rows, columns, cursor } = useProject((state) => ({
    rows: state.project.rows,
    columns: state.columns,
    cursor: state.cursor,
  }));
  const heads = columns.slice(0, CELLS).map(({ name }) => cutMiddle(name, 14));
  return (
    <div className="row-table">
      <div className="row-line row-heads meta small">
        <span>Row</span>
        <span>Group</span>
        {heads.map((head) => (
          <span key={head} className="num cut">
            {head}
          </span>
        ))}
      </div>
      <VirtualList
        label="Rows"
        className="row-lines"
        count={rows}
        rowHeight={24}
        active={cursor ?? -1}
        onActive={(row) => store.set({ cursor: row })}
        onKey={(event) => {
          if (event.key !== " " || cursor === null) return;
          event.preventDefault();
          actions.pick(cursor, event.shiftKey);
        }}
        renderRow={(row, isActive) => <RowLine row={row} active={isActive} />}
      />
    </div>
  );
}

function RowLine({ row, active }: { readonly row: number; readonly active: boolean }) {
  const groups = useGroups();
  const { id, picked, n } = useProject((state) => ({
    id: String(idOf(state, row)),
    picked: state.picks.includes(row),
    n: state.project.rows,
  }));
  const first = Math.floor(row / BLOCK) * BLOCK;
  const [block] = useState(() => Array.from({ length: Math.min(BLOCK, n - first) }, (_, i) => first + i));
  const found = useRows(block).find((reply) => reply.row === row);
  const group = groups.groups.find(({ slot }) => slot === groups.slots[row]);
  return (
    <div className={`row-line ${active ? "chosen" : ""}`}>
      <b className="cut">
        {picked ? "◉ " : ""}
        {id}
      </b>
      <span className="mark-key">
        {group && <Mark slot={group.slot} />}
        {group?.letter || group?.name}
      </span>
      {(found?.cells ?? []).slice(0, CELLS).map((value, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the order of the cells never changes
        <span key={i} className="num cut">
          {cell(value)}
        </span>
      ))}
    </div>
  );
}
