/** Reads from the command line of `ask` which programs answer instead of a person, and their time limits and retries. */
import { badOption } from "@coterie/core/internal";
import { type Flag, flagList, numberOf, UsageError, type Values } from "../../flags.js";

export interface AnsweringPlan {
  readonly commands: readonly string[];
  /** Time limit for an answer in milliseconds. After this time, the question is sent again. */
  readonly timeoutMs: number;
  readonly retries: number;
  /** Number of answers to collect for each question. If there are several commands, they take turns. */
  readonly votes: number;
}

const TIMEOUT_S = 60;
const RETRIES = 2;

export const ANSWERING_FLAGS: readonly Flag[] = flagList({
  "--answer-with COMMAND…":
    "program that answers the questions: started once through the shell, it receives a JSON line per question and writes a JSON line per answer; can be repeated for several programs",
  "--timeout S": `with --answer-with: seconds to wait for an answer (default: ${TIMEOUT_S})`,
  "--retries N": `with --answer-with: number of times that a question without an answer is asked again (default: ${RETRIES})`,
  "--votes N": "with --answer-with: number of answers to each question; the majority counts (default: one per command)",
});

const MOST_VOTES = 99;
const MOST_MS = 2 ** 31 - 1;

/** Null if no program answers: a person answers, or with `--simulate` the known classes. */
export function answeringPlan(values: Values): AnsweringPlan | null {
  const commands = commandsOf(values);
  const timeout = numberOf(values, "timeout", { least: 0 }) ?? TIMEOUT_S;
  const retries = numberOf(values, "retries", { integer: true, least: 0 }) ?? RETRIES;
  const votes = numberOf(values, "votes", { integer: true, least: 1 });
  if (timeout === 0) throw badOption("--timeout", "0", "more than 0 seconds");
  if (commands.length === 0) {
    const stray = ["timeout", "retries", "votes"].find((name) => values[name] !== undefined);
    if (stray) throw new UsageError(`--${stray} goes with --answer-with COMMAND.`);
    return null;
  }
  if (values.simulate)
    throw new UsageError("--simulate takes answers from known classes, --answer-with from a command: use only one of them.");
  if (commands.some((command) => command.trim() === "")) throw new UsageError("--answer-with needs a command.");
  if (votes !== undefined && votes < commands.length)
    throw new UsageError(`--votes ${votes} leaves some of the ${commands.length} commands unasked.`);
  if (votes !== undefined && votes > MOST_VOTES) throw badOption("--votes", votes, `at most ${MOST_VOTES}`);
  return { commands, timeoutMs: Math.min(MOST_MS, timeout * 1000), retries, votes: votes ?? commands.length };
}

/** The commands of `--answer-with`. They are not split at commas, because a command can contain a comma. */
function commandsOf(values: Values): readonly string[] {
  const given = values["answer-with"];
  return given === undefined || typeof given === "boolean" ? [] : [given].flat();
}
