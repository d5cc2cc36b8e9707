/** Standard output and standard error of this process. A reader that goes away is no error; a disk that is full is one, and is told. */
import { fstatSync, writeSync } from "node:fs";
import { badInput } from "@coterie/core/errors";

const OUTPUT = 1;

/** Writes to standard output; resolves when the text has left, and rejects with a sentence if it cannot. */
export function standardOutput(): (text: string) => Promise<void> {
  let closed = false;
  let failure: NodeJS.ErrnoException | null = null;
  const fail = (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") closed = true;
    else failure = error;
  };
  // An error arrives here, and with the text that met it; without a listener it would end the process.
  process.stdout.on("error", fail);
  const write = isFile(OUTPUT) ? toFile : toStream;
  return async (text) => {
    if (closed) return;
    if (!failure) await write(text).catch(fail);
    if (failure) throw notWritten(failure);
  };
}

/** Writes to standard error. Where that cannot be, there is nobody to tell. */
export function standardError(): (text: string) => void {
  process.stderr.on("error", () => {});
  return (text) => {
    try {
      process.stderr.write(text);
    } catch {
      // A file on a full disk.
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

/** Node's own stream to a file forgets what a nearly full disk did not take. */
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
    remedy: full ? "The disk is full: make room, or write elsewhere." : "Check where it leads, or write elsewhere.",
  });
}
