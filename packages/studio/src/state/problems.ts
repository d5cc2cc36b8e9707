/** Turns any error into a problem with a message. */
import { ReplyError } from "@coterie/workbench/protocol";
import type { Problem } from "./model.js";

export function problemOf(error: unknown): Problem {
  if (error instanceof ReplyError) return error.problem;
  const known = error as { readonly problem?: Problem; readonly message?: string };
  if (known?.problem?.message !== undefined) return known.problem;
  return { code: isOffline(error) ? "offline" : "bug", message: known?.message ?? String(error) };
}

/** Whether an error means that the server cannot be reached. In this case `fetch` throws a TypeError. */
export function isOffline(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof ReplyError && error.problem.code === "no-answer");
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
