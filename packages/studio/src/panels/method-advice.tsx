/** A trial of methods: each runs without some of the answers, and is scored by the answers that were held out. */
import { formatCount, formatFixed } from "@coterie/figures/layout";
import { type AdviceReply, type Info, type Standing, tallyOf } from "@coterie/workbench/protocol";
import { useProject, useSession } from "../page/context.js";
import { Button, LinkButton, Meter } from "../ui/controls.js";

type Method = Info["methods"][number];
type Advised = NonNullable<AdviceReply["advised"]>;

/** Least number of answers of each kind for a trial; a label counts as an answer of both kinds. */
const ENOUGH = 8;

/** The advice, if it used all present answers and this number of clusters. */
export function useFreshAdvice(k: number | undefined): AdviceReply | null {
  const { advice, knowledge } = useProject(({ advice, knowledge }) => ({ advice, knowledge }));
  return advice && advice.upTo === knowledge.upTo && advice.k === k ? advice : null;
}

interface MethodAdviceProps {
  readonly methods: readonly Method[];
  readonly chosen: Method;
  readonly constraints: readonly Standing[];
  readonly k: number | undefined;
  readonly onChoose: (name: string) => void;
}

export function MethodAdvice({ methods, chosen, constraints, k, onChoose }: MethodAdviceProps) {
  const { actions } = useSession();
  const advice = useFreshAdvice(k);
  const titleOf = (name: string) => methods.find((method) => method.name === name)?.title ?? name;
  const { of } = tallyOf(constraints);
  const isEnough = of["must-link"] + of.label >= ENOUGH && of["cannot-link"] + of.label >= ENOUGH;
  if (k === undefined || (!isEnough && !advice)) return null;
  if (advice?.state === "running") return <Trying advice={advice} onStop={() => void actions.stopAdvice()} />;
  if (advice?.state === "done" && advice.advised && advice.advised.tried.length > 0)
    return <Scores advised={advice.advised} chosen={chosen.name} titleOf={titleOf} onChoose={onChoose} />;
  return (
    <p className="help">
      {advice?.state === "failed" && <span className="bad">{advice.problem} </span>}
      {advice?.state === "done" && "There are too few answers to hold some out. "}
      {advice?.state === "cancelled" && "The trial was stopped. "}
      <LinkButton
        title="Each method runs three times without a third of your answers, and is scored by that third"
        onClick={() => void actions.advise(k)}
      >
        Compare methods on held-out answers
      </LinkButton>
    </p>
  );
}

function Trying({ advice: { progress }, onStop }: { readonly advice: AdviceReply; readonly onStop: () => void }) {
  const share = progress?.total ? progress.done / progress.total : 0;
  const words = progress?.total
    ? `${progress.phase}, ${formatCount(progress.done)} of ${formatCount(progress.total)}`
    : "starting";
  return (
    <div className="pad progress">
      <span className="cut quiet" title={words}>
        {words}
      </span>
      <Button look="ghost small-button" onClick={onStop}>
        Stop
      </Button>
      <Meter share={share} active label={`Methods tried: ${Math.round(share * 100)}%`} />
    </div>
  );
}

interface ScoresProps {
  readonly advised: Advised;
  readonly chosen: string;
  readonly titleOf: (name: string) => string;
  readonly onChoose: (name: string) => void;
}

/** Agreement with held-out answers, the best method first; a click chooses a method. */
function Scores({ advised: { algorithm, tried, leftOut, held }, chosen, titleOf, onChoose }: ScoresProps) {
  const rows = [...tried].sort((a, b) => (b.score ?? -2) - (a.score ?? -2));
  return (
    <table className="tried-methods" aria-label="Methods on held-out answers">
      <thead>
        <tr>
          <th scope="col">Method</th>
          <th
            scope="col"
            className="num"
            title={`Agreement with ${formatCount(held)} held-out answers: 1 keeps all, 0 is chance level`}
          >
            Score
          </th>
          <th scope="col" className="num" title="Answers that the method used and broke">
            Broken
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ algorithm: name, score: value, error, told: used, broken, failure }) => (
          <tr key={name} className={name === chosen ? "picked" : ""}>
            <td>
              <LinkButton aria-pressed={name === chosen} onClick={() => onChoose(name)}>
                {titleOf(name)}
              </LinkButton>
              {name === algorithm && <span className="good"> recommended</span>}
            </td>
            {failure === null ? (
              <>
                <td className="num">
                  {formatFixed(value ?? 0, 2)} <span className="quiet">± {formatFixed(error ?? 0, 2)}</span>
                </td>
                <td className="num">
                  {formatCount(broken)} <span className="quiet">of {formatCount(used)}</span>
                </td>
              </>
            ) : (
              <td className="num quiet cut" colSpan={2} title={failure}>
                failed
              </td>
            )}
          </tr>
        ))}
        {leftOut.map(({ algorithm: name, seconds }) => (
          <tr key={name}>
            <td>{titleOf(name)}</td>
            <td className="num quiet cut" colSpan={2} title={`A run takes about ${Math.ceil(seconds / 60)} min`}>
              skipped: too slow
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
