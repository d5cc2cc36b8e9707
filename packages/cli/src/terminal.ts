/** Node's terminal as the commands see it: ordered output, a closed pipe survived, Ctrl-C as a signal. */
import { basename, isAbsolute } from "node:path";
import { shellWord } from "@coterie/core/shell";
import type { Input, Io } from "./command.js";
import { standardError, standardOutput } from "./standard-streams.js";
import { CONTROL, visible, visibleData, written } from "./text/visible.js";

export interface NodeIo {
  readonly io: Io;
  /** Waits until all output has left. */
  finish(): Promise<void>;
}

/** How a terminal is written to: text as it is, and whether standard output is a screen, standard error one with colours. */
export interface Writers {
  readonly out: (text: string) => Promise<void>;
  readonly err: (text: string) => void;
  readonly screen: boolean;
  readonly colours: boolean;
}

/** The only way from a command to a terminal: nothing that data hold is obeyed there, and no line of theirs looks like one of ours. */
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
    // A window may change its size while a command runs.
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

/** The command as it was typed, for the foot of a page; pages are sent to others, so of this machine's paths only the last part. */
export function commandLine(words: readonly string[] = process.argv.slice(2)): string {
  return ["coterie", ...words.map(withoutFolder)].map(shellWord).join(" ");
}

/** `/home/ann/sales.csv` and `--html=/home/ann/page.html` without their folders; relative paths stay. */
function withoutFolder(word: string): string {
  const [, flag = "", value = ""] = /^(--[\w-]+=)?(.*)$/s.exec(word)!;
  return flag + (isAbsolute(value) || value.startsWith("~/") ? basename(value) : value);
}

/** Keys of a keyboard arrive at once and are not shown; Ctrl-C is a key like the others. */
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
