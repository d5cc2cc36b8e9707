/** What the last answer changed, and what was answered before. */
import { useApp, useProject } from "../page/context.js";
import { Glyph, Mark } from "../page/marks.js";
import { letterOf } from "../state/groups.js";
import { originOf, sentenceOf } from "../state/knowledge.js";
import { Power } from "../ui/controls.js";
import { count, power } from "../ui/format.js";
import { Icon } from "../ui/icons.js";
import { Scroll } from "../ui/scroll.js";
import { waysOf } from "./asking.js";

export function LastAnswer() {
  return (
    <div className="last-answer">
      <Scroll label="Your last answer" className="last-changes">
        <div aria-live="polite">
          <Changes />
        </div>
      </Scroll>
      <AnsweredList />
    </div>
  );
}

function Changes() {
  const answered = useProject((state) => state.answered);
  if (!answered) return <p className="quiet">What your answer changes will stand here.</p>;
  const { entry, moved, clusterings, broken, implied } = answered;
  const words = entry.change.type === "add" ? sentenceOf(entry.change.constraint) : "";
  const ways = waysOf(moved);
  return (
    <>
      <h2 className="small-title">Your last answer, {words}</h2>
      <table className="mini">
        <tbody>
          {implied > 0 && (
            <tr>
              <td className="quiet">Pairs that follow</td>
              <td className="num">{count(implied)}</td>
            </tr>
          )}
          {clusterings.after !== null && (
            <tr>
              <td className="quiet">Clusterings still possible</td>
              <td className="num">
                {clusterings.before !== null && clusterings.before !== clusterings.after && (
                  <span className="mark-key">
                    <span>
                      <Power parts={power(clusterings.before)} />
                    </span>
                    <Icon name="arrow" />
                  </span>
                )}{" "}
                <b>
                  <Power parts={power(clusterings.after)} />
                </b>
              </td>
            </tr>
          )}
          <tr>
            <td className="quiet strong" colSpan={2}>
              In the clusters that the questions go by
            </td>
          </tr>
          <tr>
            <td className="quiet">Rows that moved</td>
            <td className="num">
              <b>{count(moved.length)}</b>
            </td>
          </tr>
          {ways.slice(0, 4).map(({ from, to, ids }) => (
            <tr key={`${from} ${to}`}>
              <td className="quiet cut">
                {ids.slice(0, 4).join(", ")}
                {ids.length > 4 ? ` and ${count(ids.length - 4)} more` : ""}
              </td>
              <td className="num">
                <Way from={from} to={to} />
              </td>
            </tr>
          ))}
          <tr>
            <td className="quiet">Answers broken</td>
            <td className="num">
              {broken.before === broken.after ? `${broken.after}, as before` : `${broken.before} → ${broken.after}`}
            </td>
          </tr>
        </tbody>
      </table>
    </>
  );
}

function Way({ from, to }: { readonly from: number; readonly to: number }) {
  return (
    <span className="mark-key">
      <Mark slot={from} />
      {letterOf(from)}
      <Icon name="arrow" />
      <span className="heard">to</span>
      <Mark slot={to} />
      {letterOf(to)}
    </span>
  );
}

function AnsweredList() {
  const { constraints, moves } = useProject((state) => ({ constraints: state.knowledge.constraints, moves: state.moves }));
  const me = useApp((state) => state.me);
  const asked = constraints.filter(({ from, by }) => from.kind === "asked" && by === me).reverse();
  return (
    <div className="answered-list">
      <h2 className="small-title">
        Answered <span className="count">{asked.length}</span>
      </h2>
      <Scroll label="Answers given">
        <ul>
          {asked.slice(0, 100).map((standing) => (
            <li key={standing.entry} className="knowledge-row">
              <Glyph type={standing.constraint.type} />
              <span className="cut">{sentenceOf(standing.constraint)}</span>
              <span className="small knowledge-origin">
                {originOf(standing, moves.get(standing.entry)).replace(/^asked(, )?/, "")}
              </span>
            </li>
          ))}
        </ul>
      </Scroll>
    </div>
  );
}
