/** Pieces of the sentences that readers write: quoting, counting, listing. */

/** A text in quotes, shortened for a sentence; control characters are made visible. */
export function quoted(text: string): string {
  return JSON.stringify(withEnd(text));
}

/** The beginning of a text, if all of it is too long for a sentence. */
export function withEnd(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Names in a sentence, with an end to long lists. */
export function listed(names: readonly string[], most = 12): string {
  const shown = names.slice(0, most).map(withEnd);
  return names.length > most ? `${shown.join(", ")} and ${names.length - most} more` : shown.join(", ");
}
