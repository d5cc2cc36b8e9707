/** Answers that are evidence and are not believed, as the report, the log and the terminal tell of them. */
import type { Asking } from "@coterie/workbench";
import { answerText } from "./change-line.js";
import type { AskRequest } from "./request.js";

export interface OverruledAnswer {
  readonly number: number;
  readonly statement: string;
  readonly why: string;
}

/** Answers that are evidence and are not believed, by their numbers. */
export function overruledOf({ session, answers }: Asking): OverruledAnswer[] {
  return (session.overruled?.() ?? []).flatMap(({ place, why }) => {
    const record = answers[place];
    return record ? [{ number: record.number, statement: answerText(record), why }] : [];
  });
}

/** What the report says of answers that were weighed. */
export function weighed({ errorRate }: AskRequest, { session }: Asking, overruled: readonly OverruledAnswer[]) {
  return errorRate === 0 ? {} : { errorRate: session.errorRate ?? 0, overruled };
}

const MOST_OVERRULED = 10;

export function overruledLines(overruled: readonly OverruledAnswer[], { session }: Asking): string[] {
  if (session.errorRate === undefined) return [];
  const rate = `${Math.round(1000 * session.errorRate) / 10}%`;
  if (overruled.length === 0) return [`No answer is overruled; ${rate} are taken to be wrong.`];
  const more = overruled.length - MOST_OVERRULED;
  return [
    `Overruled: ${overruled.length} ${overruled.length === 1 ? "answer" : "answers"}; ${rate} are taken to be wrong.`,
    ...overruled.slice(0, MOST_OVERRULED).map(({ number, statement, why }) => `  ${number}  ${statement}: ${why}`),
    ...(more > 0 ? [`  and ${more} more, in the report and the log`] : []),
  ];
}
