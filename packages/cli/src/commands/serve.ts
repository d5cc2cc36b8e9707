/** `coterie serve --stdio`: requests of other programs over standard input and output. */
import type { Command, Io } from "../command.js";
import { flagList, type Parsed, UsageError } from "../flags.js";
import { serveStdio } from "../stdio/serve.js";

export const serveCommand: Command = {
  name: "serve",
  summary: "Answers requests of another program, such as the Python package, over standard input and output.",
  usage: ["serve --stdio"],
  flags: flagList({ "--stdio": "read requests from standard input and write replies to standard output" }),
  notes: [
    "Each message is a frame: the length of a JSON text, the text, and the bytes of arrays. docs/stdio.md describes the frames and all requests. Standard output has frames only; messages for people go to standard error.",
    "The command ends when its standard input ends.",
  ],
  examples: { "start a server; another program writes its requests": "coterie serve --stdio" },
  run: serve,
};

async function serve({ values, positionals }: Parsed, io: Io): Promise<number> {
  if (positionals.length > 0)
    throw new UsageError(`serve takes no table: what is "${positionals[0]}"? Requests bring their tables.`);
  if (!values.stdio) throw new UsageError("Say how to talk: coterie serve --stdio.");
  const write = process.stdout.write.bind(process.stdout);
  // Whatever a library prints goes to standard error, because standard output has frames only.
  process.stdout.write = process.stderr.write.bind(process.stderr);
  const { stdin } = process;
  const end = () => stdin.destroy();
  io.signal.addEventListener("abort", end);
  const onBug = (error: unknown) => io.say(`coterie: this is a bug in Coterie, please report it: ${String(error)}`);
  try {
    const whole = await serveStdio({ input: untilClosed(stdin), write: written(write, end), signal: io.signal, onBug });
    return whole ? 0 : 3;
  } finally {
    process.stdout.write = write;
  }
}

/** The bytes of a stream, until it ends or is destroyed. */
async function* untilClosed(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* stream;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}

/** Writes to the pipe. If nobody reads it any more, `end` ends the loop. */
function written(write: typeof process.stdout.write, end: () => void): (bytes: Uint8Array) => Promise<void> {
  return (bytes) =>
    new Promise((done) => {
      write(bytes, (error) => {
        if (error) end();
        done();
      });
    });
}
