/** Lines of rows: most rows take one line, so only the rows that are followed by more are remembered. */
export class LineIndex {
  readonly #firstLine: number;
  /** After row #rows[i], #totals[i] lines beyond one per row have passed. */
  readonly #rows: number[] = [];
  readonly #totals: number[] = [];

  constructor(firstLine: number) {
    this.#firstLine = firstLine;
  }

  /** Says that `count` lines beyond its own pass after `row` (-1: before the first), rows in ascending order. */
  skip(row: number, count: number): void {
    const total = (this.#totals.at(-1) ?? 0) + count;
    if (this.#rows.at(-1) === row) this.#totals[this.#totals.length - 1] = total;
    else {
      this.#rows.push(row);
      this.#totals.push(total);
    }
  }

  /** The line on which a row begins. */
  readonly lineOf = (row: number): number => {
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#rows[middle]! < row) low = middle + 1;
      else high = middle;
    }
    return this.#firstLine + row + (low === 0 ? 0 : this.#totals[low - 1]!);
  };
}
