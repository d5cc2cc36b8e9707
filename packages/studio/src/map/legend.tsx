/** The legend under the map: groups with their marks, the number of rows, the number of broken answers. */
import { counted, formatCount } from "@coterie/figures/layout";
import { useProject, useSession } from "../page/context.js";
import { GroupKey, Mark } from "../page/marks.js";
import { useGroups } from "../page/shown.js";
import { TableButton } from "../page/tables.js";
import { STEPS } from "../state/groups.js";
import { keptWords } from "../state/knowledge.js";
import { isShown, shownRun } from "../state/lookups.js";
import { LinkButton } from "../ui/controls.js";
import { MOST_MARKS } from "./drawing/marks.js";

export function GroupKeys() {
  const groups = useGroups();
  const { store } = useSession();
  const only = useProject((state) => state.only);
  return (
    <span className="keys">
      {groups.groups.map((group) => (
        <button
          key={group.slot}
          type="button"
          className="group-button"
          aria-pressed={only === group.slot}
          title="Show only this group"
          onClick={() => store.set({ only: only === group.slot ? null : group.slot })}
        >
          {groups.kind === "steps" ? (
            <span className="mark-key">
              <Mark slot={0} ramp={group.slot / (STEPS - 1)} />
              {group.name} <span className="meta">{formatCount(group.size)}</span>
            </span>
          ) : (
            <GroupKey group={group} />
          )}
        </button>
      ))}
    </span>
  );
}

export function Legend() {
  const { store } = useSession();
  const { rows, run, marks, constraints } = useProject((state) => ({
    rows: state.project.rows,
    run: isShown(state) ? shownRun(state) : null,
    marks: state.marks,
    constraints: state.knowledge.constraints,
  }));
  const broken = run?.broken ?? null;
  return (
    <div className="bar foot">
      <GroupKeys />
      <span className="grow" />
      {rows > MOST_MARKS && (
        <LinkButton aria-pressed={marks} onClick={() => store.set({ marks: !marks })}>
          {marks ? "Show hexagons" : "Show all points"}
        </LinkButton>
      )}
      <TableButton />
      <span>{counted(rows, "point")}</span>
      {run && broken !== null && run.given > 0 && (
        <span className={broken > 0 ? "bad" : "good"}>{keptWords(run, constraints)}</span>
      )}
    </div>
  );
}
