/** The exit code of a run: 4 if it broke constraints and `--strict` is set. */
import { violationCount } from "@coterie/core/internal";
import type { Io } from "../command.js";
import type { Values } from "../flags.js";

export function strictCode(violations: Parameters<typeof violationCount>[0], values: Values, io: Io): 0 | 4 {
  if (!values.strict || violationCount(violations) === 0) return 0;
  if (!values.quiet)
    io.say(
      "--strict: constraints are broken. `coterie diagnose` with the same table and constraints reports whether all can be satisfied.",
    );
  return 4;
}
