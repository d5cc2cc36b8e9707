/** The line that goes on with a dialogue. */
import { shellFile, shellFlag, shellListFlag, withoutToken } from "@coterie/core/shell";
import { type Flag, listOf, textOf, type Values } from "../flags.js";

/** Which table, and which log, as the line named them. */
interface Line {
  readonly data: string | undefined;
  readonly path: string | undefined;
  readonly values: Values;
}

/** What the log does not know: where results go, what is shown, who answers. A log from elsewhere must not say where to write or what to run. */
const NOT_IN_LOG: readonly Pick<Flag, "name" | "value" | "list">[] = [
  { name: "engine", value: "NAME" },
  { name: "connect", value: "sc://HOST:PORT" },
  { name: "table", value: "NAME" },
  { name: "memory", value: "SIZE" },
  { name: "simulate" },
  { name: "timeout", value: "S" },
  { name: "retries", value: "N" },
  { name: "votes", value: "N" },
  { name: "show", value: "A,B", list: true },
  { name: "out", value: "FILE" },
  { name: "report", value: "FILE" },
  { name: "html", value: "FILE" },
  { name: "constraints-out", value: "FILE" },
  { name: "json" },
  { name: "script" },
  { name: "strict" },
];

/** The command, ready for a shell, that does with the log what this line does. */
export function again({ data, values }: Line): string {
  const named = textOf(values, "answers");
  const matrix = textOf(values, "distances");
  const table = data !== undefined ? [shellFile(data)] : matrix === undefined ? [] : [shellFlag("--distances", matrix)];
  const truth = values.simulate ? textOf(values, "truth") : undefined;
  return [
    "coterie ask",
    ...table,
    "--resume",
    ...(named === undefined ? [] : [shellFlag("--answers", named)]),
    ...(truth === undefined ? [] : [shellFlag("--truth", truth)]),
    ...[values["answer-with"] ?? []].flat().map((command) => shellFlag("--answer-with", String(command))),
    ...NOT_IN_LOG.flatMap((flag) => asTyped(flag, values)),
  ].join(" ");
}

function asTyped({ name, value, list }: (typeof NOT_IN_LOG)[number], values: Values): string[] {
  if (value === undefined) return values[name] === true ? [`--${name}`] : [];
  if (list) return (listOf(values, name) ?? []).map((each) => shellListFlag(`--${name}`, each));
  const word = textOf(values, name);
  return word === undefined ? [] : [shellFlag(`--${name}`, name === "connect" ? withoutToken(word) : word)];
}

/** What an ending that was not wished for leaves behind. */
export function keptLines(line: Line, answered: number): string[] {
  const answers = answered === 1 ? "1 answer is" : `${answered} answers are`;
  return [`${answers} kept in ${line.path}.`, `Go on with: ${again(line)}`];
}
