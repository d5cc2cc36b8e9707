/**
 * A command of the shell as a process that lines go to and come from. It leads a group of its own, so that all it starts ends with it,
 * and so that Ctrl-C at the terminal is ours to hear.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { lineReader } from "./lines.js";

export interface ShellEvents {
  readonly line: (text: string) => void;
  readonly tooLong: () => void;
  /** Nothing more will come, for this reason. */
  readonly over: (reason: string) => void;
}

export interface ShellProcess {
  send(text: string): void;
  /** Whether anybody waits for lines; while nobody does, what the program writes stays in the pipe. */
  listen(isWaiting: boolean): void;
  /** The last lines of its standard error. */
  said(): string[];
  /** Closes its standard input and waits for its end; with force, or where it stays, the group is ended. */
  close(force: boolean): Promise<void>;
}

/** The longest answer; more than a megabyte of "why" helps nobody. */
const LONGEST_LINE = 1 << 20;
const LONGEST_SAID = 2_000;
const LAST_LINES = 3;
/** How long an ending may take: the news of it, on its own, and after it was told to. */
const NEWS_MS = 500;
const OWN_END_MS = 2_000;
const TOLD_END_MS = 400;

export function startShell(command: string, { line, tooLong, over }: ShellEvents): ShellProcess {
  // The shell of Windows has no groups; taskkill ends the tree there.
  const child = spawn(command, { shell: true, detached: process.platform !== "win32", stdio: ["pipe", "pipe", "pipe"] });
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) => resolve(`could not be started (${error.code ?? error.message})`));
    child.once("exit", (code, signal) => resolve(endOf(code, signal)));
  });
  const killAtExit = () => endGroup(child, "SIGKILL");
  process.once("exit", killAtExit);

  let isOver = false;
  const finish = async (otherwise: string) => {
    if (isOver) return;
    isOver = true;
    over(await Promise.race([ended, later(NEWS_MS, otherwise)]));
  };
  const reader = lineReader(LONGEST_LINE, { line, tooLong });
  child.stdout.on("data", (bytes: Buffer) => reader.take(bytes));
  child.stdout.once("end", () => {
    reader.end();
    void finish("closed its standard output");
  });
  child.stdout.on("error", () => void finish("closed its standard output"));
  child.stdin.on("error", () => void finish("closed its standard input"));
  child.once("error", () => void finish("could not be started"));
  let tail = "";
  child.stderr.on("data", (bytes: Buffer) => {
    tail = (tail + bytes.toString("utf8")).slice(-LONGEST_SAID);
  });
  child.stderr.on("error", () => {});

  return {
    send: (text) => void child.stdin.write(text),
    listen: (isWaiting) => void (isWaiting ? child.stdout.resume() : child.stdout.pause()),
    said: () =>
      tail
        .split(/[\r\n]+/)
        .map((each) => each.trim())
        .filter((each) => each !== "")
        .slice(-LAST_LINES),
    async close(force) {
      child.stdin.end();
      const gone = await Promise.race([ended.then(() => true), later(force ? 0 : OWN_END_MS, false)]);
      endGroup(child, "SIGTERM");
      if (!gone) await Promise.race([ended, later(TOLD_END_MS, "")]);
      endGroup(child, "SIGKILL");
      process.off("exit", killAtExit);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    },
  };
}

/** What the shell itself says where it does not find a command, or may not run it. */
const NOT_STARTED: readonly (number | null)[] = [126, 127, 9009];

function endOf(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal) return `was ended by ${signal}`;
  return NOT_STARTED.includes(code) ? `could not be started (exit code ${code})` : `ended with exit code ${code}`;
}

function later<T>(milliseconds: number, value: T): Promise<T> {
  return new Promise((resolve) => setTimeout(() => resolve(value), milliseconds).unref());
}

function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform !== "win32") process.kill(-child.pid, signal);
    else if (child.exitCode === null) spawn("taskkill", ["/pid", String(child.pid), "/t", "/f"], { stdio: "ignore" });
  } catch {
    // Nobody of the group is left.
  }
}
