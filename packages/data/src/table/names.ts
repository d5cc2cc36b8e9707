/** Checks column names: they must be present and different, and there can only be a limited number of columns. */
import { badInput } from "@coterie/core/internal";
import { numberOf } from "./parse-number.js";
import { quoted } from "./sentences.js";

const MOST_COLUMNS = 100_000;

interface Place {
  readonly file: string;
  readonly line?: number;
}

export function checkNames(names: readonly string[], place: Place): void {
  checkColumnCount(names.length, place);
  const first = new Map<string, number>();
  names.forEach((name, j) => {
    if (name === "") {
      throw badInput(names.length === 1 ? "A column has no name." : `Column ${j + 1} of ${names.length} has no name.`, {
        ...place,
        remedy: "Name every column in the header row.",
      });
    }
    const earlier = first.get(name);
    if (earlier !== undefined) {
      const looksLikeData = names.every((each) => numberOf(each) !== undefined);
      throw badInput(`Columns ${earlier + 1} and ${j + 1} are both named ${quoted(name)}.`, {
        ...place,
        remedy: looksLikeData ? "The first row looks like data: add a header row." : "Give every column a different name.",
      });
    }
    first.set(name, j);
  });
}

export function checkColumnCount(count: number, place: Place): void {
  if (count <= MOST_COLUMNS) return;
  throw badInput(`The table has ${count} columns; at most ${MOST_COLUMNS} can be read.`, {
    ...place,
    remedy: "If rows and columns are exchanged, transpose the table.",
  });
}
