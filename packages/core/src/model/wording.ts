/** Parts of messages: counting, quoting. */

/** A number with its noun: "1 cluster", "3 clusters". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A text in quotes, shortened for a message; control characters are escaped. */
export function quoted(text: string): string {
  return JSON.stringify(withEnd(text));
}

/** The text, cut with "…" if it is longer than 60 characters. */
export function withEnd(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** The name of a choice: a number of clusters, or a method. The scale is added if it is not the scale of the points. */
export function choiceName({
  k,
  algorithm,
  scale,
}: {
  readonly k?: number;
  readonly algorithm?: string;
  readonly scale?: string;
}): string {
  if (algorithm === undefined) return String(k);
  return scale === undefined || scale === "given" ? algorithm : `${algorithm}, --scale ${scale}`;
}
