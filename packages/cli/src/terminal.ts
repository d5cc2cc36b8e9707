/** Node's terminal as the commands see it: ordered output, a closed pipe survived, Ctrl-C as a signal. */
import type { Io } from "./command.js";

export interface NodeIo {
  readonly io: Io;
  /** Waits until all output has left. */
  finish(): Promise<void>;
}

export function nodeIo(): NodeIo {
  const controller = new AbortController();
  let interrupts = 0;
  const interrupt = () => {
    if (++interrupts > 1) process.exit(130);
    controller.abort();
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  let closed = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    closed = true;
  });
  const terminal = process.stderr.isTTY === true;
  const io: Io = {
    signal: controller.signal,
    env: process.env,
    terminal,
    columns: process.stderr.columns ?? process.stdout.columns ?? 100,
    colours: terminal && !process.env.NO_COLOR && process.env.TERM !== "dumb",
    err: (text) => void process.stderr.write(text),
    out: (text) =>
      new Promise((resolve) => {
        if (closed) resolve();
        else process.stdout.write(text, () => resolve());
      }),
  };
  const finish = async () => {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  };
  return { io, finish };
}

/** The command as it was typed, for the foot of a page. */
export function commandLine(): string {
  return ["coterie", ...process.argv.slice(2)]
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}
