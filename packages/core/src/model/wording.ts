/** "1 cluster", "3 clusters": a number in a sentence. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
