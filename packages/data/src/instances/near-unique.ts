/**
 * Text columns in which nearly every row has its own text. As a feature such a column says that all rows differ: most often it
 * names them, and `--id` was forgotten. Or its texts are numbers in a notation that is not read as one.
 */
import { badInput } from "@coterie/core/internal";
import { shellFlag, shellListFlag } from "@coterie/core/shell";
import { type Notation, notationOf } from "../table/number-notation.js";
import { quoted } from "../table/sentences.js";
import type { Feature } from "./scaling.js";

/** In a table of fewer rows, different texts are no sign of a name. */
const FEWEST_ROWS = 8;
/** Different texts per row from which on nearly every row has its own. */
const NEARLY_ALL = 0.9;
/** A column of more rows than this in which no two are equal is refused: it tells no rows apart from others, and costs time. */
const MOST_NAMES = 10_000;
/** The share of the texts that must be numbers, dates or prose, so that the column is taken for such. */
const MOSTLY = 0.8;
const LONGEST_DATE = 40;
const LONGEST_NAME = 32;
const LOOKED_AT = 200;

/** What should be said before a run, in sentences. `asked` are the columns that somebody wants to be text. */
export function nearlyUnique(features: readonly Feature[], n: number, asked: ReadonlySet<string>): string[] {
  return features.flatMap(({ name, levels, filledRows, holes, isText }) => {
    if (levels === null || levels.length === 0 || isText) return [];
    const notation = asked.has(name) ? undefined : commonNotation(levels);
    if (notation !== undefined) return [unreadNumbers(name, levels, notation)];
    const present = n - filledRows.length - holes;
    const differs = present >= FEWEST_ROWS && levels.length >= NEARLY_ALL * present;
    return differs ? [`${howUnique(name, levels.length, present)}; ${whatToDo(name, levels, levels.length >= n)}.`] : [];
  });
}

function howUnique(name: string, texts: number, present: number): string {
  if (texts >= present) return `Every row has its own ${quoted(name)}`;
  return `Column ${quoted(name)} has ${texts.toLocaleString("en")} different texts in ${present.toLocaleString("en")} rows`;
}

/** A name can become the id; of anything else only equal or different is seen. */
function whatToDo(name: string, levels: readonly string[], allDiffer: boolean): string {
  const [first = ""] = levels;
  const leave = `leave it out (${shellListFlag("--ignore", name)})`;
  if (mostly(levels, isDate)) {
    return `they look like dates (${quoted(first)}), of which only equal or different is seen: write them as numbers, or ${leave}`;
  }
  const alike = `compare it as text (${shellFlag("--type", `${name}=text`)})`;
  if (mostly(levels, isProse)) return `of free text only equal or different is seen: ${alike}, or ${leave}`;
  if (allDiffer) return `if it names the rows, say ${shellFlag("--id", name)}; else ${alike}, or ${leave}`;
  return `unless equal ones mean something, ${alike}, or ${leave}`;
}

const date = /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})(?:[T ]\d.*)?$/;
const isDate = (text: string): boolean => text.length <= LONGEST_DATE && date.test(text.trim());
/** Names have few words. */
const isProse = (text: string): boolean => text.length > LONGEST_NAME && /\S\s+\S+\s+\S+\s+\S/.test(text.slice(0, LOOKED_AT));

function mostly(texts: readonly string[], is: (text: string) => boolean): boolean {
  let count = 0;
  for (const text of texts) if (is(text)) count++;
  return count >= MOSTLY * texts.length;
}

/** Throws if some column is a name of each of very many rows. */
export function refuseNames(features: readonly Feature[], n: number, file: string): void {
  const column =
    n > MOST_NAMES ? features.find(({ levels, isText }) => levels !== null && !isText && levels.length >= n) : undefined;
  if (!column) return;
  const { name } = column;
  throw badInput(
    `Every row has its own ${quoted(name)}: ${n.toLocaleString("en")} different texts, which tell no rows apart from others.`,
    {
      file,
      remedy: `If it names the rows, say ${shellFlag("--id", name)}; else leave it out (${shellListFlag("--ignore", name)}).`,
    },
  );
}

/** How nearly all of these texts are written, if they are numbers to a person. */
function commonNotation(levels: readonly string[]): Notation | undefined {
  if (!mostly(levels, (level) => notationOf(level) !== undefined)) return undefined;
  return notationOf(levels.find((level) => notationOf(level) !== undefined)!);
}

function unreadNumbers(name: string, levels: readonly string[], notation: Notation): string {
  const example = levels.find((level) => notationOf(level) === notation)!;
  return `Column ${quoted(name)} is read as text, though its texts look like numbers with ${notation} (${quoted(example)}): write them without, or say that they are names (${shellListFlag("--nominal", name)}).`;
}
