/** The dialogue with programs: each question is put to them, each answer is kept with who gave it before the next question. */
import { CoterieError, type Instances, type Question } from "@coterie/core/internal";
import { type Asking, idsOf } from "@coterie/workbench";
import type { Io } from "../../command.js";
import type { Progress } from "../../progress.js";
import type { ShownColumn } from "../shown-columns.js";
import type { Ending } from "../talk.js";
import { type AnswerCache, cachePath, openCache } from "./cache.js";
import { Panel, type PanelVerdict } from "./panel.js";
import type { AnsweringPlan } from "./plan.js";

export interface Conversation {
  readonly plan: AnsweringPlan;
  readonly asking: Asking;
  readonly instances: Instances;
  readonly columns: readonly ShownColumn[];
  /** The log's path. */
  readonly path: string;
  readonly budget: number;
  readonly io: Io;
  readonly progress: Progress;
  readonly script: boolean;
  /** Answers are evidence, not law. */
  readonly evidence: boolean;
}

export async function converse(conversation: Conversation): Promise<Ending> {
  const { plan, asking, instances, columns, io, progress } = conversation;
  const cache: AnswerCache = openCache(cachePath(conversation.path), (sentence) => io.say(sentence));
  const panel = new Panel(plan, cache, instances, columns);
  let force = true;
  try {
    for (let question = asking.next(); question; question = asking.next()) {
      await tell(conversation, () => ({ record: "question", ...facts(question!, conversation) }));
      const verdict = await patiently(conversation, panel.answer(question, timesAsked(question, conversation), io.signal));
      await take(conversation, verdict);
    }
    force = false;
    return "nothing left";
  } catch (error) {
    if (io.signal.aborted) return "interrupted";
    throw error;
  } finally {
    progress.clear();
    await panel.close(force);
  }
}

function facts(question: Question, { asking, instances, budget }: Conversation) {
  const number = asking.answered + 1;
  return { number, kind: question.kind, ask: idsOf(question, instances), left: budget - number + 1 };
}

/** With `--script` questions and kept answers also go to standard output. */
async function tell({ io, script }: Conversation, record: () => object): Promise<void> {
  if (script) await io.out(`${JSON.stringify(record())}\n`);
}

/** How often these rows were asked about before, in whichever order. */
function timesAsked(question: Question, { asking, instances }: Conversation): number {
  const key = JSON.stringify(idsOf(question, instances).map(String).sort());
  return asking.answers.filter(({ ask }) => JSON.stringify(ask.map(String).sort()) === key).length;
}

/** Says now and then that somebody is being waited for. */
async function patiently<T>({ asking, budget, io, progress }: Conversation, work: Promise<T>): Promise<T> {
  const began = performance.now();
  const show = () => {
    const seconds = Math.round((performance.now() - began) / 1000);
    const phase = io.terminal && seconds > 1 ? `answers, waiting ${seconds} s` : "answers";
    progress.show({ phase, done: asking.answered, total: budget });
  };
  show();
  const timer = setInterval(show, 500);
  return await work.finally(() => clearInterval(timer));
}

/** An answer that the session cannot live with is kept as what was said, and leaves the question open. */
async function take(conversation: Conversation, { answer, remembered, ...about }: PanelVerdict): Promise<void> {
  const { asking, evidence } = conversation;
  const kept = { ...about, ...(remembered ? { remembered } : {}), ...(evidence ? { evidence: true as const } : {}) };
  let record: Awaited<ReturnType<Asking["answer"]>>;
  try {
    record = await asking.answer(answer, kept);
  } catch (error) {
    if (!(error instanceof CoterieError) || !["infeasible", "gave-up", "inconsistent"].includes(error.problem.code)) throw error;
    record = await asking.answer("unsure", { ...kept, said: answer });
  }
  await tell(conversation, () => record);
}
