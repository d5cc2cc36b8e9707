/** The charts of a run as tables: how rows join, and the tree's questions. */

import { Mark } from "../page/marks.js";
import { letterOf } from "../state/groups.js";
import { compact, count, counted } from "../ui/format.js";
import { cutRows, type Shape } from "./dendrogram.js";
import { leavesOf, type TreeShape } from "./tree.js";

interface JoinTableProps {
  readonly shape: Shape;
  readonly k: number;
  readonly onK: (k: number) => void;
}

export function JoinTable({ shape, k, onK }: JoinTableProps) {
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
            <th scope="col">What joins next</th>
          </tr>
        </thead>
        <tbody>
          {cutRows(shape).map((row) => (
            <tr key={row.k} className={row.k === k ? "sel" : ""}>
              <td>
                <button
                  type="button"
                  className="link-button"
                  aria-label={`Cut into ${counted(row.k, "cluster")}`}
                  aria-pressed={row.k === k}
                  onClick={() => onK(row.k)}
                >
                  {count(row.k)}
                </button>
              </td>
              <td className="num">{compact(row.from)}</td>
              <td className="num">{row.joins === null ? "–" : compact(row.to)}</td>
              <td>{row.joins === null ? "nothing" : `${counted(row.joins[0], "row")} and ${counted(row.joins[1], "row")}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Each leaf with the answers that lead to it. */
export function TreeTable({ tree, slotOf }: { readonly tree: TreeShape; readonly slotOf: ReadonlyMap<number, number> }) {
  return (
    <table className="table tight">
      <thead>
        <tr>
          <th scope="col">Cluster</th>
          <th scope="col">Where</th>
          <th scope="col" className="num">
            Rows
          </th>
        </tr>
      </thead>
      <tbody>
        {leavesOf(tree).map(({ cluster, size, where }) => {
          const slot = slotOf.get(cluster) ?? cluster;
          return (
            <tr key={where.join()}>
              <td>
                <span className="mark-key">
                  <Mark slot={slot} />
                  <b>{letterOf(slot)}</b>
                </span>
              </td>
              <td>{where.join(", ")}</td>
              <td className="num">{count(size)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
