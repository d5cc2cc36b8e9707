/** Which one is least like the other two? On the map the answers are 1, 2, 3: B is the key of labels here. */
import { QUESTION_KEYS } from "@coterie/workbench/protocol";
import { useProject, useSession } from "../page/context.js";
import { keyTitle, useKeys } from "../page/keys.js";
import { idOf } from "../state/lookups.js";
import type { RowId } from "../state/model.js";
import { Cap } from "../ui/controls.js";
import { cell, shortNames } from "../ui/format.js";
import { gapsOf } from "./gaps.js";
import { useRows } from "./rows.js";

const MOST = 4;

export function OddOneOut({ rows }: { readonly rows: readonly number[] }) {
  const { deeds, store } = useSession();
  const columns = useProject((state) => state.columns);
  const ids = rows.map((row) => idOf(store.get(), row)) as [RowId, RowId, RowId];
  const found = useRows(rows);
  const gaps =
    found.length === 3
      ? gapsOf(columns, found)
          .filter(({ column }) => column.role === "feature")
          .slice(0, MOST)
      : [];
  const heads = shortNames(gaps.map(({ column }) => column.name));
  const say = (odd: number) => {
    const [a, b] = ids.filter((_, i) => i !== odd) as [RowId, RowId];
    deeds.sayOfPicks([{ type: "relative", a, b, c: ids[odd]! }]);
  };
  const unsure = () => deeds.sayOfPicks([{ type: "unsure", rows: [...ids] }]);
  useKeys({
    "1": () => say(0),
    "2": () => say(1),
    "3": () => say(2),
    [QUESTION_KEYS.unsure.key]: unsure,
  });
  return (
    <div className="bubble floating" role="dialog" aria-label={`Rows ${ids.join(", ")}`}>
      <div className="bubble-head">
        <b>Which one is least like the other two?</b>
      </div>
      <table className="mini odd-table">
        <thead>
          <tr className="meta small">
            <td />
            <td>Row</td>
            {heads.map((head) => (
              <td key={head} className="num">
                {head}
              </td>
            ))}
          </tr>
        </thead>
        <tbody>
          {ids.map((id, i) => (
            <tr key={String(id)}>
              <td>
                <button type="button" className="key-cap" aria-label={`${id} is the odd one`} onClick={() => say(i)}>
                  {i + 1}
                </button>
              </td>
              <td>
                <b>{id}</b>
              </td>
              {gaps.map(({ column, cells }) => (
                <td key={column.name} className="num">
                  {cell(cells[i])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="bubble-note row">
        <button type="button" className="link-button plain-link" onClick={unsure}>
          <Cap>{QUESTION_KEYS.unsure.key.toUpperCase()}</Cap> {keyTitle(QUESTION_KEYS.unsure.word)}
        </button>
        <button type="button" className="link-button plain-link" onClick={() => store.set({ labelling: true })}>
          <Cap>B</Cap> Label all three
        </button>
        <button type="button" className="link-button plain-link" onClick={deeds.clear}>
          <Cap>Esc</Cap> Close
        </button>
      </div>
    </div>
  );
}
