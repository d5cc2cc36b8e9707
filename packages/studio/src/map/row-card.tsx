/** A card for the row under the pointer: its cells, long texts and pictures. */
import { useProject } from "../page/context.js";
import { GroupKey } from "../page/marks.js";
import { useGroups } from "../page/shown.js";
import { idOf } from "../state/lookups.js";
import type { Layout } from "../state/model.js";
import { toScreen } from "../state/view.js";
import { cell } from "../ui/format.js";
import type { PlotHandle } from "./plot.js";
import { useRows } from "./rows.js";

const MOST_CELLS = 16;

export function RowCard({
  row,
  window: { view, box },
  layout,
}: {
  readonly row: number;
  readonly window: PlotHandle;
  readonly layout: Layout;
}) {
  const [found] = useRows([row]);
  const { columns, id } = useProject((state) => ({ columns: state.columns, id: String(idOf(state, row)) }));
  const groups = useGroups();
  const [x, y] = toScreen(view, box, layout.xy[2 * row]!, layout.xy[2 * row + 1]!);
  const left = x + 300 > box.width ? x - 280 : x + 20;
  const top = Math.max(8, Math.min(y - 20, box.height - 260));
  const group = groups.groups.find(({ slot }) => slot === groups.slots[row]);
  return (
    <div className="row-card floating on-map" style={{ left, top }} aria-hidden="true">
      <div className="row">
        <b className="grow cut">{id}</b>
        {group && <GroupKey group={group} size={false} />}
      </div>
      {found && (
        <dl>
          {Object.entries(found.images ?? {}).map(([name, address]) => (
            <img key={name} src={address} alt="" />
          ))}
          {columns.slice(0, MOST_CELLS).map((column, i) => (
            <Cells key={column.name} name={column.name} value={found.cells[i] ?? null} />
          ))}
          {columns.length > MOST_CELLS && <dt>and {columns.length - MOST_CELLS} more columns</dt>}
        </dl>
      )}
    </div>
  );
}

function Cells({ name, value }: { readonly name: string; readonly value: string | number | null }) {
  const text = cell(value);
  const isLong = text.length > 40;
  return (
    <>
      <dt title={name}>{name}</dt>
      <dd className={isLong ? "long" : ""}>{text.length > 600 ? `${text.slice(0, 600)}…` : text}</dd>
    </>
  );
}
