/**
 * The log of a dialogue: one JSON record per line, append-only. A start record describes the data and the settings. Answers follow it; they
 * name rows by id. An undo record removes the last answer. If the data or the settings change, a new start record begins a new stretch. The
 * answers of earlier stretches stay valid as constraints.
 *
 *     {"record":"start","format":1,"version":"0.1.0","data":"iris.csv","sha256":"…","rows":150,"strategy":"active-ccl",…}
 *     {"record":"answer","number":1,"kind":"pair","ask":["ann","bob"],"answer":"same"}
 *     {"record":"answer","number":2,"kind":"pair","ask":["ann","eve"],"answer":"different","by":"command: ./model","confidence":0.8,"why":"…"}
 *     {"record":"undo","number":2}
 *     {"record":"budget","budget":80}
 */
import { badInput, z } from "@coterie/core/internal";

const id = z.union([z.string(), z.number()]);

const startSchema = z.object({
  record: z.literal("start"),
  format: z.literal(1),
  version: z.string(),
  /** data: the data file as the user named it. sha256: the SHA-256 of its bytes. rows: its number of rows. */
  data: z.string(),
  sha256: z.string(),
  rows: z.int().min(1),
  features: z.array(z.string()),
  strategy: z.string(),
  options: z.record(z.string(), z.unknown()),
  k: z.int().min(1).nullable(),
  budget: z.int().min(0),
  seed: z.int(),
  /** How the table was read: the values of the reading options, by option name. */
  reading: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  /** constraints: names of the given constraint files. known: SHA-256 of the given constraints, to recognise changes. */
  constraints: z.array(z.string()),
  known: z.string(),
  /** The expected share of wrong answers, or "learn" to estimate it from the answers; absent if all answers are certain. */
  errorRate: z.union([z.number().min(0).lt(0.5), z.literal("learn")]).optional(),
  /** The file with the distance matrix, if one was given, and the SHA-256 of the file. */
  distances: z.object({ file: z.string(), sha256: z.string() }).optional(),
});

/** Who gave an answer, with which confidence, and why. If `by` is absent, a person answered. */
const provenance = {
  by: z.string().optional(),
  confidence: z.number().min(0).max(1).optional(),
  why: z.string().optional(),
  votes: z.record(z.string(), z.int().min(1)).optional(),
  remembered: z.literal(true).optional(),
  /** Present if the answer can be wrong: it counts as evidence, and other answers can outweigh it. */
  evidence: z.literal(true).optional(),
  /** The answer as it was given. Present if the dialogue could not accept it. The recorded answer is then "unsure". */
  said: z.string().optional(),
};

const pairSchema = z.object({
  record: z.literal("answer"),
  number: z.int().min(1),
  kind: z.literal("pair"),
  ask: z.tuple([id, id]),
  answer: z.enum(["same", "different", "unsure"]),
  ...provenance,
});

const tripletSchema = z.object({
  record: z.literal("answer"),
  number: z.int().min(1),
  kind: z.literal("triplet"),
  ask: z.tuple([id, id, id]),
  answer: z.enum(["a", "b", "c", "unsure"]),
  ...provenance,
});

const undoSchema = z.object({ record: z.literal("undo"), number: z.int().min(1) });

const budgetSchema = z.object({ record: z.literal("budget"), budget: z.int().min(0) });

/** A record that replaces the answer to an earlier question. The answers after it stay valid. */
const reviseSchema = z.object({
  record: z.literal("revise"),
  number: z.int().min(1),
  answer: z.enum(["same", "different", "a", "b", "c", "unsure"]),
});

const overruledSchema = z.object({ record: z.literal("overruled"), number: z.int().min(1), why: z.string() });

/** The schema of each kind of record. The key is the value of `record`. For answers, the value of `kind` follows it: "answer pair". */
const schemas: ReadonlyMap<string, z.ZodType<LogRecord>> = new Map<string, z.ZodType<LogRecord>>([
  ["start", startSchema],
  ["answer pair", pairSchema],
  ["answer triplet", tripletSchema],
  ["undo", undoSchema],
  ["budget", budgetSchema],
  ["overruled", overruledSchema],
  ["revise", reviseSchema],
]);

