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
          .flatMap((line) => (line.startsWith("  ") ? [line] : wrap(line, columns, "")))
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
      const choices = flag.choices ? ` [${flag.choices.join("|")}]` : "";
      const lines = wrap(`${flag.description}${choices}`, Math.max(40, columns) - width - 4, "");
      const head = heads[i]!;
      const first = head.length > width ? `  ${head}\n${" ".repeat(width + 4)}` : `  ${head.padEnd(width + 2)}`;
      return first + lines.join(`\n${" ".repeat(width + 4)}`);
    })
    .join("\n");
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
