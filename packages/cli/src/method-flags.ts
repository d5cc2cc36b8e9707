/** Derives a method's flags from its schema, and its options from the parsed flags. */

import { badOption } from "@coterie/core/errors";
import { type Method, type OptionProperty, z } from "@coterie/core/internal";
import { type Flag, kebab, listOf, type Values } from "./flags.js";

const SHORT: Readonly<Record<string, string>> = { k: "k" };

export function flagsOf(described: Described): Flag[] {
  return Object.entries(propertiesOf(described)).map(([option, property]) => flagOf(option, property));
}

type Described = Pick<Method, "options">;

function propertiesOf(method: Described): Readonly<Record<string, OptionProperty>> {
  const schema = z.toJSONSchema(method.options, { io: "input" }) as { properties?: Record<string, OptionProperty> };
  return schema.properties ?? {};
}

function flagOf(option: string, property: OptionProperty): Flag {
  const { type, description = "", default: preset } = property;
  const choices = property.enum ?? property.anyOf?.find((kind) => kind.enum)?.enum;
  const isSwitch = type === "boolean";
  const name = isSwitch && preset === true ? `no-${kebab(option)}` : kebab(option);
  const word = wordFor(property, choices);
  return {
    name,
    ...(SHORT[option] ? { short: SHORT[option] } : {}),
    ...(isSwitch ? {} : { value: word }),
    ...(choices && !property.file ? { choices } : {}),
    description: `${isSwitch && preset === true ? "do not " : ""}${description}${isSwitch || preset === undefined ? "" : ` (default: ${preset})`}`,
    option,
    ...(type === "integer" || type === "number" ? { kind: type } : {}),
    ...(type === "array" ? { list: true } : {}),
  };
}

function wordFor({ file, type, anyOf }: OptionProperty, choices: readonly string[] | undefined): string {
  if (file) return `${choices?.join("|")}|FILE`;
  if (type === "array" || anyOf?.some((kind) => kind.type === "array")) return "A,B";
  return type === "string" || choices ? "HOW" : "N";
}

/** The options that the command line sets. Options that are file names are left out, because the command reads these files itself. */
export function optionsFrom(values: Values, flags: readonly Flag[]): Record<string, unknown> {
  const options: Record<string, unknown> = {};
  for (const flag of flags) {
    const given = values[flag.name];
    if (given === undefined || flag.option === undefined) continue;
    if (!flag.value) options[flag.option] = !flag.name.startsWith("no-");
    else if (flag.kind === "integer" || flag.kind === "number") options[flag.option] = numberFrom(flag, String(given));
    else options[flag.option] = flag.list ? listOf(values, flag.name) : given;
  }
  return options;
}

function numberFrom({ name, kind }: Flag, text: string): number {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isNaN(number))
    throw badOption(name === "k" ? "-k" : `--${name}`, text, kind === "integer" ? "a whole number" : "a number");
  return number;
}
