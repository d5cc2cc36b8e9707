/** Formats the help of a command from its data. */
import { type Command, GLOBAL_FLAGS } from "./command.js";

import type { Flag } from "./flags.js";
import { wrap } from "./text/width.js";

export function commandHelp(command: Command, more: readonly Flag[], columns: number): string[] {
  const parts = [
    [command.summary],
    ["Usage", ...command.usage.flatMap((line) => usageLines(line, columns))],
    ...(more.length > 0 ? [[`Options of the ${command.moreOf ?? "method"}`, ...flagTable(more, columns)]] : []),
    ["Options", ...flagTable([...command.flags, ...GLOBAL_FLAGS], columns)],
    ...(command.notes ?? []).map((note) => note.split("\n").flatMap((line) => entry(line, columns) ?? wrap(line, columns))),
    [
      "Examples",
      ...Object.entries(command.examples).flatMap(([text, line], i) => [...(i > 0 ? [""] : []), `  # ${text}`, `  ${line}`]),
    ],
  ];
  return parts.flatMap((lines, i) => (i > 0 ? ["", ...lines] : lines));
}

function usageLines(line: string, columns: number): string[] {
  return wrap(`coterie ${line}`, Math.max(40, columns) - 6).map((piece, i) => `${i === 0 ? "  " : "      "}${piece}`);
}

function flagTable(flags: readonly Flag[], columns: number): string[] {
  const heads = flags.map((flag) => `${flag.short ? `-${flag.short}, ` : ""}--${flag.name}${flag.value ? ` ${flag.value}` : ""}`);
  const width = Math.min(28, Math.max(...heads.map((head) => head.length)));
  const room = Math.max(40, columns) - width - 4;
  return flags.flatMap((flag, i) => {
    const head = heads[i]!;
    const words = wrap(`${flag.description}${choicesOf(flag, room)}`, room);
    return head.length > width
      ? [`  ${head}`, ...hanging(" ".repeat(width + 4), words)]
      : hanging(`  ${head.padEnd(width + 2)}`, words);
  });
}

/** Puts a heading before the first line and indents the other lines to the end of the heading. */
export function hanging(head: string, lines: readonly string[]): string[] {
  return lines.map((line, i) => (i === 0 ? head : " ".repeat(head.length)) + line);
}

function choicesOf({ choices = [] }: Flag, room: number): string {
  if (choices.length === 0) return "";
  const close = choices.join("|");
  return ` [${close.length + 2 <= room ? close : choices.join(" | ")}]`;
}

/** Wraps a list entry, "  name  text", so that the text stays in its own column. Undefined if the line is not a list entry. */
function entry(line: string, columns: number): string[] | undefined {
  const [, head, words] = /^( {2}\S+ +)(.*)/.exec(line) ?? [];
  if (head === undefined) return undefined;
  return hanging(head, wrap(words!, Math.max(40, columns - head.length)));
}
