/** A method as a function: what is handed in is checked, and all steps are made at once. */
import type { z } from "zod";
import type { Result } from "../model/result.js";
import { drain, type Steps } from "../steps/index.js";
import { finish } from "./finish.js";
import type { Input, Outcome } from "./method.js";
import { checkedOptions } from "./options.js";
import { checkInput } from "./values.js";

export function atOnce<Schema extends z.ZodType, Context>(
  schema: Schema,
  steps: (input: Input, options: z.output<Schema>, context: Context) => Steps<Outcome>,
  input: Input,
  options: unknown,
  context: Context,
): Result {
  const checked = checkedOptions(schema, options);
  checkInput(input);
  return finish(input, drain(steps(input, checked, context)));
}
