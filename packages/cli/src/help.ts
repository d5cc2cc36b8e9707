/** Help texts, laid out from a command's own data. */
import type { Command } from "./command.js";
import { GLOBAL_FLAGS } from "./command.js";
import type { Flag } from "./flags.js";

export function commandHelp(command: Command, more: readonly Flag[], columns: number): string {
  const parts = [
    `${command.summary}\n`,
    `Usage\n${command.usage.map((line) => `  coterie ${line}`).join("\n")}\n`,
    ...(more.length > 0 ? [`Options of the ${command.moreOf ?? "method"}\n${flagTable(more, columns)}\n`] : []),
    `Options\n${flagTable([...command.flags, ...GLOBAL_FLAGS], columns)}\n`,
    ...(command.notes ?? []).map(
      (note) =>
        `${note
          .split("\n")
          .flatMap((line) => entry(line, columns) ?? wrap(line, columns, ""))
          .join("\n")}\n`,
    ),
    `Examples\n${command.examples.map(({ text, command: line }) => `  # ${text}\n  ${line}`).join("\n\n")}\n`,
  ];
  return parts.join("\n");
}

function flagTable(flags: readonly Flag[], columns: number): string {
  const heads = flags.map((flag) => `${flag.short ? `-${flag.short}, ` : ""}--${flag.name}${flag.value ? ` ${flag.value}` : ""}`);
  const width = Math.min(28, Math.max(...heads.map((head) => head.length)));
  return flags
    .map((flag, i) => {
      const room = Math.max(40, columns) - width - 4;
      const lines = wrap(`${flag.description}${choicesOf(flag, room)}`, room, "");
      const head = heads[i]!;
      const first = head.length > width ? `  ${head}\n${" ".repeat(width + 4)}` : `  ${head.padEnd(width + 2)}`;
      return first + lines.join(`\n${" ".repeat(width + 4)}`);
    })
    .join("\n");
}

/** Set close where they fit into a line, else with room to break between them. */
function choicesOf({ choices = [] }: Flag, room: number): string {
  if (choices.length === 0) return "";
  const close = choices.join("|");
  return ` [${close.length + 2 <= room ? close : choices.join(" | ")}]`;
}

/** A line of a list, "  name  words": the words are kept in their column. Undefined for any other line. */
function entry(line: string, columns: number): string[] | undefined {
  const [, head, words] = /^( {2}\S+ +)(.*)$/.exec(line) ?? [];
  if (head === undefined) return undefined;
  return wrap(words!, Math.max(40, columns - head.length), "").map(
    (piece, i) => (i === 0 ? head : " ".repeat(head.length)) + piece,
  );
}

/** Lines of at most `columns` characters, broken between words. */
export function wrap(text: string, columns: number, indent: string): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(" ")) {
    if (line.trim() !== "" && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = indent;
    }
    line += (line === indent ? "" : " ") + word;
  }
  return [...lines, line];
}
