/** HTML templates that escape every inserted value as text, unless the value is already Html. */
import { escapeText } from "../layout/text.js";

export interface Html {
  readonly markup: string;
}

export type HtmlValue = Html | string | number | null | undefined | readonly HtmlValue[];

export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let markup = strings[0]!;
  values.forEach((value, at) => {
    markup += markupOf(value) + strings[at + 1]!;
  });
  return { markup };
}

/**
 * Marks a text as safe markup, so that templates do not escape it. Use it only for markup from this package, such as a figure or a style
 * sheet, and never for text from the data.
 */
export function trusted(markup: string): Html {
  return { markup };
}

function markupOf(value: HtmlValue): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return escapeText(value);
  if (typeof value === "number") return String(value);
  if ("markup" in value) return value.markup;
  return value.map(markupOf).join("");
}
