/** The error for a damaged binary file. Users see Coterie's message; the library's error is only kept as the cause. */
import { CoterieError } from "@coterie/core/internal";

/** A fault in a file. The message completes the sentence "… damaged: …". */
export class Damage extends Error {
  override readonly name = "Damage";
}

export interface Refusal {
  readonly file: string;
  readonly message: string;
  readonly remedy: string;
  readonly cause: unknown;
}

export function refusal({ cause, ...facts }: Refusal): CoterieError {
  return new CoterieError({ code: "bad-input", ...facts }, { cause });
}
