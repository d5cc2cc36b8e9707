/** What the metric learned: how much a gap in each column counts. */
import type { RunReply, Understanding } from "@coterie/workbench/protocol";
import { type Groups, letterOf } from "../state/groups.js";

import { fixed } from "../ui/format.js";

type Weight = NonNullable<Understanding["weights"]>[number];

interface WeightsProps {
  readonly weights: readonly Weight[];
  readonly run: RunReply;
  readonly groups: Groups;
}

const MOST = 24;
const WIDTH = 180;

export function Weights({ weights, run, groups }: WeightsProps) {
  const slotOf = new Map(groups.groups.map(({ cluster, slot }) => [cluster, slot]));
  const sorted = [...weights].sort((a, b) => (a.cluster ?? -1) - (b.cluster ?? -1) || b.weight - a.weight);
  const far = Math.max(0.1, ...weights.map(({ weight }) => Math.abs(weight - 1)));
  const middle = 62;
  const room = Math.min(middle, WIDTH - middle);
  return (
    <section className="section" aria-label="What the metric learned">
      <div className="section-head">
        <h2 className="grow">What the metric learned</h2>
        <span className="note">
          Run {run.number}, {run.title}
        </span>
      </div>
      <div className="weights">
        {sorted.slice(0, MOST).map(({ column, cluster, weight }) => {
          const length = (Math.abs(weight - 1) / far) * room;
          return (
            <div key={`${cluster} ${column}`} className="weight">
              <span className="cut" title={column}>
                {cluster === null ? "" : `${letterOf(slotOf.get(cluster) ?? cluster)}: `}
                {column}
              </span>
              <svg width={WIDTH} height="14" aria-hidden="true">
                <path d={`M${middle} 0v14`} stroke="var(--line-2)" />
                <rect x={weight >= 1 ? middle : middle - length} y="4" width={length} height="6" rx="1" fill="var(--ink-2)" />
              </svg>
              <span className="num">{fixed(weight, 2)}</span>
            </div>
          );
        })}
        {sorted.length > MOST && <p className="quiet small">and {sorted.length - MOST} more</p>}
        <p className="quiet small">1 is the plain distance. Over 1, a gap in this column counts more.</p>
      </div>
    </section>
  );
}
