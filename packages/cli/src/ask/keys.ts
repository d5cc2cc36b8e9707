/** Translates keys and typed lines of the question dialogue into actions. */
import { badInput, type Question, type QuestionAnswer } from "@coterie/core/internal";
import { ODD_KEYS, ODD_WORD, QUESTION_KEYS, type QuestionKey } from "@coterie/workbench";

export type Action = QuestionAnswer | "undo" | "stop" | "help" | "interrupt" | "clusters" | "revise" | Revision;

export interface Revision {
  readonly number: number;
  readonly answer: QuestionAnswer;
}

/** Keys that exist only in the terminal, in addition to the keys of every question. */
const TERMINAL_KEYS = {
  revise: { key: "r", word: "revise", does: "changes an earlier answer" },
  clusters: { key: "l", word: "clusters", does: "lists the clusters so far, and how many more questions are worth asking" },
} as const satisfies Readonly<Record<string, QuestionKey>>;

const ODD = {
  key: ODD_KEYS.join(" "),
  word: ODD_WORD,
  does: "this row is least like the other two (keys 1, 2 and 3 choose rows too)",
};
const { same, different, unsure, undo, help, stop } = QUESTION_KEYS;

export function keysOf(kind: Question["kind"]): readonly QuestionKey[] {
  return [...(kind === "pair" ? [same, different] : [ODD]), unsure, undo, help, stop];
}

export function helpLines(): string[] {
  const keys = [same, different, ODD, unsure, undo, ...Object.values(TERMINAL_KEYS), help, stop];
  return keys.map(({ key, word, does }) => `${key.padEnd(5)}  ${word}: ${does}`);
}

type Words = Readonly<Record<string, Action>>;

function wordsOf(keys: Readonly<Record<string, QuestionKey>>): Words {
  return Object.fromEntries(
    Object.entries(keys).flatMap(([action, { key, word }]) => [
      [key, action as Action],
      [word, action as Action],
    ]),
  );
}

const UNSURE: Words = { unsure: "unsure", "dont know": "unsure" };
const SHARED: Words = { ...wordsOf({ unsure, undo, help, stop }), ...wordsOf(TERMINAL_KEYS), ...UNSURE };
const PLACES: Words = { a: "a", b: "b", c: "c", 1: "a", 2: "b", 3: "c" };
const PAIR: Words = {
  ...SHARED,
  ...wordsOf({ same, different }),
  y: "same",
  yes: "same",
  "must-link": "same",
  n: "different",
  no: "different",
  "cannot-link": "different",
};
const TRIPLET: Words = { ...SHARED, ...PLACES };
const ANSWERS = { ...wordsOf({ same, different, unsure }), ...UNSURE, ...PLACES } as Readonly<Record<string, QuestionAnswer>>;

/** Parses a request to revise an answer: "3 different" or "revise 3 different" changes answer 3. Undefined for other texts. */
export function revisionOf(text: string): Revision | undefined {
  const [, number, word] = /^(?:revise\s+)?(\d{1,9})\s+(\w+)$/i.exec(text.trim()) ?? [];
  const key = word?.toLowerCase() ?? "";
  return number !== undefined && Object.hasOwn(ANSWERS, key) ? { number: Number(number), answer: ANSWERS[key]! } : undefined;
}

/** Control characters of the terminal: Ctrl C, Ctrl D, Ctrl Z, and the two characters that Backspace can send. */
const CONTROL: Words = { "\u0003": "interrupt", "\u0004": "stop", "\u001a": "undo", "\u007f": "undo", "\b": "undo" };

/** Splits keyboard input into keys. Arrow keys and some other keys send several characters, which stay together. */
export function keysIn(text: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is how a terminal sends such keys.
  return text.match(/\u001b(?:\[[0-9;]*[ -/]*[@-~]|O.|.)?|./gsu) ?? [];
}

const NAMED: Readonly<Record<string, string>> = {
  "\r": "Enter",
  "\n": "Enter",
  "\t": "Tab",
  " ": "The space bar",
  "\u001b": "Esc",
};

export function wrongKey(key: string): string {
  const name = NAMED[key] ?? (key.length > 2 || !/^[^\p{C}\p{Z}]+$/u.test(key) ? "That key" : `"${key}"`);
  return `${name} is none of these keys.`;
}

export function actionOfKey(key: string, { kind }: Question): Action | undefined {
  const word = key.toLowerCase();
  const words = wordsFor(kind);
  return CONTROL[key] ?? (word.length === 1 && Object.hasOwn(words, word) ? words[word] : undefined);
}

function wordsFor(kind: Question["kind"]): Words {
  return kind === "pair" ? PAIR : TRIPLET;
}

/** Translates a line from a file or a pipe into an action. An unknown line is an error, because no person is there to correct it. */
export function actionOfLine(text: string, line: number, { kind }: Question): Action {
  const words = wordsFor(kind);
  const revision = /^\s*revise\b/i.test(text) ? revisionOf(text) : undefined;
  if (revision) return revision;
  // Accept "don't know" with a hyphen or a curly apostrophe too.
  const plain = text.trim().toLowerCase();
  const word = Object.hasOwn(words, plain) ? plain : plain.replace("’", "'").replace("-", " ");
  if (Object.hasOwn(words, word) && words[word] !== "revise") return words[word]!;
  throw badInput(`"${text.trim()}" is no answer.`, {
    file: "standard input",
    line,
    remedy: `Write ${kind === "pair" ? "same, different" : "a, b, c (the odd one)"}, unsure, undo, revise N ANSWER, clusters, ? (help) or stop. The answers before it are kept.`,
  });
}
