/** The terminal in Node: keeps output in order, tolerates a closed pipe, and turns Ctrl-C into an AbortSignal. */

import { fstatSync, writeSync } from "node:fs";
import { basename, isAbsolute } from "node:path";
import { badInput } from "@coterie/core/errors";
import { shellWord } from "@coterie/core/shell";
import type { Input, Io } from "./command.js";
import { CONTROL, visible, visibleData, written } from "./text/visible.js";

const OUTPUT = 1;

export interface NodeIo {
  readonly io: Io;
  finish(): Promise<void>;
}

/**
 * Functions that write to standard output (`out`) and standard error (`err`). screen: whether standard output is a screen. colours: whether
 * standard error shows colours.
 */
export interface Writers {
  readonly out: (text: string) => Promise<void>;
  readonly err: (text: string) => void;
  readonly screen: boolean;
  readonly colours: boolean;
}

/** The functions with which commands print. They make control characters in data harmless, so that data cannot imitate our lines. */
export function linesOver({ out, err, screen, colours }: Writers): Pick<Io, "out" | "print" | "say" | "sketch" | "takeBack"> {
  let sketched = false;
  return {
    out: (text) => out(screen ? visibleData(text) : text),
    print: (lines) => out(written(lines, false)),
    say(...lines) {
      err(`${sketched ? CONTROL.again : ""}${written(lines, colours)}`);
      sketched = false;
    },
    sketch(line) {
      err(`${CONTROL.again}${visible(line)}`);
      sketched = line !== "";
    },
    takeBack: (lines) => err(CONTROL.up(lines)),
  };
}

export function nodeIo(): NodeIo {
  const controller = new AbortController();
  let interrupts = 0;
  const interrupt = () => {
    if (++interrupts > 1) process.exit(130);
    controller.abort();
  };
  const listen = () => {
    process.on("SIGINT", interrupt);
    process.on("SIGTERM", interrupt);
  };
  const leave = () => {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  };
  listen();
  const terminal = process.stderr.isTTY === true;
  const colours = terminal && !process.env.NO_COLOR && process.env.TERM !== "dumb";
  const writers: Writers = {
    out: standardOutput(),
    err: standardError(),
    screen: process.stdout.isTTY === true,
    colours,
  };
  const io: Io = {
    ...linesOver(writers),
    signal: controller.signal,
    written: [],
    env: process.env,
    terminal,
    // Read the size each time, because the window can change while a command runs.
    get columns() {
      return process.stderr.columns ?? process.stdout.columns ?? 100;
    },
    colours,
    get lines() {
      return process.stderr.rows ?? 24;
    },
    input: standardInput(),
  };
  const finish = async () => leave();
  return { io, finish };
}

/**
 * The command that the user typed, for the end of an HTML page. People send such pages to others, so absolute paths are reduced to their
 * last part.
 */
export function commandLine(words: readonly string[] = process.argv.slice(2)): string {
  return ["coterie", ...words.map(withoutFolder)].map(shellWord).join(" ");
}

/** Removes these flags and their values from the words of a command line. */
export function withoutFlags(words: readonly string[], flags: readonly string[]): string[] {
  return words.filter((word, i) => !flags.some((flag) => word === flag || word.startsWith(`${flag}=`) || words[i - 1] === flag));
}

/** Removes the folders from `/home/ann/sales.csv` and `--html=/home/ann/page.html`. Relative paths stay unchanged. */
function withoutFolder(word: string): string {
  const [, flag = "", value = ""] = /^(--[\w-]+=)?(.*)$/s.exec(word)!;
  return flag + (isAbsolute(value) || value.startsWith("~/") ? basename(value) : value);
}

/** Opens standard input. A keyboard sends each key immediately and without echo, and Ctrl-C as an ordinary key. */
function standardInput(): Input {
  const { stdin } = process;
  const keyboard = stdin.isTTY === true;
  return {
    keyboard,
    open() {
      let typed = "";
      let ended = false;
      let wake = () => {};
      const onData = (text: string) => {
        typed += text;
        wake();
      };
      const onEnd = () => {
        ended = true;
        wake();
      };
      stdin.setEncoding("utf8");
      if (keyboard) stdin.setRawMode(true);
      stdin.on("data", onData).on("end", onEnd).on("error", onEnd);
      return {
        async read(signal) {
          while (typed === "" && !ended) {
            signal.throwIfAborted();
            await new Promise<void>((resolve) => {
              wake = () => {
                signal.removeEventListener("abort", wake);
                resolve();
              };
              signal.addEventListener("abort", wake);
            });
          }
          signal.throwIfAborted();
          const text = typed;
          typed = "";
          return text === "" ? null : text;
        },
        forget() {
          typed = "";
        },
        close() {
          stdin.off("data", onData).off("end", onEnd).off("error", onEnd);
          if (keyboard) stdin.setRawMode(false);
          stdin.pause();
        },
      };
    },
  };
}

/* Writes to standard output and standard error of this process. A closed pipe is not an error; a full disk is an error. */

/** Writes to standard output. Resolves when the text is written; rejects with an error message if writing fails. */
function standardOutput(): (text: string) => Promise<void> {
  let closed = false;
  let failure: NodeJS.ErrnoException | null = null;
  const fail = (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") closed = true;
    else failure = error;
  };
  // A write error goes both to this listener and to the failed write. Without a listener, the error would end the process.
  process.stdout.on("error", fail);
  const write = isFile(OUTPUT) ? toFile : toStream;
  return async (text) => {
    if (closed) return;
    if (!failure) await write(text).catch(fail);
    if (failure) throw notWritten(failure);
  };
}

/** Writes to standard error. Failures are ignored, because there is no other place to report them. */
function standardError(): (text: string) => void {
  process.stderr.on("error", () => {});
  return (text) => {
    try {
      process.stderr.write(text);
    } catch {
      // Writing fails if standard error is a file on a full disk. This failure is ignored.
    }
  };
}

function isFile(file: number): boolean {
  try {
    const info = fstatSync(file);
    return info.isFile() || (info.isCharacterDevice() && process.stdout.isTTY !== true);
  } catch {
    return false;
  }
}

/** Writes to a file in a loop. Node's own stream loses the remaining text after a partial write on a nearly full disk. */
async function toFile(text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) done += writeSync(OUTPUT, bytes, done);
}

function toStream(text: string): Promise<void> {
  return new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve())));
}

function notWritten({ code }: NodeJS.ErrnoException): Error {
  const full = code === "ENOSPC" || code === "EDQUOT";
  return badInput(`Standard output could not be written (${code}).`, {
    remedy: full ? "The disk is full: free some space, or write to another disk." : "Check where it goes, or write to a file.",
  });
}
