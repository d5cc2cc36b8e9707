/** Errors of a store as sentences for people: the disk is full, the file is damaged, another process uses the file, … */

export type StoreTrouble = "full" | "damaged" | "busy" | "newer" | "unusable";

export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly trouble: StoreTrouble;

  constructor(trouble: StoreTrouble, message: string, options?: ErrorOptions) {
    super(message, options);
    this.trouble = trouble;
  }
}

/** Turns an error of the file system or of SQLite into a sentence for people. Other errors are returned unchanged. */
export function storeErrorFrom(error: unknown, file: string): unknown {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  if (/FULL|ENOSPC|EDQUOT/.test(code))
    return new StoreError("full", `The disk is full: nothing was changed in ${file}. Make room, then try again.`, {
      cause: error,
    });
  if (/READONLY|IOERR|EROFS|EACCES|EIO|EPERM/.test(code))
    return new StoreError("full", `${file} cannot be written (${code}): nothing was changed.`, { cause: error });
  if (/CORRUPT|NOTADB/.test(code)) return damaged(file, error);
  if (/BUSY|LOCKED/.test(code))
    return new StoreError("busy", `Another studio has ${file} open. Close it, or name another folder with --folder.`, {
      cause: error,
    });
  return error;
}

export function damaged(file: string, cause: unknown): StoreError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new StoreError(
    "damaged",
    `The project file ${file} is damaged (${why}). It was left as it is. Bring back a copy, or move it away to begin anew.`,
    { cause },
  );
}

/** The error for a project that cannot be read, or only in part. The other projects in the file can be read. */
export function damagedPart(what: string, file: string, cause: unknown): StoreError {
  return new StoreError(
    "damaged",
    `${what} is damaged in ${file} (${reasonOf(cause)}). It was left as it is, and other projects are not touched. Bring back a copy of the file.`,
    { cause },
  );
}

function reasonOf(cause: unknown): string {
  if (cause instanceof TypeError) return "a byte that is no UTF-8";
  if (cause instanceof SyntaxError) return `no JSON: ${cause.message}`;
  const [issue] = (cause as { readonly issues?: readonly { path: PropertyKey[]; message: string }[] }).issues ?? [];
  return issue ? `${issue.path.join(".")}: ${issue.message}` : String((cause as Error)?.message ?? cause);
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  const { code, message, rawCode } = error as { code?: unknown; message?: unknown; rawCode?: unknown };
  return `${String(code ?? "")} ${String(rawCode ?? "")} ${/database is locked|disk is full|malformed|not a database/.exec(String(message))?.[0] ?? ""}`
    .replace("database is locked", "BUSY")
    .replace("disk is full", "FULL")
    .replace("malformed", "CORRUPT")
    .replace("not a database", "NOTADB");
}
