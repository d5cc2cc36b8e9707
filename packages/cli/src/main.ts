/** The entry point of the command line: finds the command, runs it, and turns errors into exit codes and sentences. */
import { CoterieError } from "@coterie/core/errors";
import { type Command, GLOBAL_FLAGS, type Io } from "./command.js";

import { commandNames, findCommand, findTopic, nearestCommand, nearestTopic } from "./commands/index.js";
import { checkShared, isUsage, parseFlags, sentenceOf, UsageError } from "./flags.js";
import { commandHelp, hanging } from "./help.js";
import { nodeIo } from "./terminal.js";
import { wrap } from "./text/width.js";
import { VERSION } from "./version.js";

const EXIT = { done: 0, bug: 1, usage: 2, input: 3, unsatisfied: 4, interrupted: 130 } as const;

export async function main(args: readonly string[]): Promise<void> {
  const { io, finish } = nodeIo();
  process.exitCode = await exitCodeOf(args, io);
  await finish();
}

export async function exitCodeOf(args: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(args, io);
  } catch (error) {
    return explain(error, args, io);
  }
}

async function dispatch(args: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = args;
  if (name === "help" && !ASKS_FOR_HELP.includes(rest[0] ?? "help")) return await help(rest[0]!, rest.slice(1), io);
  if (name === undefined || ASKS_FOR_HELP.includes(name)) {
    await io.print(overview(io.columns));
    return name === undefined ? EXIT.usage : EXIT.done;
  }
  if (name === "--version" || name === "-V") {
    await io.out(`${VERSION}\n`);
    return EXIT.done;
  }
  const command = await findCommand(name);
  if (!command) {
    const near = nearestCommand(name);
    throw new UsageError(`There is no command "${name}".${near ? ` Did you mean "${near}"?` : ""}`);
  }
  return await runCommand(command, rest, io);
}

const ASKS_FOR_HELP: readonly string[] = ["help", "--help", "-h"];

async function help(topic: string, more: readonly string[], io: Io): Promise<number> {
  const found = await findTopic(topic);
  if (!found) {
    const near = await nearestTopic(topic);
    const known = `Commands are ${commandNames()
      .map(({ name }) => name)
      .join(", ")}.`;
    throw new UsageError(`There is no command, method or strategy "${topic}". ${near ? `Did you mean "${near}"?` : known}`);
  }
  return await runCommand(found.command, [...found.args, ...more, "--help"], io);
}

async function runCommand(command: Command, args: readonly string[], io: Io): Promise<number> {
  const known = [...command.flags, ...GLOBAL_FLAGS];
  const rough = parseFlags(args, known, true);
  const more = command.moreFlags ? await command.moreFlags(rough) : [];
  const flags = [...command.flags, ...more];
  if (args.includes("--help") || args.includes("-h")) {
    await io.print(
      commandHelp(
        command,
        more.filter((flag) => !GLOBAL_FLAGS.some(({ name }) => name === flag.name)),
        io.columns,
      ),
    );
    return EXIT.done;
  }
  const parsed = parseFlags(args, [...flags, ...GLOBAL_FLAGS], false, (name) => command.elsewhere?.(name, rough));
  if (parsed.values.version) {
    await io.out(`${VERSION}\n`);
    return EXIT.done;
  }
  checkShared(parsed.values);
  return await command.run(parsed, io);
}

function overview(columns: number): string[] {
  return [
    "coterie: clusters the rows of a table, with constraints from what you know about them.",
    "",
    "Usage",
    "  coterie COMMAND [options]",
    "",
    "Commands",
    ...commandNames().flatMap(({ name, summary }) => hanging(`  ${name.padEnd(13)}`, wrap(summary, columns - 15))),
    "",
    "Options",
    "  -h, --help   show this help, or the help of a command",
    "  --version    show the version",
    "",
    ...wrap(
      "`coterie help TOPIC` shows the help of a command, of a method such as ccl, or of a strategy of `ask` such as npu.",
      columns,
    ),
    "",
    "Examples",
    "  # three clusters of a sample set, as an HTML page",
    "  coterie cluster iris-fisher -k 3 --truth class --html iris.html",
    "",
    "  # the help of a command",
    "  coterie cluster --help",
  ];
}

function explain(error: unknown, args: readonly string[], io: Io): number {
  const code = tell(error, args, io);
  if (code !== EXIT.interrupted && io.written.length > 0) io.say(left(io));
  return code;
}

function left({ written }: Io): string {
  if (written.length === 0) return "nothing was written.";
  return `${written.join(", ")} ${written.length === 1 ? "was" : "were"} written before and ${written.length === 1 ? "is" : "are"} complete.`;
}

function tell(error: unknown, args: readonly string[], io: Io): number {
  if (io.signal.aborted || (error instanceof Error && error.name === "AbortError")) {
    io.say(`Interrupted: ${left(io)}`);
    return EXIT.interrupted;
  }
  if (isUsage(error)) {
    const command = commandNames().some(({ name }) => name === args[0]) ? `coterie ${args[0]} --help` : "coterie --help";
    const sentence = error instanceof CoterieError ? sentenceOf(error) : (error as Error).message;
    io.say(`coterie: ${sentence} See \`${command}\`.`);
    return EXIT.usage;
  }
  if (error instanceof CoterieError) {
    const code = exitOf(error);
    io.say(`coterie: ${error.message}${code === EXIT.unsatisfied ? DIAGNOSE : ""}`);
    return code;
  }
  io.say(`coterie: this is a bug in Coterie, please report it: ${String(error)}`, ...framesOf(error));
  return EXIT.bug;
}

const DIAGNOSE = " `coterie diagnose`, with the same table and constraints, says what to drop.";

/** The lines of a stack trace that start with "at". Leaves out the message before them, which can span several lines. */
function framesOf(error: unknown): string[] {
  const stack = (error instanceof Error && error.stack) || "";
  return stack.split("\n").filter((line) => /^\s+at /.test(line));
}

function exitOf({ problem }: CoterieError): number {
  switch (problem.code) {
    case "bad-option":
      return EXIT.usage;
    case "bad-input":
    case "k-too-large":
      return EXIT.input;
    case "contradiction":
    case "infeasible":
    case "inconsistent":
    case "gave-up":
      return EXIT.unsatisfied;
  }
}
