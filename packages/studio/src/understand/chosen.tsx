/** Why so many clusters: how each number of the range did. */
import type { RunResult } from "../state/model.js";
import { counted, fixed } from "../ui/format.js";

interface Chosen {
  readonly k: number;
  readonly by: string;
  readonly evidence: readonly { readonly k: number; readonly score: number }[];
}

export function ChosenNumber({ result }: { readonly result: RunResult }) {
  const chosen = result.report.chosen as Chosen | undefined;
  if (!chosen) return null;
  const most = Math.max(...chosen.evidence.map(({ score }) => score), 1e-9);
  return (
    <section className="section" aria-label="How many clusters">
      <div className="section-head">
        <h2 className="grow">{counted(chosen.k, "cluster")}, chosen</h2>
        <span className="note">by {chosen.by}</span>
      </div>
      <table className="mini chosen-numbers">
        <tbody>
          {chosen.evidence.map(({ k, score }) => (
            <tr key={k}>
              <td>{k === chosen.k ? <b>{k}</b> : k}</td>
              <td className="bar-cell">
                <i style={{ width: `${Math.max(0, (100 * score) / most)}%` }} />
              </td>
              <td className="num">{fixed(score, 3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
