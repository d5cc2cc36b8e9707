/** Which method suits: each is tried on answers that it is not told, when somebody asks for it. */
import { formatCount, formatFixed } from "@coterie/figures/layout";
import { type AdviceReply, type Info, type Standing, tallyOf } from "@coterie/workbench/protocol";
import { useProject, useSession } from "../page/context.js";
import { Button, LinkButton, Meter } from "../ui/controls.js";

type Method = Info["methods"][number];
type Advised = NonNullable<AdviceReply["advised"]>;

/** Answers of each kind from which on some can be held out; labels are answers of both kinds. */
const ENOUGH = 8;

/** The advice, where it knows all that is said by now and is about this number of clusters. */
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
      {advice?.state === "done" && "Too few answers can be held out to try methods on. "}
      {advice?.state === "cancelled" && "Nothing was kept. "}
      <LinkButton
        title="Each method runs three times without a third of your answers, and is judged by that third"
        onClick={() => void actions.advise(k)}
      >
        Try methods on held-out answers
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
        Stop trying
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

/** Agreement with held-out answers, the best first; a click takes a method. */
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
            title={`Over ${formatCount(held)} answers that methods were not told: 1 keeps all, 0 as many as by chance`}
          >
            Held-out
          </th>
          <th scope="col" className="num" title="Answers that it was told and broke">
            Broke
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ algorithm: name, score: value, error, told, broken, failure }) => (
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
                  {formatCount(broken)} <span className="quiet">of {formatCount(told)}</span>
                </td>
              </>
            ) : (
              <td className="num quiet cut" colSpan={2} title={failure}>
                gave no answer
              </td>
            )}
          </tr>
        ))}
        {leftOut.map(({ algorithm: name, seconds }) => (
          <tr key={name}>
            <td>{titleOf(name)}</td>
            <td className="num quiet cut" colSpan={2} title={`A run may take about ${Math.ceil(seconds / 60)} min`}>
              left out: too slow here
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
