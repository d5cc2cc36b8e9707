/**
 * Keeps the answers of programs in a file beside the log of answers. The key of an answer is a hash of the program's command and the
 * content of the question, so a later session does not ask the program again. Invalid lines of the file are skipped.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { placeOf } from "@coterie/data";
import { isShare, type Reply } from "./reply.js";

export interface AnswerCache {
  get(key: string): Reply | undefined;
  set(key: string, reply: Reply): void;
}

export function cachePath(log: string): string {
  return `${placeOf(log).path}.cache`;
}

export function openCache(path: string, warn: (sentence: string) => void): AnswerCache {
  const known = new Map<string, Reply>();
  let usable = true;
  try {
    if (existsSync(path)) for (const line of readFileSync(path, "utf8").split("\n")) read(line, known);
  } catch (error) {
    usable = false;
    warn(unusable(path, error));
  }
  return {
    get: (key) => known.get(key),
    set(key, reply) {
      known.set(key, reply);
      if (!usable) return;
      try {
        appendFileSync(path, `${JSON.stringify({ key, ...reply })}\n`);
      } catch (error) {
        usable = false;
        warn(unusable(path, error));
      }
    },
  };
}

const WORDS: readonly unknown[] = ["same", "different", "unsure", "a", "b", "c"];

function read(line: string, known: Map<string, Reply>): void {
  try {
    const { key, answer, confidence, why } = JSON.parse(line);
    if (typeof key !== "string" || !WORDS.includes(answer)) return;
    known.set(key, {
      answer,
      ...(isShare(confidence) ? { confidence } : {}),
      ...(typeof why === "string" ? { why } : {}),
    });
  } catch {
    // An earlier run was killed while it wrote this line, so the line is incomplete. It is skipped.
  }
}

function unusable(path: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : error;
  return `Answers are not remembered by content: ${path} cannot be used (${String(code)}).`;
}
