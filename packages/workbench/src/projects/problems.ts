/** Turns errors into replies: a status, a code and a sentence. */
import { CoterieError } from "@coterie/core/internal";
import { z } from "zod";
import { ReplyError } from "../protocol/reply-error.js";

export function notFound(message: string): ReplyError {
  return new ReplyError(404, { code: "not-found", message });
}

export function conflict(message: string, remedy?: string): ReplyError {
  return new ReplyError(409, { code: "conflict", message, ...(remedy ? { remedy } : {}) });
}

/** The error for data in the store that can no longer be read. */
export function damaged(message: string): ReplyError {
  return new ReplyError(409, { code: "damaged", message });
}

export function badRequest(message: string): ReplyError {
  return new ReplyError(400, { code: "bad-request", message });
}

/** Turns a thrown error into a reply. Returns null for a bug, because the client must not see its details. */
export function replyTo(error: unknown): ReplyError | null {
  if (error instanceof ReplyError) return error;
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    const where = issue?.path.join(".") ?? "";
    return badRequest(`${where === "" ? "The request" : `"${where}"`} does not fit: ${issue?.message ?? "unknown"}.`);
  }
  if (!(error instanceof CoterieError)) return null;
  const { problem } = error;
  const { code, ...facts } = problem;
  const place = problem.code === "bad-input" ? pick(problem, ["file", "line", "remedy"]) : {};
  return new ReplyError(code === "bad-option" ? 400 : 422, { code, message: error.message, ...place, facts: plain(facts) });
}

function pick<T extends object>(from: T, names: readonly (keyof T)[]): Partial<T> {
  return Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]])) as Partial<T>;
}

/** Copies an object through JSON, so that it is plain data. Big integers become texts. */
function plain(facts: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(facts, (_, value) => (typeof value === "bigint" ? String(value) : value)));
}