export type StartRecord = z.infer<typeof startSchema>;
export type AnswerRecord = z.infer<typeof pairSchema> | z.infer<typeof tripletSchema>;
export type Provenance = Partial<Pick<AnswerRecord, keyof typeof provenance>>;
export type UndoRecord = z.infer<typeof undoSchema>;
export type BudgetRecord = z.infer<typeof budgetSchema>;
export type ReviseRecord = z.infer<typeof reviseSchema>;
export type LogRecord = StartRecord | AnswerRecord | UndoRecord | BudgetRecord | z.infer<typeof overruledSchema> | ReviseRecord;

/** A start record and the answers after it, up to the next start record. Undone answers are left out. */
export interface Stretch {
  readonly start: StartRecord;
  readonly answers: readonly AnswerRecord[];
}

export interface ParsedLog {
  readonly stretches: readonly Stretch[];
  /** For each stretch, the number of the line with its start record, from 1. */
  readonly starts: readonly number[];
  /** Number of bytes in complete lines. Bytes after them belong to a last line that was not written completely. */
  readonly whole: number;
  /** True if the last line is a complete record without a line end. A writer must then add the line end first. */
  readonly open: boolean;
}

export function recordLine(record: LogRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** Reads a log. Only the last line can be incomplete: it was never confirmed, and is left out. */
export function parseLog(bytes: Uint8Array, file: string): ParsedLog {
  const ended = bytes.lastIndexOf(10) + 1;
  const lines = ended === 0 ? [] : textOf(bytes.subarray(0, ended), file).split("\n").slice(0, -1);
  const records = lines.map((line, i) => recordAt(line, file, i + 1));
  const rest = new TextDecoder().decode(bytes.subarray(ended));
  const last = readRecord(rest).record;
  if (last) records.push(last);
  else if (!isTorn(rest)) recordAt(rest, file, lines.length + 1);
  return {
    stretches: stretchesOf(records, file),
    starts: records.flatMap(({ record }, i) => (record === "start" ? [i + 1] : [])),
    whole: last ? bytes.length : ended,
    open: last !== null,
  };
}

/** Whether the text can be the beginning of a record. If so, it is an unfinished last line and is removed. Otherwise it is an error. */
function isTorn(rest: string): boolean {
  const opening = '{"record":"';
  return rest.startsWith(opening) || opening.startsWith(rest);
}

function textOf(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const line = bytes.subarray(0, firstBroken(bytes)).reduce((count, byte) => count + (byte === 10 ? 1 : 0), 1);
    throw badInput("The log of answers is not UTF-8 text.", { file, line, remedy: BROKEN });
  }
}

function firstBroken(bytes: Uint8Array): number {
  for (let from = 0; ; ) {
    const end = bytes.indexOf(10, from) + 1;
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(from, end));
    } catch {
      return from;
    }
    from = end;
  }
}

const BROKEN = "Correct the line by hand, or start another log with --answers.";

function readRecord(
  line: string,
): { readonly record: LogRecord; readonly wrong?: undefined } | { readonly record: null; readonly wrong: string } {
  let value: { record?: unknown; kind?: unknown } | null;
  try {
    value = JSON.parse(line);
  } catch {
    value = null;
  }
  const kind = value?.record === "answer" ? `answer ${value.kind}` : String(value?.record);
  const schema = schemas.get(kind);
  if (!schema) return { record: null, wrong: "This is not a record of a log of answers" };
  const parsed = schema.safeParse(value);
  if (parsed.success) return { record: parsed.data };
  const { path, message } = parsed.error.issues[0]!;
  return { record: null, wrong: `The field "${path.join(".")}" of this record does not fit (${message})` };
}

function recordAt(line: string, file: string, number: number): LogRecord {
  const { record, wrong } = readRecord(line);
  if (record) return record;
  const shown = line.length > 80 ? `${line.slice(0, 77)}…` : line;
  throw badInput(`${wrong}: ${JSON.stringify(shown)}.`, { file, line: number, remedy: BROKEN });
}

interface OpenStretch {
  start: StartRecord;
  readonly answers: AnswerRecord[];
  /** For each question (`questionKey`), the number of its answer. It finds questions that were answered twice. */
  readonly asked: Map<string, number>;
}

