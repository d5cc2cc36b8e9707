/** Methods by name, and their options checked. */
import { badOption, catalogue, checkedOptions, findMethod, type Method, nearestName } from "@coterie/core";

export function methodNamed(name: string): Method {
  const method = findMethod(name);
  if (method) return method;
  const names = catalogue.map((entry) => entry.name);
  const near = nearestName(name, names);
  throw badOption("algorithm", name, `one of ${names.join(", ")}${near ? `; did you mean ${near}?` : ""}`);
}

/** The options with their defaults filled in, or the first thing that is wrong with them. */
export function checkOptions(method: Method, options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return checkedOptions(method.options, options) as Readonly<Record<string, unknown>>;
}
