/** The most typical and the most doubtful rows of each cluster. */
import type { Understanding } from "@coterie/workbench/protocol";
import { useMemo } from "react";
import { useRows } from "../map/rows.js";
import { useProject, useSession } from "../page/context.js";
import { GroupKey } from "../page/marks.js";
import { go, viewAddress } from "../page/router.js";
import type { Group, Groups } from "../state/groups.js";
import { LinkButton } from "../ui/controls.js";
import { alignedCells, count, shortNames } from "../ui/format.js";
import { Scroll } from "../ui/scroll.js";

interface ExtremesProps {
  readonly known: Understanding;
  readonly groups: Groups;
  readonly only: Group | null;
}

const CELLS = 5;

export function Extremes({ known, groups, only }: ExtremesProps) {
  const shown = only ? [only] : groups.groups.slice(0, 8);
  return (
    <Scroll label="Typical and doubtful rows" className="extremes">
      <div className="section-head">
        <h2>Typical and doubtful rows</h2>
      </div>
      {shown.map((group) => (
        <ClusterRows key={group.slot} group={group} profile={known.clusters.find(({ cluster }) => cluster === group.cluster)} />
      ))}
    </Scroll>
  );
}

function ClusterRows({
  group,
  profile,
}: {
  readonly group: Group;
  readonly profile: Understanding["clusters"][number] | undefined;
}) {
  const columns = useProject((state) => state.columns);
  const wanted = useMemo(() => [...(profile?.typical ?? []), ...(profile?.doubtful ?? [])], [profile]);
  const rows = new Map(useRows(wanted).map((reply) => [reply.row, reply]));
  const shown = columns.flatMap((column, i) => (column.role === "feature" ? [i] : [])).slice(0, CELLS);
  const heads = shortNames(shown.map((i) => columns[i]!.name));
  const words = shown.map((i) => alignedCells([...rows.values()].map((reply) => reply.cells[i])));
  if (!profile) return null;
  const line = (row: number) => (
    <tr key={row}>
      <td>
        <RowLink row={row} id={String(rows.get(row)?.id ?? row)} />
      </td>
      {shown.map((i, at) => (
        <td key={i} className="num cut">
          {words[at]!(rows.get(row)?.cells[i])}
        </td>
      ))}
    </tr>
  );
  return (
    <table className="table tight extreme-table">
      <thead>
        <tr>
          <th scope="col">
            <GroupKey group={group} />
          </th>
          {heads.map((head) => (
            <th key={head} scope="col" className="num cut" title={head}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <tr className="group">
          <td colSpan={shown.length + 1}>Most typical of {count(profile.size)}</td>
        </tr>
        {profile.typical.map(line)}
        <tr className="group">
          <td colSpan={shown.length + 1}>Most doubtful</td>
        </tr>
        {profile.doubtful.map(line)}
      </tbody>
    </table>
  );
}

function RowLink({ row, id }: { readonly row: number; readonly id: string }) {
  const { deeds, id: project } = useSession();
  const show = () => {
    deeds.light({ title: `Row ${id}`, rows: [row], links: [] });
    go(viewAddress(project, "map"));
  };
  return (
    <LinkButton className="plain-link" onClick={show}>
      {id}
    </LinkButton>
  );
}
