/**
 * The log of a dialogue: one JSON record a line, only ever appended to. A start record says what the questions are about; then
 * come answers in ids, undos, each of which takes the answer before it back, and new budgets. A later start record opens a new stretch, where the
 * data or the way of asking has changed: the answers before it stay true, as knowledge from before.
 *
 *     {"record":"start","format":1,"version":"0.1.0","data":"iris.csv","sha256":"…","rows":150,"strategy":"active-ccl",…}
 *     {"record":"answer","number":1,"kind":"pair","ask":["ann","bob"],"answer":"same"}
 *     {"record":"undo","number":1}
 *     {"record":"budget","budget":80}
 */
import { badInput, z } from "@coterie/core";

const id = z.union([z.string(), z.number()]);

const startSchema = z.object({
  record: z.literal("start"),
  format: z.literal(1),
  version: z.string(),
  /** The data file as it was named, the SHA-256 of its bytes, and how many rows were asked about. */
  data: z.string(),
  sha256: z.string(),
  rows: z.int().min(1),
  /** The columns that are features. */
  features: z.array(z.string()),
  strategy: z.string(),
  /** The strategy's own options. */
  options: z.record(z.string(), z.unknown()),
  k: z.int().min(1).nullable(),
  budget: z.int().min(0),
  seed: z.int(),
  /** How the table was read: the options of that name. */
  reading: z.record(z.string(), z.unknown()),
  /** What was known before: the files, and a SHA-256 of what they say about these rows. */
  constraints: z.array(z.string()),
  known: z.string(),
  /** The file of distances, if there is one, and its SHA-256. */
  distances: z.object({ file: z.string(), sha256: z.string() }).optional(),
});

const pairSchema = z.object({
  record: z.literal("answer"),
  number: z.int().min(1),
  kind: z.literal("pair"),
  ask: z.tuple([id, id]),
  answer: z.enum(["same", "different", "unsure"]),
});

const tripletSchema = z.object({
  record: z.literal("answer"),
  number: z.int().min(1),
  kind: z.literal("triplet"),
  ask: z.tuple([id, id, id]),
  /** Which of the three is the odd one out. */
  answer: z.enum(["a", "b", "c", "unsure"]),
});

const undoSchema = z.object({ record: z.literal("undo"), number: z.int().min(1) });

/** From here on this many answers are wanted at most. */
const budgetSchema = z.object({ record: z.literal("budget"), budget: z.int().min(0) });

const recordSchema = z.union([startSchema, pairSchema, tripletSchema, undoSchema, budgetSchema]);

export type StartRecord = z.infer<typeof startSchema>;
export type AnswerRecord = z.infer<typeof pairSchema> | z.infer<typeof tripletSchema>;
export type UndoRecord = z.infer<typeof undoSchema>;
export type BudgetRecord = z.infer<typeof budgetSchema>;
export type LogRecord = StartRecord | AnswerRecord | UndoRecord | BudgetRecord;

/** What was asked under one start record: the answers that were not taken back. */
export interface Stretch {
  readonly start: StartRecord;
  readonly answers: readonly AnswerRecord[];
}

export interface ParsedLog {
  readonly stretches: readonly Stretch[];
  /** Bytes of the whole lines: what comes after them was being written when the program was killed. */
  readonly whole: number;
  /** Whether the last of these lines has lost its line end. */
  readonly open: boolean;
}

/** A record as its line in the log. */
export function recordLine(record: LogRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** Reads a log. Only a last line without its end may be broken: it was never acknowledged, and is left out. */
export function parseLog(bytes: Uint8Array, file: string): ParsedLog {
  const ended = bytes.lastIndexOf(10) + 1;
  const lines = ended === 0 ? [] : textOf(bytes.subarray(0, ended), file).split("\n").slice(0, -1);
  const records = lines.map((line, i) => recordAt(line, file, i + 1));
  const rest = bytes.subarray(ended);
  const last = rest.length === 0 ? undefined : maybeRecord(new TextDecoder().decode(rest));
  if (last) records.push(last);
  return { stretches: stretchesOf(records, file), whole: last ? bytes.length : ended, open: last !== undefined };
}

function textOf(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw badInput("The log of answers is not UTF-8 text.", { file, remedy: BROKEN });
  }
}

const BROKEN = "Mend the line by hand, or begin another log with --answers.";

function maybeRecord(line: string): LogRecord | undefined {
  try {
    const parsed = recordSchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

function recordAt(line: string, file: string, number: number): LogRecord {
  const record = maybeRecord(line);
  if (record) return record;
  const shown = line.length > 80 ? `${line.slice(0, 77)}…` : line;
  throw badInput(`This is no record of a log of answers: ${JSON.stringify(shown)}.`, { file, line: number, remedy: BROKEN });
}

function stretchesOf(records: readonly LogRecord[], file: string): Stretch[] {
  const stretches: { start: StartRecord; answers: AnswerRecord[] }[] = [];
  records.forEach((record, i) => {
    const place = { file, line: i + 1, remedy: BROKEN };
    const stretch = stretches.at(-1);
    if (record.record === "start") stretches.push({ start: record, answers: [] });
    else if (!stretch) throw badInput("The log begins without a start record.", place);
    else if (record.record === "budget") stretch.start = { ...stretch.start, budget: record.budget };
    else if (record.record === "undo") {
      if (!stretch.answers.pop()) throw badInput("There is no answer that this could take back.", place);
    } else stretch.answers.push(record);
  });
  return stretches;
}

/** The answers as statements in ids; "don't know" says nothing. */
export function statementsOf(answers: readonly AnswerRecord[]) {
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
