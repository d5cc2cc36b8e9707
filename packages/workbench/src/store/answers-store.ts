/**
 * Makes a store with one project from a log of answers.
 * - Answers of the last stretch are answers to the project's questions.
 * - Answers of earlier stretches were given under other settings. They are known constraints.
 *
 * A new answer, an undo or a revision is first written to the log. Then it becomes an entry of the project.
 */
import type { AnswerRecord, LogRecord, StartRecord, Stretch } from "@coterie/data/browser";
import { entryOf, recordOf } from "../log/answer-records.js";
import { overruledBy } from "../log/overruled.js";
import { answerIn } from "../protocol/answers.js";
import type { Constraint, NewEntry } from "../protocol/knowledge.js";
import { createMemoryStore } from "./memory-store.js";
import type { Store, StoredProject } from "./store.js";

export type Continuation =
  | { readonly kind: "begin" }
  /** Nothing has changed: the same questions about the same data follow, so the session is restored. */
  | { readonly kind: "continue" }
  /** Something has changed; `changed` says what. Earlier answers become known constraints, and a new stretch begins. */
  | { readonly kind: "anew"; readonly changed: readonly string[] };

/** Fields of a start record that decide which questions are asked. Each has a name for messages. */
const DECIDING: readonly (readonly [keyof StartRecord, string])[] = [
  ["sha256", "the data"],
  ["rows", "the number of rows"],
  ["features", "the columns"],
  ["distances", "the distances"],
  ["strategy", "the strategy"],
  ["options", "the strategy's options"],
  ["k", "k"],
  ["seed", "the seed"],
  ["reading", "how the table is read"],
  ["known", "the constraints"],
  ["errorRate", "the error rate"],
];

export function continuationOf(stretches: readonly Stretch[], wanted: StartRecord): Continuation {
  const last = stretches.at(-1);
  if (!last) return { kind: "begin" };
  const changed = DECIDING.filter(([part]) => !isSame(last.start[part], wanted[part])).map(([, words]) => words);
  return changed.length === 0 ? { kind: "continue" } : { kind: "anew", changed };
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export interface AnswersLog {
  append(record: LogRecord): void;
}

interface AskedAnswers extends Pick<Stretch, "answers"> {
  readonly start: Pick<StartRecord, "strategy" | "errorRate">;
}

/** The answers of a log: of its earlier stretches, and of its last stretch. */
export interface LoggedAnswers {
  readonly earlier: readonly AskedAnswers[];
  readonly last: AskedAnswers;
}

export interface AnswersStore {
  readonly store: Store;
  /** All answers that were not undone, in order. begun: the index of the first answer of the last stretch. */
  readonly answers: readonly AnswerRecord[];
  readonly begun: number;
  entryAt(number: number): string | undefined;
  stretches(): AskedAnswers[];
}

/** Makes the store. by: the author of all answers in the log. If `log` is null, new answers are not saved. */
export async function createAnswersStore(
  project: StoredProject,
  { earlier, last }: LoggedAnswers,
  log: AnswersLog | null,
  by: string,
): Promise<AnswersStore> {
  const answers = [...earlier, last].flatMap((stretch) => [...stretch.answers]);
  const begun = answers.length - last.answers.length;
  const ids = answers.map(({ number }) => `logged-${number}`);
  const memory = createMemoryStore();
  await memory.addProject(project);
  await memory.append(project.id, loggedEntries({ earlier, last }, ids, by), project.created);

  const keep = (record: LogRecord) => log?.append(record);
  const take = (entry: NewEntry): NewEntry => {
    const { id, change, from } = entry;
    if (ids.includes(id)) return entry;
    if (change.type === "add" && from.kind === "asked") {
      const number = answers.length + 1;
      const record = recordOf({ constraint: change.constraint, from, by: from.program }, number)!;
      keep(record);
      answers.push(record);
      ids.push(id);
      return { ...entry, from: { ...from, number } };
    }
    const place = "entry" in change ? ids.indexOf(change.entry) : -1;
    const old = answers[place];
    if (old && change.type === "undo" && place === answers.length - 1 && place >= begun) {
      keep({ record: "undo", number: old.number });
      answers.pop();
      ids.pop();
      return entry;
    }
    if (old && change.type === "revise") {
      const { number, kind, ask } = old;
      const answer = answerIn(change.constraint, kind, ask)!;
      keep({ record: "revise", number, answer });
      answers[place] = { record: "answer", number, kind, ask, answer } as AnswerRecord;
      return entry;
    }
    throw new Error(`A log of answers cannot keep the change "${change.type}".`);
  };
  return {
    answers,
    begun,
    entryAt: (number) => ids[number - 1],
    stretches() {
      const rest = [...answers];
      const before = earlier.map(({ start, answers: { length } }) => ({ start, answers: rest.splice(0, length) }));
      return [...before, { start: last.start, answers: rest }];
    },
    store: { ...memory, append: async (id, entries, at) => await memory.append(id, entries.map(take), at) },
  };
}

/**
 * Turns the answers of a log into entries. In earlier stretches, answers that other answers outweigh are dropped. They can still be
 * revised.
 */
function loggedEntries({ earlier, last }: LoggedAnswers, ids: readonly string[], by: string): NewEntry[] {
  const read = ({ start, answers }: AskedAnswers) => answers.map((answer) => ({ answer, ...entryOf(answer, start) }));
  const known = earlier.flatMap(read);
  const added = (id: string, from: NewEntry["from"], constraint: Constraint): NewEntry => {
    return { id, by, from, change: { type: "add", constraint } };
  };
  return [
    ...known.map(({ constraint }, place) => added(ids[place]!, { kind: "file", file: "earlier answers" }, constraint)),
    ...overruledBy(known.map(({ constraint, from }) => ({ ...from, constraint }))).map((place): NewEntry => {
      const change = { type: "drop", entry: ids[place]! } as const;
      return { id: `${ids[place]}-drop`, by, from: { kind: "file", file: "earlier answers" }, change };
    }),
    ...read(last).map(({ constraint, from, answer: { by: program } }, place) =>
      added(ids[known.length + place]!, { ...from, ...(program ? { program } : {}) }, constraint),
    ),
  ];
}
