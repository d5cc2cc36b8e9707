/** Pieces of the sentences for people: counting, quoting. */

/** "1 cluster", "3 clusters": a number in a sentence. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A text in quotes, shortened for a sentence; control characters are made visible. */
export function quoted(text: string): string {
  return JSON.stringify(withEnd(text));
}

/** The beginning of a text, if all of it is too long for a sentence. */
export function withEnd(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
