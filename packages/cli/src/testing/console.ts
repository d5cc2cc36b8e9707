/** A fake terminal: runs a command in this process and records its output. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { Input, Io } from "../command.js";
import { exitCodeOf } from "../main.js";
import { linesOver } from "../terminal.js";

export interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs with one worker, because the threads of the pool need the build, which other tests use. */
export async function coterie(...args: string[]): Promise<Printed> {
  return await coterieWith({}, ...args);
}

export async function coterieWith(io: Partial<Io>, ...args: string[]): Promise<Printed> {
  let out = "";
  let err = "";
  const writers = {
    out: async (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    screen: false,
    colours: io.colours === true,
  };
  const code = await exitCodeOf(args[0] === "cluster" ? ["cluster", "--workers", "1", ...args.slice(1)] : args, {
    signal: new AbortController().signal,
    written: [],
    env: {},
    terminal: false,
    columns: 100,
    colours: false,
    lines: 24,
    input: typed(""),
    ...linesOver(writers),
    ...io,
  });
  return { code, out, err };
}

/** Standard input with this text, as a pipe or as single keys. */
export function typed(text: string, keyboard = false): Input {
  const pieces = keyboard ? [...text] : text === "" ? [] : [text];
  return {
    keyboard,
    open: () => ({
      async read(signal) {
        signal.throwIfAborted();
        return pieces.shift() ?? null;
      },
      forget() {},
      close() {},
    }),
  };
}

/** A new folder with these files. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "coterie-cli-"));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

/** Expects that a command line is refused with this sentence and exit code 2, and that nothing is printed. */
export async function expectRefused(args: readonly string[], sentence: string): Promise<void> {
  const { code, out, err } = await coterie(...args);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(sentence);
  expect(err).not.toContain("    at ");
}