/**
 * Splits records into stretches, one for each start record. Answers are numbered over all stretches; after an undo, the next answer gets
 * the number of the answer that was undone.
 */
function stretchesOf(records: readonly LogRecord[], file: string): Stretch[] {
  const stretches: OpenStretch[] = [];
  let kept = 0;
  records.forEach((record, i) => {
    const wrong = (message: string) => badInput(message, { file, line: i + 1, remedy: BROKEN });
    const stretch = stretches.at(-1);
    if (record.record === "start") stretches.push({ start: record, answers: [], asked: new Map() });
    else if (!stretch) throw wrong("The log begins without a start record.");
    else if (record.record === "budget") stretch.start = { ...stretch.start, budget: record.budget };
    else if (record.record === "overruled") return;
    else if (record.record === "revise") {
      const problem = revise(record, stretches);
      if (problem) throw wrong(problem);
    } else if (record.record === "undo") {
      const problem = takeBack(record, stretch);
      if (problem) throw wrong(problem);
      kept--;
    } else {
      const problem = wrongNumber(record, kept) ?? take(record, stretch);
      if (problem) throw wrong(problem);
      kept++;
    }
  });
  return stretches.map(({ start, answers }) => ({ start, answers }));
}

/** Replaces the answer with this number, in any stretch, and drops its confidence and reasons. Returns the fault, or null. */
function revise({ number, answer }: ReviseRecord, stretches: readonly OpenStretch[]): string | null {
  for (const { answers } of stretches) {
    const place = answers.findIndex((each) => each.number === number);
    if (place < 0) continue;
    const { kind, ask } = answers[place]!;
    const revised = schemas.get(`answer ${kind}`)!.safeParse({ record: "answer", number, kind, ask, answer });
    if (!revised.success) return `"${answer}" is not an answer to the question of answer ${number}.`;
    answers[place] = revised.data as AnswerRecord;
    return null;
  }
  return `There is no answer ${number} to revise.`;
}

function takeBack({ number }: UndoRecord, { answers, asked }: OpenStretch): string | null {
  const undone = answers.pop();
  if (!undone) return "There is no answer to undo.";
  if (undone.number !== number) return `This undoes answer ${number}, but the last answer is answer ${undone.number}.`;
  asked.delete(questionKey(undone.ask));
  return null;
}

function wrongNumber({ number }: AnswerRecord, kept: number): string | null {
  if (number <= kept) return `Answer ${number} is already in the log: its line is repeated, or its number is wrong.`;
  if (number === kept + 1) return null;
  const missing = number === kept + 2 ? `answer ${kept + 1} is` : `answers ${kept + 1} to ${number - 1} are`;
  return `This is answer ${number}, and ${missing} missing.`;
}

/** Adds an answer to a stretch. Returns the fault, or null. The same question can occur twice only if its answers can be wrong. */
function take(answer: AnswerRecord, { start, answers, asked }: OpenStretch): string | null {
  const { ask, number } = answer;
  if (new Set(ask).size < ask.length) return "This question is about a row and itself.";
  const key = questionKey(ask);
  const before = asked.get(key);
  if (before !== undefined && !answer.evidence && start.errorRate === undefined)
    return `Answer ${before} has already answered this question.`;
  asked.set(key, number);
  answers.push(answer);
  return null;
}

function questionKey(ask: AnswerRecord["ask"]): string {
  return ask
    .map((id) => JSON.stringify(id))
    .sort()
    .join();
}

export function constraintListsOf(answers: readonly AnswerRecord[]) {
  const pairs = (kind: "same" | "different") =>
    answers.flatMap((record) => (record.kind === "pair" && record.answer === kind ? [record.ask] : []));
  const relative = answers.flatMap(({ ask: [a, b, c], answer }) => {
    if (c === undefined) return [];
    if (answer === "a") return [[b, c, a] as const];
    if (answer === "b") return [[a, c, b] as const];
    return answer === "c" ? [[a, b, c] as const] : [];
  });
  return { mustLink: pairs("same"), cannotLink: pairs("different"), relative };
}
