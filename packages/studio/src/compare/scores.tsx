/** How both runs score: your knowledge, the truth where it is known, the shape; with their spread over seeds. */
import type { Comparison, RunReply } from "@coterie/workbench/protocol";
import { Fragment } from "react";
import { tell, useSession, useStudio } from "../page/context.js";
import { LinkButton } from "../ui/controls.js";
import { change, fixed, score } from "../ui/format.js";
import { isHigherBetter } from "./matching.js";

interface ScoresProps {
  readonly before: RunReply;
  readonly after: RunReply;
  readonly comparison: Comparison;
}

type Row = Comparison["rows"][number];

export function Scores({ before, after, comparison }: ScoresProps) {
  const groups = [...new Set(comparison.rows.map(({ group }) => group))];
  const hasSpread = comparison.rows.some(({ spreadBefore, spreadAfter }) => spreadBefore !== null || spreadAfter !== null);
  return (
    <div className="scroll scores">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">
              Scores{" "}
              {hasSpread ? (
                <span className="quiet">mean ± deviation over seeds below</span>
              ) : (
                <SpreadButton before={before} after={after} />
              )}
            </th>
            <th scope="col" className="num">
              Run {before.number}
            </th>
            <th scope="col" className="num">
              Run {after.number}
            </th>
            <th scope="col" className="num">
              Change
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <Fragment key={group}>
              <tr className="group">
                <th colSpan={4} scope="colgroup">
                  {group}
                </th>
              </tr>
              {comparison.rows
                .filter((row) => row.group === group)
                .map((row) => (
                  <ScoreRow key={row.title} row={row} />
                ))}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SpreadButton({ before, after }: Pick<ScoresProps, "before" | "after">) {
  const { client, id, deeds } = useSession();
  const { app } = useStudio();
  const start = async () => {
    try {
      for (const { number } of [before, after]) await client.call("spread", { project: id, run: number, seeds: 10 });
      tell(app, "Both runs go again with 10 seeds each");
    } catch (error) {
      deeds.fail(error);
    }
  };
  return (
    <>
      <span className="quiet">(one seed)</span> <LinkButton onClick={() => void start()}>Spread over 10 seeds</LinkButton>
    </>
  );
}

function value(row: Row, number: number | null): string {
  return isHigherBetter(row.group) === false && number !== null ? fixed(number, 0) : score(number);
}

function ScoreRow({ row }: { readonly row: Row }) {
  const better = isHigherBetter(row.group);
  const difference = row.before === null || row.after === null ? null : row.after - row.before;
  const isGood = difference !== null && better !== null && difference !== 0 ? difference > 0 === better : null;
  const tone = isGood === null ? "quiet" : isGood ? "good" : "bad";
  const [, title = row.title, of = ""] = row.title.match(/^(.*?)( of \d+)$/) ?? [];
  const spread = (range: Row["spreadBefore"]) =>
    range && (
      <span className="spread meta small">
        {score(range[0])} ± {score(range[1])}
      </span>
    );
  return (
    <tr>
      <td>
        {title}
        <span className="meta">{of}</span>
      </td>
      <td className="num">
        {value(row, row.before)}
        {spread(row.spreadBefore)}
      </td>
      <td className="num">
        <b>{value(row, row.after)}</b>
        {spread(row.spreadAfter)}
      </td>
      <td className={`num ${tone}`}>
        {difference === null ? "" : change(difference, better === false ? 0 : Math.abs(difference) >= 10 ? 1 : 3)}
      </td>
    </tr>
  );
}
