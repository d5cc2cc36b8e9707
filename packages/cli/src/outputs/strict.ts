/** The exit code of a run that broke constraints: 4 where `--strict` asks for that. */
import { violationCount } from "@coterie/core/internal";
import type { Io } from "../command.js";
import type { Values } from "../flags.js";

export function strictCode(violations: Parameters<typeof violationCount>[0], values: Values, io: Io): 0 | 4 {
  if (!values.strict || violationCount(violations) === 0) return 0;
  if (!values.quiet)
    io.say(
      "--strict: constraints are broken. `coterie diagnose`, with the same table and constraints, says whether all can be kept.",
    );
  return 4;
}
