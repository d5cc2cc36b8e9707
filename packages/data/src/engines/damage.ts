/** Damage to a binary file. The message is Coterie's; the error of the library is kept as its cause and not shown. */
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
