/** Damage to a binary file, in our words: what an engine says of it is kept as the cause, never shown. */
import { CoterieError } from "@coterie/core/internal";

/** What a check of ours found wrong; the message completes the sentence "… damaged: …". */
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
