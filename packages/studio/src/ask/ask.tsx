/** One question at a time: the rows on the map, what differs, four keys, and what the last answer changed. */
import { type GivenAnswer, QUESTION_KEYS } from "@coterie/workbench/protocol";
import { useCallback, useEffect, useRef, useState } from "react";
import { useApp, useProject, useSession } from "../page/context.js";
import { useKeys } from "../page/keys.js";
import { Problems } from "../page/problems.js";
import { go, viewAddress } from "../page/router.js";
import { Button, Cap } from "../ui/controls.js";
import { count, counted } from "../ui/format.js";
import { Waiting } from "../ui/waiting.js";
import { AskMap } from "./ask-map.js";
import { askNext, FIRST_PLAN, type Plan } from "./asking.js";
import { LastAnswer } from "./last-answer.js";
import { Question } from "./question.js";
import "../panels/panels.css";
import "./ask.css";

export function Ask({ query }: { readonly query: Readonly<Record<string, string>> }) {
  const session = useSession();
  const me = useApp((state) => state.me);
  const ask = useProject((state) => state.ask);
  const about = /^\d+$/.test(query.about ?? "") ? Number(query.about) : null;
  const [plan, setPlan] = useState<Plan>(() => ({ ...FIRST_PLAN, about, budget: Math.max(FIRST_PLAN.budget, ask?.budget ?? 0) }));
  const [busy, setBusy] = useState(false);
  const [stopped, setStopped] = useState(false);
  const undone = useProject(({ knowledge }) => knowledge.upTo);
  const reading = useProject(({ project }) => JSON.stringify(project.reading));
  const shown = useProject(({ colouring }) => (colouring.by === "run" ? colouring.run : null));
  const load = useCallback(() => askNext(session, me, plan), [session, me, plan]);
  const working = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what others said may have answered the question, another reading has other rows, and the question names clusters of the run on the map
  useEffect(() => {
    if (!working.current) void load();
  }, [load, undone, reading, shown]);
  const answer = async (given: GivenAnswer) => {
    if (working.current || !ask?.question) return;
    working.current = true;
    setBusy(true);
    await session.deeds.answer(ask.question, ask.strategy, given);
    working.current = false;
    setBusy(false);
  };
  useKeys({ [QUESTION_KEYS.stop.key]: () => setStopped(true) });
  return (
    <div className="ask">
      <AskMap plan={plan} onPlan={setPlan} />
      <aside className="ask-card" aria-label="Question">
        <Budget onStop={() => setStopped(true)} stopped={stopped} />
        <Problems />
        {ask?.question && !stopped ? (
          <Question
            key={ask.question.question}
            question={ask.question}
            busy={busy}
            onAnswer={(given) => void answer(given)}
            onUndo={() => void session.deeds.undo()}
          />
        ) : (
          <Finished stopped={stopped} onMore={(budget) => setPlan({ ...plan, budget })} onGoOn={() => setStopped(false)} />
        )}
        <LastAnswer />
      </aside>
    </div>
  );
}

const MARKS = { same: "same", different: "different", unsure: "unsure", odd: "same" } as const;

/** One box a question: filled same, hollow different, grey don't know, blue now. */
function Budget({ onStop, stopped }: { readonly onStop: () => void; readonly stopped: boolean }) {
  const ask = useProject((state) => state.ask);
  if (!ask) return <div className="bar ask-bar" />;
  const { budget, answered, history, question, worth } = ask;
  const shown = Math.min(budget, 60);
  const first = Math.max(0, Math.min(answered - shown + 5, budget - shown));
  return (
    <div className="bar ask-bar">
      <b>Question {question ? answered + 1 : Math.max(1, answered)}</b>
      <span className="quiet">of {Math.max(budget, answered)}</span>
      <span className="budget" role="img" aria-label={`${answered} of ${budget} questions answered`}>
        {Array.from({ length: shown }, (_, i) => first + i).map((i) => (
          <i key={i} className={i < history.length ? MARKS[history[i]!] : i === answered && question ? "now" : ""} />
        ))}
      </span>
      {worth !== null && (worth > 0 || !question) && (
        <span className="meta" title={worthReason(worth)}>
          {worthWords(worth, budget - answered)}
          <span className="heard">. {worthReason(worth)}</span>
        </span>
      )}
      <Button look="ghost small-button" aria-keyshortcuts={QUESTION_KEYS.stop.key} disabled={stopped} onClick={onStop}>
        Stop here{" "}
        <span aria-hidden="true">
          <Cap>{QUESTION_KEYS.stop.key.toUpperCase()}</Cap>
        </span>
      </Button>
    </div>
  );
}

/** How many of the questions that are left are worth asking: never more than are left. */
export function worthWords(worth: number, left: number): string {
  if (worth === 0) return "nothing more to ask";
  if (worth < left) return `about ${counted(worth, "more question")} worth asking`;
  return left === 1 ? "the last one is worth asking" : `all ${count(left)} are worth asking`;
}

/** Where the estimate comes from. */
export function worthReason(worth: number): string {
  const rows = worth === 1 ? "1 row is a close call" : `${count(worth)} rows are close calls`;
  return `${rows}: nearly as near to another cluster as to their own, and nobody spoke about them. Counted again after each answer`;
}

interface FinishedProps {
  readonly stopped: boolean;
  readonly onMore: (budget: number) => void;
  readonly onGoOn: () => void;
}

function keptWords(answers: number): string {
  if (answers === 0) return "There are no answers yet.";
  return answers === 1 ? "1 answer is kept. A run uses it." : `${counted(answers, "answer")} are kept. A run uses them.`;
}

function Finished({ stopped, onMore, onGoOn }: FinishedProps) {
  const { id } = useSession();
  const ask = useProject((state) => state.ask);
  if (!ask) return <Waiting className="ask-question">Looking for the question that settles most</Waiting>;
  const isSpent = ask.answered >= ask.budget;
  return (
    <div className="ask-question" role="status">
      <h1 className="question-title">
        {stopped ? "Stopped here" : isSpent ? `${counted(ask.answered, "question")} answered` : "Nothing more to ask"}
      </h1>
      <p className="lead">{stopped ? keptWords(ask.answered) : ask.why}</p>
      <div className="row ask-next">
        <Button look="solid tall" onClick={() => go(viewAddress(id, "map"))}>
          Back to the map
        </Button>
        {stopped && !isSpent && (
          <Button look="tall" onClick={onGoOn}>
            Go on
          </Button>
        )}
        {isSpent && (
          <Button look="tall" onClick={() => onMore(Math.max(ask.budget, ask.answered) + 20)}>
            20 more questions
          </Button>
        )}
      </div>
    </div>
  );
}
