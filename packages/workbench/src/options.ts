/** Options of a method, checked by its schema; what is wrong comes back as one sentence. */
import { badOption, catalogue, findMethod, type Method, nearestName } from "@coterie/core";

export function methodNamed(name: string): Method {
  const method = findMethod(name);
  if (method) return method;
  const names = catalogue.map((entry) => entry.name);
  const near = nearestName(name, names);
  throw badOption("algorithm", name, `one of ${names.join(", ")}${near ? `; did you mean ${near}?` : ""}`);
}

/** The options with their defaults filled in, or the first thing that is wrong with them. */
export function checkOptions(method: Method, options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const checked = method.options.safeParse(options);
  if (checked.success) return checked.data as Readonly<Record<string, unknown>>;
  const issue = checked.error.issues[0]!;
  const name = issue.code === "unrecognized_keys" ? (issue.keys[0] ?? "option") : String(issue.path[0] ?? "option");
  throw badOption(name, issue.path.length > 0 ? valueAt(options, issue.path) : options[name], expectation(issue));
}

function valueAt(options: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], options);
}

interface Issue {
  readonly code?: string;
  readonly message: string;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly expected?: unknown;
  readonly values?: readonly unknown[];
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case "too_small":
      return `at least ${issue.minimum}`;
    case "too_big":
      return `at most ${issue.maximum}`;
    case "invalid_value":
      return `one of ${(issue.values ?? []).join(", ")}`;
    case "invalid_type":
      return issue.expected === "int" ? "a whole number" : `a ${issue.expected}`;
    case "unrecognized_keys":
      return "left out: the method has no such option";
    default:
      return issue.message.toLowerCase();
  }
}
