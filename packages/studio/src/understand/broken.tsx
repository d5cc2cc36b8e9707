/** Answers that the run breaks, each with the reason and the remedy. */
import { tallyOf, type Understanding } from "@coterie/workbench/protocol";
import { useProject, useSession } from "../page/context.js";
import { Glyph } from "../page/marks.js";
import { allOf } from "../state/knowledge.js";
import { Button } from "../ui/controls.js";
import { count, counted } from "../ui/format.js";

interface BrokenProps {
  readonly known: Understanding;
  readonly onCut: (k: number) => void;
}

const MOST = 100;

export function Broken({ known, onCut }: BrokenProps) {
  const { deeds } = useSession();
  const constraints = useProject(({ knowledge }) => knowledge.constraints);
  const { broken } = known;
  const { checkable } = tallyOf(constraints);
  const typeOf = new Map(constraints.map(({ entry, constraint }) => [entry, constraint.type]));
  if (broken.length === 0)
    return (
      <section className="section" aria-label="Broken answers">
        <p className="help all-kept">
          <b className="good">{checkable === 0 ? "No answers to keep" : `Keeps ${allOf(checkable)}`}</b>
        </p>
      </section>
    );
  return (
    <section className="section" aria-label="Broken answers">
      <div className="section-head">
        <h2 className="bad">{counted(broken.length, "answer")} broken</h2>
        <span className="count">of {count(checkable)}</span>
      </div>
      {broken.slice(0, MOST).map(({ entry, sentence, why, cut }) => (
        <div key={`${entry} ${sentence}`} className="broken-answer bad">
          <Glyph type={typeOf.get(entry ?? "") ?? "cannot-link"} />
          <b className="broken-words">{sentence}</b>
          <span className="quiet">{why}</span>
          {cut ? (
            <Button look="small-button" onClick={() => onCut(cut.k)}>
              Move cut
            </Button>
          ) : (
            entry !== null && (
              <Button look="danger small-button" onClick={() => void deeds.drop([entry])}>
                Drop
              </Button>
            )
          )}
        </div>
      ))}
      {broken.length > MOST && <p className="help">and {count(broken.length - MOST)} more</p>}
    </section>
  );
}
