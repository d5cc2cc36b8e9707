/** Finds the line number of a row. Most rows take one line, so only rows that are followed by extra lines are stored. */
export class LineIndex {
  readonly #firstLine: number;
  /** #rows: the rows with extra lines after them, ascending. #totals[i]: number of extra lines up to and including row #rows[i]. */
  readonly #rows: number[] = [];
  readonly #totals: number[] = [];

  constructor(firstLine: number) {
    this.#firstLine = firstLine;
  }

  /** Adds `count` extra lines after `row` (-1: before the first row). Calls must be in ascending order of rows. */
  skip(row: number, count: number): void {
    const total = (this.#totals.at(-1) ?? 0) + count;
    if (this.#rows.at(-1) === row) this.#totals[this.#totals.length - 1] = total;
    else {
      this.#rows.push(row);
      this.#totals.push(total);
    }
  }

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
