/** Answers from known classes. */
import { type QuestionAnswer, randomFrom, trueAnswer } from "@coterie/core/internal";
import { type Asking, everyTurn } from "@coterie/workbench";
import type { Io } from "../command.js";
import { pause } from "../host.js";
import type { Inputs } from "../inputs.js";
import type { Progress } from "../progress.js";
import type { AskRequest } from "./request.js";
import type { Ending } from "./talk.js";

/** Somebody who knows the classes answers; with an error rate, somebody who is wrong so often. */
export async function simulate(
  asking: Asking,
  { errorRate, seed }: AskRequest,
  { instances }: Inputs,
  io: Io,
  progress: Progress,
): Promise<Ending> {
  const truth = instances.truth!.codes;
  const rate = errorRate === "learn" ? 0 : errorRate;
  const about = errorRate === 0 ? {} : { evidence: true as const };
  const due = everyTurn();
  for (let question = asking.next(); question; question = asking.next()) {
    if (io.signal.aborted) return "interrupted";
    const right = trueAnswer(question, truth);
    const isWrong = rate > 0 && randomFrom(seed).split("wrong answers", asking.answered).unit() < rate;
    await asking.answer(isWrong ? opposite(right) : right, about);
    progress.show({ phase: "answers", done: asking.answered, total: null });
    if (due()) await pause();
  }
  progress.clear();
  return "nothing left";
}

function opposite(answer: QuestionAnswer): QuestionAnswer {
  if (answer === "same") return "different";
  return answer === "different" ? "same" : answer;
}
