/** What people press or write, as what they mean. */
import { badInput, type Question, type QuestionAnswer } from "@coterie/core/internal";

export type Action = QuestionAnswer | "undo" | "stop" | "interrupt" | "clusters" | "revise" | Revision;

/** Another answer in the place of the one of this number. */
export interface Revision {
  readonly number: number;
  readonly answer: QuestionAnswer;
}

const ANSWERS: Readonly<Record<string, QuestionAnswer>> = {
  s: "same",
  same: "same",
  d: "different",
  different: "different",
  u: "unsure",
  unsure: "unsure",
  1: "a",
  2: "b",
  3: "c",
  a: "a",
  b: "b",
  c: "c",
};

/** "3 different", with or without "revise" before it; undefined if it is none. */
export function revisionOf(text: string): Revision | undefined {
  const [, number, word] = /^(?:revise\s+)?(\d{1,9})\s+(\w+)$/i.exec(text.trim()) ?? [];
  const key = word?.toLowerCase() ?? "";
  return number !== undefined && Object.hasOwn(ANSWERS, key) ? { number: Number(number), answer: ANSWERS[key]! } : undefined;
}

const SHARED: Readonly<Record<string, Action>> = {
  "?": "clusters",
  clusters: "clusters",
  u: "unsure",
  unsure: "unsure",
  "don't know": "unsure",
  "dont know": "unsure",
  r: "revise",
  z: "undo",
  undo: "undo",
  q: "stop",
  stop: "stop",
};

const PAIR: Readonly<Record<string, Action>> = {
  ...SHARED,
  s: "same",
  y: "same",
  yes: "same",
  same: "same",
  "must-link": "same",
  d: "different",
  n: "different",
  no: "different",
  different: "different",
  "cannot-link": "different",
};

const TRIPLET: Readonly<Record<string, Action>> = { ...SHARED, 1: "a", 2: "b", 3: "c", a: "a", b: "b", c: "c" };

const CONTROL: Readonly<Record<string, Action>> = { "\u0003": "interrupt", "\u0004": "stop", "\u007f": "undo", "\b": "undo" };

/** The keys in what a keyboard sent; arrows and the like send several signs. */
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

/** What to say of a key that means nothing to a question. */
export function wrongKey(key: string): string {
  const name = NAMED[key] ?? (key.length > 2 || !/^[^\p{C}\p{Z}]+$/u.test(key) ? "That key" : `"${key}"`);
  return `${name} is none of these keys.`;
}

/** What a key means to this question; undefined if nothing. */
export function actionOfKey(key: string, { kind }: Question): Action | undefined {
  const word = key.toLowerCase();
  return CONTROL[key] ?? (word.length === 1 ? wordsFor(kind)[word] : undefined);
}

function wordsFor(kind: Question["kind"]): Readonly<Record<string, Action>> {
  return kind === "pair" ? PAIR : TRIPLET;
}

/** What a line of a file or pipe means; anything else stops the dialogue, since nobody is there to ask again. */
export function actionOfLine(text: string, line: number, { kind }: Question): Action {
  const words = wordsFor(kind);
  const revision = /^\s*revise\b/i.test(text) ? revisionOf(text) : undefined;
  if (revision) return revision;
  // A hyphen or a curly apostrophe in "don't know" is no other answer.
  const plain = text.trim().toLowerCase();
  const word = Object.hasOwn(words, plain) ? plain : plain.replace("’", "'").replace("-", " ");
  if (Object.hasOwn(words, word) && words[word] !== "revise") return words[word]!;
  throw badInput(`"${text.trim()}" is no answer.`, {
    file: "standard input",
    line,
    remedy: `Write ${kind === "pair" ? "same, different" : "1, 2, 3 (the odd one)"}, unsure, undo, revise N ANSWER, ? (the clusters so far) or stop. The answers before it are kept.`,
  });
}
