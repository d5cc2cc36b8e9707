/** Too few clusters: the rows that need more, as a small graph, and the least number that works. */
import type { DiagnosisReply } from "@coterie/workbench/protocol";
import { useProject, useSession } from "../page/context.js";
import { rowsOf } from "../state/lookups.js";
import type { RowId } from "../state/model.js";
import type { Session } from "../state/session.js";
import { Button } from "../ui/controls.js";
import { counted, listed } from "../ui/format.js";
import type { Diagnosis } from "./diagnosis.js";

export function NotFeasible({ reply }: { readonly reply: DiagnosisReply }) {
  const session = useSession();
  const { deeds, store } = session;
  const hasLabels = useProject(({ knowledge }) => knowledge.constraints.some(({ constraint }) => constraint.type === "label"));
  const k = reply.k!;
  const core = (reply.diagnosis as Diagnosis).proof?.core ?? [];
  const least = reply.leastK;
  return (
    <div className="alert core-alert" role="group" aria-label="Not feasible">
      <div>
        <div className="bad strong">{counted(k, "cluster")} cannot hold these rows</div>
        <p>{coreWords(core, k)}</p>
        <div className="row wrap">
          {least !== null && (
            <Button look="small-button" onClick={() => void deeds.change({ k: least })}>
              Use {counted(least, "cluster")}
            </Button>
          )}
          {hasLabels && (
            <Button look="small-button" onClick={() => store.set({ filter: "label" })}>
              Review labels
            </Button>
          )}
          <Button look="ghost small-button" onClick={() => lightCore(session, core)}>
            Show core
          </Button>
        </div>
      </div>
      {core.length > 0 && core.length <= 8 && <CoreGraph core={core} />}
    </div>
  );
}

function coreWords(core: readonly (readonly RowId[])[], k: number): string {
  if (core.length === 0) return `No way of placing them in ${counted(k, "cluster")} was found.`;
  const names = core.slice(0, 5).map((group) => String(group[0]));
  const more = core.length > 5 ? [...names, `${core.length - 5} more`] : names;
  return `${listed(more)} are kept apart so that ${counted(k, "cluster")} are too few.`;
}

function lightCore({ deeds, store }: Session, core: readonly (readonly RowId[])[]): void {
  const groups = core.map((group) => rowsOf(store.get(), group));
  const heads = groups.flatMap(([head]) => (head === undefined ? [] : [head]));
  const links = heads.flatMap((a, i) => heads.slice(i + 1).map((b) => ({ a, b, kind: "cannot" as const })));
  deeds.light({ title: "Rows that need more clusters", rows: groups.flat(), links: links.slice(0, 200) });
}

/** The core of a number of clusters that is ruled out. */
export async function showCore(session: Session, k: number): Promise<void> {
  try {
    const reply = await session.client.call("diagnosis", { project: session.id, k });
    lightCore(session, (reply.diagnosis as Diagnosis).proof?.core ?? []);
  } catch (error) {
    session.deeds.fail(error);
  }
}

function CoreGraph({ core }: { readonly core: readonly (readonly RowId[])[] }) {
  const at = core.map((_, i) => {
    const angle = (i / core.length) * 2 * Math.PI - Math.PI / 2;
    return [66 + 44 * Math.cos(angle), 48 + 36 * Math.sin(angle)] as const;
  });
  const lines = at.flatMap(([x1, y1], i) => at.slice(i + 1).map(([x2, y2]) => `M${x1} ${y1}L${x2} ${y2}`));
  return (
    <svg width="132" height="96" viewBox="0 0 132 96" role="img" aria-label={`${core.length} groups, kept apart from each other`}>
      <path className="link cannot near" d={lines.join("")} />
      {core.map((group, i) => {
        const text = String(group[0]).slice(0, 6);
        const width = 14 + text.length * 6.4;
        const [x, y] = at[i]!;
        return (
          <g key={text}>
            <rect x={x - width / 2} y={y - 10} width={width} height="20" rx="3" className="core-box" />
            <text className="chain-row" x={x} y={y + 4}>
              {text}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
